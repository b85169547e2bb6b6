"""Tests that misuse of the hooks raises an error, and that the message names the argument,
the value and the remedy.
"""

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


class Made:
    """A small graph with one of everything."""

    def __init__(self):
        self.w = tf.get_variable("w", initializer=tf.zeros([3]))
        self.loss = tf.reduce_sum(self.w, name="loss")
        self.optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.pairs = self.optimizer.compute_gradients(self.loss)
        self.step = tf.train.get_or_create_global_step()
        self.accumulator = tf1grad.GradientAccumulator(self.pairs, loss=self.loss)
        self.norms = GradientNormHook()
        self.cache = tf1grad.VariableBatchCache(tf.zeros([2]))
        self.players = tf1grad.alternate({"p": (self.loss, [self.w])}, lambda: self.optimizer)

    def hook(self, batches_per_step=2, **options):
        return AccumulateHook(self.accumulator, self.optimizer, batches_per_step, **options)


@pytest.fixture
def made():
    with tf.Graph().as_default():
        yield Made()


def elsewhere():
    """The same in another graph."""
    with tf.Graph().as_default():
        return Made()


def without_step(make):
    """Calls `make` in a graph without a global step."""
    with tf.Graph().as_default():
        return make(tf1grad.VariableBatchCache(tf.zeros([2])))


MISUSES = {
    "no accumulator": (
        lambda m: AccumulateHook(m.optimizer, m.optimizer, 2),
        TypeError,
        r"AccumulateHook: accumulator must be a tf1grad.GradientAccumulator; got GradientDescent",
    ),
    "wrapped optimizer": (
        lambda m: AccumulateHook(tf1grad.AccumulatingOptimizer(m.optimizer, 2), m.optimizer, 2),
        TypeError,
        r"got AccumulatingOptimizer.*needs no hook",
    ),
    "at_end": (
        lambda m: m.hook(at_end="flush"),
        ValueError,
        r"at_end must be one of .*got 'flush'",
    ),
    "keep what is not saved": (
        lambda m: m.hook(at_end="keep"),
        ValueError,
        r"build .*persistent=True",
    ),
    "fetches": (
        lambda m: m.hook(fetches="loss"),
        TypeError,
        r"fetches must be tensors or ops, such as .*'loss'",
    ),
    "no fetches": (lambda m: m.hook(fetches=[]), TypeError, r"fetches is empty"),
    "fetches of another graph": (
        lambda m: m.hook(fetches=elsewhere().loss),
        ValueError,
        r"fetches: loss:0 is of another graph",
    ),
    "no loss": (
        lambda m: AccumulateHook(tf1grad.GradientAccumulator(m.pairs), m.optimizer, 2),
        ValueError,
        r"which runs are micro-batches\? .*loss=loss.*fetches=",
    ),
    "accumulator of another graph": (
        lambda m: AccumulateHook(elsewhere().accumulator, m.optimizer, 2),
        ValueError,
        r"accumulator/ is of another graph.*as_default",
    ),
    "used twice": (lambda m: [m.hook(), m.hook()], ValueError, r"accumulator/ has a hook already"),
    "no cache": (
        lambda m: BatchCacheHook(m.w),
        TypeError,
        r"BatchCacheHook: cache must be a VariableBatchCache.*w:0",
    ),
    "cache of another graph": (
        lambda m: BatchCacheHook(elsewhere().cache),
        ValueError,
        r"the cache is of another graph.*as_default",
    ),
    "cache without step": (
        lambda m: without_step(BatchCacheHook),
        ValueError,
        r"BatchCacheHook: .*no global step",
    ),
    "no players": (
        lambda m: PlayersHook({"d": m.loss}),
        TypeError,
        r"players must be what tf1grad.alternate returned; got dict",
    ),
    "neither": (
        lambda m: StopAfterStepsHook(),
        ValueError,
        r"give num_steps=1000.* or last_step=1000.*got num_steps=",
    ),
    "no steps": (
        lambda m: StopAfterStepsHook(0),
        ValueError,
        r"num_steps must be at least 1; got 0",
    ),
    "counter": (
        lambda m: StopAfterStepsHook(3, counter=m.loss),
        ValueError,
        r"counter must be an integer .*loss:0",
    ),
    "write": (
        lambda m: GradientNormHook(write="log"),
        TypeError,
        r"write must be a function of a line.*'log'",
    ),
    "watch other": (
        lambda m: [m.norms.watch([(m.loss, tf.get_variable(name, []))]) for name in "ab"],
        ValueError,
        r"gradients was watched with the norms.*a separate name",
    ),
    "nothing watched": (
        lambda m: tf.train.MonitoredSession(hooks=[GradientNormHook()]),
        ValueError,
        r"no gradients were watched.*transform=hook.watch",
    ),
}


@pytest.mark.parametrize("name", sorted(MISUSES))
def test_misuse_is_refused(name, made):
    misuse, error, message = MISUSES[name]
    with pytest.raises(error, match="(?s)" + message):
        misuse(made)


MAKES = {
    "AccumulateHook": Made.hook,
    "BatchCacheHook": lambda m: BatchCacheHook(m.cache),
    "GradientNormHook": lambda m: GradientNormHook(),
    "StopAfterStepsHook": lambda m: StopAfterStepsHook(3),
    "PlayersHook": lambda m: PlayersHook(m.players),
}


@pytest.mark.parametrize("name", sorted(MAKES))
def test_finalized_graph(name, made):
    tf.get_default_graph().finalize()
    with pytest.raises(
        RuntimeError, match=name + " adds ops to the graph, which is finalized.*before the session"
    ):
        MAKES[name](made)


@pytest.mark.parametrize(
    "name", ["AccumulateHook", "BatchCacheHook", "PlayersHook", "StopAfterStepsHook"]
)
def test_hook_of_another_graph_than_the_session(name, made):
    hook = MAKES[name](made)
    with tf.Graph().as_default(), pytest.raises(
        ValueError, match=name + " was made in another graph.*as_default"
    ):
        tf.train.MonitoredSession(hooks=[hook])


def test_hook_given_twice(made):
    hook = made.hook()
    with pytest.raises(ValueError, match="AccumulateHook: the same hook is twice"):
        tf.train.MonitoredSession(hooks=[hook, hook])


@pytest.mark.parametrize(
    "name", ["AccumulateHook", "BatchCacheHook", "PlayersHook", "GradientNormHook"]
)
def test_session_that_is_not_monitored(name, made):
    hook = MAKES[name](made)
    if name == "GradientNormHook":
        hook.watch(made.pairs)
    arguments = tf.train.SessionRunArgs(made.loss)
    with tf.Session() as session, pytest.raises(
        RuntimeError, match=name + " runs only in .*plain tf.Session calls no"
    ):
        hook.before_run(tf.train.SessionRunContext(arguments, session))


def test_hook_of_two_open_sessions(made):
    hook = made.hook()
    with tf.train.MonitoredSession(hooks=[hook]) as first:
        first.run(made.loss)
        with tf.train.MonitoredSession(hooks=[hook]) as second:
            second.run(made.loss)
            with pytest.raises(RuntimeError, match="two open sessions need a hook each"):
                first.run(made.loss)
            assert hook.applied == 0


@pytest.mark.parametrize("fetched", [False, True])
@pytest.mark.parametrize("name", ["AccumulateHook", "PlayersHook"])
def test_a_hook_that_no_run_asks_for_says_so(name, fetched, made, log):
    with tf.train.SingularMonitoredSession(hooks=[MAKES[name](made)]) as session:
        for _ in range(3):
            session.run(made.loss if fetched else made.step)
    said = [line for line in log if "nothing was trained" in line]
    assert len(said) == (not fetched)
    if said:
        assert "None of the 3 runs" in said[0] and made.loss.name in said[0]
