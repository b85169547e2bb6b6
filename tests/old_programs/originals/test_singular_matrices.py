"""Tests that matrices without a factor or a solution raise TensorFlow 1.15.5's errors under `run`."""

import json
import os

import pytest

from paths import PROGRAMS, ROOT
from script_folder import run_output
from tf1grad._compat import VERSION
from tf1grad.old_programs.originals import folder

PROGRAM = os.path.join(PROGRAMS, "singular_matrices.py")


def recorded():
    """Returns what the program printed on TensorFlow 1.15.5, without `run`."""
    with open(os.path.join(ROOT, "tests", "recorded", "singular_matrices.json"), encoding="utf-8") as file:
        return json.load(file)


@pytest.mark.skipif(VERSION >= (2,) and not folder.has_op_layer(), reason="no originals here: tf1grad contrib install")
def test_singular_matrices_give_what_1_15_gives():
    assert json.loads(run_output(PROGRAM, "composed")) == recorded()


def test_kernels_raise_as_in_1_15_without_originals():
    """Tests the functions that call the kernels; composed functions call the installed kernels."""
    found, expected = json.loads(run_output("--ops", "installed", PROGRAM)), recorded()
    assert found == {name: expected[name] for name in found} and len(found) == 26
