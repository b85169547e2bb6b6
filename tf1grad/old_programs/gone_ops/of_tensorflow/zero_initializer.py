"""Builds ZeroInitializer and ZeroVarInitializer, which initialize a variable with zeros."""

from typing import Any, Optional

from tf1grad._compat import tf


def build(ref: tf.Tensor, name: Optional[str] = None) -> tf.Tensor:
    """Sets a ref variable to zero, and returns it; an initialized one ends the run with an InvalidArgumentError."""
    with tf.name_scope(name, "ZeroInitializer", [ref]):
        with tf.control_dependencies([_check(tf.is_variable_initialized(ref))]):
            return tf.assign(ref, tf.zeros(ref.shape, ref.dtype.base_dtype))


def build_resource(var: tf.Tensor, dtype: tf.DType, shape: Any, name: Optional[str] = None) -> tf.Tensor:
    """Sets a resource variable to zero and returns it; an initialized one ends the run with an InvalidArgumentError."""
    with tf.name_scope(name, "ZeroVarInitializer", [var]):
        with tf.control_dependencies([_check(tf.raw_ops.VarIsInitializedOp(resource=var))]):
            assigned = tf.raw_ops.AssignVariableOp(resource=var, value=tf.zeros(shape, dtype))
        with tf.control_dependencies([assigned]):
            return tf.identity(var)


def _check(initialized: tf.Tensor) -> tf.Operation:
    return tf.Assert(tf.logical_not(initialized), ["input is already initialized"])
