"""Provides the shape functions of `tensorflow.python.framework.tensor_shape` that TF 2.x dropped."""

from typing import Optional

from tf1grad._compat import tf

__all__ = ["matrix", "scalar", "vector"]


def scalar() -> tf.TensorShape:
    """Returns the shape of a number."""
    return tf.TensorShape([])


def vector(length: Optional[int]) -> tf.TensorShape:
    """Returns the shape of a vector of `length`, which may be None."""
    return tf.TensorShape([length])


def matrix(rows: Optional[int], cols: Optional[int]) -> tf.TensorShape:
    """Returns the shape of a matrix of `rows` times `cols`, each of which may be None."""
    return tf.TensorShape([rows, cols])
