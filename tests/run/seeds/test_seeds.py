"""Tests that `run` gives the op seeds of TF 1.15.5, and that the rule that counts random ops is the same everywhere."""

import json

import pytest

import seed_cases
from script_folder import printed
from tf1grad._compat import VERSION

RECORDED = seed_cases.CASES


ONE_IN_EIGHT = sorted(RECORDED)[::8]
OTHERS = sorted(set(RECORDED) - set(ONE_IN_EIGHT))


def derived(names, rule, *under):
    """Returns what a rule gives for cases."""
    return json.loads(printed(*under, seed_cases.__file__, rule, *names))


def recorded(names, rule):
    return {name: RECORDED[name][rule] for name in names}


@pytest.mark.period(on_1_15=True)
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(ONE_IN_EIGHT, marks=[pytest.mark.slow, pytest.mark.each_release]),
        pytest.param(OTHERS, marks=pytest.mark.slow),
    ],
    ids=["one in eight", "the others"],
)
def test_run_gives_the_recorded_seeds(names):
    assert derived(names, "tf1", "-m", "tf1grad", "run") == recorded(names, "tf1")


@pytest.mark.slow
def test_count_rule_gives_the_recorded_seeds():
    found, expected = derived(RECORDED, "count"), recorded(RECORDED, "count")
    missing = {name for name in found if "missing" in found[name]}  # layers, without tf_keras
    assert VERSION >= (2,) or not missing
    for name in missing:
        del found[name], expected[name]
    assert found == expected


def test_record_has_every_kind_of_case():
    assert len(RECORDED) > 450
    random = [case for case in RECORDED.values() if len(case["tf1"]["seeds"]) > 1]
    assert len(random) > 80
    assert len({case["tf1"]["values"] for case in random}) > 20
