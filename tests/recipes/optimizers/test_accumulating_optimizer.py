"""Tests AccumulatingOptimizer: an update on every K-th run, nothing on others,
and the inner optimizer's answers.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from numpy_optimizers import RULES
from steps import unchanged


def _update_runs(session, train_op, feed_dict, runs, watched):
    """Returns the numbers of the runs, counted from 1, on which the variable `watched` changed."""
    watched, changed = watched.read_value(), []
    before = session.run(watched)
    for run in range(1, runs + 1):
        session.run(train_op, feed_dict)
        after = session.run(watched)
        if not np.array_equal(before, after):
            changed.append(run)
        before = after
    return changed


@pytest.mark.parametrize("rule, count", [("adam", 3), ("nesterov", 3), ("adagrad", 3), ("adam", 1)])
def test_nothing_moves_between_and_everything_on_the_last_run_of_a_window(
    rule, count, session, control_flow
):
    model = models.Model()
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf1grad.AccumulatingOptimizer(RULES[rule][1](), count)
    train_op = optimizer.minimize(model.loss, global_step=global_step)
    everything = {variable.op.name: variable.read_value() for variable in tf.global_variables()}
    session.run(tf.global_variables_initializer())
    batches = [models.random_batch(12, seed) for seed in range(2)]
    expected, _ = models.train_in_numpy(RULES[rule][0](), batches)
    moving = sorted(name for name in everything if not name.startswith("unused"))
    for batch in batches:
        for index, part in enumerate(models.split(batch, [12 // count] * count)):
            before = session.run(everything)
            session.run(train_op, model.feed_dict(part))
            after = session.run(everything)
            changed = sorted(
                name for name in before if not np.array_equal(before[name], after[name])
            )
            assert changed == (moving if index == count - 1 else [])
    models.assert_same_values(model.values(session), expected)
    assert session.run(global_step) == 2


def _simple(session, batches_per_step, global_step=None, optimizer=None):
    w = tf.get_variable("w", initializer=tf.constant(1.0, tf.float64))
    x = tf.placeholder_with_default(tf.constant(1.0, tf.float64), [])
    wrapper = tf1grad.AccumulatingOptimizer(
        optimizer or tf.train.GradientDescentOptimizer(0.125), batches_per_step
    )
    train_op = wrapper.minimize(w * x, global_step=global_step)
    session.run(tf.global_variables_initializer())
    return w, x, wrapper, train_op


def test_a_lower_batches_per_step_closes_a_window_that_is_already_longer(session):
    wanted = tf.placeholder(tf.int64, [])
    w, _, _, train_op = _simple(session, wanted)
    assert _update_runs(session, train_op, {wanted: 9}, 4, w) == []
    assert _update_runs(session, train_op, {wanted: 2}, 3, w) == [1, 3]
    assert _update_runs(session, train_op, {wanted: 1}, 2, w) == [1, 2]


@pytest.mark.parametrize("number", [0, -5])
@pytest.mark.parametrize("scheduled", [False, True], ids=["tensor", "schedule"])
def test_batches_per_step_below_1_fails_the_run_and_changes_nothing(
    scheduled, number, session, control_flow
):
    limit, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float64, [])
    w = tf.get_variable("w", initializer=tf.constant(0.0, tf.float64))
    optimizer = tf1grad.AccumulatingOptimizer(
        tf.train.MomentumOptimizer(1.0, 0.9), (lambda _: limit) if scheduled else limit
    )
    train_op = optimizer.minimize(w * x)
    session.run(tf.global_variables_initializer())
    session.run(train_op, {limit: 2, x: 1.0})
    message = r"batches_per_step must be at least 1 \(1 is an update on every run\); got\] \[" + (
        f"{number}\\]"
    )
    with unchanged(session, *tf.global_variables()):
        for _ in range(5):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(train_op, {limit: number, x: 100.0})
    session.run(train_op, {limit: 2, x: 3.0})
    assert session.run(w) == -2  # the mean of 1 and 3


@pytest.mark.parametrize("counted_by", ["own_counter", "global_step_int64", "global_step_int32"])
def test_batches_per_step_may_be_a_schedule_of_the_updates(counted_by, session, control_flow):
    global_step = None
    if counted_by != "own_counter":
        dtype = tf.int32 if counted_by.endswith("32") else tf.int64
        global_step = tf.get_variable("step", initializer=tf.constant(0, dtype), trainable=False)
    # 1 micro-batch for the first two updates, 3 for all later ones
    w, _, _, train_op = _simple(session, lambda updates: tf.where(updates < 2, 1, 3), global_step)
    assert _update_runs(session, train_op, {}, 9, w) == [1, 2, 5, 8]
    if global_step is not None:
        assert session.run(global_step) == 4


def test_flush_applies_a_short_last_window_once(session, control_flow):
    global_step = tf.train.get_or_create_global_step()
    w, x, wrapper, train_op = _simple(
        session, 4, global_step, tf.train.MomentumOptimizer(0.125, 0.5)
    )
    flush = wrapper.flush()
    for value in (1.0, 2.0):
        session.run(train_op, {x: value})
    session.run(flush)
    np.testing.assert_allclose(session.run(w), 1 - 0.125 * 1.5)
    assert session.run(global_step) == 1
    with unchanged(session, *tf.global_variables()):
        session.run(flush)
    assert _update_runs(session, train_op, {}, 4, w) == [4]


def test_answers_as_the_inner_optimizer(graph):
    model = models.Model()
    inner = tf.train.AdamOptimizer(0.1, name="Inner")
    wrapper = tf1grad.AccumulatingOptimizer(inner, 2)
    wrapper.minimize(model.loss)
    assert isinstance(wrapper, tf.train.Optimizer)
    assert wrapper.get_name() == "Inner"
    assert wrapper.get_slot_names() == inner.get_slot_names() == ["m", "v"]
    matrix = model.variables["matrix"]
    assert wrapper.get_slot(matrix, "m") is inner.get_slot(matrix, "m") is not None
    names = [variable.name for variable in wrapper.variables()]
    assert names == [variable.name for variable in inner.variables()]
    assert len(names) == 2 * 3 + 2  # slots of three trained variables and the beta powers


def test_two_minimize_calls_have_a_window_each(session, control_flow):
    a = tf.get_variable("a", initializer=tf.constant(1.0, tf.float64))
    b = tf.get_variable("b", initializer=tf.constant(1.0, tf.float64))
    wrapper = tf1grad.AccumulatingOptimizer(tf.train.GradientDescentOptimizer(0.125), 2)
    train_a, train_b = wrapper.minimize(3 * a, var_list=[a]), wrapper.minimize(5 * b, var_list=[b])
    flush = wrapper.flush()
    session.run(tf.global_variables_initializer())
    session.run(train_a)
    session.run(train_b)
    assert session.run([a, b]) == [1.0, 1.0]
    session.run(train_a)
    assert session.run([a, b]) == [1 - 3 / 8, 1.0]
    session.run(flush)
    assert session.run([a, b]) == [1 - 3 / 8, 1 - 5 / 8]


def test_apply_gradients_is_enough_and_none_reaches_the_inner_optimizer(session):
    seen = []

    class Spy(tf.train.GradientDescentOptimizer):
        def apply_gradients(self, grads_and_vars, global_step=None, name=None):
            seen.extend(grads_and_vars)
            return super().apply_gradients(grads_and_vars, global_step, name)

    model = models.Model()
    wrapper = tf1grad.AccumulatingOptimizer(Spy(0.125), 2)
    pairs = wrapper.compute_gradients(model.loss)
    wrapper.apply_gradients(pairs)
    gradients = {variable.op.name: gradient for gradient, variable in seen}
    assert gradients.pop("unused") is None
    kinds = {"matrix": tf.Tensor, "bias": tf.Tensor, "table": tf.IndexedSlices}
    assert (
        all(isinstance(gradients.pop(name), kind) for name, kind in kinds.items()) and not gradients
    )


def test_the_mean_of_summed_losses_is_refused_and_their_sum_is_that_of_the_batch(session):
    variable = tf.get_variable("v", initializer=[1.0, 2.0])
    x = tf.placeholder(tf.float32, [None, 2])
    losses = tf.reduce_sum(x * variable, 1)  # of each sample: TensorFlow minimizes their sum
    descent = tf.train.GradientDescentOptimizer(1.0)
    with pytest.raises(ValueError, match=r"loss must be a scalar; got Sum:0 of shape \(\?,\)"):
        tf1grad.AccumulatingOptimizer(descent, 2).minimize(losses)
    summing = tf1grad.AccumulatingOptimizer(descent, 2, reduction="sum")
    train_op = summing.minimize(losses)
    session.run(tf.global_variables_initializer())
    for batch in ([[1.0, 0.0]], [[2.0, 1.0], [3.0, 0.0]]):
        session.run(train_op, {x: batch})
    np.testing.assert_array_equal(session.run(variable), [1.0 - 6.0, 2.0 - 1.0])
