"""Tests failures in a session that accumulates:
no applied step is lost, and none is taken twice.
"""

import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from linear import K, Linear, assert_trained
from numpy_optimizers import RULES
from steps import monitored
from tf1grad import AccumulateHook, BatchCacheHook


class Job:
    """The linear model under an AccumulateHook."""

    def __init__(self, checked=tf.identity, persistent=False, at_end=None):
        self.global_step = tf.train.get_or_create_global_step()
        self.model, optimizer = Linear(checked), RULES["nesterov"][1]()
        self.loss = self.model.loss
        accumulator = tf1grad.GradientAccumulator(
            optimizer.compute_gradients(self.loss), loss=self.loss, persistent=persistent
        )
        self.hook = AccumulateHook(accumulator, optimizer, K, at_end=at_end)

    def session(self, folder=None, hooks=(), **options):
        return monitored(folder, hooks=[*hooks, self.hook], save_checkpoint_steps=1, **options)

    def run(self, session, runs):
        for _ in range(runs):
            session.run(self.loss)

    def check(self, session, windows):
        """Checks that the model is what steps on these windows of positions make of it."""

        def read(step_context):
            return step_context.session.run([self.model.values, self.global_step])

        values, global_step = session.run_step_fn(read)
        assert_trained(values, RULES["nesterov"][0](), windows)
        assert global_step == len(windows)


def uninterrupted(steps):
    return [range(K * step, K * (step + 1)) for step in range(steps)]


@pytest.mark.parametrize("at_end", ["apply", "drop"])
def test_input_that_ends_in_the_middle_of_a_window(at_end, graph, tmpdir):
    queue = tf.FIFOQueue(20, [tf.int64], [[]])
    fill = tf.group(queue.enqueue_many([tf.range(2 * K + 3, dtype=tf.int64)]))
    with tf.control_dependencies([fill]):
        fill = queue.close()

    def checked(position):
        with tf.control_dependencies([queue.dequeue()]):
            return tf.identity(position)

    job = Job(checked, at_end=at_end)
    runs = 0
    with job.session(tmpdir, scaffold=tf.train.Scaffold(local_init_op=fill)) as session:
        while not session.should_stop():
            job.run(session, 1)
            runs += 1
    assert runs == 2 * K + 3
    windows = uninterrupted(2) + ([range(2 * K, 2 * K + 3)] if at_end == "apply" else [])
    with job.session(tmpdir) as session:
        job.check(session, windows)


class Aborts(tf.train.SessionRunHook):
    """Raises AbortedError, as a lost server does: before or after the runs of these numbers."""

    def __init__(self, before=(), after=()):
        self.before, self.after, self.runs, self.sessions = before, after, 0, 0

    def after_create_session(self, session, coord):
        self.sessions += 1

    def before_run(self, run_context):
        self.runs += 1
        if self.runs in self.before:
            raise tf.errors.AbortedError(None, None, "the server is gone")

    def after_run(self, run_context, run_values):
        if self.runs in self.after:
            raise tf.errors.AbortedError(None, None, "the server is gone")


@pytest.mark.parametrize("persistent", [pytest.param(False, marks=pytest.mark.slow), True])
def test_session_that_is_lost_recovers_from_the_checkpoint(persistent, graph, tmpdir):
    # Lost before the third run, and after the one that applied the first step: that one is run
    # again.
    job, aborts = Job(persistent=persistent), Aborts(before=(3,), after=(K + 3,))
    with job.session(tmpdir, hooks=[aborts]) as session:
        while (
            session.run_step_fn(lambda step_context: step_context.session.run(job.global_step)) < 2
        ):
            job.run(session, 1)
        job.check(session, uninterrupted(2))
    assert (aborts.sessions, aborts.runs) == (3, 2 * K + 3)


def test_session_that_is_lost_on_a_server_that_kept_its_variables(graph):
    server = tf.train.Server.create_local_server()
    job, cache = Job(), tf1grad.VariableBatchCache(tf.random_uniform([2]))
    initializer, aborts = tf.global_variables_initializer(), Aborts(before=(K + 3,))
    with tf.Session(server.target) as session:
        session.run(initializer)
    with job.session(
        master=server.target, is_chief=False, hooks=[aborts, BatchCacheHook(cache)]
    ) as session:
        job.run(session, K + 2)
        assert cache.advances == 2
        # Before the first of these the session is lost, and with it two open micro-batches.
        job.run(session, K)
        job.check(session, [range(K), range(K + 2, 2 * K + 2)])
        assert cache.advances == 3
    assert aborts.sessions == 2
