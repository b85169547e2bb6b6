"""Builds ZeroInitializer and ZeroVarInitializer, which initialize a variable with zeros."""

from typing import Any, Optional

from tf1grad._compat import tf


def build(ref: tf.Tensor, name: Optional[str] = None) -> tf.Tensor:
    """Sets a ref variable to zero.

    Args:
        ref: the variable's reference tensor, which has the shape.
        name: a name for the scope of the ops.

    Returns:
        The reference after the assignment. An initialized variable ends the run with an InvalidArgumentError.

    Source: the op of `tf.contrib.framework` in TensorFlow 1.15.
    """
    with tf.name_scope(name, "ZeroInitializer", [ref]):
        with tf.control_dependencies([_check(tf.is_variable_initialized(ref))]):
            return tf.assign(ref, tf.zeros(ref.shape, ref.dtype.base_dtype))


def build_resource(var: tf.Tensor, dtype: tf.DType, shape: Any, name: Optional[str] = None) -> tf.Tensor:
    """Sets a resource variable to zero.

    Args:
        var: the variable's handle.
        dtype: the variable's dtype.
        shape: the variable's shape, fully known.
        name: a name for the scope of the ops.

    Returns:
        The handle after the assignment. An initialized variable ends the run with an InvalidArgumentError.

    Source: the op of `tf.contrib.framework` in TensorFlow 1.15.
    """
    with tf.name_scope(name, "ZeroVarInitializer", [var]):
        with tf.control_dependencies([_check(tf.raw_ops.VarIsInitializedOp(resource=var))]):
            assigned = tf.raw_ops.AssignVariableOp(resource=var, value=tf.zeros(shape, dtype))
        with tf.control_dependencies([assigned]):
            return tf.identity(var)


def _check(initialized: tf.Tensor) -> tf.Operation:
    return tf.Assert(tf.logical_not(initialized), ["input is already initialized"])
