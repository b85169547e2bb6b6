"""The running sum of one variable's gradients between runs: dense in a variable, sparse in a buffer of rows.

Both kinds answer the same questions: `assign` a first gradient, or `take` it where nobody else sees it, `add` a later
one, the `total` so far, and the `total_with` one more that is not written. Ops are returned; whoever builds them orders
them.
"""

from tf1grad._compat import operation, tf, v1_control_flow
from tf1grad.gradients.grads_and_vars import components, merge_duplicate_rows
from tf1grad.sessions.state_variables import counting_variable, read_or_zeros, state_variable

# Ops whose result is always new memory, never their input's: the gradients of large weights come from these.
_MAKES_MEMORY = ("MatMul", "BatchMatMul", "BatchMatMulV2", "Conv2DBackpropFilter", "Conv3DBackpropFilterV2",
                 "DepthwiseConv2dNativeBackpropFilter")


def sum_dtype(dtype):
    """The dtype in which gradients of `dtype` are summed: half precision would stop growing long before it is full."""
    return tf.float32 if dtype in (tf.float16, tf.bfloat16) else dtype


def cast(gradient, dtype):
    """`gradient` as `dtype`, sparse where the gradient is."""
    if gradient.dtype == dtype:
        return gradient
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(tf.cast(gradient.values, dtype), gradient.indices, gradient.dense_shape)
    return tf.cast(gradient, dtype)


class DenseSum(object):
    """A sum of tensors shaped like `variable`, in a variable of the same shape.

    Args:
        gradient: the tensor whose values will be summed; the sum is kept on its device.
        variable: the variable whose shape the sum has.
        name: the name of the state.
        persistent: whether checkpoints hold it.
    """

    def __init__(self, gradient, variable, name, persistent):
        self._sum = state_variable(name, variable.shape, gradient.dtype, persistent, gradient)

    def assign(self, gradient):
        """The op that forgets what was there and keeps `gradient`."""
        # Where the graph feeds the gradient through unchanged, the variable would share its caller's array.
        return operation(self._sum.assign(tf.raw_ops.DeepCopy(x=gradient)))

    def take(self, gradient):
        """As `assign`, for runs that fetch no gradient: without a copy where the memory is the gradient's own."""
        if _origin(gradient).type in _MAKES_MEMORY:
            return operation(self._sum.assign(gradient))
        return self.assign(gradient)

    def add(self, gradient):
        """The op that adds `gradient`."""
        return operation(self._sum.assign_add(gradient))

    def total(self):
        """The sum as a tensor."""
        return self._sum.read_value()

    def total_with(self, gradient):
        """The sum plus `gradient` as a tensor; nothing is written."""
        return self._sum.read_value() + gradient


class SparseSum(object):
    """A sum of `tf.IndexedSlices`: the rows and their indices, in buffers that double when they are full.

    Adding costs what the added rows cost, whatever the size of the table. Equal rows are merged each time the buffer
    is full, so that it never holds more than twice the rows that were touched, and at every reading.

    Args:
        gradient: the `tf.IndexedSlices` whose values will be summed.
        variable: the variable whose rows they are.
        name: the prefix of the state's names.
        persistent: whether checkpoints hold it.
    """

    def __init__(self, gradient, variable, name, persistent):
        self._dense_shape = gradient.dense_shape
        if variable.shape.is_fully_defined():
            self._dense_shape = tf.constant(variable.shape.as_list(), gradient.indices.dtype)
        row_shape = gradient.values.shape[1:].merge_with(variable.shape[1:])
        rows = [None] + row_shape.as_list()
        self._values = state_variable(name + "_rows", rows, gradient.values.dtype, persistent, gradient.values)
        self._indices = state_variable(name + "_indices", [None], gradient.indices.dtype, persistent, gradient.values)
        self._sizes = counting_variable(name + "_sizes", [2], tf.int64, persistent)  # rows in use, rows allocated

    def assign(self, gradient):
        """The op that forgets what was there and keeps `gradient`."""
        return self._append(gradient, tf.constant(0, tf.int64), read_or_zeros(self._sizes)[1])

    take = assign

    def add(self, gradient):
        """The op that adds `gradient`."""
        sizes = self._sizes.read_value()
        return self._append(gradient, sizes[0], sizes[1])

    def total(self):
        """The sum as `tf.IndexedSlices`, each row once."""
        return merge_duplicate_rows(self._rows(self._sizes.read_value()[0]))

    def total_with(self, gradient):
        """The sum plus `gradient`, each row once; nothing is written."""
        return merge_duplicate_rows(concat_rows([self._rows(self._sizes.read_value()[0]), gradient]))

    def _append(self, gradient, used, allocated):
        needed = used + tf.size(gradient.indices, out_type=tf.int64)
        with v1_control_flow():
            # As long as nothing is allocated there is no buffer, not even for a micro-batch without rows.
            return tf.cond(tf.logical_or(needed > allocated, tf.equal(allocated, 0)),
                           lambda: self._grow(gradient, used),
                           lambda: self._write(gradient, used, needed, allocated)).op

    def _write(self, gradient, used, needed, allocated):
        places = tf.range(used, needed)
        with tf.control_dependencies([_write_rows(self._values, places, gradient.values),
                                      _write_rows(self._indices, places, gradient.indices),
                                      operation(self._sizes.assign(tf.stack([needed, allocated])))]):
            return tf.constant(True)

    def _grow(self, gradient, used):
        kept = tf.cond(used > 0, lambda: components([self._rows(used)]), lambda: components([_no_rows(gradient)]))
        merged = merge_duplicate_rows(concat_rows([tf.IndexedSlices(*kept), gradient]))
        size = tf.size(merged.indices, out_type=tf.int64)
        with tf.control_dependencies([operation(self._values.assign(_padded(merged.values))),
                                      operation(self._indices.assign(_padded(merged.indices))),
                                      operation(self._sizes.assign(tf.stack([size, 2 * size])))]):
            return tf.constant(True)

    def _rows(self, used):
        places = tf.range(used)  # gathered, they are copied once; a read would copy the whole buffer
        return tf.IndexedSlices(tf.gather(self._values, places), tf.gather(self._indices, places), self._dense_shape)


def concat_rows(slices):
    """The sum of several `tf.IndexedSlices` of one variable, as their rows one after another."""
    return tf.IndexedSlices(tf.concat([part.values for part in slices], 0),
                            tf.concat([part.indices for part in slices], 0), slices[0].dense_shape)


def _origin(tensor):
    op = tensor.op
    while op.type == "Identity":
        op = op.inputs[0].op
    return op


def _write_rows(buffer, places, rows):
    return tf.raw_ops.ResourceScatterUpdate(resource=buffer.handle, indices=places, updates=rows)


def _no_rows(gradient):
    return tf.IndexedSlices(gradient.values[:0], gradient.indices[:0])


def _padded(rows):
    return tf.concat([rows, tf.zeros_like(rows)], 0)
