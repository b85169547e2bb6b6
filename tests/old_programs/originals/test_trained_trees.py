"""Tests that boosted trees that TensorFlow 1.15.5 trained predict what they predicted there."""

import json

import numpy as np
import pytest

import trained_trees
from script_folder import run_output

pytestmark = pytest.mark.period


def test_checkpoints_of_1_15_predict_what_they_predicted(tmp_path):
    files, expected = trained_trees.recorded()
    for name, data in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    found = json.loads(run_output(trained_trees.__file__, str(tmp_path)))
    assert found.keys() == expected.keys() == {"classifier", "regressor"}
    for kind, values in expected.items():
        assert np.std(values) > 0.1
        np.testing.assert_allclose(found[kind], values, rtol=1e-6, atol=1e-6)
