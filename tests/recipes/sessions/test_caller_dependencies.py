"""Tests what runs under `with tf.control_dependencies(update_ops)` around an object
that builds several ops.

That is how programs update the moving averages of batch normalisation: what takes the batch updates
them, nothing else.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from steps import adam, descent, momentum, monitored
from variable_kinds import BOTH_KINDS


class Setting:
    """A loss, w * (the mean of x), gradients built outside of the control dependencies,
    and an op that counts runs.
    """

    def __init__(self):
        self.x = tf.placeholder_with_default([1.0, 3.0], [None], name="x")
        self.w = tf.get_variable("w", initializer=1.0)
        self.rows = tf.get_variable("rows", initializer=[[1.0], [2.0]])
        self.loss = self.w * tf.reduce_mean(self.x) + tf.reduce_sum(tf.gather(self.rows, [0, 0]))
        self.global_step = tf.train.get_or_create_global_step()
        self.optimizer = momentum()
        self.pairs = self.optimizer.compute_gradients(self.loss)
        self._updates = tf.get_variable("updates", initializer=0, trainable=False)
        self.update = tf.group(self._updates.assign_add(1))

    def around(self):
        return tf.control_dependencies([self.update])

    def accumulator(self):
        return tf1grad.GradientAccumulator(self.pairs, loss=self.loss, weight=tf.size(self.x))

    def updates(self, session):
        return session.run(self._updates)


def accumulator(setting, session):
    with setting.around():
        accumulator = setting.accumulator()
        inside = accumulator.apply(setting.optimizer)
    with setting.around():
        again = accumulator.apply(adam())
    last = accumulator.after(accumulator.accumulate)
    yield accumulator.reset, 0
    yield accumulator.accumulate, 1
    yield accumulator.accumulate, 1
    yield accumulator.apply(momentum(), setting.global_step), 0
    yield inside, 0
    yield again, 0
    yield [accumulator.average_loss, accumulator.count, accumulator.total_weight], 0
    for gradient, _ in accumulator.grads_and_vars:
        yield gradient, 0
    yield accumulator.after(setting.loss).reset, 0
    yield last.apply(descent()), 1
    yield last.count, 1


def accumulator_view(setting, session):
    accumulator = setting.accumulator()
    with setting.around():
        view = accumulator.after(setting.loss)
    yield view.reset, 0
    yield view.accumulate, 1
    yield [view.average_loss, view.count], 0
    yield accumulator.accumulate, 0


def step_inside(setting, session):
    with setting.around():
        step = setting.accumulator().step(setting.optimizer)
    yield lambda: step(session, [{}] * 3), 3


def step_alone(setting, session):
    accumulator = setting.accumulator()
    with setting.around():
        step = accumulator.step(setting.optimizer)
    yield lambda: step(session, [{}] * 3), 3


def accumulating_optimizer(setting, session):
    optimizer = tf1grad.AccumulatingOptimizer(setting.optimizer, batches_per_step=2)
    with setting.around():
        train_op = optimizer.minimize(setting.loss)
        flush, reset = optimizer.flush(), optimizer.reset()
    yield train_op, 1
    yield train_op, 1
    yield train_op, 1
    yield flush, 0
    yield reset, 0
    yield optimizer.flush(), 0
    yield optimizer.reset(), 0


def fed_gradients(setting, session):
    with setting.around():
        fed = tf1grad.feed_gradients(setting.pairs)
    values = []
    yield lambda: values.append(session.run(fed.fetches)), 1
    apply = setting.optimizer.apply_gradients(fed.grads_and_vars)
    session.run(tf.variables_initializer(setting.optimizer.variables()))
    yield lambda: session.run(apply, fed.feed_dict(values)), 0


def variable_cache(setting, session):
    with setting.around():
        cache = tf1grad.VariableBatchCache(setting.x)
    yield lambda: cache.advance(session), 1
    yield cache.tensors, 0


def handle_cache(setting, session):
    with setting.around():
        cache = tf1grad.HandleBatchCache(setting.x)
    batch = []
    yield lambda: batch.append(cache.advance(session)), 1
    yield lambda: session.run(cache.tensors, batch[0]), 0
    yield lambda: batch[0].release(), 0


def held_gate(setting, session):
    draw = tf.random_uniform([], seed=1)
    with setting.around():
        gate = tf1grad.HeldGate(draw)
    yield gate.redraw, 0
    yield gate.value, 0


def players(setting, session):
    with setting.around():
        made = tf1grad.alternate({"a": (setting.loss, [setting.w])}, descent, setting.global_step)
    yield made.train_ops["a"], 1
    yield made.steps["a"], 0


class Constrained(tf1grad.ExternalOptimizerInterface):
    """Asks for the constraints, and not for the loss."""

    def _minimize(self, initial_val, **functions):
        for name in ("equality_funcs", "equality_grad_funcs", "inequality_funcs"):
            functions[name][0](initial_val)
        return initial_val


def external_optimizer(setting, session):
    constraint = setting.w - 1
    with setting.around():
        optimizer = Constrained(
            setting.loss, [setting.w], equalities=[constraint], inequalities=[constraint]
        )
    yield lambda: optimizer.vector(session), 0
    yield lambda: optimizer.assign([2.0], session), 0
    yield lambda: optimizer.loss_and_gradient(session)(np.array([3.0])), 1
    yield lambda: optimizer.minimize(session), 0


def dropped_count(setting, session):
    with setting.around():
        guarded = tf1grad.drop_nonfinite(setting.pairs)
    yield guarded.dropped, 0


@BOTH_KINDS
@pytest.mark.parametrize(
    "case",
    [
        accumulator,
        accumulator_view,
        step_inside,
        step_alone,
        accumulating_optimizer,
        fed_gradients,
        variable_cache,
        handle_cache,
        held_gate,
        players,
        external_optimizer,
        dropped_count,
    ],
)
def test_only_what_takes_the_batch_runs_the_updates(case, session):
    setting = Setting()
    runs = case(setting, session)
    counts, expected, known = [0], [0], 0
    for run, updates in runs:
        session.run([variable.initializer for variable in tf.global_variables()[known:]])
        known = len(tf.global_variables())
        run() if callable(run) else session.run(run)
        counts.append(setting.updates(session))
        expected.append(expected[-1] + updates)
    assert counts == expected


@pytest.mark.parametrize("around", ["both", "hook"])
def test_hook(around, graph):
    setting = Setting()
    accumulator = None if around == "both" else setting.accumulator()
    with setting.around():
        hook = tf1grad.AccumulateHook(
            accumulator or setting.accumulator(), setting.optimizer, batches_per_step=2
        )
    with monitored(hooks=[hook]) as session:
        assert setting.updates(session) == 0
        for count in (1, 2, 3):  # the last of them is in a short window
            session.run(setting.loss)
            assert setting.updates(session) == count
        session.run_step_fn(lambda step_context: hook.end(step_context.session))
        assert setting.updates(session) == 3 and hook.applied == 2


def test_control_dependencies_of_the_call_are_obeyed(session):
    setting = Setting()
    accumulator = setting.accumulator()
    optimizer = tf1grad.AccumulatingOptimizer(momentum(), batches_per_step=2)
    train_op = optimizer.minimize(setting.loss)
    with setting.around():
        later = [accumulator.apply(setting.optimizer), optimizer.flush(), optimizer.reset()]
    session.run(tf.global_variables_initializer())
    session.run([accumulator.accumulate, train_op])
    for count, op in enumerate(later, 1):
        session.run(op)
        assert setting.updates(session) == count


@pytest.mark.parametrize("repeated", [True, False], ids=["loop", "conditional"])
def test_control_dependencies_in_control_flow(repeated, session):
    """Ops stay in the loop or conditional in which the caller builds them."""
    setting = Setting()
    held = tf.get_variable("held", initializer=0.0, use_resource=True)

    def window():
        with setting.around():
            accumulator = tf1grad.GradientAccumulator([(tf.square(held + 1), held)])
        with tf.control_dependencies([accumulator.after(accumulator.reset).accumulate]):
            once = tf.no_op()
        second = accumulator.after(once)
        with tf.control_dependencies([second.accumulate]):
            twice = tf.no_op()
        applied = accumulator.after(twice).apply(tf.train.GradientDescentOptimizer(1.0))
        with tf.control_dependencies([applied]):
            return tf.constant(1)

    if repeated:
        run = tf.while_loop(lambda n: n < 3, lambda n: n + window(), [0], parallel_iterations=1)
    else:
        run = tf.cond(tf.placeholder_with_default(True, []), window, lambda: 0)
    session.run(tf.global_variables_initializer())
    session.run(run)
    expected = 0.0
    for _ in range(3 if repeated else 1):
        expected -= (expected + 1) ** 2
    assert session.run(held) == expected
