"""Tests the hooks that go by applied steps: batch caches, players, gradient norms, and stopping."""

import glob

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from tf1grad import (
    AccumulateHook,
    BatchCacheHook,
    GradientNormHook,
    PlayersHook,
    StopAfterStepsHook,
)
from variable_kinds import BOTH_KINDS

VALUES = np.array([[1.0, 2.0], [4.0, 0.5], [-2.0, 8.0], [1.0, 1.0]])


def counted(amount=1):
    """Returns an op that counts a step in the graph's global step."""
    return tf.train.get_or_create_global_step().assign_add(amount)


class Caches:
    """Makes a cache of each kind on the rows of VALUES;
    returns it, the sum of its batch, and its hook.
    """

    def __init__(self, kind):
        self.step = counted()
        queue = tf.FIFOQueue(10, [tf.float64], [[2]])
        with tf.control_dependencies([queue.enqueue_many([tf.constant(VALUES)])]):
            self.fill = queue.close()
        cache = kind(queue.dequeue())
        self.cache, self.sum = cache, tf.reduce_sum(cache.tensors[0])
        self.hook = BatchCacheHook(cache)
        self.scaffold = tf.train.Scaffold(local_init_op=self.fill)


@pytest.mark.parametrize("kind", [tf1grad.VariableBatchCache, tf1grad.HandleBatchCache])
def test_cache_advances_once_a_step(kind, graph):
    caches, seen = Caches(kind), []
    with tf.train.MonitoredTrainingSession(
        hooks=[caches.hook], scaffold=caches.scaffold
    ) as session:
        for _ in VALUES:
            seen.append([session.run(caches.sum) for _ in range(3)])
            session.run(caches.step)
    np.testing.assert_array_equal(seen, np.repeat(VALUES.sum(1)[:, None], 3, axis=1))
    assert not caches.hook._feed_dict  # handles are released


@pytest.mark.parametrize("kind", [tf1grad.VariableBatchCache, tf1grad.HandleBatchCache])
def test_cache_advances_also_after_a_step_that_a_guard_skipped(kind, graph):
    caches, optimizer = Caches(kind), tf.train.GradientDescentOptimizer(1.0)
    w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
    # Of the second batch.
    loss = w * tf.where(tf.equal(caches.sum, 4.5), caches.sum / 0, caches.sum)
    guarded = tf1grad.drop_nonfinite(optimizer.compute_gradients(loss, [w]))
    train_op, seen = guarded.apply(optimizer, tf.train.get_global_step()), []
    with tf.train.MonitoredTrainingSession(
        hooks=[caches.hook], scaffold=caches.scaffold
    ) as session:
        for _ in VALUES:
            seen.append(session.run(caches.sum))
            session.run(train_op)
    np.testing.assert_array_equal(seen, VALUES.sum(1))


@BOTH_KINDS
@pytest.mark.parametrize("batches_per_step", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize(
    "by", ["hook", "optimizer", pytest.param("guarded", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", [tf1grad.VariableBatchCache, tf1grad.HandleBatchCache])
def test_cache_advances_once_a_micro_batch(kind, by, batches_per_step, variable_kind, graph):
    caches, optimizer = Caches(kind), tf.train.GradientDescentOptimizer(1.0)
    w, step = tf.get_variable("w", initializer=tf.zeros([], tf.float64)), tf.train.get_global_step()
    loss, hooks = w * caches.sum, [caches.hook]
    pairs, train_op = optimizer.compute_gradients(loss, [w]), loss
    if by == "hook":
        accumulator = tf1grad.GradientAccumulator(pairs, loss=loss)
        hooks.append(AccumulateHook(accumulator, optimizer, batches_per_step))
    else:
        accumulating = tf1grad.AccumulatingOptimizer(optimizer, batches_per_step)
        guarded = tf1grad.drop_nonfinite(pairs) if by == "guarded" else pairs
        train_op = accumulating.apply_gradients(guarded, step)
    seen = []
    with tf.train.MonitoredTrainingSession(hooks=hooks, scaffold=caches.scaffold) as session:
        for _ in VALUES:
            seen.append([session.run(caches.sum) for _ in range(2)])
            session.run(train_op)
        # Past the hooks, because the input has ended.
        found = session.run_step_fn(lambda step_context: step_context.session.run([step, w]))
    np.testing.assert_array_equal(seen, np.repeat(VALUES.sum(1)[:, None], 2, axis=1))
    assert found == [len(VALUES) // batches_per_step, -VALUES.sum() / batches_per_step]


class Game:
    """Two players on quadratics of their own."""

    def __init__(self, with_global_step=True):
        self.global_step = tf.train.get_or_create_global_step()
        self.x = tf.placeholder_with_default(tf.constant(1.0), [])
        d, g = (tf.get_variable(name, initializer=tf.constant(1.0)) for name in "dg")
        self.d_loss, self.g_loss = 0.5 * tf.square(d) * self.x, 0.5 * tf.square(g) * self.x
        self.players = tf1grad.alternate(
            {"d": (self.d_loss, [d]), "g": (self.g_loss, [g])},
            lambda: tf.train.GradientDescentOptimizer(0.5),
            self.global_step if with_global_step else None,
            steps={"d": 2},
        )
        self.hook, self.values = PlayersHook(self.players), [d, g]

    def run(self, session, runs):
        """Returns the player of each run."""
        order = []
        for _ in range(runs):
            session.run([self.d_loss, self.g_loss])
            order.append(self.hook.player)
        return "".join(order)


@pytest.mark.parametrize("with_global_step", [True, False])
def test_players_take_turns(with_global_step, graph):
    game = Game(with_global_step)
    with tf.train.MonitoredTrainingSession(hooks=[game.hook]) as session:
        assert game.hook.player is None
        assert game.run(session, 7) == "ddgddgd"
        session.run(game.global_step)  # does not fetch a loss, and so is not a step
        assert game.hook.player == "d"
        assert session.run(game.players.steps) == {"d": 5, "g": 2}
        assert session.run(game.values) == [0.5**5, 0.5**2]


def test_players_go_on_in_the_middle_of_a_round(graph, tmpdir):
    game, order = Game(), ""
    for _ in range(3):
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmpdir), hooks=[game.hook]
        ) as session:
            order += game.run(session, 2)
    assert order == "ddgddg"


class FailsAfter(tf.train.SessionRunHook):
    """Raises after the given runs have done their work,
    as a hook that writes to a full disk does.
    """

    def __init__(self, runs):
        self.runs, self.seen = runs, 0

    def after_run(self, run_context, run_values):
        self.seen += 1
        if self.seen in self.runs:
            raise OSError("no space left")


def test_player_keeps_its_turn_until_its_step_was_taken(graph):
    game, order = Game(), ""
    bad = {game.x: np.zeros([2])}  # does not fit
    with tf.train.MonitoredTrainingSession(hooks=[FailsAfter([2]), game.hook]) as session:
        for run in range(6):
            if run == 4:
                with pytest.raises(ValueError):
                    session.run(game.d_loss, bad)
            try:
                order += game.run(session, 1)
            except OSError:  # after the step
                order += "-"
        assert order == "d-gddg"
        assert session.run(game.players.steps) == {"d": 4, "g": 2}


def quadratic(optimizer):
    """Returns pairs with the gradients x * (3, 4) of a and x * (0,
    12) of the last rows of b; and x.
    """
    x = tf.placeholder(tf.float64, [])
    a = tf.get_variable("a", initializer=tf.zeros([2], tf.float64))
    b = tf.get_variable("b", initializer=tf.zeros([4, 1], tf.float64))
    unused = tf.get_variable("unused", initializer=tf.zeros([1], tf.float64))
    loss = x * (tf.reduce_sum(a * [3.0, 4.0]) + 6 * tf.reduce_sum(tf.gather(b, [3, 3])))
    return x, loss, optimizer.compute_gradients(loss, [a, b, unused])


def events(folder):
    """{tag: [(step, value)]} of the event files of a folder."""
    found = {}
    for path in sorted(glob.glob(str(folder.join("events*")))):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                found.setdefault(value.tag, []).append((event.step, value.simple_value))
    return found


def test_norms_of_each_step_as_lines_and_summaries(graph, tmpdir):
    lines, inner = [], tf.train.GradientDescentOptimizer(0.5)
    x, loss, pairs = quadratic(inner)
    global_step = tf.train.get_or_create_global_step()
    norms = GradientNormHook(str(tmpdir), write=lines.append)

    def clip(grads_and_vars):
        clipped, _ = tf1grad.clip_by_global_norm(norms.watch(grads_and_vars), 6.5)
        return norms.watch(clipped, "clipped")

    accumulator = tf1grad.GradientAccumulator(pairs, loss=loss)
    hook = AccumulateHook(accumulator, tf1grad.ClippingOptimizer(inner, transform=clip), 2)
    with tf.train.MonitoredTrainingSession(hooks=[hook, norms]) as session:
        for value in (0.5, 1.5, 0.25, 0.25, 2.0):
            session.run(loss, {x: value})
        assert session.run(global_step) == 2
        assert len(lines) == 2
    # The short window, at the end.
    assert lines == [
        "step 1  |gradients| 1.300000e+01  |clipped| 6.500000e+00",
        "step 2  |gradients| 3.250000e+00  |clipped| 3.250000e+00",
        "step 3  |gradients| 2.600000e+01  |clipped| 6.500000e+00",
    ]
    assert events(tmpdir) == {
        "gradients/global_norm": [(1, 13), (2, 3.25), (3, 26)],
        "gradients/norm/a": [(1, 5), (2, 1.25), (3, 10)],
        "gradients/norm/b": [(1, 12), (2, 3), (3, 24)],
        "clipped/global_norm": [(1, 6.5), (2, 3.25), (3, 6.5)],
        "clipped/norm/a": [(1, 2.5), (2, 1.25), (3, 2.5)],
        "clipped/norm/b": [(1, 6), (2, 3), (3, 6)],
    }


def test_norms_of_some_steps_and_no_files(graph, tmpdir, capsys):
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    x, _, pairs = quadratic(optimizer)
    global_step = tf.train.get_or_create_global_step()
    norms = GradientNormHook(every=2)
    train_op = optimizer.apply_gradients(norms.watch(pairs), global_step)
    with tmpdir.as_cwd(), tf.train.MonitoredSession(hooks=[norms]) as session:
        for value in range(1, 6):
            session.run(train_op, {x: value})
    assert capsys.readouterr().out.splitlines() == [
        f"step {step}  |gradients| {13 * step:.6e}" for step in (1, 3, 5)
    ]
    assert tmpdir.listdir() == []


def test_watched_gradients_are_handed_on_with_their_guard(graph):
    optimizer = tf.train.MomentumOptimizer(0.5, 0.5)
    x, _, pairs = quadratic(optimizer)
    global_step = tf.train.get_or_create_global_step()
    lines = []
    norms = GradientNormHook(write=lines.append)
    watched = norms.watch(tf1grad.drop_nonfinite(pairs))
    assert isinstance(watched[1][0], tf.IndexedSlices) and watched[2][0] is None
    train_op = watched.apply(optimizer, global_step)
    with tf.train.MonitoredSession(hooks=[norms]) as session:
        for value in (np.inf, 2.0, np.nan):
            session.run(train_op, {x: value})
        step, a, b, _ = session.run([global_step] + [variable for _, variable in pairs])
    assert step == 1 and lines == ["step 1  |gradients| 2.600000e+01"]
    np.testing.assert_array_equal(a, [-3, -4])
    np.testing.assert_array_equal(b, [[0], [0], [0], [-12]])


def count_runs(stop, step, **options):
    """Counts the runs of `step` that the session lets through."""
    runs = 0
    with tf.train.MonitoredTrainingSession(
        hooks=[stop], save_summaries_steps=None, **options
    ) as session:
        while not session.should_stop() and runs < 20:
            session.run(step)
            runs += 1
    return runs


def test_stops_after_applied_steps_in_each_job_or_in_all(graph, tmpdir):
    step, folder = counted(), dict(checkpoint_dir=str(tmpdir))
    in_all, none = [StopAfterStepsHook(last_step=last) for last in (3, 0)]
    more = StopAfterStepsHook(num_steps=3)
    applied = tf.get_variable("applied", initializer=tf.constant(0, tf.int32), trainable=False)
    by_tens, four = (
        tf.group(counted(10), tf.assign_add(applied, 1)),
        StopAfterStepsHook(num_steps=4, counter=applied),
    )
    assert count_runs(in_all, step, **folder) == 3
    assert count_runs(in_all, step, **folder) == 0  # StopAtStepHook would let one through
    assert count_runs(more, step, **folder) == 3
    assert count_runs(more, step, **folder) == 3
    assert count_runs(none, step) == 0
    assert count_runs(four, by_tens) == 4
