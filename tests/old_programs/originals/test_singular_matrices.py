"""Tests that matrices without a factor or a solution raise TensorFlow 1.15.5's errors under `run`."""

import json
import os

import pytest

from paths import PROGRAMS, ROOT
from script_folder import run_output

PROGRAM = os.path.join(PROGRAMS, "singular_matrices.py")


@pytest.mark.period(on_1_15=True)
def test_singular_matrices_give_what_1_15_gives():
    with open(os.path.join(ROOT, "tests", "recorded", "singular_matrices.json"), encoding="utf-8") as file:
        recorded = json.load(file)  # what the program printed on TensorFlow 1.15.5, without `run`
    assert json.loads(run_output(PROGRAM)) == recorded
