"""Tests that a prepared run does what `session.run` does."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.sessions.prepared import PreparedRun


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


def test_follows_its_caller_to_another_session(graph):
    v = tf.get_variable("v", initializer=1.0)
    x = tf.placeholder(tf.float32, [])
    run = PreparedRun([v * x])
    for start in (1.0, 5.0):
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            session.run(v.assign(start))
            assert run(session, {x: 2.0}) == [2 * start]


def test_takes_a_tensor_handle(session):
    x = tf.placeholder(tf.float32, [None])
    handle = session.run(tf.get_session_handle(tf.constant([1.0, 2.0, 3.0])))
    assert PreparedRun([tf.reduce_sum(x)])(session, {x: handle}) == [6.0]


def test_monitored_session(graph):
    tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [2])
    counter = tf.get_variable("counter", initializer=0)
    run = PreparedRun([counter.assign_add(1).op, x * 2])
    with tf.train.MonitoredSession() as session:
        np.testing.assert_array_equal(run(session, {x: [1, 2]})[0], [2, 4])
