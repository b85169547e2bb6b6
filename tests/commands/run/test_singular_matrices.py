"""Matrices without a factor or a solution end in TensorFlow 1.15.5's errors under `run`, and in no other way differ."""

import json
import os
import subprocess
import sys

import pytest

from paths import ROOT
from tf1grad._compat import VERSION
from tf1grad.migrate.originals import folder

PROGRAM = os.path.join(ROOT, "tests", "helpers", "singular_matrices.py")


def recorded():
    """What the program printed on TensorFlow 1.15.5, by itself."""
    with open(os.path.join(ROOT, "tests", "recorded", "singular_matrices.json"), encoding="utf-8") as file:
        return json.load(file)


def shown(*command):
    process = subprocess.run([sys.executable, "-m", "tf1grad", "run"] + list(command), universal_newlines=True,
                             env=dict(os.environ, PYTHONPATH=ROOT), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.returncode == 0, process.stderr[-3000:]
    return json.loads(process.stdout)


@pytest.mark.skipif(VERSION >= (2,) and not folder.has_op_layer(), reason="no originals here: tf1grad contrib install")
def test_all_functions():
    assert shown(PROGRAM, "composed") == recorded()


def test_without_originals():
    """The functions that call the kernels; those that are composed of them call the installed ones."""
    found, expected = shown("--ops", "installed", PROGRAM), recorded()
    assert found == {name: expected[name] for name in found} and len(found) == 25
