"""Tests private names of `framework.ops` and of the op registry that stand-alone Keras and K-FAC ask for."""

import pytest

from tf1grad._compat import VERSION

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has them itself")


def test_names_of_libraries(folder):
    folder.write("train.py", """
        import tensorflow as tf
        from tensorflow.python.framework import op_def_registry, ops
        dense, variable = tf.constant([1.0]), tf.Variable(1.0, use_resource=True)
        sparse = tf.SparseTensor([[0]], [1.0], [1])
        slices = tf.IndexedSlices(dense, tf.constant([0]))
        print([isinstance(value, ops._TensorLike) for value in (dense, sparse, slices, 1.0)],
              [ops.is_dense_tensor_like(value) for value in (dense, variable, sparse, 1.0)])
        found = op_def_registry.get_registered_ops()
        print({"MatMul", "Relu", "Unpack"} <= set(found.keys()), len(found) == len(list(found)) > 900,
              found["Relu"].name, "NoSuchOp" in found)
    """)
    assert folder.lines("train.py") == [
        "[True, True, True, False] [True, True, False, False]", "True True Relu False"]
