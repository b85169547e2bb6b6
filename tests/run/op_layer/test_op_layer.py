"""Tests that `run` composes ops as TensorFlow 1.15 did: whole graphs are those that 1.15.5 made."""

import json
import os

import pytest

import library_and_user_graphs
import op_digests
import records
import seed_cases
from paths import PROGRAMS
from script_folder import ScriptFolder, output_of, printed, run_output

RECORDED = seed_cases.CASES

pytestmark = pytest.mark.period


COUNTING = """
import os, runpy, sys
from tf1grad.run.start import startup
from tf1grad.run.start.options import Options
sys.path.insert(0, os.path.dirname(sys.argv[1]))
folder = sys.path[0]
startup.prepare(Options(seeds="count", script_folder=folder, program=folder))
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.slow
def test_dropouts_by_the_count_rule_are_those_of_1_15():
    """Tests the rule that `upgrade --by-running` sets."""
    names = sorted(name for name in RECORDED if "drop" in name)
    output = printed("-c", COUNTING, seed_cases.__file__, "count", *names)
    assert len(names) > 3 and json.loads(output) == {
        name: RECORDED[name]["count"] for name in names
    }


OPS_OF_USERS = """
    Placeholder Shape Const Const Const StridedSlice Const Pack Const StridedSlice Const Sub
    RealDiv Const Shape Const Const RandomUniform Sub Mul Add Const Sub Const RealDiv
    GreaterEqual Mul Cast Mul Const Max Const Const Fill Shape Const AddV2 FloorMod Const Const
    Const Range Const Fill DynamicStitch Reshape Reshape Equal Cast Sum Reshape RealDiv Mul
    Shape Shape BroadcastGradientArgs Mul Sum Reshape Mul Sum Reshape Shape Shape
    BroadcastGradientArgs Mul Sum Reshape Mul Sum Reshape Shape Shape BroadcastGradientArgs
    RealDiv Sum Reshape Neg RealDiv RealDiv Mul Sum Reshape Shape StridedSliceGrad Shape Shape
    BroadcastGradientArgs Sum Reshape Neg Sum Reshape AddN
""".split()


def test_a_library_keeps_the_installed_tensorflow():
    """Compares the graphs of a library with those of the same code in a user's file,
    which are TensorFlow 1.15.5's.
    """
    before, users, after = json.loads(run_output(library_and_user_graphs.__file__))
    # What the TensorFlow of this process makes.
    assert before == after == library_and_user_graphs.ops(__file__)
    assert users == OPS_OF_USERS


WHOLE_GRAPHS = records.read("whole_graphs")
SEARCHES = ("L-BFGS-B", "SLSQP", "TNC")
IN_SHORT_RUN = ("datasets", "layers, ref", "loops_and_conditionals", "slim, ref", "training, ref")


def _program(name):
    return name if name in IN_SHORT_RUN else pytest.param(name, marks=pytest.mark.slow)


@pytest.fixture(scope="module")
def built(names_of_run):
    """Returns the ops and functions of whole programs' graphs, and the values."""
    names = sorted(names_of_run & set(WHOLE_GRAPHS))
    return json.loads(run_output(os.path.join(PROGRAMS, "whole_graphs.py"), *names))


@pytest.mark.parametrize("name", list(map(_program, sorted(WHOLE_GRAPHS))))
def test_whole_program_has_the_graph_and_the_values_of_1_15(name, built):
    """Compares each op's type, name, attributes, inputs, control inputs and static shapes,
    and datasets' functions.
    """
    assert op_digests.differences(WHOLE_GRAPHS[name]["ops"], built[name]["ops"]) == []
    assert built[name]["functions"] == WHOLE_GRAPHS[name]["functions"]
    # TensorFlow 1.15 does not move resource variables: its search ends where that of ref variables
    # does here.
    of_values = name.replace("resource", "ref") if name.startswith(SEARCHES) else name
    assert built[name]["values"] == pytest.approx(WHOLE_GRAPHS[of_values]["values"], rel=1e-5)


@pytest.mark.slow
@pytest.mark.each_release
def test_modules_that_tf_keras_does_not_have_cannot_be_imported(tmp_path):
    """Programs look for their functions in `tensorflow.keras.<name>` before they look elsewhere."""
    assert output_of(
        """
import importlib, pydoc

for name in ("tensorflow.keras.absent", "tensorflow.keras.layers.absent", "tensorflow.keras.absent.absent"):
    assert pydoc.locate(name) is None
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(error)
print(pydoc.locate("tensorflow.keras.layers.Dense").__name__)
""",
        tmp_path,
    ).splitlines() == [
        "No module named 'tensorflow.keras.absent'",
        "No module named 'tensorflow.keras.layers.absent'",
        "No module named 'tensorflow.keras.absent'",
        "Dense",
    ]


def test_a_required_shape_may_be_none(tmp_path):
    script = """
    x = tf.placeholder_with_default(0.5, shape=None)
    with tf.Session() as session:
        print(x.shape, session.run(x), session.run(x, {x: [1.0]}))
    """
    assert output_of(script, tmp_path).split() == ["<unknown>", "0.5", "[1.]"]


@pytest.mark.slow
def test_says_once_that_seeded_loops_run_in_order(tmp_path):
    """1.15.5 gives the number of `run` with `parallel_iterations=1`,
    which the recorded cases compare.
    """
    folder = ScriptFolder(tmp_path)
    script = folder.write(
        "script.py",
        """
        import sys
        import tensorflow as tf

        def loop(name, parallel_iterations=10, draw=tf.random_uniform):
            return tf.while_loop(lambda i, total: i < 3, lambda i, total: (i + 1, total + draw([])),
                                 (0, 0.0), parallel_iterations=parallel_iterations, name=name)

        loop("unseeded")
        tf.set_random_seed(1)
        loop("in_order", 1)
        loop("without_random_ops", draw=tf.zeros)
        print("from here on", file=sys.stderr)
        loop("first")
        loop("second")
        """,
    )
    code, _, errors = folder.run(script)
    assert code == 0, errors
    before, after = errors.split("from here on")
    assert "in order" not in before
    assert after.count("in order") == after.count("the loop first has random ops with a seed") == 1


@pytest.mark.slow
def test_says_that_distributed_datasets_shift_seeds(tmp_path):
    folder = ScriptFolder(tmp_path)
    script = folder.write(
        "script.py",
        """
        import sys
        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        with strategy.scope():
            strategy.make_input_fn_iterator(lambda context: tf.data.Dataset.range(4))
            strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))
            tf.set_random_seed(1)
            print("from here on", file=sys.stderr)
            strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))
        """,
    )
    code, _, errors = folder.run(script)
    assert code == 0, errors
    before, after = errors.split("from here on")
    assert "other seeds" not in before and after.count("other seeds") == 1
