"""Tests what `upgrade --by-running` says of invented runs that fetched numbers."""

import numpy as np
import pytest

from fetched_records import record_of
from tf1grad.programs._samples import LIMIT
from tf1grad.verify.fetched_numbers import FetchComparison


def _said(before, after):
    """Returns the difference of two records as text; of equal ones how closely they agree."""
    comparison = FetchComparison(before, after)
    difference = comparison.first_difference()
    return difference.text if difference else comparison.agreement()


VALUE = [1.0, 2.0]
MANY = np.random.RandomState(1).randn(1000)
EXCHANGED = MANY[[1, 0, *range(2, 1000)]]
LARGE = np.ones(2 * LIMIT, np.float32)
LARGER = np.append(LARGE[1:], np.float32(1e4))


@pytest.mark.parametrize(
    "one, other, found",
    [
        (VALUE, [1.0, 2.0001], "1 run with numbers, 1 value, within 5e-05 of their size"),
        (VALUE, VALUE, "1 run with numbers, 1 value, to the last bit"),
        ([0.0], [-0.0], "1 run with numbers, 1 value, within 0e+00 of their size"),
        (VALUE, [1.0, 2.1], "x of run 1 of the session is [1, 2] before and [1, 2.1] after"),
        (VALUE, [VALUE], "(difference inf of its size)"),
        (VALUE, [1.0, float("nan")], "[1, nan] after the upgrade"),
        (
            MANY,
            EXCHANGED,
            "x of run 1 of the session is [1.62435, -0.611756, -0.528172, ...] before",
        ),
        ([1000.0, 0.5], [1000.0, 0.9], "[1000, 0.5] before and [1000, 0.9] after the upgrade"),
        ([1000.0, 1e-9], [1000.0, 2e-9], "1 value, within 1e-10 of their size"),
        (
            20040,
            20041,
            "is 20040 before and 20041 after the upgrade (difference 5e-05 of its size)",
        ),
        ([True] * 9, [True] * 8 + [False], "is [..., 1, 1, 1] before and [..., 1, 1, 0] after"),
        ([1 + 2j], [1 - 2j], "(difference 2 of its size)"),
        (LARGE, LARGER, "(difference 0.86 of its size)"),
        (LARGE, np.append(LARGE[1:], [1.1]), "1 value, of large arrays samples, within"),
    ],
)
def test_two_fetched_values(one, other, found):
    assert found in _said(record_of([("x", one)]), record_of([("renamed", other)]))


A, B = ("a", 7.0), ("b", 2.0)


@pytest.mark.parametrize(
    "before, after, found",
    [
        ([[A]], [[B, A]], "run 1 of the session fetches 1 value before and fetches 2 values after"),
        ([[A, B]], [[("b", 7.0), ("a", 2.0)]], "1 run with numbers, 2 values, to the last bit"),
        ([[A, A]], [[A, ("a", 2.0)]], "a of run 1 of the session is 7 before and 2 after"),
        ([[A], "InvalidArgumentError"], [[A], [B]], "run 2 of the session raises InvalidArgumentE"),
        ([[A], "OutOfRangeError"], [[A], "OutOfRangeError"], "2 runs with numbers, 1 value, to"),
        ([[A]], [[A]] * 2, "the number of runs that fetch numbers is 1 before and 2 after the"),
        ([[A]] * 30, [[A]] * 29 + [[B]], "a of run 30 of the session is 7 before and 2 after"),
    ],
)
def test_the_runs_of_two_records(before, after, found):
    assert found in _said(record_of(*before), record_of(*after))


def test_runs_without_numbers_are_counted():
    before, after = record_of([A]), record_of([A])
    before.facts.session_runs = 3
    assert _said(before, after) == (
        "the number of runs of sessions is 3 before and 1 after the upgrade"
    )


def test_runs_have_the_numbers_that_the_user_counts():
    """An initializer ran first, and three training steps between two fetches."""
    before, after = record_of([A], [A], [A]), record_of([A], [B], [A])
    for record in (before, after):
        record.runs = [run._replace(number=5 * run.number - 3) for run in record.runs]
    assert "a of run 7 of the session is 7 before and 2 after the upgrade" in _said(before, after)
    before.runs[1] = before.runs[1]._replace(error="OutOfRangeError")
    assert _said(before, after).startswith("run 7 of the session raises OutOfRangeError before")


def _runs_of(*values):
    return record_of(*[[("w", [value])] for value in values])


@pytest.mark.parametrize(
    "before, after, found",
    [
        # The values agree within a thousandth, and the steps do not agree at all.
        ([1, 1.0001, 1.0002], [1, 1.0002, 1.0004], "of its change since it was first fetched"),
        ([1, 1.0001, 1.0002], [1, 1.0001, 1.000202], "within"),
        ([1.0, 1.0, 1.0], [1.000002, 1.000001, 1.000002], "within"),  # what a long sum rounds
    ],
    ids=["small steps", "rounding", "constant"],
)
def test_changes_of_fetched_numbers_are_compared_relative_to_themselves(before, after, found):
    assert found in _said(_runs_of(*before), _runs_of(*after))


def test_the_agreement_says_how_many_runs_and_how_closely():
    before = _runs_of(*np.arange(1.0, 13.0))
    after = _runs_of(*[value + 1e-4 * (value == 4) for value in np.arange(1.0, 13.0)])
    assert _said(before, after) == (
        "12 runs with numbers, 12 values, within 2e-05 of their size and 2e-05 of their changes"
    )
    before.facts.number_runs = after.facts.number_runs = 5000
    assert _said(before, before).startswith("the first 12 of 5,000 runs with numbers, 12 values")
