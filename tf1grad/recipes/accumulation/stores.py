"""Keeps the running sum of one variable's gradients between runs:
dense in a variable, sparse in a buffer of rows.

Both kinds of store have two methods, `accumulate` and `read`. They return ops, which the caller has
to order.
"""

from __future__ import annotations

from tf1grad._compat import operation, tf
from tf1grad._types import Gradient
from tf1grad.recipes.gradients.grads_and_vars import components, merge_duplicate_rows
from tf1grad.recipes.sessions.state_variables import (
    counting_variable,
    read_or_zeros,
    state_variable,
)


class DenseStore:
    """A sum of tensors like `gradient`, in a variable of their shape and on their device."""

    def __init__(self, gradient: tf.Tensor, variable: tf.Variable, persistent: bool) -> None:
        self._sum = state_variable(
            variable.op.name, variable.shape, gradient.dtype, persistent, gradient
        )

    def accumulate(self, gradient: tf.Tensor, empty: tf.Tensor) -> tf.Operation:
        """Returns the op that adds `gradient`, or replaces the sum by it where the
        bool scalar `empty` is True.
        """

        def assign() -> tf.Operation:
            # Copies only if the memory is shared: by a fetch, a caller's array that was fed
            # through, a variable.
            return operation(self._sum.assign(tf.raw_ops.Snapshot(input=gradient)))

        return tf.cond(empty, assign, lambda: operation(self._sum.assign_add(gradient))).op

    def read(self) -> tf.Tensor:
        """Returns the sum so far."""
        return self._sum.read_value()


class SparseStore:
    """A sum of `tf.IndexedSlices`: their rows and indices one after another,
    in buffers that double when they are full.

    Adding costs what the added rows cost, whatever the size of the table. Equal rows are merged
    each time the buffers are full, so these never hold more than twice the rows that were touched.
    """

    def __init__(self, gradient: tf.IndexedSlices, variable: tf.Variable, persistent: bool) -> None:
        name, values, indices = variable.op.name, gradient.values, gradient.indices
        row_shape = values.shape[1:].merge_with(variable.shape[1:])
        self._values = state_variable(
            name + "_rows", [None] + row_shape.as_list(), values.dtype, persistent, values
        )
        self._indices = state_variable(name + "_indices", [None], indices.dtype, persistent, values)
        # The number of rows in use, and that of the buffers.
        self._sizes = counting_variable(name + "_sizes", [2], tf.int64, persistent)

    def accumulate(self, gradient: tf.IndexedSlices, empty: tf.Tensor) -> tf.Operation:
        """Returns the op that adds `gradient`, or replaces the sum by it where the
        bool scalar `empty` is True.
        """
        used, size = tf.unstack(read_or_zeros(self._sizes))
        used = tf.where(empty, tf.zeros_like(used), used)
        needed = used + tf.size(gradient.indices, out_type=tf.int64)
        fits = tf.logical_and(tf.is_variable_initialized(self._values), needed <= size)

        def append() -> tf.Operation:
            places = tf.range(used, needed)
            write = tf.raw_ops.ResourceScatterUpdate
            return tf.group(
                write(resource=self._values.handle, indices=places, updates=gradient.values),
                write(resource=self._indices.handle, indices=places, updates=gradient.indices),
                operation(self._sizes.assign(tf.stack([needed, size]))),
            )

        return tf.cond(fits, append, lambda: self._grow(gradient, used)).op

    def read(self) -> tf.IndexedSlices:
        """Returns the rows so far; equal rows are not merged yet."""
        return self._rows(self._sizes.read_value()[0])

    def _grow(self, gradient: tf.IndexedSlices, used: tf.Tensor) -> tf.Operation:
        def extended() -> list[tf.Tensor]:
            parts = zip(components([self._rows(used)]), components([gradient]))
            return [tf.concat([old, new], 0) for old, new in parts]

        rows = merge_duplicate_rows(
            tf.IndexedSlices(*tf.cond(used > 0, extended, lambda: components([gradient])))
        )
        used = tf.size(rows.indices, out_type=tf.int64)
        # The buffers count as full while they are written: the run may stop before both are.
        with tf.control_dependencies([operation(self._sizes.assign(tf.zeros([2], tf.int64)))]):
            written = [
                operation(buffer.assign(_with_room(part)))
                for buffer, part in ((self._values, rows.values), (self._indices, rows.indices))
            ]
        with tf.control_dependencies(written):
            return operation(self._sizes.assign(tf.stack([used, 2 * used])))

    def _rows(self, used: tf.Tensor) -> tf.IndexedSlices:
        # Gathered, they are copied once; a read would copy the whole buffer.
        places = tf.range(used)
        return tf.IndexedSlices(tf.gather(self._values, places), tf.gather(self._indices, places))


def _with_room(rows: tf.Tensor) -> tf.Tensor:
    """Returns `rows` and as many zeros."""
    return tf.concat([rows, tf.zeros_like(rows)], 0)


def store_for(
    gradient: Gradient, variable: tf.Variable, persistent: bool
) -> DenseStore | SparseStore | None:
    """Returns the store for gradients like `gradient`; None for None."""
    if gradient is None:
        return None
    kind = SparseStore if isinstance(gradient, tf.IndexedSlices) else DenseStore
    return kind(gradient, variable, persistent)
