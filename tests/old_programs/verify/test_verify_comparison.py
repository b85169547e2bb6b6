"""Tests what `verify` calls the same and what it calls different, on invented records."""

import argparse
import json
import math
import pickle

import numpy as np
import pytest

from tf1grad.old_programs._samples import LIMIT, difference, sample
from tf1grad.old_programs.cli import verify
from tf1grad.old_programs.verify import comparison_report as report
from tf1grad.old_programs.verify.comparison import Comparison
from tf1grad.old_programs.verify.recorded_steps import Record
from tf1grad.old_programs.verify.recorder import perturbed

ULP = 2.0**-23


def made_up(steps=4, change=None, facts=None):
    """Makes a record of two variables; `change(step, what, name, array)` returns a replacement for each array."""
    change = change or (lambda step, what, name, array: array)
    start = {"a:0": np.array([1, 2, 3], np.float32), "b:0": np.array([[4, 5]], np.float32)}

    def changed(step, what, factor):
        return {
            name: change(step, what, name, np.float32(factor) * array)
            for name, array in start.items()
        }

    record = Record(facts)
    record.add_initial(changed(0, "initial value", 1))
    for step in range(1, steps + 1):
        loss = change(step, "loss", None, np.array([1.0 / step]))
        record.add_step(
            loss, changed(step, "gradient", 0.1 / step), changed(step, "value", 1 - 0.1 * step)
        )
    return record


def times(where, factor):
    """Returns a change of one array, in that step only, by a factor of its last element."""

    def change(step, what, name, array):
        if (step, what, name) == where:
            array = array.copy()
            array.flat[-1] *= factor
        return array

    return change


def values_times(step, **factors):
    """Returns a change of the values after a step, by a factor for each variable."""

    def change(number, what, name, array):
        return (
            array * np.float32(factors.get(name[:1], 1))
            if (number, what) == (step, "value")
            else array
        )

    return change


def test_same_records_agree():
    comparison = Comparison(made_up(), made_up(), made_up())
    assert comparison.parted is None and comparison.repeats and comparison.steps == 4
    assert {each.difference for each in comparison.measurements} == {0.0}
    assert report.verdict(comparison) == "The same for 4 steps."


@pytest.mark.parametrize(
    "step, what, name, factor",
    [
        (0, "initial value", "b:0", 1 + 8 * ULP),
        (1, "loss", None, 1 + 2e-6),
        (1, "gradient", "a:0", 1 + 2e-4),
        (1, "value", "b:0", 1.002),
        (3, "loss", None, 1.002),
        (3, "gradient", "b:0", 1.02),
        (3, "value", "a:0", 1.002),
    ],
)
def test_first_difference_is_named(step, what, name, factor):
    comparison = Comparison(made_up(), made_up(change=times((step, what, name), factor)), made_up())
    assert comparison.parted[:3] == (step, what, name)
    assert (
        comparison.parted.difference == pytest.approx(factor - 1, rel=0.1)
        and comparison.parted.noise == 0
    )
    assert name is None or name in report.verdict(comparison)
    assert (f"step {step}" if step else "before the first step") in report.verdict(comparison)


@pytest.mark.parametrize(
    "step, what, name, factor",
    [
        (1, "loss", None, 1 + 5e-7),
        (1, "gradient", "a:0", 1 + 5e-5),
        (2, "loss", None, 1.0005),
        (2, "gradient", "b:0", 1.005),
        (2, "value", "a:0", 1.0005),
    ],
)
def test_what_is_promised_agrees(step, what, name, factor):
    comparison = Comparison(made_up(), made_up(change=times((step, what, name), factor)), made_up())
    assert comparison.parted is None


LOSS, VALUE = (3, "loss", None), (3, "value", "a:0")
FIRST_LOSS, LAST_VALUE = (1, "loss", None), (4, "value", "a:0")
# What the other program changes, what its noise is, the outcome, and the first difference.
OUTCOMES = {
    "noise of its size": (times(VALUE, 1.05), times(VALUE, 1.01), "noisy", VALUE),
    "noise that is too small": (times(VALUE, 1.2), times(VALUE, 1.01), "differs", VALUE),
    "noise of a small difference": (
        times(FIRST_LOSS, 1 + 9e-4),
        times(FIRST_LOSS, 1 + 2e-4),
        "same",
        None,
    ),
    "noise of another step": (
        times(LAST_VALUE, 1.05),
        times((2, "value", "a:0"), 1.01),
        "differs",
        LAST_VALUE,
    ),
    # Gaps of two runs may cross zero: at that step a difference of the loss would be found by chance.
    "noise of the values of a loss": (
        times(LOSS, 1.05),
        values_times(2, a=1.01, b=1.01),
        "noisy",
        LOSS,
    ),
    "noise of later values": (times(LOSS, 1.05), values_times(3, a=1.01, b=1.01), "differs", LOSS),
    # Such as a bias before batch normalization, on which the loss does not depend.
    "noise of one variable": (times(LOSS, 1.05), values_times(2, a=2.0), "differs", LOSS),
    "two variables": (values_times(2, a=1.01, b=1.5), None, "differs", (2, "value", "b:0")),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_noise_explains_its_own_place_only(name):
    other, noise, outcome, where = OUTCOMES[name]
    comparison = Comparison(made_up(), made_up(change=other), made_up(change=noise))
    found = {"noisy": comparison.hidden, "differs": comparison.parted, "same": None}[outcome]
    assert comparison.outcome == outcome and (comparison.parted is None or outcome == "differs")
    assert (found and found[:3]) == where


def test_a_noisy_verdict_names_the_last_good_step():
    comparison = Comparison(*[made_up(change=times(VALUE, factor)) for factor in (1, 1.05, 1.01)])
    assert comparison.largest(3, "value").noise == pytest.approx(0.01, rel=0.1)
    assert report.verdict(comparison).startswith(
        "The same to step 2. From step 3 on too noisy to tell: the value of a:0 differs by "
    )


@pytest.mark.parametrize("other, noise, code", [(1, 1, 0), (1.05, 1, 1), (1.05, 1.01, 4)])
def test_each_verdict_has_its_exit_code(capsys, other, noise, code):
    facts = {
        "python": "3.7.1",
        "tensorflow": "1.15.5",
        "numpy": "1.18",
        "executable": "/bin/python",
    }
    records = [
        made_up(change=times((3, "value", "a:0"), factor), facts=facts)
        for factor in (1, other, noise)
    ]
    options = argparse.Namespace(format="text", json=None, plot=None)
    assert verify._write_report(Comparison(*records), options, "train.py") == code
    assert capsys.readouterr().out.splitlines()[-1] == report.verdict(Comparison(*records))


def test_noise_of_a_scalar_variable_is_that_of_all_variables():
    """Tests a shift before batch normalization: its gradient's sign is rounding error and may agree by chance."""

    def record(shift, bias):
        found = Record()
        found.add_initial({"shift:0": np.zeros(1), "bias:0": np.zeros(3)})
        found.add_step(
            [1.0], {}, {"shift:0": np.array([shift]), "bias:0": np.array([0.1, -0.1, bias])}
        )
        return found

    comparison = Comparison(record(0.1, 0.1), record(-0.1, 0.1), record(0.1, -0.1))
    assert comparison.outcome == "noisy" and comparison.hidden[:3] == (1, "value", "shift:0")
    assert Comparison(record(0.1, 0.1), record(-0.1, 0.1), record(0.1, 0.1)).outcome == "differs"


def test_a_race_is_named_with_what_it_reads():
    race = {"variables": ["w", "b"], "writes": False, "alone": False, "step": 1, "within": False}
    facts = {"races": {"loss:0": race}}
    noisy = made_up(change=times((1, "loss", None), 1.3), facts=facts)
    comparison = Comparison(
        made_up(facts=facts), made_up(change=times((1, "loss", None), 1.07)), noisy
    )
    found = report.as_dict(comparison, "train.py")
    assert (found["agree"], found["outcome"], found["races"]) == (
        False,
        "noisy",
        [["loss:0", ["w", "b"]]],
    )
    assert "loss:0 races: it reads w, b, which the same run writes" in " ".join(found["notes"])
    assert "races" not in " ".join(
        report.notes(Comparison(made_up(facts=facts), made_up(), made_up()))
    )
    assert found["verdict"].startswith("From step 1 on too noisy to tell: the loss differs by ")


def test_writes_of_one_run_come_in_no_order():
    """So from that run on values tell nothing, and losses and gradients only where they were had before it."""

    def outcome(step, what, name=None, within=False):
        race = {"variables": ["w"], "writes": True, "alone": False, "step": 2, "within": within}
        facts = {"races": {"clip": race, "step": race}}
        return Comparison(
            made_up(facts=facts), made_up(change=times((step, what, name), 1.5)), made_up()
        )

    compared = outcome(2, "value", "a:0")
    assert (
        compared.outcome
        == outcome(3, "loss").outcome
        == outcome(2, "loss", within=True).outcome
        == "noisy"
    )
    assert report.verdict(compared).startswith(
        "The same to step 1. From step 2 on too noisy to tell: one run fetches clip, step, each of which writes"
    )
    assert outcome(2, "loss").outcome == outcome(2, "gradient", "a:0").outcome == "differs"
    assert (
        outcome(1, "value", "a:0").outcome
        == outcome(0, "initial value", "a:0").outcome
        == "differs"
    )


def test_writes_of_one_step_come_in_no_order():
    facts = {
        "races": {
            "step": {"variables": ["b"], "writes": True, "alone": True, "step": 1, "within": False}
        }
    }
    compared = Comparison(
        made_up(facts=facts), made_up(change=times((1, "value", "a:0"), 1.5)), made_up()
    )
    assert compared.outcome == "noisy"
    assert report.verdict(compared).startswith(
        "From step 1 on too noisy to tell: step reads a variable and writes it"
    )
    notes = " ".join(report.notes(compared))
    assert "step races: it reads b, which the same run writes" in notes
    assert "tf.tuple(gradients)" in notes and "separate run" not in notes


@pytest.mark.parametrize(
    "facts, noisy_facts, reason",
    [({"threads": 2}, None, "2 threads"), (None, {"processes": 2}, "2 processes of the job train")],
)
def test_steps_of_several_threads_or_processes_come_in_no_order(facts, noisy_facts, reason):
    def outcome(step, factor, facts=facts, noisy_facts=noisy_facts):
        other = made_up(change=times((step, "value" if step else "initial value", "a:0"), factor))
        return Comparison(made_up(facts=facts), other, made_up(facts=noisy_facts))

    assert outcome(2, 1.5).outcome == "noisy"
    assert f"The same to step 1. From step 2 on too noisy to tell: {reason}" in report.verdict(
        outcome(2, 1.5)
    )
    assert outcome(0, 1.5).outcome == outcome(2, 1.5, None, {"processes": 1}).outcome == "differs"
    assert outcome(2, 1).outcome == "same"


def test_fewer_steps():
    comparison = Comparison(made_up(4), made_up(3), made_up(4))
    assert comparison.parted[:2] == (4, "steps") and comparison.steps == 3
    assert "(4 and 3 steps)" in report.verdict(comparison)


def test_variable_on_one_side_only():
    other = made_up()
    other.add_initial({"a:0": np.array([1, 2, 3], np.float32), "c:0": np.zeros(2)})
    comparison = Comparison(made_up(), other, made_up())
    assert comparison.parted[:2] == (0, "initial value") and math.isinf(
        comparison.parted.difference
    )
    assert {each.variable for each in comparison.of(0, "initial value") if each.difference} == {
        "b:0",
        "c:0",
    }


def test_gradient_on_one_side_only():
    this, other = made_up(1), made_up(1)
    del other.steps[0].gradients["a:0"]
    assert Comparison(this, other, this).parted[:3] == (1, "gradient", "a:0")


def test_script_that_does_not_repeat_itself():
    random = made_up(change=times((0, "initial value", "a:0"), 1.5))
    comparison = Comparison(made_up(), random, random)
    assert comparison.outcome == "noisy"
    assert not comparison.repeats and "twice under one interpreter" in report.verdict(comparison)


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ([1.0, np.nan], [1.0, np.nan], 0.0),
        ([1.0, np.inf], [1.0, np.inf], 0.0),
        ([1.0, np.nan], [1.0, 2.0], math.inf),
        ([1.0, np.inf], [1.0, -np.inf], math.inf),
        ([0.0, 0.0], [0.0, -0.0], 0.0),
        ([1.0, 4.0], [1.0, 3.0], 0.25),
        ([], [], 0.0),
        ([0.0, 0.0], [[0.0], [0.0]], math.inf),
    ],
)
def test_difference(one, other, expected):
    assert difference(sample(np.array(one)), sample(np.array(other))) == expected


def test_large_arrays_are_sampled_and_their_norms_tell():
    array = np.ones(4 * LIMIT, np.float32)
    changed = array.copy()
    changed[1] = 2.0  # not in the sample
    assert len(sample(array).values) == LIMIT
    expected = 1 - math.sqrt(array.size) / math.sqrt(array.size + 3)
    assert difference(sample(array), sample(changed)) == pytest.approx(expected, rel=1e-3)
    record = made_up()
    record.add_initial({"large:0": array})
    assert "large:0" in " ".join(report.notes(Comparison(record, record, record)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_noise_is_one_ulp_of_each_value(dtype):
    value = np.random.RandomState(1).randn(20, 5).astype(dtype)
    moved = perturbed("a:0", value)
    assert moved.dtype == dtype and moved.shape == value.shape
    np.testing.assert_array_equal(np.nextafter(moved, value), value)
    assert 30 < np.sum(moved > value) < 70 and 30 < np.sum(moved < value) < 70
    np.testing.assert_array_equal(perturbed("a:0", value), moved)
    assert (perturbed("b:0", value) != moved).any()


def test_noise_leaves_what_has_no_ulp():
    value = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    assert perturbed("a:0", value).tobytes() == value.tobytes()


def test_a_record_survives_pickling():
    record = made_up(facts={"tensorflow": "1.15.5"})
    record.add_step([1.5, np.inf], {"a:0": np.array([np.nan], np.float64)}, {}, "evaluation")
    content = pickle.dumps(record, protocol=4)
    loaded = pickle.loads(content)
    assert b"numpy" not in content, "NumPy's arrays are pickled differently by each version"
    assert loaded.facts == record.facts and loaded.steps[-1].losses == [1.5, np.inf]
    comparison = Comparison(record, loaded, record)
    assert comparison.parted is None and loaded.steps[-1].kind == "evaluation"
    assert [each.difference for each in comparison.measurements if each.difference] == []


def test_report_as_json_and_text():
    facts = {
        "python": "3.7.1",
        "tensorflow": "1.15.5",
        "numpy": "1.18",
        "executable": "/bin/python",
    }
    moved = made_up(facts=dict(facts, moved={"step": 1, "values": 5}))
    other = made_up(
        change=times((2, "loss", None), np.nan), facts=dict(facts, restored=True, seeded=7)
    )
    comparison = Comparison(made_up(facts=facts), other, moved)
    found = json.loads(json.dumps(report.as_dict(comparison, "train.py"), allow_nan=False))
    assert (
        found["agree"] is False
        and found["parted"]["step"] == 2
        and found["parted"]["difference"] == "inf"
    )
    assert found["steps"][1]["loss"]["other"] == ["nan"] and found["steps"][0]["loss"]["this"] == [
        1.0
    ]
    assert found["moved"] == {"step": 1, "values": 5}
    assert found["initial"] == {"variables": 2, "values": 5, "different": []}
    text = report.as_text(comparison, "train.py")
    assert "initial values: 2 variables, 5 values: identical" in text
    assert "each of 5 values perturbed by one ulp before step 1" in text
    assert "in one run and not in another" in text and "were given the seed 7" in text
    assert text.splitlines()[-1] == found["verdict"] == report.verdict(comparison)
