"""Tests that programs which import `keras` get Keras 2.3.1, beside Keras 3 or none."""

import importlib
import sys
import types

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.programs import _compat
from tf1grad.programs.period import layer, parts
from tf1grad.programs.process import finder, ownership, patches
from tf1grad.run.view import old_keras

pytestmark = [
    pytest.mark.period,
    pytest.mark.skipif(
        tf.__version__.startswith("1.") or (_compat.installed_release("keras") or (3,)) < (3,),
        reason="Keras 2 is installed",
    ),
]

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
# By TensorFlow 1.15.5 and Keras 2.3.1.
PRINTED = [
    "2.3.1 [-0.392663    0.70156384  0.5142845  -0.03174311]",
    "2.69467 1.57957",
    "True",
]
LIBRARY = "import keras\nprint(keras.__version__.partition('.')[0])\n"


@pytest.mark.slow
@pytest.mark.each_release
def test_numbers_are_those_of_keras_2_on_1_15(folder):
    folder.write("train.py", TRAIN)
    code, printed, errors = folder.run("train.py")
    assert code == 0, errors
    assert printed.splitlines() == PRINTED
    assert errors.count("keras is Keras 2.3.1") == 1
    assert (
        errors.count("losses after the first update may vary, as they do on TensorFlow 1.15.5") == 1
    )


@pytest.mark.slow
def test_program_that_excludes_keras_gets_the_installed_one(folder):
    folder.write("train.py", LIBRARY)
    assert folder.lines("--exclude", "keras", "train.py") == ["3"]


COUNTING = """
import numpy as np
import keras, keras.backend as K
from keras import layers, models

class Noting(keras.optimizers.SGD):
    def get_updates(self, loss, params):
        before = K.cast(self.iterations, "float32")  # read before and after the op that counts is made
        K.get_value(params[0])  # from now on a session holds the first read
        updates = super().get_updates(loss, params)
        noted = K.stack([before, K.cast(self.iterations, "float32")])
        return updates + [K.update(self.seen, noted)]

optimizer = Noting(0.)
optimizer.seen = K.zeros(2)
model = models.Sequential([layers.Dense(1, input_dim=2)])
model.compile(optimizer, "mse")
for step in range(20):
    model.train_on_batch(np.ones((4, 2)), np.ones((4, 1)))
    assert K.get_value(optimizer.seen).tolist() == [step + 1] * 2, (step, K.get_value(optimizer.seen))
print(K.get_value(optimizer.iterations))
"""


@pytest.mark.slow
def test_optimizers_count_a_step_before_they_read_the_count(folder):
    folder.write("train.py", COUNTING)
    assert folder.lines("train.py") == ["20"]


GROUPS = """
import numpy as np
import keras, keras.backend as K
from keras import layers, models

class OfGroups(keras.optimizers.SGD):
    def get_updates(self, loss, params):
        first, second = (self.apart.get_updates(loss, group) for group in (params[:1], params[1:]))
        return first + second + [K.update(self.seen, self.apart.iterations)]

optimizer = OfGroups(0.)
optimizer.apart, optimizer.seen = keras.optimizers.Adam(), K.variable(0, dtype="int64")
model = models.Sequential([layers.Dense(1, input_dim=2)])
model.compile(optimizer, "mse")
for step in range(3):
    model.train_on_batch(np.ones((4, 2)), np.ones((4, 1)))
print(K.get_value(optimizer.seen), K.get_value(optimizer.apart.iterations))
"""


@pytest.mark.slow
def test_an_optimizer_that_counts_for_each_group_of_variables(folder):
    """As keras-lr-multiplier does; a read had a count for each group, and was replaced twice."""
    folder.write("train.py", GROUPS)
    assert folder.lines("train.py") == ["6 6"]


@pytest.mark.slow
def test_requirements_that_exclude_2_3_get_2_2_4(folder):
    folder.write("requirements.txt", "numpy\nkeras==2.2.4\n")
    folder.write("train.py", "import keras\nprint(keras.__version__)\n")
    assert folder.lines("train.py") == ["2.2.4"]


@pytest.mark.slow
def test_a_folder_of_the_program_named_keras_is_its_own(folder):
    folder.write("keras/__init__.py", "version = 'own'\n")
    folder.write("keras/backend.py", "name = 'of the program'\n")
    folder.write("train.py", "import keras.backend\nprint(keras.version, keras.backend.name)\n")
    assert folder.run("train.py") == (0, "own of the program\n", "")


@pytest.fixture
def decided(tmp_path, monkeypatch):
    """Lets the program import `keras`, a package on the path that stands for the part;
    returns what is decided.
    """
    (tmp_path / "keras").mkdir()
    (tmp_path / "keras" / "__init__.py").write_text("")
    (tmp_path / "keras" / "backend.py").write_text(
        "def function(inputs, outputs, updates): return inputs\n"
    )
    kept = {name: sys.modules.pop(name) for name in _of_keras()}
    monkeypatch.setattr(ownership, "is_called_by_library", lambda: False)
    monkeypatch.setattr(ownership, "is_users_file", lambda file: file.startswith(str(tmp_path)))
    monkeypatch.setattr(old_keras, "_is_users", lambda: False)
    before, found = len(patches.changes()), []

    def add(part):
        monkeypatch.syspath_prepend(str(tmp_path))
        found.append(part)

    monkeypatch.setattr(layer, "add_keras", add)
    yield found
    patches.undo(before)
    for name in _of_keras():
        del sys.modules[name]
    sys.modules.update(kept)


def _of_keras():
    return [name for name in sys.modules if name.partition(".")[0] == "keras"]


def test_the_first_import_brings_keras_and_orders_its_training(decided, capsys):
    old_keras.install([], decided.append, "2.2.0")
    backend = importlib.import_module("keras.backend")
    finder.prepare("keras")  # is decided
    assert decided == [parts.KERAS_2_2, "keras"]
    assert capsys.readouterr().err.startswith("tf1grad: keras is Keras 2.2.4, as programs")
    assert backend.function.__wrapped__.__module__ == "keras.backend"
    assert backend.function(["x"], []) == ["x"]


def test_an_excluded_keras_is_left_alone(decided, capsys):
    old_keras.install(["keras"], decided.append)
    finder.prepare("keras")
    assert decided == [] and capsys.readouterr().err == ""


@pytest.mark.parametrize("is_resource", [False, True])
def test_a_training_function_gets_the_count_after_the_step(session, is_resource):
    counter = tf.Variable(0, use_resource=is_resource)
    session.run(counter.initializer)
    read, count = counter.value(), tf.assign_add(counter, 1)
    called = []
    function = types.SimpleNamespace(_make_callable=lambda *arguments: called.append(arguments))
    old_keras._take_counted_reads(function, [(read.op, count.op)])
    function._make_callable([], ["x"], ["y"], session)
    _, symbols, (value, counted), _ = called.pop()
    assert symbols == ["x", read] and value == "y" and counted.dtype == read.dtype
    assert [session.run(counted) for _ in range(3)] == [1, 2, 3]
    assert (function._feed_symbols, function._symbol_vals) == (["x"], ["y"])
