"""Tests prepared runs that several threads share, with a session each or one for all."""

import contextlib

import numpy as np
import tensorflow.compat.v1 as tf

from tf1grad.sessions.prepared import PreparedRun
from threads import together

THREADS = 4


def test_each_thread_its_session(graph):
    v = tf.get_variable("v", initializer=0.0)
    x = tf.placeholder(tf.float32, [])
    product = v * x
    initializer, start = tf.global_variables_initializer(), tf.placeholder(tf.float32, [])
    assign = tf.assign(v, start)
    with contextlib.ExitStack() as stack:
        sessions = [stack.enter_context(tf.Session(graph=graph)) for _ in range(THREADS)]
        for index, session in enumerate(sessions):
            session.run(initializer)
            session.run(assign, {start: index + 1})
        for _ in range(10):
            run = PreparedRun([product])  # a new one each round: its trials run in all threads, too
            found = together(*[lambda session=session: [run(session, {x: factor})[0] for factor in range(30)]
                               for session in sessions])
            assert found == [[factor * (index + 1) for factor in range(30)] for index in range(THREADS)]


def test_one_session(session):
    x = tf.placeholder(tf.float32, [None])
    total = tf.reduce_sum(x)
    for _ in range(10):
        run = PreparedRun([total])
        found = together(*[lambda index=index: [run(session, {x: np.full(size, index)})[0] for size in range(30)]
                           for index in range(THREADS)])
        assert found == [[index * size for size in range(30)] for index in range(THREADS)]


def test_sessions_and_runs_are_let_go(graph):
    import gc
    import weakref
    x = tf.placeholder(tf.float32, [])
    run = PreparedRun([x + 1])
    with tf.Session(graph=graph) as session:
        run(session, {x: 1.0})
        kept = weakref.ref(run)
        del run
        gc.collect()
        assert kept() is None
        run = PreparedRun([x + 1])
        run(session, {x: 1.0})
    kept = weakref.ref(session)
    del session
    gc.collect()
    assert kept() is None and run is not None
