"""Tests what `run` says of a missing name that TensorFlow 2 or another Keras has."""

import sys
import types

import pytest

from tf1grad._compat import VERSION
from tf1grad.programs.period import folder as period_folder
from tf1grad.run.view import names_of_other_releases

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 is installed")


@pytest.mark.parametrize(
    "error, said",
    [
        (
            AttributeError("module 'tensorflow.keras.optimizers' has no attribute 'legacy'"),
            "leave out `.legacy`",
        ),
        (
            ModuleNotFoundError("No module named 'tensorflow.keras.optimizers.legacy'"),
            "leave out `.legacy`",
        ),
        (
            ImportError("cannot import name 'MultiHeadAttention' from 'tensorflow.keras.layers'"),
            "no tf.keras.layers.MultiHeadAttention, which is a name of TensorFlow 2. ",
        ),
        # Not in the recorded list, but the installed TensorFlow has it.
        (
            AttributeError("module 'tensorflow' has no attribute 'make_tensor_proto'"),
            "no tf.make_tensor_proto, which is a name of TensorFlow 2. ",
        ),
        # TensorFlow 1.0 and 1.1 had it.
        (
            AttributeError(
                "module 'tensorflow.contrib.seq2seq' has no attribute 'dynamic_rnn_decoder'"
            ),
            "1.15 has no tf.contrib.seq2seq.dynamic_rnn_decoder. Releases before it may have",
        ),
    ],
)
def test_a_name_of_another_tensorflow(error, said):
    assert said in names_of_other_releases.advise(error)


@pytest.mark.parametrize(
    "error",
    [
        AttributeError("module 'tensorflow' has no attribute 'no_such_name'"),
        AttributeError("module 'tensorflow.python.training.adam' has no attribute 'AdamOptimizer'"),
        AttributeError("'NoneType' object has no attribute 'legacy'"),
        ValueError("module 'tensorflow.keras.optimizers' has no attribute 'legacy'"),
        ModuleNotFoundError("No module named 'other'"),
    ],
)
def test_nothing_is_said_of_other_errors(error):
    assert names_of_other_releases.advise(error) is None


@pytest.mark.parametrize(
    "error, said",
    [
        (
            "cannot import name 'initializations' from 'keras' (keras/__init__.py)",
            "keras.initializations is a name of Keras 1, and `keras` is Keras 2.3.1 here. ",
        ),
        (
            "No module named 'keras.layers.containers'",
            "Keras 2.3.1 has no keras.layers.containers. ",
        ),
    ],
)
def test_a_name_of_another_keras(error, said, monkeypatch):
    keras = types.ModuleType("keras")
    keras.__version__, keras.__file__ = "2.3.1", "keras/__init__.py"
    monkeypatch.setitem(sys.modules, "keras", keras)
    assert names_of_other_releases.advise(ImportError(error)) is None  # the program's own module
    monkeypatch.setattr(period_folder, "is_inside", lambda file: True)
    assert said in names_of_other_releases.advise(ImportError(error))


@pytest.mark.slow
def test_it_is_said_once_at_the_end(folder):
    folder.write("train.py", "import tensorflow as tf\ntf.keras.optimizers.legacy.Adam(0.1)\n")
    code, _, errors = folder.run("train.py")
    assert code == 1 and errors.count("TensorFlow 1.15 has no tf.keras.optimizers.legacy") == 1
