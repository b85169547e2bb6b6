"""Tests that `tf.estimator` and `tf.contrib.estimator` are TensorFlow 1.15's own under `run`: graphs, values, names.

The expected graphs and values are TensorFlow 1.15.5's.
"""

import json
import os

import pytest

import records
from paths import PROGRAMS
from script_folder import run_output

pytestmark = pytest.mark.period
RECORDED = records.read("estimators")


@pytest.fixture(scope="module")
def found(names_of_run):
    """Returns the findings."""
    return json.loads(run_output(os.path.join(PROGRAMS, "estimator_programs.py"), *sorted(names_of_run)))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in RECORDED if "blocks" in RECORDED[name]])
def test_graph_and_values_are_those_of_1_15(name, found):
    assert found[name] == dict(RECORDED[name], values=pytest.approx(RECORDED[name]["values"], rel=1e-4))


def test_early_stopping_and_exports(found):
    ours, theirs = found["stopped_and_exported"], RECORDED["stopped_and_exported"]
    assert ours == dict(theirs, predicted=[pytest.approx(row, rel=1e-4) for row in theirs["predicted"]])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", RECORDED["boosted_trees"])
def test_boosted_trees_have_the_values_of_1_15(name, found):
    assert found["boosted_trees"][name] == pytest.approx(RECORDED["boosted_trees"][name], rel=1e-5, abs=1e-6)


def test_it_may_be_imported_before_tensorflow(folder):
    lines = folder.lines(folder.write("first.py", """
        from tensorflow_estimator.contrib.estimator.python.estimator import exporter
        from tensorflow.core.kernels.boosted_trees import boosted_trees_pb2
        import tensorflow as tf
        print(issubclass(exporter.StepsExporter, tf.estimator.Exporter))
        print(boosted_trees_pb2.TreeEnsemble(tree_weights=[0.5]))
    """))
    assert lines == ["True", "tree_weights: 0.5", ""]
