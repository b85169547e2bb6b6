"""Tests that the freeze audit reports what a run does."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.recipes.freezing.gate import gate_variables
from tf1grad.recipes.freezing.training_report import report


def kinds(audit):
    """Returns the audit's status and kinds of movers of each variable, without optimizer state."""
    return {
        entry.variable.op.name: (entry.status, [mover.kind for mover in entry.movers])
        for entry in audit
        if [mover.kind for mover in entry.movers] != ["optimizer state"] * max(1, len(entry.movers))
    }


@pytest.fixture
def audited(session):
    """Builds a graph with a variable of every status;
    returns its data loss, its loss and its train op.
    """

    def variable(name, trainable=True):
        return tf.get_variable(name, initializer=np.float32([1, 2]), trainable=trainable)

    x = tf.placeholder_with_default(np.float32([3, 4]), [2])
    dense, regularised, decayed, zeroed, other, _ = [
        variable(name) for name in ("dense", "regularised", "decayed", "zeroed", "other", "idle")
    ]
    table = tf.get_variable("table", initializer=np.ones([5, 2], np.float32))
    mean = variable("bn/mean", trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, mean.assign(0.5 * mean + x))
    regulariser = tf.nn.l2_loss(regularised, name="l2")
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, regulariser)
    data = tf.reduce_sum(
        dense * x + tf.stop_gradient(regularised) + tf.nn.embedding_lookup(table, 1)
    )
    loss = data + regulariser
    optimizer = tf.train.AdamOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss, [dense, regularised, table])
    train = optimizer.apply_gradients(
        pairs + [(x * 0, zeroed)], tf.train.get_or_create_global_step()
    )
    with tf.control_dependencies([train]):
        train = tf.group(
            tf.train.ExponentialMovingAverage(0.5).apply([dense]),
            decayed.assign_sub(decayed * 0.01),
        )
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.nn.l2_loss(other))
    tf.train.Saver()
    return loss, train


def test_train_op_is_reported(audited):
    loss, train = audited
    found = kinds(report(train, loss))
    assert found == {
        "dense": ("trained", ["gradient"]),
        "table": ("trained", ["gradient"]),
        "regularised": ("still moved", ["regulariser"]),
        "decayed": ("still moved", ["assignment"]),
        "zeroed": ("still moved", ["slots"]),
        "other": ("still moved", ["another train op"]),
        "idle": ("frozen", []),
        "bn/mean": ("still moved", ["UPDATE_OPS"]),
        "dense/ExponentialMovingAverage": ("still moved", ["moving average"]),
        "global_step": ("still moved", ["counter"]),
    }
    without_loss = kinds(report(train))
    # Only the loss can tell it.
    assert without_loss["regularised"] == ("trained", ["gradient"])
    assert without_loss["zeroed"] == ("still moved", ["slots"])


def test_what_is_reported_is_what_happens(audited, session):
    loss, train = audited
    audit = report(train, loss)
    session.run(tf.global_variables_initializer())
    before = session.run({entry.variable.op.name: entry.variable for entry in audit})
    session.run(train)
    moved = {
        name
        for name, value in session.run(
            {entry.variable.op.name: entry.variable for entry in audit}
        ).items()
        if np.any(value != before[name])
    }
    run = {
        entry.variable.op.name
        for entry in audit
        if entry.status != "frozen"
        and not entry.variable.op.name.startswith(("other", "bn/", "zeroed"))
    }
    assert moved == run  # `zeroed` moves from the first gradient that is not zero


def test_a_graph_without_collections_cannot_be_audited(audited, variable_kind):
    definition = tf.get_default_graph().as_graph_def()
    _, train = audited
    with tf.Graph().as_default() as other:
        tf.import_graph_def(definition, name="imported")
        with pytest.raises(ValueError, match="no collection.*import_meta_graph"):
            report(other.get_operation_by_name("imported/" + train.name))


def test_loss_is_reported(audited):
    loss, _ = audited
    found = kinds(report(loss))
    assert found["dense"] == ("trained", ["gradient", "another train op"])
    assert found["regularised"] == ("still moved", ["regulariser", "another train op"])
    assert found["idle"] == ("frozen", [])
    assert found["other"] == ("still moved", ["another train op"])


def test_text_and_data(audited, graph):
    loss, train = audited
    graph.finalize()
    audit = report(train, loss)
    text = str(audit)
    assert "idle:0" in text and "still moved" in text and "optimizer state" in text
    assert [variable.op.name for variable in audit.having("trained")] == ["dense", "table"]
    assert [variable.op.name for variable in audit.having("frozen")] == ["idle"]
    slot = [entry for entry in audit if entry.variable.op.name == "dense/Adam"]
    assert [mover.kind for mover in slot[0].movers] == ["optimizer state"]


def test_updates_inside_a_conditional(session, control_flow):
    weights = tf.get_variable("w", initializer=np.float32([1, 2]))
    tf.get_variable("frozen", initializer=np.float32([1, 2]))
    pairs = [(tf.constant([1.0, 1.0]), weights)]
    train = gate_variables(
        pairs, {"w": tf.placeholder(tf.bool, [])}, lambda: tf.train.AdamOptimizer(0.1)
    )
    assert kinds(report(train)) == {"w": ("trained", ["gradient"]), "frozen": ("frozen", [])}
