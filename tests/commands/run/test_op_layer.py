"""`run` composes ops as TensorFlow 1.15 did: all recorded graphs have 1.15.5's op seeds and initial values."""

import json
import os
import subprocess
import sys

import pytest

import random_graphs
import seed_cases
from paths import ROOT
from tf1grad._compat import VERSION
from tf1grad.migrate.originals import folder

RECORDED = seed_cases.record()

pytestmark = [
    pytest.mark.skipif(VERSION < (2,), reason="this is TensorFlow 1, whose ops are its own"),
    pytest.mark.skipif(not folder.has_op_layer(), reason="no originals here: tf1grad contrib install"),
]


def run(*arguments):
    """What `tf1grad run` writes on stdout, with these arguments."""
    environment = dict(os.environ, PYTHONPATH=ROOT)
    process = subprocess.run([sys.executable, "-m", "tf1grad", "run"] + list(arguments), env=environment,
                             universal_newlines=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.returncode == 0, process.stderr[-3000:]
    return process.stdout


@pytest.fixture(scope="module")
def derived():
    """The seeds and values of all cases."""
    return json.loads(run(seed_cases.__file__, "tf1", *sorted(RECORDED)))


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_recorded_seeds(name, derived):
    assert derived[name] == RECORDED[name]["tf1"]


@pytest.fixture(scope="module")
def trained():
    """What all random graphs are here."""
    return json.loads(run(random_graphs.__file__))


@pytest.mark.parametrize("number", range(random_graphs.COUNT))
def test_random_graph(number, trained):
    """Ops, names and initial values are 1.15.5's, the losses before and after a step to 1e-6."""
    found, recorded = dict(trained[number]), dict(random_graphs.record()[number])
    assert found.pop("losses") == pytest.approx(recorded.pop("losses"), rel=1e-6, abs=1e-6)
    assert found == recorded
