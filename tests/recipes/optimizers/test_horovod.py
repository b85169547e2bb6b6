"""Tests optimizers around ours and inside that all-reduce between two ranks, as Horovod's does."""

import threading

import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
import waiting
from numpy_optimizers import RULES
from steps import Outer
from threads import together

RANKS, K = 2, 3
# Ranks wait for each other.
OWN_THREADS = tf.ConfigProto(inter_op_parallelism_threads=2, use_per_session_threads=True)


class AllReduce:
    """Returns the mean of an array over the ranks;
    all must ask for the same names, in any order.
    """

    def __init__(self):
        self._barrier, self._given = threading.Barrier(RANKS, timeout=waiting.SECONDS), {}
        self._lock, self.calls = threading.Lock(), 0

    def __call__(self, rank, name, array):
        with self._lock:
            self._given[name, rank] = array
            self.calls += 1
        self._barrier.wait()
        mean = sum(self._given[name, other] for other in range(RANKS)) / RANKS
        self._barrier.wait()
        return mean

    def tensor(self, rank, name, gradient):
        """Returns the mean over the ranks of a tensor."""
        reduced = tf.py_func(lambda array: self(rank, name, array), [gradient], gradient.dtype)
        reduced.set_shape(gradient.shape)
        return reduced

    def gradients(self, rank, grads_and_vars):
        """Returns the mean over the ranks of each gradient, one after another:
        a rank has one thread for them.
        """
        reduced = []
        for gradient, variable in grads_and_vars:
            if gradient is not None:
                with tf.control_dependencies([pair[0] for pair in reduced if pair[0] is not None]):
                    gradient = self.tensor(rank, variable.op.name, tf.convert_to_tensor(gradient))
            reduced.append((gradient, variable))
        return reduced


class DistributedOptimizer(Outer):
    """As Horovod's: reduces in `compute_gradients`, and hands everything else on."""

    def __init__(self, optimizer, rank, all_reduce):
        super().__init__(optimizer)
        self._rank, self._all_reduce = rank, all_reduce

    def compute_gradients(self, *args, **kwargs):
        return self._all_reduce.gradients(self._rank, super().compute_gradients(*args, **kwargs))


def inside(optimizer, rank, all_reduce):
    return tf1grad.AccumulatingOptimizer(DistributedOptimizer(optimizer, rank, all_reduce), K)


def outside(optimizer, rank, all_reduce):
    return DistributedOptimizer(tf1grad.AccumulatingOptimizer(optimizer, K), rank, all_reduce)


def once_a_window(optimizer, rank, all_reduce):
    reducing = tf1grad.ClippingOptimizer(
        optimizer, transform=lambda pairs: all_reduce.gradients(rank, pairs)
    )
    return tf1grad.AccumulatingOptimizer(reducing, K)


BATCHES = [models.random_batch(2 * RANKS * K, seed) for seed in range(2)]
GRADIENTS = 3  # of the model: its fourth variable has none


@pytest.mark.parametrize("order, reductions", [(inside, K), (outside, K), (once_a_window, 1)])
def test_ranks_train_as_one_on_all_their_micro_batches(order, reductions, variable_kind):
    all_reduce = AllReduce()

    def train(rank):
        with tf.Graph().as_default():
            model, global_step = models.Model(), tf.train.get_or_create_global_step()
            optimizer = order(RULES["adam"][1](), rank, all_reduce)
            train_op = optimizer.minimize(model.loss, global_step=global_step)
            with tf.Session(config=OWN_THREADS) as session:
                session.run(tf.global_variables_initializer())
                for batch in BATCHES:
                    half = models.split(batch, [len(batch[0]) // RANKS] * RANKS)[rank]
                    for part in models.split(half, [2] * K):
                        session.run(train_op, model.feed_dict(part))
                return model.values(session), session.run(global_step)

    expected, _ = models.train_in_numpy(RULES["adam"][0](), BATCHES)
    for values, applied in together(lambda: train(0), lambda: train(1)):
        # The reduced gradient of the table is dense, which changes nothing for Adam in TensorFlow.
        models.assert_same_values(values, expected)
        assert applied == len(BATCHES)
    assert all_reduce.calls == RANKS * GRADIENTS * reductions * len(BATCHES)
