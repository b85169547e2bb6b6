"""Splits one large batch inside the graph: one run gives its whole gradient with the memory of one slice."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

from tf1grad._arguments import describe
from tf1grad._compat import require_graph, tf, v1_control_flow
from tf1grad._types import GradsAndVars, Pairs, Reduction
from tf1grad.accumulation.sums import FEW, cast, concat_rows, folded, folds, merge_rows, sum_dtype
from tf1grad.accumulation.window import REDUCTIONS
from tf1grad.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.gradients.transforms import replace_values, scaled
from tf1grad.sessions.graph_assertions import assert_in_run


def split_batch(loss_fn: Callable[..., tf.Tensor], batch: Union[tf.Tensor, Sequence[tf.Tensor]],
                micro_batch_size: Union[int, tf.Tensor], var_list: Optional[Sequence[tf.Variable]] = None,
                compute_gradients: Optional[Callable[..., GradsAndVars]] = None, reduction: Reduction = "mean",
                name: Optional[str] = None) -> Tuple[tf.Tensor, Pairs]:
    """Computes the loss and the gradients of a whole batch slice by slice inside one run.

        loss = sum_i(n_i * loss_i) / sum_i(n_i)    over slices of n_i samples

    and the gradients alike; the last slice may be shorter. It equals the full batch where the loss is a mean over
    samples; see `GradientAccumulator`.

        loss, grads_and_vars = tf1grad.split_batch(
            loss_fn, [images, labels], micro_batch_size=32)
        train_op = optimizer.apply_gradients(grads_and_vars)

    `loss_fn` is called twice, for the first slice and for the loop over the others. Both use the same variables when
    they come from `tf.get_variable` or from outside. Additions of the second call to collections (UPDATE_OPS,
    summaries, losses) are removed again: they are inside the loop, where no other run can fetch them.

    Args:
        loss_fn: a function from one slice of each tensor in `batch` to a scalar loss.
        batch: a tensor or a list of tensors with the same first dimension, which may be unknown.
        micro_batch_size: samples a slice: an int of at least 1 or an integer scalar tensor.
        var_list: the variables to differentiate by; default: all trainable variables.
        compute_gradients: a function like `optimizer.compute_gradients(loss, var_list=...)`; default: `tf.gradients`.
        reduction: "mean", or "sum" where `loss_fn` sums over its samples.
        name: the name scope of the ops.

    Returns:
        `(loss, grads_and_vars)`. None gradients stay None, `IndexedSlices` sparse, with each row once. Half precision
        is summed in float32 and cast back. Differentiating them is a LookupError: put a penalty into `loss_fn`.

    Raises:
        TypeError, ValueError: tensors of different or no first dimension, a `micro_batch_size` below 1, a loss that
            is not a scalar, a `loss_fn` that makes new variables at each call.
        RuntimeError: eager execution is on.

    Source: the accumulation recipe, with the loop over micro-batches inside the graph.
    """
    require_graph("split_batch")
    if reduction not in REDUCTIONS:
        raise ValueError(f"split_batch: reduction must be one of {REDUCTIONS}; got {reduction!r}.")
    with tf.name_scope(name, "split_batch"), v1_control_flow():
        batch = _checked_batch(batch)
        samples = tf.shape(batch[0], out_type=tf.int64)[0]
        size = tf.minimum(_checked_size(micro_batch_size), tf.maximum(samples, 1))  # as all samples fit in one slice
        part = _Part(loss_fn, batch, size, var_list, compute_gradients, reduction)
        scope = tf.get_variable_scope()
        with tf.variable_scope(scope, auxiliary_name_scope=False):
            first = part(0)
        sums = _Sums(first, samples, size)
        with tf.variable_scope(scope, reuse=True, auxiliary_name_scope=False), _private_collections():
            sums.loop(part)
        return _once_differentiated(*sums.reduced(size / samples if reduction == "mean" else None))


class _Part:
    """Loss and gradients of slice `index`, times the part of `size` that it fills: 1 except for a short last one."""

    def __init__(self, loss_fn: Callable[..., tf.Tensor], batch: Sequence[tf.Tensor], size: tf.Tensor,
                 var_list: Optional[Sequence[tf.Variable]], compute_gradients: Optional[Callable[..., GradsAndVars]],
                 reduction: Reduction) -> None:
        self._loss_fn, self._batch, self._size = loss_fn, batch, size
        self._var_list, self._reduction = var_list, reduction
        self._compute_gradients = compute_gradients or _gradients

    def __call__(self, index: Any) -> Tuple[tf.Tensor, Pairs]:
        start = tf.cast(index, tf.int64) * self._size
        slices = [tensor[start:start + self._size] for tensor in self._batch]
        loss = _checked_loss(self._loss_fn(*slices))
        if self._reduction == "mean":  # weighted here, the gradients need no separate pass
            loss *= tf.cast(tf.shape(slices[0], out_type=tf.int64)[0] / self._size, loss.dtype)
        variables = tf.trainable_variables() if self._var_list is None else list(self._var_list)
        pairs = check_grads_and_vars(self._compute_gradients(loss, var_list=variables), "split_batch")
        return loss, [(gradient if gradient is None else cast(gradient, sum_dtype(variable.dtype.base_dtype)), variable)
                      for gradient, variable in pairs]


class _Sums:
    """The loop variables: a running sum of each dense gradient, and the rows of each sparse one, a slice an entry."""

    def __init__(self, first: Tuple[tf.Tensor, Pairs], samples: tf.Tensor, size: tf.Tensor) -> None:
        self._loss, self._pairs = first
        self._slices = tf.cast((samples + size - 1) // size, tf.int32)
        later = self._slices - 1
        self._state = [tf.cast(self._loss, tf.float64)]
        for gradient, variable in self._pairs:
            if isinstance(gradient, tf.IndexedSlices):
                self._state += [_rows_array(gradient.values, later), _rows_array(gradient.indices, later)]
            elif gradient is not None:
                self._state += [_with_shape(gradient, variable), _nothing_yet(variable, gradient.dtype)]

    def loop(self, part: _Part) -> None:
        # The first slice is finished before the second begins: that needs one slice's memory, and is as fast.
        with tf.control_dependencies(self._computed()):
            start = tf.constant(1)
        outputs = tf.while_loop(
            lambda index, *_: index < self._slices, lambda index, *state: self._body(part, index, state),
            [start] + self._state, parallel_iterations=1, back_prop=False)
        self._state = outputs[1:]

    def _computed(self) -> List[tf.Tensor]:
        return [self._loss] + [gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
                               for gradient, _ in self._pairs if gradient is not None]

    def _body(self, part: _Part, index: tf.Tensor, state: Any) -> List[Any]:
        known = len(tf.global_variables())
        loss, pairs = part(index)
        made = tf.global_variables()[known:]
        if made:
            raise ValueError("split_batch: loss_fn made new variables at its second call: "
                             f"{[variable.name for variable in made]}. Make them outside of it, or with "
                             "tf.get_variable, so that both calls use the same.")
        state = iter(state)
        sums = [next(state) + tf.cast(loss, tf.float64)]
        for gradient, variable in pairs:
            if isinstance(gradient, tf.IndexedSlices):
                sums += [next(state).write(index - 1, gradient.values), next(state).write(index - 1, gradient.indices)]
            elif gradient is not None:
                recent, earlier = _folded_when_due(index, next(state), next(state))
                sums += [recent + _with_shape(gradient, variable), earlier]
        return [index + 1] + sums

    def reduced(self, factor: Optional[tf.Tensor]) -> Tuple[tf.Tensor, Pairs]:
        state = iter(self._state)
        loss = tf.cast(scaled(next(state), factor), self._loss.dtype)
        pairs = []
        for gradient, variable in self._pairs:
            if isinstance(gradient, tf.IndexedSlices):
                gradient = self._all_rows(gradient, next(state), next(state))
            elif gradient is not None:
                gradient = _with_shape(self._whole(next(state), next(state)), variable)
            if gradient is not None:
                gradient = cast(scaled(gradient, factor), variable.dtype.base_dtype)
            pairs.append((gradient, variable))
        return loss, pairs

    def _all_rows(self, first: tf.IndexedSlices, values: tf.TensorArray, indices: tf.TensorArray) -> tf.IndexedSlices:
        later = tf.cond(self._slices > 1, lambda: (values.concat(), indices.concat()),
                        lambda: (first.values[:0], first.indices[:0]))
        return merge_rows(concat_rows([first, tf.IndexedSlices(*later)]), self._slices > FEW)

    def _whole(self, recent: tf.Tensor, earlier: tf.Tensor) -> tf.Tensor:
        if not folds(recent.dtype):
            return recent
        return tf.cond(self._slices > FEW, lambda: earlier + recent, lambda: recent)


def _nothing_yet(variable: tf.Variable, dtype: tf.DType) -> tf.Tensor:
    """Makes the second sum of `DenseSum` while it is not needed: one zero, of a shape that may grow."""
    if variable.shape.ndims is None:
        return tf.placeholder_with_default(tf.zeros([], dtype), None)
    sizes = variable.shape.as_list()
    return tf.placeholder_with_default(tf.zeros([1] * len(sizes), dtype), [1 if size == 1 else None for size in sizes])


def _folded_when_due(count: tf.Tensor, recent: tf.Tensor, earlier: tf.Tensor) -> Any:
    """Returns the two sums of `DenseSum` before the next of `count` gradients is added to the first."""
    if not folds(recent.dtype):
        return recent, earlier

    def fold() -> Tuple[tf.Tensor, tf.Tensor]:
        total, moved = folded(recent, earlier)
        return recent - moved, total

    return tf.cond(tf.equal(count % FEW, 0), fold, lambda: (recent, earlier))


def _once_differentiated(loss: tf.Tensor, pairs: GradsAndVars) -> Tuple[tf.Tensor, Pairs]:
    """Makes `tf.gradients` of the results an error, because the loop keeps nothing to differentiate through."""
    def last(tensor: tf.Tensor) -> tf.Tensor:
        return tf.raw_ops.PreventGradient(input=tensor, message=(
            "split_batch: its loss and gradients cannot be differentiated; only the first slice would be. Put what is "
            "differentiated into loss_fn: its gradients are the grads_and_vars that split_batch returns"))
    return last(loss), [(replace_values(gradient, last), variable) for gradient, variable in pairs]


def _gradients(loss: tf.Tensor, var_list: Sequence[tf.Variable]) -> Pairs:
    return list(zip(tf.gradients(loss, var_list), var_list))


def _rows_array(rows: tf.Tensor, size: tf.Tensor) -> tf.TensorArray:
    return tf.TensorArray(rows.dtype, size=size, infer_shape=False, element_shape=[None] + rows.shape[1:].as_list())


def _with_shape(gradient: tf.Tensor, variable: tf.Variable) -> tf.Tensor:
    return gradient if gradient.shape.is_fully_defined() else tf.ensure_shape(gradient, variable.shape)


@contextlib.contextmanager
def _private_collections() -> Iterator[None]:
    """Removes from the graph's collections everything that was added inside."""
    graph = tf.get_default_graph()
    before = {key: graph.get_collection(key) for key in graph.get_all_collection_keys()}
    try:
        yield
    finally:
        for key in graph.get_all_collection_keys():
            if key not in (tf.GraphKeys.COND_CONTEXT, tf.GraphKeys.WHILE_CONTEXT):
                graph.get_collection_ref(key)[:] = before.get(key, [])


def _checked_batch(batch: Any) -> List[tf.Tensor]:
    tensors = [tf.convert_to_tensor(tensor) for tensor in (batch if isinstance(batch, (list, tuple)) else [batch])]
    if not tensors:
        raise ValueError("split_batch: batch is empty; give the tensors to be sliced.")
    first = tensors[0]
    for tensor in tensors:
        if tensor.shape.ndims == 0:
            raise ValueError(f"split_batch: {describe(tensor)} in batch is a scalar; every tensor needs a first "
                             "dimension to slice.")
        if not tensor.shape[:1].is_compatible_with(first.shape[:1]):
            raise ValueError(f"split_batch: {first.name} has shape {first.shape}, {tensor.name} has {tensor.shape}: "
                             "the first dimensions in batch must be equal.")
    with tf.control_dependencies([
            assert_in_run(tf.equal(tf.shape(tensor)[0], tf.shape(first)[0]), "split_batch",
                          "the first dimensions in batch must be equal; got the shapes",
                          [tf.shape(first), tf.shape(tensor)], "unequal_first_dimensions")
            for tensor in tensors[1:]]):
        return [tf.identity(tensor) for tensor in tensors]


def _checked_size(micro_batch_size: Any) -> tf.Tensor:
    size = tf.convert_to_tensor(micro_batch_size)
    if not size.dtype.is_integer or not size.shape.is_compatible_with([]):
        raise TypeError(f"split_batch: micro_batch_size must be an integer scalar; got {micro_batch_size!r}.")
    constant = tf.get_static_value(size)
    if constant is not None and constant < 1:
        raise ValueError(f"split_batch: micro_batch_size must be at least 1; got {constant}.")
    size = tf.cast(size, tf.int64)
    with tf.control_dependencies([assert_in_run(
            size >= 1, "split_batch", "micro_batch_size must be at least 1; got", [size], "micro_batch_size_below_1")]):
        return tf.identity(size)


def _checked_loss(loss: Any) -> tf.Tensor:
    loss = tf.convert_to_tensor(loss)
    if not loss.shape.is_compatible_with([]):
        raise ValueError(f"split_batch: loss_fn must return a scalar; got {loss.name} of shape {loss.shape}. Take its "
                         "mean over the slice.")
    return loss
