"""Tests that what uses a checked op waits for the check, which is made when a session runs."""

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.programs.process import checks_before_runs, patches


def test_users_of_a_checked_op_wait_for_its_check(session):
    before = len(patches.changes())
    x = tf.placeholder(tf.float32, [])
    checked = x * 2
    used, ops = checked + 1, len(session.graph.get_operations())
    checks_before_runs.check(checked.op, lambda: tf.debugging.Assert(x > 0, [x]))
    assert len(session.graph.get_operations()) == ops
    session.graph.finalize()
    assert session.run(used, {x: 1}) == 3
    for fetched in (used, checked):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(fetched, {x: -1})
    patches.undo(before)
