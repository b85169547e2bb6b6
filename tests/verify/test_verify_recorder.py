"""Compares what `verify` records of small scripts with the same arithmetic in NumPy,
on ref and resource variables.
"""

import json
import os

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import fork_server
from paths import PROGRAMS
from script_folder import run_output
from tf1grad.verify.run_dependencies import have_no_side_effects
from tf1grad.verify.step_recorder import StepRecorder

pytestmark = [pytest.mark.slow, pytest.mark.each_release]

W = np.array([1.0, 2.0], np.float32)


@pytest.fixture(scope="module")
def found():
    """Returns the results of every case; they run in another process because the recorder
    wraps TensorFlow for good.
    """
    output = run_output(
        os.path.join(PROGRAMS, "recorder_scripts.py"), under=fork_server.UNDER_PYTHON
    )
    return json.loads(output.splitlines()[-1])


@pytest.fixture(params=["ref", "resource"])
def case(request, found):
    """Returns a function from a case's name to its record."""
    return lambda name: found[f"{request.param} {name}"]


def check(step, losses, gradients, values, kind="apply"):
    assert step["kind"] == kind
    np.testing.assert_allclose(step["losses"], losses, rtol=1e-6)
    for have, want in ((step["gradients"], gradients), (step["values"], values)):
        assert sorted(have) == sorted(want)
        for name in want:
            np.testing.assert_allclose(have[name], want[name], rtol=1e-6)


OF_TABLE = np.array([[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]])
# The steps of a case: losses, gradients that are applied, values after it.
STEPS = {
    "fed_batches": [
        ([1.0], {"w:0": [2.0, 0.0]}, {"w:0": [0.5, 2.0]}),
        ([4.25], {"w:0": [1.0, 4.0]}, {"w:0": [0.25, 1.0]}),
        ([2.0625], {"w:0": [0.5, 4.0]}, {"w:0": [0.125, 0.0]}),
    ],
    "alternation": [
        ([2.0], {"d:0": [2.0]}, {"d:0": [0.0], "g:0": [2.0], "unreached:0": [9.0]}),
        ([0.0], {"g:0": [0.0]}, {"d:0": [0.0], "g:0": [2.0], "unreached:0": [9.0]}),
    ],
    "slices": [([6.0], {"table:0": OF_TABLE}, {"table:0": 1 - 0.5 * OF_TABLE})],
    "by_hand": [([5.0], {}, {"w:0": W / 2}), ([1.25], {}, {"w:0": W / 4})],
    "accumulation": [([5.0, 15.0], {"w:0": 4 * W}, {"w:0": W - 0.125 * 4 * W, "total:0": 8 * W})],
    # A moving average with decay 0.75 of the mean of the first batch, and of that of the second.
    "all_kinds": [
        (
            [5.0],
            {"w:0": 2 * W},
            {"w:0": 0.5 * W, "w/Momentum:0": 2 * W, "mean:0": 0.25 * 1.5, "global_step:0": 1},
        ),
        (
            [1.25],
            {"w:0": W},
            {
                "w:0": 0.0 * W,
                "w/Momentum:0": 2 * W,
                "mean:0": 0.75 * 0.25 * 1.5 + 0.25 * 0.75,
                "global_step:0": 2,
            },
        ),
    ],
    "fetch_and_feed": [([5.0], {"w:0": [0.5, 0.25]}, {"w:0": W - 0.25 * np.array([0.5, 0.25])})],
    "own_optimizer": [([5.0], {"w:0": 2 * W}, {"w:0": W / 2})],
    # The script fetches the loss beside the step, where it may be from before or after it.
    "fetched_beside": [
        ([5.0], {"w:0": 2 * W}, {"w:0": W / 2}),
        ([1.25], {"w:0": W}, {"w:0": W / 4}),
    ],
    "no_training": [],
    "external": [([5.0], {"w:0": 2 * W}, {"w:0": W}), ([1.25], {"w:0": W}, {"w:0": W / 2})],
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_are_those_of_numpy(case, name):
    steps = case(name)["steps"]
    assert len(steps) == len(STEPS[name])
    for step, expected in zip(steps, STEPS[name]):
        check(step, *expected, kind="evaluation" if name == "external" else "apply")


def test_each_variable_is_known_as_what_it_is(case):
    assert case("all_kinds")["kinds"] == {
        "w:0": "variable",
        "w/Momentum:0": "optimizer's variable",
        "mean:0": "moving average",
        "global_step:0": "untrained variable",
    }


@pytest.mark.parametrize("name", ["queue", "iterator"])
def test_nothing_is_consumed_or_drawn(case, name):
    assert case(name)["returned"] == case(name + " unrecorded")
    assert len(case(name)["steps"]) == len(case(name + " unrecorded")) >= 3


def test_loss_is_that_before_the_update(case):
    record, w = case("queue"), W
    assert len(record["steps"]) == 4
    for step, (kept, after) in zip(record["steps"], record["returned"]):
        np.testing.assert_allclose(
            step["losses"], [np.sum(kept * w**2) + np.sum(w**2) / 2], rtol=1e-6
        )
        np.testing.assert_allclose(step["gradients"]["w:0"], 2 * np.array(kept) * w + w, rtol=1e-6)
        w = np.array(after, np.float32)
        assert step["values"]["w:0"] == after


@pytest.mark.parametrize(
    "name, names", [("clipped_weights", "w"), ("ungated_gradients", "other, w")]
)
def test_writes_without_an_order_are_reported(case, name, names):
    """Tests that an average of the weights, and gradients that are computed before the
    first write, do not count.
    """
    found = case(name)["facts"]["unordered"]
    assert found[0] == 2 and f"a run reads and writes {names}, in an order" in found[1]


@pytest.mark.parametrize("name", ["fetched_beside", "fed_batches", "alternation"])
def test_a_loss_beside_its_step_needs_no_order(case, name):
    assert case(name)["facts"]["unordered"] is None


@pytest.mark.parametrize(
    "which, values, unordered",
    [
        # Alone it would be read before the slow write.
        ("early read", [1, 2, 3], []),
        # Alone it would be read after the write, and what the write needs before it.
        ("deciding read", [0, 1, 2, 3], []),
        ("draws", [1, 2, 3], [0]),
        ("ordered", [1, 2, 3], []),
    ],
)
def test_a_fetch_that_reads_what_its_run_writes(case, which, values, unordered):
    found = case("without order, " + which)
    assert found["returned"] == found["values"] == values
    assert found["unordered"] == [unordered] * len(values)


def test_threads_have_no_order(case):
    record = case("threads")
    assert "several threads train" in record["facts"]["unordered"][1]
    assert record["initial"] == {"a:0": [1.0], "b:0": [1.0]}
    for name in ("a:0", "b:0"):
        steps = [step for step in record["steps"] if name in step["gradients"]]
        assert len(steps) == 50 and all(list(step["gradients"]) == [name] for step in steps)


@pytest.mark.parametrize("name, step", [("fed_batches", 1), ("external", 1), ("from_zero", 2)])
def test_each_value_is_perturbed_by_one_ulp(case, name, step):
    plain, moved = case(name), case(name + " moved")
    assert plain["facts"]["moved"] is None and moved["facts"]["moved"] == [step, 2]
    assert plain["initial"] == moved["initial"]
    assert plain["steps"][: step - 1] == moved["steps"][: step - 1]
    values = [np.float32(record["steps"][step - 1]["values"]["w:0"]) for record in (moved, plain)]
    # The step halves a value or leaves it, so that nothing is rounded.
    assert (values[0] != values[1]).all()
    np.testing.assert_array_equal(np.nextafter(*values), values[1])


def test_variables_without_gradient_are_perturbed_too(case):
    moved = case("alternation moved")
    assert moved["facts"]["moved"] == [1, 3]
    assert abs(moved["steps"][0]["values"]["unreached:0"][0] - 9) == np.spacing(np.float32(9))


def test_rounding_is_no_difference_and_another_loss_is(case):
    rounded, other = case("outcomes")
    assert rounded in ("same", "noisy") and other == "differs"


def test_a_loss_that_writes_is_not_computed_twice():
    with tf.Graph().as_default():
        for use_resource in (False, True):
            w = tf.get_variable(f"w{use_resource}", [2], use_resource=use_resource)
            assert not have_no_side_effects([w.assign_add([1.0, 1.0]).op, w.initializer])
        assert have_no_side_effects([tf.scatter_nd([[0]], [1.0], [2]).op, w.op])


def test_a_variable_of_several_devices_is_left_where_it_is(tmp_path):
    soft = tf.ConfigProto(allow_soft_placement=True)  # there may be one device only
    with tf.Graph().as_default(), tf.Session(config=soft) as session:
        with tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]).scope():
            tf.get_variable("copied", initializer=[1.0, 2.0])
        plain = tf.get_variable("plain", initializer=[1.0, 0.0])
        session.run(tf.global_variables_initializer())
        recorder = StepRecorder(str(tmp_path / "record"), 1, directions=1)
        recorder.begin_step(session)
        assert recorder.record.facts.moved == (1, 1)
        assert session.run(plain).tolist() in (
            [np.nextafter(np.float32(1), np.float32(side)), 0.0] for side in (0, 2)
        )
