"""Tests `verify --graph` under real interpreters;
also under the one that TF1GRAD_OTHER_PYTHON names.
"""

import json
import os
import sys

import pytest

from other_pythons import python_that_sets
from tf1grad.cli.main import main
from tf1grad.verify.record import Record

OTHER = os.environ.get("TF1GRAD_OTHER_PYTHON")
posix = pytest.mark.skipif(os.name != "posix", reason="the other interpreter is a shell script")

SCRIPT = """
import os
import tensorflow.compat.v1 as tf

vary = os.environ.get("VARY")
tf.set_random_seed(1)
x = tf.placeholder(tf.float32, [None, 3], name="x")
if vary == "more":
    tf.constant(1)
hidden = tf.nn.dropout(tf.matmul(x, tf.get_variable("hidden", [3, 4])), 0.5)
loss = tf.reduce_mean(tf.square(hidden))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
if os.path.exists("order"):
    order = ["a", "b", "c", "d", "e", "f", "g"]
    [tf.constant(1., name=name) for name in (set(order) if vary == "set" else order)]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(step, {x: [[1., 2., 3.]]})
    open("trained", "w").close()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Makes a folder with the script, and changes to it."""
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verify(capsys, *arguments):
    """Returns the exit code, and what is printed."""
    code = main(["verify", "--graph", *map(str, arguments)])
    return code, capsys.readouterr()


@pytest.mark.slow
def test_identical_and_recorded(folder, capsys):
    this = ["train.py", "--against", sys.executable]
    code, (text, _) = verify(capsys, *this, "--record-graph", "graphs.json")
    count = len(Record.load("graphs.json").graphs[0])
    lines = text.splitlines()
    assert code == 0 and lines[0] == "train.py: the graphs under two interpreters"
    assert f"graph 1, {count} ops: identical" in lines and lines[-1] == "Identical."
    assert not os.path.exists("trained"), "the training step ran"
    code, (text, _) = verify(capsys, "train.py", "--against", "graphs.json", "--format=json")
    found = json.loads(text)
    assert code == 0 and found["agree"] and found["outcome"] == "same"
    assert found["graphs"][0]["identical"]
    assert main(["verify", "train.py", "--record-graph", "alone.json"]) == 0
    told = f"alone.json has 1 graph with {count} ops, of TensorFlow "
    assert told in capsys.readouterr().err


@pytest.mark.slow
@posix
def test_one_more_op(folder, capsys):
    code, (text, _) = verify(capsys, "train.py", "--against", python_that_sets(folder, VARY="more"))
    assert code == 1
    place = "    Const (Const)\n    train.py:9: tf.constant(1)\n    only in one: Const Const, only in other"
    assert "the first op where they part:\n" + place in text
    assert "\n  seed " in text, "1.15's op seeds count ops"
    assert text.endswith("The graphs part at the op Const. The difference can change numbers.\n")


@posix
@pytest.mark.slow
def test_a_set_of_names_decides_the_order(folder, capsys):
    (folder / "order").write_text("")
    code, (text, _) = verify(capsys, "train.py", "--against", python_that_sets(folder, VARY="set"))
    assert code == 4 and "differs from itself as well: order" in text


PROGRAMS = {
    "monitored": """
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf.train.get_or_create_global_step())
with tf.train.MonitoredTrainingSession() as session:
    session.run(loss)
    session.run(step)
    print("trained")
""",
    "keras": """
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
model.compile("sgd", "mse")
model.fit(np.ones([2, 3]), np.ones([2, 1]), verbose=0)
print("trained")
""",
    "scipy": """
from tf1grad import ScipyOptimizerInterface
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    ScipyOptimizerInterface(loss).minimize(session)
    print("trained")
""",
    "evaluation": """
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(loss)
    late = loss + 1.
    session.run(late)
    tf.constant(1., name="never_run")
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_where_a_program_stops(folder, capsys, name):
    (folder / "train.py").write_text(
        "import numpy as np\nimport tensorflow.compat.v1 as tf\n"
        "loss = tf.square(tf.get_variable('w', [], initializer=tf.ones_initializer()))\n"
        + PROGRAMS[name]
    )
    code, (text, errors) = verify(
        capsys, "train.py", "--against", sys.executable, "--record-graph", "graphs.json"
    )
    # Keras tests its variables in the order of a set of objects, in which a program may differ from
    # itself.
    assert code == 0 or code == 4 and name == "keras" and "VarIsInitializedOp" in text, (
        text + errors
    )
    record = Record.load("graphs.json")
    names = [op.name for op in record.graphs[0]]
    has_step = name != "evaluation"
    assert record.facts.has_ended == has_step
    assert has_step or "add" in names and "never_run" not in names, "no session has seen it"


@pytest.mark.slow
@pytest.mark.skipif(
    not OTHER, reason="TF1GRAD_OTHER_PYTHON names no interpreter with another TensorFlow"
)
def test_another_tensorflow(folder, capsys, monkeypatch):
    monkeypatch.delenv("TF2_BEHAVIOR", raising=False)
    (folder / "train.py").write_text(SCRIPT.replace("tensorflow.compat.v1", "tensorflow"))
    code, (text, _) = verify(
        capsys, "train.py", "--against", OTHER, "--record-graph", "graphs.json"
    )
    assert code == 0 and text.splitlines()[-1] == "Identical.", text
    assert Record.load("graphs.json").facts.tensorflow.startswith("1.15.")
    assert verify(capsys, "train.py", "--against", "graphs.json")[0] == 0
