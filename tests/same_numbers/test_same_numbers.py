"""Tests that public functions give TensorFlow 1.15's ops, variables and values under `run`."""

import json

import pytest

import measure
import records
import specimens
from script_folder import run_output

pytestmark = pytest.mark.period(on_1_15=True)


def test_every_specimen_is_recorded():
    codes = [code for _, code in specimens.read()]
    recorded = records.read("same_numbers")
    assert len(set(codes)) == len(codes) > 400 and sorted(recorded) == sorted(codes)
    assert all(
        isinstance(found, list) for variants in recorded.values() for found in variants.values()
    )


@pytest.mark.slow
def test_every_specimen_gives_what_it_gave():
    assert json.loads(run_output(measure.__file__).splitlines()[-1]) == []
