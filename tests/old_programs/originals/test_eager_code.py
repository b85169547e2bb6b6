"""Tests eager code under `run`: 1.15's eager mode, `tf.contrib.eager`, `tf.function` and AutoGraph."""

import json
import os

import numpy as np
import pytest

from paths import PROGRAMS, ROOT
from script_folder import run_output
from tf1grad._compat import VERSION
from tf1grad.old_programs.originals import folder

pytestmark = [
    pytest.mark.skipif(VERSION < (2,), reason="this is TensorFlow 1, whose eager mode is its own"),
    pytest.mark.skipif(not folder.has_op_layer(), reason="no originals here: tf1grad contrib install"),
]


def flat(value):
    """Yields the numbers and texts in nested lists, with the length of each list."""
    if isinstance(value, list):
        yield len(value)
        for each in value:
            yield from flat(each)
    else:
        yield value


def test_eager_code_has_the_values_of_1_15():
    """Tests every case of eager_code.py against what TensorFlow 1.15.5 prints."""
    with open(os.path.join(ROOT, "tests", "recorded", "eager_code.json"), encoding="utf-8") as file:
        recorded = json.load(file)
    found = json.loads(run_output(os.path.join(PROGRAMS, "eager_code.py")))
    assert found.keys() == recorded.keys() and len(found) > 20
    for name, values in recorded.items():
        for value, expected in zip(flat(found[name]), flat(values)):
            if isinstance(expected, float):
                np.testing.assert_allclose(value, expected, rtol=1e-6, err_msg=name)
            else:
                assert value == expected, name
