"""Tests what `verify` calls the same and what it calls different, on invented records."""

import json
import math

import numpy as np
import pytest

from tf1grad.programs._samples import LIMIT, change_difference, difference, sample
from tf1grad.verify import record as record_module
from tf1grad.verify.comparison import Comparison
from tf1grad.verify.comparison_report import ValueReport
from tf1grad.verify.differences import loss_difference
from tf1grad.verify.perturbation import shift_elements
from tf1grad.verify.record import AVERAGE, FEW, OF_OPTIMIZER, UNTRAINED, Facts, Record

ULP = 2.0**-23


def made_up(steps=4, changes=(), facts=None):
    """Makes a record of two variables; `changes` maps (step, what,
    name) to factors of the arrays' last elements.
    """
    start = {"a:0": np.array([1, 2, 3], np.float32), "b:0": np.array([[4, 5]], np.float32)}

    def changed(step, what, name, array):
        array.flat[-1] *= dict(changes).get((step, what, name), 1)
        return array

    def all_changed(step, what, factor):
        return {
            name: changed(step, what, name, np.float32(factor) * array)
            for name, array in start.items()
        }

    record = Record(Facts(**(facts or {})))
    record.add_initial(all_changed(0, "initial value", 1))
    for step in range(1, steps + 1):
        loss = changed(step, "loss", None, np.array([1.0 / step]))
        gradients = all_changed(step, "gradient", 0.1 / step)
        record.add_step(loss, gradients, all_changed(step, "value", 1 - 0.1 * step))
    return record


def compare(changes=(), noise=(), facts=None):
    """Compares an invented record with one that has changes,
    and with other changes as its noise.
    """
    return Comparison(made_up(facts=facts), made_up(changes=changes), [made_up(changes=noise)])


def verdict(comparison):
    return ValueReport(comparison).verdict()


def test_same_records_agree():
    comparison = compare()
    assert {each.difference for each in comparison.measurements} == {0.0}
    assert verdict(comparison) == "The same for 4 steps, to the last bit."


def small_steps(update, factor=1.0):
    """Makes a record whose variable moves by `update` times 1, 2 and 3 in each step,
    the second by another factor.
    """
    record = Record()
    value = np.array([1.0, 1.0, 1.0])
    record.add_initial({"a:0": value.astype(np.float32)})
    for _ in range(1, 4):
        value = value - update * np.array([1, 2 * factor, 3])
        record.add_step([1.0], {}, {"a:0": value.astype(np.float32)})
    return record


@pytest.mark.parametrize(
    "update, factor, where",
    [
        (1e-2, 1.1, (1, "value", "a:0")),
        (1e-5, 1.1, (1, "value", "a:0")),  # a tenth of a value's millionth
        (1e-3, 1.001, (1, "value", "a:0")),
        (1e-6, 1.5, (1, "update", "a:0")),
        (1e-5, 1.001, None),  # below two ulps of the variable
        (1e-8, 3.0, None),  # below one ulp
    ],
)
def test_updates_are_compared_relative_to_themselves_down_to_rounding(update, factor, where):
    this, other = small_steps(update), small_steps(update, factor)
    parted = Comparison(this, other, [this]).parted
    assert (parted and parted[:3]) == where


def test_an_update_that_noise_explains_is_too_noisy_to_tell():
    this, other, noise = small_steps(1e-5), small_steps(1e-5, 1.1), small_steps(1e-5, 1.1)
    comparison = Comparison(this, other, [noise])
    assert comparison.outcome == "noisy" and comparison.hidden.what == "update"


def test_the_verdict_says_how_closely_losses_and_updates_agree():
    told = verdict(compare({(4, "value", "b:0"): 1 + 1e-5}))
    assert told == (
        "The same for 4 steps: losses within 0, values within 1.0e-05 of the largest in each variable, each update "
        "within 3.2e-05 of its size."
    )


@pytest.mark.parametrize(
    "step, what, name, too_large, small_enough",
    [
        (0, "initial value", "b:0", 8 * ULP, 0),
        (1, "loss", None, 2e-6, 5e-7),
        (1, "gradient", "a:0", 2e-4, 5e-5),
        (3, "loss", None, 2e-6, 5e-7),
        (3, "gradient", "b:0", 2e-4, 5e-5),
        (3, "value", "a:0", 1e-4, 1e-5),
    ],
)
def test_first_difference_is_named(step, what, name, too_large, small_enough):
    assert compare({(step, what, name): 1 + small_enough}).parted is None
    comparison = compare({(step, what, name): 1 + too_large})
    parted = comparison.parted
    assert parted[:3] == (step, what, name) and parted.noise == 0
    assert parted.difference == pytest.approx(too_large, rel=0.1)
    assert (name or "the loss") in verdict(comparison)
    assert (f"step {step}" if step else "before the first step") in verdict(comparison)


LOSS, VALUE, FIRST_LOSS = (3, "loss", None), (3, "value", "a:0"), (1, "loss", None)
VALUES_BEFORE = [(2, "value", "a:0"), (2, "value", "b:0")]
# What the other program changes, what its noise is, the outcome, and the first difference.
OUTCOMES = {
    "noise of its size": ({VALUE: 1.05}, {VALUE: 1.01}, "noisy", VALUE),
    "noise that is too small": ({VALUE: 1.2}, {VALUE: 1.01}, "differs", VALUE),
    "noise of a small difference": ({FIRST_LOSS: 1 + 9e-4}, {FIRST_LOSS: 1 + 2e-4}, "same", None),
    "no noise of a small difference": ({LOSS: 1 + 9e-4}, {LOSS: 1 + 2e-6}, "differs", LOSS),
    "noise of another step": ({VALUE: 1.05}, {VALUES_BEFORE[0]: 1.01}, "differs", VALUE),
    # Gaps of two runs may cross zero: at that step a difference of the loss would be found by
    # chance.
    "noise of the values of a loss": (
        {LOSS: 1.05},
        dict.fromkeys(VALUES_BEFORE, 1.01),
        "noisy",
        LOSS,
    ),
    # Such as a bias before batch normalization, on which the loss does not depend.
    "noise of one variable": ({LOSS: 1.05}, {VALUES_BEFORE[0]: 2.0}, "differs", LOSS),
    "two variables": (
        dict(zip(VALUES_BEFORE, [1.01, 1.5])),
        {},
        "differs",
        VALUES_BEFORE[1],
    ),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_noise_explains_its_own_place_only(name):
    other, noise, outcome, where = OUTCOMES[name]
    comparison = compare(other, noise)
    found = {"noisy": comparison.hidden, "differs": comparison.parted, "same": None}[outcome]
    assert comparison.outcome == outcome and (comparison.parted is None or outcome == "differs")
    assert (found and found[:3]) == where


def test_a_difference_after_one_that_noise_explains_is_measured_against_more_noise():
    """Tests that a noisy variable does not excuse a later difference, which a single noise sample
    does not decide either.
    """
    other = {VALUES_BEFORE[0]: 1.05, VALUE: 1.2}
    noise = {VALUES_BEFORE[0]: 1.01, VALUE: 1.01}
    comparison = compare(other, noise)
    assert comparison.outcome == "differs" and comparison.parted[:3] == VALUE
    assert comparison.may_be_noise
    more = [made_up(changes=noise), made_up(changes={**noise, VALUE: 1.03})]
    told = verdict(Comparison(made_up(), made_up(changes=other), more))
    assert told.startswith("The same to step 1. From step 2 on too noisy to tell: the value of a:0")
    assert not compare({VALUE: 1.2, (4, "value", "b:0"): 1.05}, noise).may_be_noise


@pytest.mark.parametrize("facts", [None, {"unordered": (3, "several threads train.")}])
def test_a_noisy_verdict_begins_at_the_first_difference_that_noise_explains(facts):
    other = {VALUES_BEFORE[0]: 1.05, (4, "value", "a:0"): 1.5}
    noise = made_up(4 if facts else 3, {VALUES_BEFORE[0]: 1.01})
    comparison = Comparison(made_up(facts=facts), made_up(changes=other), [noise])
    assert comparison.outcome == "noisy" and comparison.parted.step == 4
    told = verdict(comparison)
    assert told.startswith("The same to step 1. From step 2 on too noisy to tell: the value of a:0")
    assert "two runs of the same interpreter" in told and comparison.decisive.step == 2


def test_noise_of_a_scalar_variable_is_that_of_all_variables():
    """Tests a shift before batch normalization:
    its gradient's sign is rounding error and may agree by chance.
    """

    def record(shift, bias):
        found = Record()
        found.add_initial({"shift:0": np.zeros(1), "bias:0": np.zeros(3)})
        found.add_step(
            [1.0], {}, {"shift:0": np.array([shift]), "bias:0": np.array([0.1, -0.1, bias])}
        )
        return found

    comparison = Comparison(record(0.1, 0.1), record(-0.1, 0.1), [record(0.1, -0.1)])
    assert comparison.outcome == "noisy" and comparison.hidden[:3] == (1, "value", "shift:0")
    same = [record(0.1, 0.1)]
    assert Comparison(record(0.1, 0.1), record(-0.1, 0.1), same).outcome == "differs"


RACE = {"unordered": (2, "a run reads and writes w.")}  # of the second step
THREADS = {"unordered": (1, "several threads train.")}  # after the first step


@pytest.mark.parametrize(
    "facts, where, outcome",
    [
        (RACE, (2, "gradient", "a:0"), "differs"),  # it was had before the writes
        (RACE, (2, "value", "a:0"), "noisy"),
        (RACE, (3, "loss", None), "noisy"),
        (THREADS, (0, "initial value", "a:0"), "differs"),
    ],
)
def test_an_order_that_the_system_chooses_explains_later_differences(facts, where, outcome):
    assert compare({where: 1.5}, facts=facts).outcome == outcome
    assert compare(facts=facts).outcome == "same"


@pytest.mark.parametrize(
    "factor, noise, facts, reason",
    [
        (1.05, 1.01, None, "the value of a:0 differs by "),
        (1.5, 1.0, THREADS, "several threads train."),
    ],
)
def test_a_noisy_verdict_names_the_last_good_step_and_the_reason(factor, noise, facts, reason):
    told = verdict(compare({VALUE: factor}, {VALUE: noise}, facts))
    start = "The same to step 2. From step 3 on too noisy to tell: "
    assert told.startswith(start + reason)


def test_fewer_steps():
    comparison = Comparison(made_up(4), made_up(3), [made_up(4)])
    assert comparison.parted[:2] == (4, "steps") and comparison.steps == 3
    ended = "; then one run ended and the other continued (4 and 3 steps)."
    assert verdict(comparison) == "The same for 3 steps, to the last bit" + ended
    close = made_up(3, {FIRST_LOSS: 1 + 5e-7})
    told = verdict(Comparison(made_up(4), close, [made_up(4)]))
    assert told.startswith("The same for 3 steps: losses within 5.0e-07, ") and told.endswith(ended)
    noise = made_up(4, {VALUES_BEFORE[0]: 1.01})
    noisy = Comparison(made_up(4), made_up(3, {VALUES_BEFORE[0]: 1.05}), [noise])
    assert noisy.outcome == "differs"
    assert verdict(noisy) == (
        "They differ at step 4: one run ended and the other continued (4 and 3 steps)."
    )


LAST_LOSS = (5, "loss", None)


@pytest.mark.parametrize(
    "factor, lengths, outcome, told",
    [
        (1, [3], "same", "The same for 5 steps, to the last bit."),
        (1 + 5e-7, [3], "same", "The same for 5 steps: losses within 5.0e-07, "),
        (
            1 + 9e-4,
            [3],
            "noisy",
            "5 on too noisy to tell: the loss differs by 9.0e-04, but its noise is not known",
        ),
        (
            2.0,
            [3],
            "noisy",
            "5 on too noisy to tell: the loss differs by 5.0e-01, but its noise is not known",
        ),
        (
            2.0,
            [3, 5],
            "differs",
            "They differ at step 5, in the loss: difference 5.0e-01, noise 0.",
        ),
    ],
)
def test_steps_after_the_end_of_a_perturbed_run_are_compared_without_its_noise(
    factor, lengths, outcome, told
):
    other = made_up(5, {LAST_LOSS: factor})
    comparison = Comparison(made_up(5), other, [made_up(length) for length in lengths])
    assert comparison.outcome == outcome and told in verdict(comparison)
    text = ValueReport(comparison).as_text("train.py")
    assert text.startswith("train.py: 5 steps under two interpreters")
    assert "Note: A run with perturbed values ended after 3 steps: it measures no noise of" in text
    assert ("e-01/?" in text) == (factor == 2.0 and lengths == [3])


@pytest.mark.parametrize("perturbed, outcome", [(5, "differs"), (3, "noisy"), (6, "noisy")])
def test_the_noise_of_the_number_of_steps_is_that_of_the_perturbed_runs(perturbed, outcome):
    comparison = Comparison(made_up(5), made_up(7), [made_up(perturbed)])
    assert comparison.outcome == outcome and comparison.steps == 5
    if outcome == "noisy":
        assert verdict(comparison) == (
            "The same to step 5. From step 6 on too noisy to tell: the runs have 5 and 7 steps, but the number is "
            f"not the same under one interpreter either: with perturbed values it is {perturbed}."
        )


def test_what_must_be_equal_is_named_before_what_exceeds_its_limit():
    """Tests a counter, which must be equal, beside a weight that is off by ten limits."""

    def record(count, factor, second=1):
        found = Record()
        found.kinds = {"w:0": "variable", "count:0": UNTRAINED, "second:0": UNTRAINED}
        found.add_initial({"w:0": np.ones(2), "count:0": np.int64(0), "second:0": np.int64(0)})
        values = {"w:0": np.array([1.0, factor]), "count:0": np.int64(count)}
        found.add_step([1.0], {}, {**values, "second:0": np.int64(second)})
        return found

    this = record(4, 1)
    comparison = Comparison(this, record(3, 1 + 1e-5), [this])
    assert comparison.parted.variable == "count:0" and comparison.parted.difference == 0.25
    assert not comparison.may_be_noise  # no noise explains it
    assert Comparison(this, record(3, 1, second=2), [this]).parted.variable == "second:0"


SCALARS = {"shift:0": 1, "bias:0": 3}


def with_scalar(what, factor, noise):
    """Makes a record of one step of a variable with one element and one with three; changes what
    is so called of the first by a factor, and the value of the second by a noise.
    """
    found = Record()
    start = {name: np.ones(size) for name, size in SCALARS.items()}
    found.add_initial(start)
    gradients = {name: array.copy() for name, array in start.items()}
    values = {name: 1.5 * array for name, array in start.items()}
    of_what = {"gradient": gradients, "value": values}.get(what)
    if of_what:
        of_what["shift:0"] *= factor
    values["bias:0"][-1] *= noise
    found.add_step([factor if what == "loss" else 1.0], gradients, values)
    return found


@pytest.mark.parametrize(
    "what, where",
    [
        ("gradient", "in the value of a trained variable after that step."),
        ("value", "in the value of another such variable."),
    ],
)
def test_the_verdict_says_what_has_the_noise(what, where):
    this, noise = with_scalar(what, 1, 1), with_scalar(what, 1, 1.01)
    comparison = Comparison(this, with_scalar(what, 1.02, 1), [noise])
    told = verdict(comparison)
    assert comparison.outcome == "noisy" and f"the {what} of shift:0 differs by 2.0e-02" in told
    assert told.endswith("two runs of the same interpreter already differ by 9.9e-03 " + where)
    own = Comparison(this, with_scalar(what, 1.02, 1), [with_scalar(what, 1.015, 1)])
    assert verdict(own).endswith("two runs of the same interpreter already differ by 1.5e-02.")


def test_the_verdict_says_that_the_noise_of_a_loss_is_that_of_values():
    told = verdict(compare({LOSS: 1.05}, dict.fromkeys(VALUES_BEFORE, 1.01)))
    assert told.endswith(
        "already differ by 9.9e-03 in the values of half of the trained variables at that step."
    )


def test_variables_and_gradients_on_one_side_only():
    this, other = made_up(), made_up()
    other.initial.clear()
    other.add_initial({"a:0": np.array([1, 2, 3], np.float32), "c:0": np.zeros(2)})
    measurements = Comparison(this, other, [this]).measurements
    infinite = [
        each.variable for each in measurements if (each.step, each.difference) == (0, math.inf)
    ]
    assert infinite == ["b:0", "c:0"]
    other = made_up()
    del other.steps[0].gradients["a:0"]
    for one, another in ((this, other), (other, this)):
        assert Comparison(one, another, [one]).parted[:3] == (1, "gradient", "a:0")


def test_script_that_does_not_repeat_itself():
    random = {(0, "initial value", "a:0"): 1.5}
    comparison = compare(random, random)
    assert comparison.outcome == "noisy" and not comparison.repeats
    assert "twice under one interpreter" in verdict(comparison)


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ([1.0, np.nan], [1.0, np.nan], 0.0),
        ([1.0, np.nan], [1.0, 2.0], math.inf),
        ([1.0, np.inf], [1.0, -np.inf], math.inf),
        ([0.0, 0.0], [0.0, -0.0], 0.0),
        ([1.0, 4.0], [1.0, 3.0], 0.25),
        ([0.0, 0.0], [[0.0], [0.0]], math.inf),
        ([1 + 2j], [1 - 2j], 2.0),
        ([2**60], [2**60 + 1], np.finfo(float).tiny),
    ],
)
def test_difference(one, other, expected):
    assert difference(sample(np.array(one)), sample(np.array(other))) == expected


def test_large_arrays_are_sampled_and_their_norms_tell():
    array = np.ones(2 * LIMIT, np.float32)
    changed = array.copy()
    changed[1] = 1000.0  # not in the sample
    assert len(sample(array).values) == LIMIT and not sample(array).is_whole
    expected = 1 - math.sqrt(array.size) / math.sqrt(array.size + 1e6 - 1)
    assert difference(sample(array), sample(changed)) == pytest.approx(expected, rel=1e-3)


def test_samples_of_other_sizes_compare_the_elements_that_they_share():
    array = np.arange(3 * FEW, dtype=np.float32)
    assert difference(sample(array, FEW), sample(2 * array)) == 0.5
    found = change_difference(
        (sample(array), sample(2 * array)), (sample(array), sample(3 * array, FEW)), 0.0
    )
    assert found == pytest.approx(0.5, rel=1e-6)


def test_a_verdict_on_large_arrays_says_samples():
    def record(last):
        found = Record()
        found.add_initial({"w:0": np.zeros(2 * LIMIT, np.float32)})
        value = np.ones(2 * LIMIT, np.float32)
        value[-1] = last
        found.add_step([1.0], {}, {"w:0": value})
        return found

    comparison = Comparison(record(1), record(1.5), [record(1)])
    assert comparison.outcome == "same" and not comparison.is_identical
    assert verdict(comparison).endswith(" of its size (of large arrays samples).")
    assert verdict(Comparison(record(1), record(1), [record(1)])).endswith(", to the last bit.")


def test_arrays_after_many_others_are_sampled(monkeypatch):
    monkeypatch.setattr(record_module, "WHOLE", 10)
    found, value = Record(), np.zeros(FEW + 1)
    assert found.sampled(value).is_whole and not found.sampled(value).is_whole


def test_equal_numbers_of_other_bits_are_not_the_same_to_the_last_bit():
    def record(zero):
        found = Record()
        found.add_initial({"w:0": np.array([1.0, zero])})
        found.add_step([1.0], {}, {"w:0": np.array([1.0, 0.0])})
        return found

    comparison = Comparison(record(0.0), record(-0.0), [record(0.0)])
    assert "last bit" not in verdict(comparison) and comparison.outcome == "same"


@pytest.mark.parametrize(
    "kind, dtype, factor, where",
    [
        (AVERAGE, np.float32, 1 + 1e-3, "the value of the moving average c:0"),
        (OF_OPTIMIZER, np.float32, 1 + 1e-3, "the value of the optimizer's variable c:0"),
        (OF_OPTIMIZER, np.float32, 1 + 1e-4, None),  # gradients have that much
        (UNTRAINED, np.float32, 1 + 1e-4, None),  # such as accumulators
        (None, np.int64, 1 + 1e-4, "element [1] is 20040 here and 20042.004 there"),
    ],
)
def test_other_variables_are_compared_as_what_they_are(kind, dtype, factor, where):
    def record(factor):
        found = made_up(1)
        found.kinds = {"a:0": "variable", "b:0": "variable", "c:0": kind or "untrained variable"}
        found.steps[0].values["c:0"] = sample(np.array([1, 20040 * factor]).astype(dtype))
        return found

    comparison = Comparison(record(1), record(factor), [record(1)])
    assert comparison.outcome == ("differs" if where else "same")
    assert where is None or where.replace(".004", "") in verdict(comparison)


@pytest.mark.parametrize(
    "kind, factor, outcome",
    [
        ("variable", 1 + ULP, "differs"),
        (UNTRAINED, 1 + ULP, "same"),  # a batch that the graph computed
        (UNTRAINED, 1.001, "differs"),
    ],
)
def test_initial_values_of_trained_variables_are_identical(kind, factor, outcome):
    def record(factor):
        found = made_up(1)
        found.kinds = {"a:0": "variable", "b:0": "variable", "c:0": kind}
        found.initial["c:0"] = found.steps[0].values["c:0"] = sample(np.float32([1, 2 * factor]))
        return found

    # It is also no sign that the script does not repeat itself.
    assert Comparison(record(1), record(factor), [record(1)]).outcome == outcome
    assert Comparison(record(1), record(1), [record(factor)]).repeats == (outcome == "same")


def test_a_small_difference_is_measured_against_the_largest_of_several_noises():
    this, other = made_up(), made_up(changes={LOSS: 1 + 5e-4})
    first, second = (made_up(changes={LOSS: 1 + noise}) for noise in (1e-5, 1e-4))
    assert Comparison(this, other, [first]).may_be_noise
    assert Comparison(this, other, [first, second]).outcome == "same"
    assert not Comparison(this, made_up(changes={LOSS: 1.5}), [first]).may_be_noise


def test_an_element_is_named():
    told = verdict(compare({(2, "value", "b:0"): 1.5}))
    assert (
        "in the value of b:0: difference 3.3e-01, noise 0; element [0, 1] is 4 here and 6 there."
        in told
    )


def test_noise_is_one_ulp_of_each_value_that_has_one():
    value = np.random.RandomState(1).randn(100).astype(np.float16)
    moved = shift_elements("a:0", value)
    assert moved.dtype == np.float16 and 30 < np.sum(moved > value) < 70
    np.testing.assert_array_equal(np.nextafter(moved, value), value)
    np.testing.assert_array_equal(shift_elements("a:0", value), moved)
    assert (shift_elements("b:0", value) != moved).any()
    fixed = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    assert shift_elements("a:0", fixed).tobytes() == fixed.tobytes()


def test_a_record_survives_its_file(tmp_path):
    record = made_up(facts={"tensorflow": "1.15.5"})
    record.add_step([1.5, np.inf], {"a:0": np.array([np.nan], np.float64)}, {}, "evaluation")
    record.save(str(tmp_path / "record"))
    loaded = Record.load(str(tmp_path / "record"))
    assert loaded.facts == record.facts
    assert loaded.steps[-1].losses == [1.5, np.inf] and loaded.steps[-1].kind == "evaluation"
    assert {each.difference for each in Comparison(record, loaded, [record]).measurements} == {0.0}


def test_report_as_json_and_text():
    facts = {"python": "3.7.1", "tensorflow": "1.15.5", "executable": "/bin/python"}
    moved = made_up(facts=dict(facts, moved=(1, 5)))
    shared = {"restored": ["/models/m-3"], "old_folders": ["/models"]}
    other_facts = dict(facts, seeded=7, **shared)
    other = made_up(changes={(2, "loss", None): np.nan}, facts=other_facts)
    report = ValueReport(Comparison(made_up(facts=facts), other, [moved]))
    found = json.loads(json.dumps(report.as_dict("train.py"), allow_nan=False))
    assert found["agree"] is False
    assert (found["parted"]["step"], found["parted"]["difference"]) == (2, "inf")
    assert found["steps"][1]["loss"]["other"] == ["nan"]
    text = report.as_text("train.py")
    assert "initial values: 2 variables, 5 values: identical" in text
    assert "each of 5 values perturbed by one ulp before step 1" in text
    assert "Each run finds the checkpoints that the one before it saved in /models." in text
    assert "were given the seed 7" in text
    assert text.splitlines()[-1] == found["verdict"] == report.verdict()


def test_one_step_of_one_value_is_told_in_the_singular():
    def one():
        record = Record(Facts(python="3.7.1", tensorflow="1.15.5", moved=(1, 1)))
        record.add_initial({"a:0": np.ones([1], np.float32)})
        record.add_step([1.0], {}, {"a:0": np.ones([1], np.float32)})
        return record

    text = ValueReport(Comparison(one(), one(), [one()])).as_text("train.py")
    assert text.startswith("train.py: 1 step under two interpreters\n")
    assert "initial values: 1 variable, 1 value: identical" in text
    assert "each of 1 value perturbed by one ulp before step 1" in text


def test_steps_with_other_numbers_of_losses_differ_without_limit():
    assert loss_difference([1.0, 2.0], [1.0]) == math.inf
    assert loss_difference([1.0, 2.0], [1.0, 2.0]) == 0.0
