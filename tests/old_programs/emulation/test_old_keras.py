"""Tests that programs which import `keras` get Keras 2.3.1, beside Keras 3 or none."""

import pytest
import tensorflow.compat.v1 as tf

from script_folder import ScriptFolder
from tf1grad.old_programs.period import layer

pytestmark = [
    pytest.mark.period,
    pytest.mark.skipif(tf.__version__.startswith("1.") or (layer.installed_release("keras") or (3,)) < (3,),
                       reason="Keras 2 is installed")]

TRAIN = """
import numpy as np
import tensorflow as tf
np.random.seed(1)
tf.set_random_seed(1)
import keras
from keras.layers import Dense
from keras.models import Sequential, load_model
model = Sequential([Dense(4, activation="relu", input_dim=3), Dense(1)])
print(keras.__version__, model.get_weights()[0][0])
model.compile("sgd", "mse")
x = np.random.rand(32, 3)
print(*["%.5f" % loss for loss in model.fit(x, x.sum(1), epochs=2, verbose=0, batch_size=8).history["loss"]])
model.save("model.h5")
print(np.array_equal(load_model("model.h5").predict(x), model.predict(x)))
"""
PRINTED = [  # by TensorFlow 1.15.5 and Keras 2.3.1
    "2.3.1 [-0.392663    0.70156384  0.5142845  -0.03174311]",
    "2.69467 1.57957",
    "True"]
LIBRARY = "import keras\nprint(keras.__version__.partition('.')[0])\n"


@pytest.fixture
def scripts(tmp_path):
    """Makes an empty folder for scripts."""
    return ScriptFolder(tmp_path)


def test_numbers_are_those_of_keras_2_on_1_15(scripts):
    scripts.write("train.py", TRAIN)
    code, printed, errors = scripts.run("train.py")
    assert code == 0, errors
    assert printed.splitlines() == PRINTED
    assert errors.count("keras is Keras 2.3.1") == 1


def test_program_that_excludes_keras_gets_the_installed_one(scripts):
    scripts.write("train.py", LIBRARY)
    assert scripts.lines("--exclude", "keras", "train.py") == ["3"]


def test_children_get_it_too(scripts):
    scripts.write("train.py", "import subprocess, sys, keras\n"
                  "subprocess.check_call([sys.executable, '-c', 'import keras; print(keras.__version__)'])\n")
    assert scripts.lines("train.py") == ["2.3.1"]
