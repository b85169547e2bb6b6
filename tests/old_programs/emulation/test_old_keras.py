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
    assert errors.count("losses after the first update vary, as they do on TensorFlow 1.15.5") == 1


def test_program_that_excludes_keras_gets_the_installed_one(scripts):
    scripts.write("train.py", LIBRARY)
    assert scripts.lines("--exclude", "keras", "train.py") == ["3"]


def test_a_model_that_does_not_train_says_nothing_of_it(scripts):
    scripts.write("train.py", TRAIN.partition("print(*")[0] + "print(model.predict(x).shape)")
    code, printed, errors = scripts.run("train.py")
    assert code == 0 and printed.splitlines()[-1] == "(32, 1)" and "first update" not in errors


def test_children_get_it_too(scripts):
    scripts.write("train.py", "import subprocess, sys, keras\n"
                  "subprocess.check_call([sys.executable, '-c', 'import keras; print(keras.__version__)'])\n")
    assert scripts.lines("train.py") == ["2.3.1"]


def test_requirements_that_exclude_2_3_get_2_2_4(scripts):
    scripts.write("requirements.txt", "numpy\nkeras==2.2.4\n")
    scripts.write("train.py", "import keras\nprint(keras.__version__)\n")
    assert scripts.lines("train.py") == ["2.2.4"]


def test_libraries_that_exclude_2_3_get_2_2_4(scripts):
    scripts.write("site-packages/old/__init__.py", "import keras\nversion = keras.__version__\n")
    scripts.write("site-packages/old-1.0.dist-info/METADATA", "Name: old\nRequires-Dist: keras (==2.2.4)\n\ntext")
    scripts.write("train.py", "import sys\nsys.path.append('site-packages')\nimport old\nprint(old.version)\n")
    assert scripts.lines("train.py") == ["2.2.4"]
