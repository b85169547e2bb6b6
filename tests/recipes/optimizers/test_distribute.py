"""Tests `tf.distribute.MirroredStrategy` over two logical CPUs:
separate sums in each replica, one update for all.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from numpy_optimizers import RULES

REPLICAS, K = 2, 3
BATCHES = [models.random_batch(2 * REPLICAS * K, seed) for seed in range(3)]


def explicit(optimizer, loss, global_step):
    accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(loss))
    return accumulator.reset, accumulator.accumulate, accumulator.apply(optimizer, global_step)


def wrapped(optimizer, loss, global_step):
    train_op = tf1grad.AccumulatingOptimizer(optimizer, K).minimize(loss, global_step=global_step)
    return tf.no_op(), train_op, tf.no_op()


@pytest.fixture
def mirrored():
    """Opens a fresh graph and a strategy, in its scope."""
    with tf.Graph().as_default():
        strategy = tf.distribute.MirroredStrategy(
            [f"/cpu:{replica}" for replica in range(REPLICAS)]
        )
        with strategy.scope():
            yield strategy


def in_replicas(strategy, build):
    """Returns what `build(replica_number)` makes in each replica:
    a list for each of its results.
    """

    def replica():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        return build(number if isinstance(number, int) else tf.get_static_value(number))

    run = getattr(strategy, "run", None) or strategy.experimental_run_v2  # the name before TF 2.2
    return [strategy.experimental_local_results(result) for result in run(replica)]


def replica_loss(model, number):
    """Returns a replica's share of the loss: gradients of replicas are summed."""
    return (
        model.loss_of(*[tf.split(part, REPLICAS)[number] for part in (model.x, model.ids, model.y)])
        / REPLICAS
    )


def two_cpus():
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": REPLICAS}))


@pytest.mark.parametrize("rule", [pytest.param("sgd", marks=pytest.mark.slow), "adam"])
@pytest.mark.parametrize("way", [explicit, wrapped])
def test_replicas_train_as_one_device(way, rule, mirrored):
    model, global_step = models.Model(), tf.train.get_or_create_global_step()
    optimizer = RULES[rule][1]()
    reset, accumulate, apply = in_replicas(
        mirrored, lambda number: way(optimizer, replica_loss(model, number), global_step)
    )
    state = [
        op.device
        for op in tf.get_default_graph().get_operations()
        if op.type == "VarHandleOp" and "accumulator/matrix" in op.name
    ]
    assert [device[-len("CPU:0") :] for device in sorted(state)] == ["CPU:0", "CPU:1"]
    copies = mirrored.experimental_local_results(model.variables["matrix"])
    with two_cpus() as session:
        session.run(tf.global_variables_initializer())
        for index, batch in enumerate(BATCHES):
            session.run(list(reset))
            for part in models.split(batch, [2 * REPLICAS] * K):
                assert session.run(global_step) == index
                session.run(list(accumulate), model.feed_dict(part))
            session.run(list(apply))
        models.assert_same_values(
            model.values(session), models.train_in_numpy(RULES[rule][0](), BATCHES)[0]
        )
        assert session.run(global_step) == len(BATCHES)
        np.testing.assert_array_equal(*session.run([copy.read_value() for copy in copies]))


def test_flush_says_what_to_do_instead(mirrored):
    model, optimizer = models.Model(), tf1grad.AccumulatingOptimizer(tf.train.AdamOptimizer(), K)
    in_replicas(mirrored, lambda number: [optimizer.minimize(replica_loss(model, number))])
    with pytest.raises(ValueError, match="feed 1 with the last micro-batch"):
        optimizer.flush()


def test_replica_cannot_skip_a_step_alone(mirrored):
    model, optimizer = models.Model(), tf.train.AdamOptimizer()

    def build(number):
        return [
            tf1grad.drop_nonfinite(optimizer.compute_gradients(replica_loss(model, number))).apply(
                optimizer
            )
        ]

    with pytest.raises(ValueError, match="cannot skip a step alone"):
        in_replicas(mirrored, build)
