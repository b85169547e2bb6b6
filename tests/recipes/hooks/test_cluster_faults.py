"""Tests a killed worker, and a parameter server that comes back:
no applied step is lost, and none counts twice.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import clusters
import models
from cluster_member import BATCHES_PER_STEP, RULE, build
from numpy_optimizers import RULES

pytestmark = pytest.mark.slow


@pytest.fixture
def member():
    with clusters.members() as start:
        yield start


class Worker:
    """A worker in this process."""

    def __init__(self, cluster, task, target, **options):
        with tf.Graph().as_default():
            self.model, self.train_op, self.global_step = build(cluster, task)
            self.session = clusters.monitored_session(target, task, **options)

    def train(self, *seeds):
        """Trains on one micro-batch after the other, and returns the number of applied steps."""
        for seed in seeds:
            self.session.run(self.train_op, self.model.feed_dict(models.random_batch(4, seed)))
        return self.session.run(self.global_step)

    def assert_trained_on(self, *windows):
        """Checks that the weights are those of a run on these windows, one after the other,
        with nothing between.
        """
        assert all(len(window) == BATCHES_PER_STEP for window in windows)
        batches = [
            tuple(map(np.concatenate, zip(*[models.random_batch(4, seed) for seed in window])))
            for window in windows
        ]
        expected, _ = models.train_in_numpy(RULES[RULE][0](), batches)
        models.assert_same_values(self.model.values(self.session), expected)


def test_killed_worker(member):
    cluster = clusters.cluster_of(workers=2)
    killed = member(cluster, "worker", 1)
    clusters.server(cluster, "ps", 0)
    chief = Worker(cluster, 0, clusters.server(cluster, "worker", 0).target)
    assert [killed.ask(), killed.ask()] == ["ready", "session"]
    assert [killed.ask(seed) for seed in (0, 1, 2, 3)] == ["0", "0", "1", "1"]
    killed.tell(4)  # and does not wait: it dies in the run
    killed.kill()
    again = member(cluster, "worker", 1)
    assert chief.train(10, 11, 12) == 2
    assert [again.ask(), again.ask()] == ["ready", "session"]
    assert [again.ask(seed) for seed in (5, 6, 7)] == ["2", "2", "3"]
    chief.assert_trained_on((0, 1, 2), (10, 11, 12), (5, 6, 7))
    chief.session.close()


@pytest.mark.parametrize("variable_kind", ["resource"], indirect=True)
def test_parameter_server_that_comes_back(member, variable_kind, tmpdir):
    cluster = clusters.cluster_of(workers=2)
    server = member(cluster, "ps", 0)
    targets = [clusters.server(cluster, "worker", task).target for task in range(2)]
    assert server.ask() == "ready"
    chief = Worker(cluster, 0, targets[0], checkpoint_dir=str(tmpdir), save_checkpoint_steps=1)
    other = Worker(cluster, 1, targets[1])
    assert chief.train(0, 1, 2) == 1
    assert other.train(20, 21, 22, 23) == 2
    assert chief.train(3, 4) == 2  # its checkpoint holds the other's step too
    server.kill()
    server = member(cluster, "ps", 0)
    assert server.ask() == "ready"
    # The windows that were open are dropped, whole.
    assert chief.train(5) == 2 and chief.train(6, 7) == 3
    assert other.train(24, 25, 26) == 4
    chief.assert_trained_on((0, 1, 2), (20, 21, 22), (5, 6, 7), (24, 25, 26))
    for worker in (chief, other):
        worker.session.close()
