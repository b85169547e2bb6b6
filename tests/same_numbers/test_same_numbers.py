"""Tests that public functions give TensorFlow 1.15's ops, variables and values under `run`, or that `run` warns."""

import json

import pytest
import tensorflow.compat.v1 as tf

import measure
import records
import specimens
from script_folder import run_output

IS_TF1 = tf.__version__.startswith("1.")
pytestmark = pytest.mark.period(on_1_15=True)


@pytest.fixture(scope="module")
def rows():
    """Returns what is found of all specimens."""
    return json.loads(run_output(measure.__file__).splitlines()[-1])


def test_every_specimen_is_recorded():
    codes = [code for _, code in specimens.read()]
    recorded = records.read("same_numbers")
    assert len(set(codes)) == len(codes) > 400 and sorted(recorded) == sorted(codes)
    assert all(
        isinstance(found, list) for variants in recorded.values() for found in variants.values()
    )


@pytest.mark.slow
def test_no_difference_is_silent(rows):
    assert len(rows) > 900
    assert [row for row in rows if row[2] in ("silent", "missing")] == []


@pytest.mark.slow
@pytest.mark.skipif(not IS_TF1, reason="the record is TF 1.15's")
def test_the_record_is_what_tf1_gives(rows):
    assert {verdict for _, _, verdict, _ in rows} == {"equal"}
