"""Splits one large batch inside the graph:
one run gives its whole gradient with the memory of one slice.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

from tf1grad._arguments import describe, scalar
from tf1grad._compat import require_graph, tf, v1_control_flow
from tf1grad._types import Gradient, GradsAndVars, Pairs, Reduction
from tf1grad.recipes.accumulation.micro_batch import (
    check_count,
    check_reduction,
    prepare_gradient,
)
from tf1grad.recipes.accumulation.second_call import (
    FirstCall,
    check_second_call,
    check_uses_slices,
)
from tf1grad.recipes.gradients.apply import current_scope
from tf1grad.recipes.gradients.grads_and_vars import (
    check_grads_and_vars,
    components,
    merge_duplicate_rows,
)
from tf1grad.recipes.gradients.transforms import cast, replace_values, scaled, wide_dtype
from tf1grad.recipes.sessions.graph_assertions import assert_in_run


def split_batch(
    loss_fn: Callable[..., tf.Tensor],
    batch: tf.Tensor | Sequence[tf.Tensor],
    micro_batch_size: int | tf.Tensor,
    var_list: Sequence[tf.Variable] | None = None,
    compute_gradients: Callable[..., GradsAndVars] | None = None,
    reduction: Reduction = "mean",
    name: str | None = None,
) -> tuple[tf.Tensor, Pairs]:
    """Computes the loss and the gradients of a whole batch slice by slice inside one run.

        loss = sum_i(n_i * loss_i) / sum_i(n_i)    over slices of n_i samples

    and the gradients alike; the last slice may be shorter. It equals the full batch where the loss
    is a mean over samples; see `GradientAccumulator`.

        loss, grads_and_vars = tf1grad.split_batch(
            loss_fn, [images, labels], micro_batch_size=32)
        train_op = optimizer.apply_gradients(grads_and_vars)

    `loss_fn` is called twice. The first call makes the variables, and what it adds to collections
    stays there. A run that fetches its summaries or update ops computes them from the first slice,
    in addition to the loop.

    The second call makes the loop over all slices. It starts from the same collections, numbers of
    scopes and static shapes as the first, and uses its variables. What it adds to collections is
    removed again: no run can fetch it.

    A random op with a seed draws for the slices one after another, as in a program that runs each
    slice by itself.

    Args:
        loss_fn: a function from one slice of each tensor in `batch` to a scalar loss.
        batch: a tensor or a list of tensors with the same first dimension, which may be unknown.
        micro_batch_size: samples a slice: an int of at least 1 or an integer scalar tensor.
        var_list: the variables to differentiate by, or one; default: all trainable variables.
        compute_gradients: a function like `optimizer.compute_gradients(loss, var_list=...)`;
            default: `tf.gradients`.
        reduction: "mean", or "sum" where `loss_fn` sums over its samples. Then a penalty in it
            counts once a slice.
        name: the name scope of the ops.

    Returns:
        `(loss, grads_and_vars)`. None gradients stay None, `IndexedSlices` sparse, with each row
        once. Half precision is summed in float32 and cast back. Differentiating them is a
        LookupError: put a penalty into `loss_fn`.

    Raises:
        TypeError, ValueError: tensors of different or no first dimension, a `micro_batch_size`
            below 1, a loss that is not a scalar or does not depend on the slices, a `loss_fn` whose
            second call uses a tensor of the first, or uses variables otherwise.
        RuntimeError: eager execution is on.

    Source: the accumulation recipe, with the loop over micro-batches inside the graph.
    """
    require_graph("split_batch")
    if not callable(loss_fn):
        raise TypeError(
            f"split_batch: loss_fn must be a function from slices to a loss; got {describe(loss_fn)}. Write "
            "split_batch(lambda x: loss(x), batch, micro_batch_size)."
        )
    check_reduction(reduction, "split_batch")
    around = current_scope()
    with tf.name_scope(name, "split_batch"), v1_control_flow():
        batch = _checked_batch(batch)
        samples = tf.shape(batch[0], out_type=tf.int64)[0]
        size = check_count(
            micro_batch_size, "split_batch", "micro_batch_size", "a slice for each sample"
        )
        rows = _static_rows(batch[0], size)
        size = tf.minimum(size, tf.maximum(samples, 1))  # as all samples fit in one slice

        def compute(slices: list[tf.Tensor]) -> tuple[tf.Tensor, Pairs]:
            """Returns loss and gradients; means count by the part of `size` that is there."""
            loss = scalar(loss_fn(*slices), "split_batch", "the result of loss_fn")
            check_uses_slices(loss, slices, "split_batch")
            part = None
            if reduction == "mean":
                part = tf.shape(slices[0], out_type=tf.int64)[0] / size
                if loss.dtype == wide_dtype(loss.dtype):
                    # Weighted here, the gradients need no separate pass.
                    loss, part = loss * tf.cast(part, loss.dtype), None
            variables = tf.trainable_variables() if var_list is None else tf.nest.flatten(var_list)
            if compute_gradients is None:
                found: Any = zip(tf.gradients(loss, variables), variables)
            else:
                found = compute_gradients(loss, var_list=variables)
            return scaled(loss, part), [
                (prepare_gradient(gradient, variable, part), variable)
                for gradient, variable in check_grads_and_vars(found, "split_batch")
            ]

        def slices_at(index: tf.Tensor) -> list[tf.Tensor]:
            start = tf.cast(index, tf.int64) * size
            return [_of_length(rows, tensor[start : start + size]) for tensor in batch]

        # No constant: the shapes in both calls are the same.
        first_slices = slices_at(tf.placeholder_with_default(tf.constant(0), []))
        with tf.name_scope(around), FirstCall() as first_call:
            loss, first = compute(first_slices)

        def compute_again(index: tf.Tensor) -> tuple[tf.Tensor, Pairs]:
            known = len(tf.get_default_graph().get_operations())
            again, pairs = compute(slices_at(index))
            check_second_call(loss, again, first_slices, known, "split_batch")
            return again, pairs

        number = tf.cast((samples + size - 1) // size, tf.int32)
        with first_call.while_repeated():
            total_loss, totals = _sums(first, compute_again, tf.maximum(number, 1))
        factor = size / samples if reduction == "mean" else None
        pairs = [
            (
                cast(scaled(_finish_sum(gradient, total), factor), variable.dtype.base_dtype),
                variable,
            )
            for (gradient, variable), total in zip(first, totals)
        ]
        return _differentiate_once(tf.cast(scaled(total_loss, factor), loss.dtype), pairs)


def _sums(
    like: Pairs, compute: Callable[[tf.Tensor], tuple[tf.Tensor, Pairs]], number: tf.Tensor
) -> tuple[tf.Tensor, list[list[Any]]]:
    """Returns the sum of the losses of `number` slices,
    and a list for each gradient of `like`, for `_finish_sum`.
    """

    def add_slice(index: tf.Tensor, total_loss: tf.Tensor, totals: list[list[Any]]) -> list[Any]:
        loss, pairs = compute(index)
        return [
            index + 1,
            total_loss + tf.cast(loss, tf.float64),
            [
                [
                    _add_to_sum(total, part, index)
                    for total, part in zip(of_one, components([gradient]))
                ]
                for of_one, (gradient, _) in zip(totals, pairs)
            ],
        ]

    begun = [_begin_sum(gradient, number) for gradient, _ in like]
    _, total_loss, totals = tf.while_loop(
        lambda index, *_: index < number,
        add_slice,
        [tf.constant(0), tf.zeros([], tf.float64), begun],
        # A sum begins as a scalar zero: to fill a tensor with zeros, and add to it, is a pass more
        # over the memory.
        tf.nest.map_structure(_any_shape, [tf.constant(0), tf.constant(0), begun]),
        parallel_iterations=1,
        back_prop=False,
    )
    return total_loss, totals


def _any_shape(value: object) -> tf.TensorShape:
    return tf.TensorShape([] if isinstance(value, tf.TensorArray) else None)


def _begin_sum(gradient: Gradient, number: tf.Tensor) -> list[Any]:
    """Makes the loop variables of gradients like this: a sum;
    or arrays for the rows and the indices of each slice.
    """
    if gradient is None:
        return []
    if not isinstance(gradient, tf.IndexedSlices):
        return [tf.zeros([], gradient.dtype)]
    return [
        tf.TensorArray(
            part.dtype,
            size=number,
            infer_shape=False,
            element_shape=[None] + part.shape[1:].as_list(),
        )
        for part in components([gradient])
    ]


def _add_to_sum(
    total: tf.Tensor | tf.TensorArray, part: tf.Tensor, index: tf.Tensor
) -> tf.Tensor | tf.TensorArray:
    return total.write(index, part) if isinstance(total, tf.TensorArray) else total + part


def _finish_sum(gradient: Gradient, total: list[Any]) -> Gradient:
    """Returns the sum of gradients like `gradient`, from what the loop made of `_begin_sum`."""
    if isinstance(gradient, tf.IndexedSlices):
        rows, indices = [slices.concat() for slices in total]
        return merge_duplicate_rows(tf.IndexedSlices(rows, indices, gradient.dense_shape))
    if gradient is None:
        return None
    total[0].set_shape(gradient.shape)
    return total[0]


def _differentiate_once(loss: tf.Tensor, pairs: GradsAndVars) -> tuple[tf.Tensor, Pairs]:
    """Makes `tf.gradients` of the results an error,
    because the loop keeps nothing to differentiate through.
    """

    def last(tensor: tf.Tensor) -> tf.Tensor:
        return tf.raw_ops.PreventGradient(
            input=tensor,
            message=(
                "split_batch: its loss and gradients cannot be differentiated: they are sums of a loop. Put what is "
                "differentiated into loss_fn: its gradients are the grads_and_vars that split_batch returns"
            ),
        )

    return last(loss), [(replace_values(gradient, last), variable) for gradient, variable in pairs]


def _static_rows(tensor: tf.Tensor, size: tf.Tensor) -> int | None:
    """Returns the number of samples in each slice where it is known and
    the same in all, else None.
    """
    rows, known = tf.dimension_value(tensor.shape[0]), tf.get_static_value(size)
    if rows is None or known is None or rows % min(known, rows):
        return None
    return int(min(known, rows))


def _of_length(rows: int | None, tensor: tf.Tensor) -> tf.Tensor:
    tensor.set_shape(tf.TensorShape([rows]).concatenate(tensor.shape[1:]))
    return tensor


def _checked_batch(batch: object) -> list[tf.Tensor]:
    batch = batch if isinstance(batch, (list, tuple)) else [batch]
    for part in batch:
        if isinstance(part, (dict, tf.SparseTensor)):
            raise TypeError(
                "split_batch: batch must be a tensor, or a list of tensors, which are sliced along their first "
                f"dimension; got {describe(part)}."
            )
    tensors = [tf.convert_to_tensor(tensor) for tensor in batch]
    if not tensors:
        raise ValueError("split_batch: batch is empty; give the tensors to be sliced.")
    first = tensors[0]
    for tensor in tensors:
        if tensor.shape.ndims == 0:
            raise ValueError(
                f"split_batch: {describe(tensor)} in batch is a scalar; every tensor needs a first "
                "dimension to slice."
            )
        if not tensor.shape[:1].is_compatible_with(first.shape[:1]):
            raise ValueError(
                f"split_batch: {first.name} has shape {first.shape}, {tensor.name} has {tensor.shape}: "
                "the first dimensions in batch must be equal."
            )
    with tf.control_dependencies(
        [
            assert_in_run(
                tf.equal(tf.shape(tensor)[0], tf.shape(first)[0]),
                "split_batch",
                "the first dimensions in batch must be equal; got the shapes",
                [tf.shape(first), tf.shape(tensor)],
                "unequal_first_dimensions",
            )
            for tensor in tensors[1:]
        ]
    ):
        return [tf.identity(tensor) for tensor in tensors]
