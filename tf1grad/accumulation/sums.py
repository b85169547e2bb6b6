"""Keeps the running sum of one variable's gradients between runs: dense in a variable, sparse in a buffer of rows.

Both kinds have the same methods: `assign` a first gradient, `add` a later one, `read` the sum so far in the form that
is kept, and make it `finished` for an optimizer. They return ops, which the caller has to order.

A float32 sum of n numbers may be off by n / 2 roundings. So only `FEW` gradients are added plainly: each is then within
5e-7 of the sum of moduli, also where all are equal. Before the next one, the sum so far is added to a second sum, and
the rounding error stays in the first for the next time (Kahan, "Further remarks on reducing truncation errors", 1965).
A window of `FEW` micro-batches and less needs no second sum.
"""

from typing import Any, List, Optional, Sequence

from tf1grad._compat import operation, tf, v1_control_flow
from tf1grad._types import Optimizer
from tf1grad.gradients.apply import sums_equal_rows
from tf1grad.gradients.grads_and_vars import components, merge_duplicate_rows
from tf1grad.sessions.state_variables import counting_variable, read_or_zeros, state_variable

FEW = 16
_WIDE = {tf.float32: tf.float64, tf.complex64: tf.complex128}


def sum_dtype(dtype: tf.DType) -> tf.DType:
    """Returns the dtype in which gradients of `dtype` are summed: sums in half precision soon stop growing."""
    return tf.float32 if dtype in (tf.float16, tf.bfloat16) else dtype


def cast(gradient: Any, dtype: tf.DType) -> Any:
    """Casts `gradient`, which may be sparse, to `dtype`."""
    if gradient.dtype == dtype:
        return gradient
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(tf.cast(gradient.values, dtype), gradient.indices, gradient.dense_shape)
    return tf.cast(gradient, dtype)


def widest(dtype: tf.DType) -> tf.DType:
    """Returns the dtype in which many numbers of `dtype` can be summed plainly."""
    return _WIDE.get(dtype, dtype)


def folds(dtype: tf.DType) -> bool:
    """Says whether sums of `dtype` need a second one after `FEW` gradients; float64 does not."""
    return dtype in _WIDE


def folded(recent: Any, earlier: Any) -> Any:
    """Returns the rounded sum of two tensors or arrays, and how much of `recent` is in it. The rest is kept."""
    total = earlier + recent
    return total, total - earlier


class DenseSum:
    """A sum of tensors shaped like `variable`, in one variable of the same shape, or in two where it is long.

    Args:
        gradient: the tensor to be summed; the sum is kept on its device.
        variable: the variable, which has the shape of the sum.
        name: the name of the state.
        persistent: whether checkpoints hold it.
        long: whether more than `FEW` gradients may come.

    Attributes:
        folds: whether after each `FEW` gradients the sum is to be folded.
    """

    def __init__(self, gradient: tf.Tensor, variable: tf.Variable, name: str, persistent: bool, long: bool) -> None:
        self.folds = long and folds(gradient.dtype)
        self._recent = state_variable(name, variable.shape, gradient.dtype, persistent, gradient)
        if self.folds:
            self._earlier = state_variable(name + "_earlier", variable.shape, gradient.dtype, persistent, gradient)

    def assign(self, gradient: tf.Tensor) -> tf.Operation:
        """Returns the op that replaces the sum by `gradient`."""
        # Copies only if the memory is shared: by a fetch, a caller's array that was fed through, a variable.
        return operation(self._recent.assign(tf.raw_ops.Snapshot(input=gradient)))

    def add(self, gradient: tf.Tensor, long: Any = False) -> tf.Operation:
        """Returns the op that adds `gradient`."""
        return operation(self._recent.assign_add(gradient))

    def first_fold(self) -> tf.Operation:
        """Returns the op that moves the sum to the second one; call `assign` next, not `add`."""
        return operation(self._earlier.assign(self._recent.read_value()))

    def fold(self) -> tf.Operation:
        """Returns the op that adds the sum to the second one, and keeps the rounding error."""
        total, moved = folded(self._recent.read_value(), self._earlier.read_value())
        with tf.control_dependencies([operation(self._earlier.assign(total))]):
            return operation(self._recent.assign_sub(moved))

    def read(self, folded: bool = False) -> tf.Tensor:
        """Returns the sum; `folded` says that both variables hold it."""
        recent = self._recent.read_value()
        return self._earlier.read_value() + recent if folded and self.folds else recent

    @staticmethod
    def plus(total: tf.Tensor, gradient: tf.Tensor) -> tf.Tensor:
        """Returns a sum that was read plus `gradient`; writes nothing."""
        return total + gradient

    @staticmethod
    def finished(total: tf.Tensor, long: Any = False, optimizer: Optional[Optimizer] = None) -> tf.Tensor:
        """Returns a sum that was read in the form that `apply_gradients` takes."""
        return total


class SparseSum:
    """A sum of `tf.IndexedSlices`: the rows and their indices, in buffers that double when they are full.

    Adding costs what the added rows cost, whatever the size of the table. Equal rows are merged each time the buffer
    is full, so that it never holds more than twice the rows that were touched, and at every reading. In a long window
    they are merged in float64, and each is kept as the nearest float32 and the rest: four times the rows.

    Args:
        gradient: the `tf.IndexedSlices` to be summed.
        variable: the variable with these rows.
        name: the prefix of the state's names.
        persistent: whether checkpoints hold it.
        long: whether more than `FEW` gradients may come.
    """

    folds = False

    def __init__(self, gradient: tf.IndexedSlices, variable: tf.Variable, name: str, persistent: bool,
                 long: bool) -> None:
        self._long = long and folds(gradient.values.dtype)
        self._variable, self._dense_shape = variable, gradient.dense_shape
        if variable.shape.is_fully_defined():
            self._dense_shape = tf.constant(variable.shape.as_list(), gradient.indices.dtype)
        row_shape = gradient.values.shape[1:].merge_with(variable.shape[1:])
        rows = [None] + row_shape.as_list()
        self._values = state_variable(name + "_rows", rows, gradient.values.dtype, persistent, gradient.values)
        self._indices = state_variable(name + "_indices", [None], gradient.indices.dtype, persistent, gradient.values)
        self._sizes = counting_variable(name + "_sizes", [2], tf.int64, persistent)  # rows in use, a bound on them

    def assign(self, gradient: tf.IndexedSlices) -> tf.Operation:
        """Returns the op that replaces the sum by `gradient`."""
        return self._append(gradient, tf.constant(0, tf.int64), tf.unstack(read_or_zeros(self._sizes))[1], None)

    def add(self, gradient: tf.IndexedSlices, long: Optional[tf.Tensor] = None) -> tf.Operation:
        """Returns the op that adds `gradient`; `long` is a bool scalar, True after `FEW` gradients, or None."""
        used, allocated = tf.unstack(self._sizes.read_value())
        return self._append(gradient, used, allocated, long)

    def take(self, gradient: tf.IndexedSlices, empty: tf.Tensor, long: Optional[tf.Tensor]) -> tf.Operation:
        """Returns the op that adds `gradient`, or replaces the sum by it where the bool scalar `empty` is True."""
        used, allocated = tf.unstack(read_or_zeros(self._sizes))
        return self._append(gradient, tf.where(empty, tf.zeros_like(used), used), allocated, long)

    def read(self, folded: bool = False) -> tf.IndexedSlices:
        """Returns the rows so far as `tf.IndexedSlices`; equal rows are not merged yet."""
        return self._rows(self._sizes.read_value()[0])

    @staticmethod
    def plus(total: tf.IndexedSlices, gradient: tf.IndexedSlices) -> tf.IndexedSlices:
        """Returns rows that were read and those of `gradient`; writes nothing."""
        return concat_rows([total, gradient])

    def finished(self, total: tf.IndexedSlices, long: Optional[tf.Tensor] = None,
                 optimizer: Optional[Optimizer] = None) -> tf.IndexedSlices:
        """Returns rows that were read, each once unless `optimizer` merges them; `long` as in `add`."""
        long = long if self._long else None
        if total.dtype != self._variable.dtype.base_dtype or not sums_equal_rows(optimizer, total, self._variable):
            return merge_rows(total, long)
        return total if long is None else tf.IndexedSlices(
            *tf.cond(long, lambda: components([_merged(total)]), lambda: components([total])), total.dense_shape)

    def _append(self, gradient: tf.IndexedSlices, used: tf.Tensor, allocated: tf.Tensor,
                long: Optional[tf.Tensor]) -> tf.Operation:
        needed = used + tf.size(gradient.indices, out_type=tf.int64)
        with v1_control_flow():
            return tf.cond(needed >= allocated,
                           lambda: self._grow(gradient, used, long),
                           lambda: self._write(gradient, used, needed, allocated)).op

    def _write(self, gradient: tf.IndexedSlices, used: tf.Tensor, needed: tf.Tensor, allocated: tf.Tensor) -> tf.Tensor:
        places = tf.range(used, needed)
        with tf.control_dependencies([_write_rows(self._values, places, gradient.values),
                                      _write_rows(self._indices, places, gradient.indices),
                                      operation(self._sizes.assign(tf.stack([needed, allocated])))]):
            return tf.constant(True)

    def _grow(self, gradient: tf.IndexedSlices, used: tf.Tensor, long: Optional[tf.Tensor]) -> tf.Tensor:
        kept = tf.cond(used > 0, lambda: components([self._rows(used)]), lambda: components([_no_rows(gradient)]))
        rows = concat_rows([tf.IndexedSlices(*kept), gradient])
        values, indices = components([merge_duplicate_rows(rows)]) if not self._long or long is None else tf.cond(
            long, lambda: _merged_wide(rows), lambda: components([merge_duplicate_rows(rows)]))
        size = tf.size(indices, out_type=tf.int64)
        # The bound is more than the buffer's rows: 0 says that there is no buffer yet, not even one without rows.
        with tf.control_dependencies([operation(self._values.assign(_padded(values))),
                                      operation(self._indices.assign(_padded(indices))),
                                      operation(self._sizes.assign(tf.stack([size, 2 * size + 1])))]):
            return tf.constant(True)

    def _rows(self, used: tf.Tensor) -> tf.IndexedSlices:
        places = tf.range(used)  # gathered, they are copied once; a read would copy the whole buffer
        return tf.IndexedSlices(tf.gather(self._values, places), tf.gather(self._indices, places), self._dense_shape)


def _merged(rows: tf.IndexedSlices) -> tf.IndexedSlices:
    """Returns `rows` with each row once, summed in a wider dtype."""
    return cast(merge_duplicate_rows(cast(rows, _WIDE[rows.dtype])), rows.dtype)


def _merged_wide(rows: tf.IndexedSlices) -> List[tf.Tensor]:
    """Returns values and indices of the same sum: for each row the nearest value of the dtype, and the rest."""
    wide = merge_duplicate_rows(cast(rows, _WIDE[rows.dtype]))
    nearest = tf.cast(wide.values, rows.dtype)
    rest = tf.cast(wide.values - tf.cast(nearest, wide.dtype), rows.dtype)
    return [tf.concat([nearest, rest], 0), tf.concat([wide.indices] * 2, 0)]


def merge_rows(rows: tf.IndexedSlices, long: Optional[tf.Tensor]) -> tf.IndexedSlices:
    """Returns `rows` with each row once, summed in a wider dtype where the bool scalar `long` is True."""
    if long is None or not folds(rows.dtype):
        return merge_duplicate_rows(rows)
    unique, position = tf.unique(rows.indices)

    def summed(dtype: tf.DType) -> tf.Tensor:
        return tf.cast(tf.unsorted_segment_sum(tf.cast(rows.values, dtype), position, tf.size(unique)), rows.dtype)

    values = tf.cond(long, lambda: summed(_WIDE[rows.dtype]), lambda: summed(rows.dtype))
    return tf.IndexedSlices(values, unique, rows.dense_shape)


def concat_rows(slices: Sequence[tf.IndexedSlices]) -> tf.IndexedSlices:
    """Returns the sum of several `tf.IndexedSlices` of one variable: their rows, one after another."""
    return tf.IndexedSlices(tf.concat([part.values for part in slices], 0),
                            tf.concat([part.indices for part in slices], 0), slices[0].dense_shape)


def _write_rows(buffer: tf.Variable, places: tf.Tensor, rows: tf.Tensor) -> tf.Operation:
    return tf.raw_ops.ResourceScatterUpdate(resource=buffer.handle, indices=places, updates=rows)


def _no_rows(gradient: tf.IndexedSlices) -> tf.IndexedSlices:
    return tf.IndexedSlices(gradient.values[:0], gradient.indices[:0])


def _padded(rows: tf.Tensor) -> tf.Tensor:
    return tf.concat([rows, tf.zeros_like(rows)], 0)
