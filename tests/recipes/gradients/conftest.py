"""Provides the gradients that the tests of this room transform."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf


@pytest.fixture
def pairs(graph):
    """Makes a dense, an absent and a sparse gradient; row 1 of the sparse one comes twice."""
    dense = tf.get_variable("model/dense", initializer=np.float32([[1, 2], [3, 4]]))
    absent = tf.get_variable("model/absent", initializer=np.float32([1]))
    table = tf.get_variable("model/table", initializer=np.zeros([4, 2], np.float32))
    slices = tf.IndexedSlices(
        tf.constant([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]]),
        tf.constant([1, 3, 1]),
        tf.constant([4, 2]),
    )
    return [(tf.constant([[3.0, -4.0], [0.0, 12.0]]), dense), (None, absent), (slices, table)]
