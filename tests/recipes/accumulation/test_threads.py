"""Tests steps and micro-batches that several threads take in one session,
and one step in several sessions.
"""

import contextlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from threads import together

THREADS, ROUNDS = 4, 50


class Model:
    """Each step lowers w by the mean of what its micro-batches are fed."""

    def __init__(self):
        self.x = tf.placeholder(tf.float64, [])
        self.w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
        self.step_count = tf.train.get_or_create_global_step()
        # Made before the accumulator, it does not set its state.
        self.initializer = tf.global_variables_initializer()
        self.accumulator = tf1grad.GradientAccumulator([(tf.identity(self.x), self.w)], loss=self.x)
        self.optimizer = tf.train.GradientDescentOptimizer(1.0)


def test_one_step_in_one_session(session):
    model = Model()
    step = model.accumulator.step(model.optimizer, model.step_count)
    session.run(tf.global_variables_initializer())

    def train(seed):
        losses = []
        for size in np.random.RandomState(seed).randint(1, 5, ROUNDS):
            losses.append(
                step(session, [{model.x: size + part} for part in range(size)])
                - (3 * size - 1) / 2.0
            )
        return losses

    found = together(*[lambda seed=seed: train(seed) for seed in range(THREADS)])
    np.testing.assert_allclose(found, np.zeros([THREADS, ROUNDS]), atol=1e-12)
    sizes = np.concatenate(
        [np.random.RandomState(seed).randint(1, 5, ROUNDS) for seed in range(THREADS)]
    )
    assert session.run(model.step_count) == THREADS * ROUNDS
    np.testing.assert_allclose(session.run(model.w), -np.sum((3 * sizes - 1) / 2.0))


def test_one_step_in_several_sessions(graph):
    model = Model()
    other = tf.placeholder(tf.float64, [])
    step = model.accumulator.step(model.optimizer)
    initializer = tf.global_variables_initializer()

    def train(session, index):
        for _ in range(ROUNDS):  # other keys now and then, so that the step prepares its runs again
            step(session, [{model.x: index}, {model.x: index, other: 1.0}, {model.x: index}])
        return session.run(model.w)

    with contextlib.ExitStack() as stack:
        sessions = [stack.enter_context(tf.Session(graph=graph)) for _ in range(THREADS)]
        for session in sessions:
            session.run(initializer)
        found = together(
            *[lambda index=index: train(sessions[index], index) for index in range(THREADS)]
        )
    np.testing.assert_allclose(found, -ROUNDS * np.arange(THREADS))


def test_counts_of_dropped_gradients_and_of_players_steps(session):
    v = tf.get_variable("v", initializer=1.0)
    x = tf.placeholder(tf.float32, [])
    guarded = tf1grad.drop_nonfinite([(tf.identity(x), v)])
    train = guarded.apply(tf.train.GradientDescentOptimizer(0.1))
    players = tf1grad.alternate(
        {"one": (v * x, [v])}, lambda: tf.train.GradientDescentOptimizer(0.0)
    )
    session.run(tf.global_variables_initializer())

    def run():
        for _ in range(ROUNDS):
            session.run(train, {x: np.nan})
            session.run(players.train_ops["one"], {x: 1.0})

    together(*[run] * THREADS)
    assert session.run(guarded.dropped) == THREADS * ROUNDS
    assert session.run(players.steps["one"]) == THREADS * ROUNDS


def test_reads_and_resets_see_a_window_between_two_micro_batches(session):
    x, count = tf.placeholder(tf.float32, []), 200
    variables = [
        tf.get_variable(f"w{index}", [20000], initializer=tf.zeros_initializer())
        for index in range(4)
    ]
    table = tf.get_variable("table", [5, 1], initializer=tf.zeros_initializer())
    rows = tf.IndexedSlices(tf.fill([3, 1], x), tf.constant([1, 1, 2]), tf.constant([5, 1]))
    pairs = [(tf.fill([20000], x), variable) for variable in variables] + [(rows, table)]
    accumulator = tf1grad.GradientAccumulator(pairs, reduction="sum")
    sums = [tf.convert_to_tensor(gradient) for gradient, _ in accumulator.grads_and_vars]
    session.run(tf.global_variables_initializer())
    session.run(accumulator.accumulate, {x: 1.0})

    def accumulate():
        for _ in range(count):
            session.run(accumulator.accumulate, {x: 1.0})

    def read():
        for _ in range(count):
            *dense, sparse = session.run(sums)
            whole = dense[0][0]
            assert whole == int(whole) and all((part == whole).all() for part in dense), [
                part[:2] for part in dense
            ]
            np.testing.assert_array_equal(sparse[:, 0], [0, 2 * whole, whole, 0, 0])

    together(accumulate, accumulate, read)
    assert session.run(sums)[0][0] == 2 * count + 1
    together(accumulate, lambda: [session.run(accumulator.reset) for _ in range(count)])
    session.run([accumulator.reset])
    session.run(accumulator.accumulate, {x: 1.0})
    assert session.run(accumulator.count) == session.run(sums)[0][0] == 1


@pytest.mark.parametrize("use_locking", [True, False])
def test_one_thread_trains_the_same_without_a_lock(use_locking, session):
    x = tf.placeholder(tf.float64, [])
    w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
    pairs = [(tf.identity(x), w)]
    momentum = tf.train.MomentumOptimizer(1.0, 0.5)
    optimizer = tf1grad.AccumulatingOptimizer(momentum, 3, use_locking=use_locking)
    train_op = optimizer.apply_gradients(pairs)
    accumulator = tf1grad.GradientAccumulator(pairs, use_locking=use_locking)
    made = {op.type for op in session.graph.get_operations()}
    assert ("MutexLock" in made) == use_locking
    session.run(tf.global_variables_initializer())
    for value in range(7):
        session.run([train_op, accumulator.accumulate], {x: value})
    assert session.run([w, accumulator.grads_and_vars[0][0]]) == [-(1 + 4 + 0.5), 3]
    session.run(accumulator.reset)
    assert session.run(accumulator.count) == 0
