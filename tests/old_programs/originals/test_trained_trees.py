"""Tests that boosted trees that TensorFlow 1.15.5 trained predict what they predicted there."""

import json

import numpy as np
import pytest

import records
import trained_trees
from script_folder import run_output

pytestmark = pytest.mark.period


def test_checkpoints_of_1_15_predict_what_they_predicted(tmp_path):
    recorded = records.read("trained_trees")
    records.unpack(tmp_path, recorded["files"])
    found = json.loads(run_output(trained_trees.__file__, str(tmp_path)))
    assert found.keys() == recorded["outputs"].keys() == {"classifier", "regressor"}
    for kind, values in recorded["outputs"].items():
        assert np.std(values) > 0.1
        np.testing.assert_allclose(found[kind], values, rtol=1e-6, atol=1e-6)
