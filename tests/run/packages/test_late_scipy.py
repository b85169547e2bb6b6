"""Tests that TensorFlow's own modules import SciPy when a function needs it, and not before."""

import types

import numpy as np
import pytest

from tf1grad.run.packages import late_scipy

TRAIN = """
import sys
import numpy as np
import tensorflow as tf

tf.layers.dense(tf.placeholder(tf.float32, [None, 3]), 2)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
model.compile("sgd", "mse")
model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)
tf.contrib.slim, tf.contrib.learn, tf.estimator.Estimator
images = tf.keras.preprocessing.image.ImageDataGenerator(rotation_range=90, zca_whitening=True)
print("scipy" in sys.modules)
np.random.seed(1)
x = np.random.rand(200, 6, 6, 1)
images.fit(x)
print(round(float(next(images.flow(x, batch_size=2, shuffle=False, seed=1)).sum()), 3))

import scipy.sparse
inputs = scipy.sparse.csr_matrix(np.eye(3))
print(model.predict(inputs, batch_size=3).shape)
"""


@pytest.mark.period
@pytest.mark.slow
def test_layers_and_contrib_need_no_scipy_and_images_compute_as_in_1_15(folder):
    """The sum of the rotated images is that of TensorFlow 1.15.5 with SciPy 1.5.4.

    With fewer images than pixels, whitening would divide by what the CPU rounds.
    """
    folder.write("train.py", TRAIN)
    assert folder.lines("train.py") == ["False", "-8.815", "(3, 1)"]


def test_sparse_matrices_are_known_once_the_program_imports_scipy(monkeypatch):
    """A module whose import of SciPy failed has the name as None, or not at all."""
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix(np.eye(2))
    for kept in ({}, {"issparse": None}):
        module = types.ModuleType("toy")
        vars(module).update(kept)
        late_scipy._give_issparse(module)
        assert [module.issparse(each) for each in (matrix, np.eye(2), None)] == [True, False, False]
        with monkeypatch.context() as patched:
            patched.delitem(late_scipy.sys.modules, "scipy.sparse")
            assert module.issparse(matrix) is False


def test_a_module_that_has_imported_scipy_keeps_it():
    module = types.ModuleType("toy")
    module.issparse = callable
    late_scipy._give_issparse(module)
    assert module.issparse is callable
