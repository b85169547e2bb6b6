"""Variables for what outlives a run and is nobody's parameter: sums, counts, windows.

They are resource variables on every TensorFlow, so that a write in a conditional is one code path. Unless they are
persistent they belong to no collection: a plain `tf.train.Saver()` neither writes nor expects them, and no initializer
needs to run, because whoever reads one first asks `read_or_zeros`.
"""

from tf1grad._compat import tf


def state_variable(name, shape, dtype, persistent=False):
    """A non-trainable resource variable that no initializer has to run for.

    Args:
        name: its name; made unique as any variable's.
        shape: its `tf.TensorShape`; where a dimension is None, values of changing size may be assigned.
        dtype: its dtype.
        persistent: True puts it among the global variables: initialised with zeros, saved and restored with them.

    Returns:
        The variable. A dimension of unknown size starts at 0.
    """
    shape = tf.TensorShape(shape)
    return tf.Variable(
        lambda: _zeros(shape, dtype), trainable=False, validate_shape=shape.is_fully_defined(), use_resource=True,
        collections=[tf.GraphKeys.GLOBAL_VARIABLES] if persistent else [], name=name, dtype=dtype)


def _zeros(shape, dtype):
    if shape.is_fully_defined():
        return tf.zeros(shape, dtype)
    if shape.ndims is None:
        return tf.placeholder_with_default(tf.zeros([], dtype), None)
    start = tf.zeros([0 if size is None else size for size in shape.as_list()], dtype)
    # A constant initial value would let its size be folded into everything that reads the variable.
    return tf.placeholder_with_default(start, shape)


def read_or_zeros(variable):
    """The variable's value, or zeros of its static shape as long as nothing was assigned."""
    return tf.cond(tf.is_variable_initialized(variable), variable.read_value,
                   lambda: tf.zeros(variable.shape, variable.dtype))
