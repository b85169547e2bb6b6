"""Tests that the training functions of `tf.contrib` build the graphs of TensorFlow 1.15.5 under `run`, op for op."""

import json

import pytest

import records
import training_graphs
from script_folder import run_output

pytestmark = pytest.mark.period
CASES = [(name, use_resource) for name in training_graphs.CASES for use_resource in (False, True)]


@pytest.fixture(scope="module")
def found():
    """Returns the findings for all cases."""
    return json.loads(run_output(training_graphs.__file__))


@pytest.mark.parametrize("name, use_resource", CASES)
def test_graph_and_values_are_those_of_1_15(name, use_resource, found):
    ours, recorded = found[training_graphs.key(name, use_resource)], records.read("training_graphs")
    theirs = recorded[training_graphs.key(name, use_resource)]
    training_graphs.assert_same_ops(ours, theirs)
    if use_resource and name not in training_graphs.TRAINING:
        # TensorFlow 1.15 does not move resource variables: its search ends where that of ref variables does here.
        assert theirs["values"] != ours["values"]
        theirs = recorded[training_graphs.key(name, False)]
    assert ours["values"] == pytest.approx(theirs["values"], rel=1e-5)
