"""Tests that a step which would wait for itself raises an error: in its generator, a signal
handler, a forked child.
"""

import os
import signal
import threading
import warnings

import pytest
import tensorflow.compat.v1 as tf

import tf1grad
import waiting
from steps import unchanged
from tf1grad.recipes.accumulation import step_lock

NESTED = "AccumulatedStep: this thread is taking a step with this accumulator"


class Lowering:
    """A step that lowers w by the mean of what its micro-batches are fed,
    and another one of the same accumulator.
    """

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [])
        self.w = tf.get_variable("w", initializer=0.0)
        accumulator = tf1grad.GradientAccumulator([(tf.identity(self.x), self.w)], loss=self.x)
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        self.step, self.other = accumulator.step(optimizer), accumulator.step(optimizer)

    def parts(self, *numbers):
        return [{self.x: number} for number in numbers]


@pytest.fixture
def lowering(session):
    lowering = Lowering()
    session.run(tf.global_variables_initializer())
    return lowering


@pytest.mark.parametrize("inner", ["step", "other"])
def test_a_step_in_its_own_generator(inner, lowering, session):
    def nested():
        yield from lowering.parts(1)
        getattr(lowering, inner)(session, lowering.parts(5))

    with unchanged(session, lowering.w), pytest.raises(RuntimeError, match=NESTED):
        lowering.step(session, nested())
    assert lowering.step(session, lowering.parts(1, 3)) == 2
    assert session.run(lowering.w) == -2


def test_a_step_with_another_session_in_a_generator(lowering, session):
    with tf.Session(graph=session.graph) as other:
        other.run(tf.global_variables_initializer())

        def nested():
            yield from lowering.parts(1)
            lowering.step(other, lowering.parts(5))
            yield from lowering.parts(3)

        lowering.step(session, nested())
        assert (session.run(lowering.w), other.run(lowering.w)) == (-2, -5)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signals for users")
def test_a_step_in_a_signal_handler(lowering, session):
    def handle(number, frame):
        lowering.step(session, lowering.parts(5))

    def interrupted():
        yield from lowering.parts(1)
        os.kill(os.getpid(), signal.SIGUSR1)
        yield from lowering.parts(3)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        with unchanged(session, lowering.w), pytest.raises(RuntimeError, match=NESTED):
            lowering.step(session, interrupted())
        os.kill(os.getpid(), signal.SIGUSR1)  # between two steps
        assert session.run(lowering.w) == -5
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_thread_that_waits_long_for_a_step_says_why(lowering, session, monkeypatch):
    monkeypatch.setattr(step_lock, "PATIENCE", 0.1)
    said = threading.Event()
    monkeypatch.setattr(tf.logging, "warning", lambda *message: said.set())
    thread = threading.Thread(target=lambda: lowering.step(session, lowering.parts(5)), daemon=True)

    def starts_the_thread():
        yield from lowering.parts(1)
        thread.start()
        assert said.wait(waiting.SECONDS)
        yield from lowering.parts(3)

    lowering.step(session, starts_the_thread())
    thread.join(waiting.SECONDS)
    assert session.run(lowering.w) == -2 - 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("forks", ["the generator", "another thread"])
def test_a_step_in_a_child_that_was_forked_during_one(forks, lowering, session):
    def child_says():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which TensorFlow has
            reader, writer = os.pipe()
            child = os.fork()
        if child:
            os.close(writer)
            with os.fdopen(reader) as pipe:
                said.append(pipe.read())
            os.waitpid(child, 0)
            return
        try:
            lowering.step(session, lowering.parts(5))
        except BaseException as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)

    def forked():
        yield from lowering.parts(1)
        if forks == "the generator":
            child_says()
        else:
            thread = threading.Thread(target=child_says, daemon=True)
            thread.start()
            thread.join(waiting.SECONDS)
        yield from lowering.parts(3)

    said = []
    lowering.step(session, forked())
    assert said[0].startswith("RuntimeError: AccumulatedStep: this process was forked from one")
    assert session.run(lowering.w) == -2
