"""Tests that matrices without a factor or a solution raise TensorFlow 1.15.5's errors under `run`."""

import json
import os

import pytest

import records
from paths import PROGRAMS
from script_folder import run_output


@pytest.mark.period(on_1_15=True)
def test_singular_matrices_give_what_1_15_gives():
    """Compares with what the program printed on TensorFlow 1.15.5, without `run`."""
    found = json.loads(run_output(os.path.join(PROGRAMS, "singular_matrices.py")))
    assert found == records.read("singular_matrices")
