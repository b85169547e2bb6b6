"""Tests that public functions give TensorFlow 1.15's ops, variables and values under `run`, or that `run` warns."""

import json
import os
import subprocess
import sys

import pytest
import tensorflow.compat.v1 as tf

import measure
import specimens
from paths import ROOT
from tf1grad.old_programs.originals import folder
from tf1grad.old_programs.seeds import measured_functions

IS_TF1 = tf.__version__.startswith("1.")
MODES = ["installed", "1.15"]  # without and with TensorFlow 1.15's own op layer

@pytest.fixture(scope="module", params=MODES[:1] if IS_TF1 else MODES)
def rows(request, tmp_path_factory):
    """Returns the mode, and what one fresh process finds of all specimens."""
    if request.param == "1.15" and folder.find_originals() is None:
        pytest.skip("TensorFlow 1.15's own Python is not installed")
    path = str(tmp_path_factory.mktemp("rows") / "rows.json")
    environment = dict(os.environ, PYTHONPATH=ROOT)
    process = subprocess.Popen([sys.executable, measure.__file__, "--json", path, "--options",
                                json.dumps({"ops": request.param})], env=environment, universal_newlines=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.communicate()
    assert process.returncode == 0, errors[-3000:]
    with open(path, encoding="utf-8") as file:
        return request.param, json.load(file)


def test_every_specimen_is_recorded():
    codes = [code for _, code in specimens.read()]
    recorded = measure.recorded()
    assert len(set(codes)) == len(codes) > 400 and sorted(recorded) == sorted(codes)
    assert all(isinstance(found, list) for variants in recorded.values() for found in variants.values())


def test_run_knows_every_function():
    assert {function for function, _ in specimens.read()} <= measured_functions.EQUAL | measured_functions.DIFFERENT
    assert not measured_functions.EQUAL & measured_functions.DIFFERENT


@pytest.mark.slow
@pytest.mark.matrix
def test_no_difference_is_silent(rows):
    mode, found = rows
    assert len(found) > 900
    assert [(row["code"], row["variant"], row["what"]) for row in found if row["verdict"] == "silent"] == []
    if mode == "1.15":
        assert [(row["code"], row["what"]) for row in found if row["verdict"] == "missing"] == []


@pytest.mark.slow
@pytest.mark.matrix
@pytest.mark.skipif(not IS_TF1, reason="the record is TF 1.15's")
def test_the_record_is_what_tf1_gives(rows):
    assert {row["verdict"] for row in rows[1]} == {"equal"}
