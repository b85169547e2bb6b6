"""Tests that a prepared run does what `session.run` does."""

import gc
import weakref

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.recipes.sessions.prepared import PreparedRun


def test_equals_session_run_and_converts_what_is_fed(session):
    x = tf.placeholder(tf.float32, [None, 3])
    scale = tf.placeholder(tf.float64, [])
    counter = tf.get_variable("counter", initializer=0)
    session.run(tf.global_variables_initializer())
    run = PreparedRun([tf.reduce_sum(x), counter.assign_add(1).op, scale * 2])
    for value in (np.ones([2, 3]), [[1, 2, 3]], np.asfortranarray(np.arange(12.0).reshape(4, 3))):
        total, doubled = run(session, {x: value, scale: 1.5})
        assert total == session.run(tf.reduce_sum(x), {x: value})
        assert doubled == 3.0
    assert session.run(counter) == 3


def test_wrong_shape_names_the_feed(session):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    run = PreparedRun([tf.reduce_sum(x)])
    run(session, {x: np.ones([2, 3])})
    with pytest.raises(ValueError, match=r"\(2, 4\) for x:0.*3"):
        run(session, {x: np.ones([2, 4])})


def test_sessions_and_runs_are_let_go(graph):
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
