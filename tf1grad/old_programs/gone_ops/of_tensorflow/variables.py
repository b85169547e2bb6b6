"""Builds ops that write variables: initializers, and a counter."""

from typing import Any

from tf1grad._compat import tf


def zero_initializer(ref: tf.Tensor) -> tf.Tensor:
    """Sets a ref variable to zero, and returns it; an initialized one ends the run with an InvalidArgumentError."""
    with tf.control_dependencies([_check(tf.is_variable_initialized(ref))]):
        return tf.assign(ref, tf.zeros(ref.shape, ref.dtype.base_dtype))


def zero_var_initializer(var: tf.Tensor, dtype: tf.DType, shape: Any) -> tf.Tensor:
    """Sets a resource variable to zero and returns it; an initialized one ends the run with an InvalidArgumentError."""
    with tf.control_dependencies([_check(tf.raw_ops.VarIsInitializedOp(resource=var))]):
        assigned = tf.raw_ops.AssignVariableOp(resource=var, value=tf.zeros(shape, dtype))
    with tf.control_dependencies([assigned]):
        return tf.identity(var)


def _check(initialized: tf.Tensor) -> tf.Operation:
    return tf.Assert(tf.logical_not(initialized), ["input is already initialized"])


def obtain_next(list: tf.Tensor, counter: tf.Tensor) -> tf.Tensor:
    """Increases a counter and returns the element at its place, from the start again after the last one."""
    place = (tf.identity(counter) + 1) % tf.size(list, out_type=tf.int64)
    with tf.control_dependencies([tf.assign(counter, place, use_locking=True)]):
        return tf.gather(list, place)
