"""Measures CPU and wall time of evaluations of one batch, as ratios to a batch that resides in a variable.

    python tests/benchmarks/batch_cache.py [--rounds 15] [--megabytes 1 10 50]

All rows run interleaved in one process. A round of a row is one advance (where it has one) and 20 evaluations of a
cheap loss (a sum of squares) with its gradient, all through prepared runs. `error` is the largest relative difference
of loss or gradient from NumPy's, over all rounds.
"""

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

from harness import Measured, ratio
from tf1grad.batches.aligned import AlignedBatchCache
from tf1grad.batches.cache import HandleBatchCache, VariableBatchCache
from tf1grad.sessions.prepared import PreparedRun

EVALUATIONS = 20
COLUMNS = 256


class Rows:
    """Returns the ways to hold a batch `[rows, 256]`, each a function from a batch's index to loss and gradient."""

    def __init__(self, batches, resource):
        self.batches = batches
        self.weights = tf.Variable(np.linspace(0.5, 1.5, COLUMNS).astype(np.float32), use_resource=resource)
        shape = [None, COLUMNS]
        self.fed = tf.placeholder(tf.float32, shape)
        enqueue_x = tf.placeholder(tf.float32, shape)
        queue = tf.FIFOQueue(100, [tf.float32])
        self.enqueue = PreparedRun([queue.enqueue(enqueue_x)], [enqueue_x])
        live = queue.dequeue()
        live.set_shape(shape)
        self.live = self.loss(live)
        self.residents = [self.loss(tf.Variable(batch, trainable=False, use_resource=True)) for batch in batches]
        self.variable_cache = VariableBatchCache(live)
        self.variable = self.loss(self.variable_cache.tensors[0])
        self.handle_cache = HandleBatchCache(live)
        self.handle = self.loss(self.handle_cache.tensors[0])
        self.aligned_cache = AlignedBatchCache(self.fed)
        self.from_feed = self.loss(self.fed)
        self.prepared = {}

    def loss(self, batch):
        loss = tf.reduce_sum(tf.square(tf.linalg.matvec(batch, self.weights)))
        return [loss, tf.gradients(loss, [self.weights])[0]]

    def run(self, session, fetches, feed_dict=None):
        feed_dict = feed_dict or {}
        key = tuple(fetches)
        if key not in self.prepared:
            self.prepared[key] = PreparedRun(fetches, feed_dict)
        return self.prepared[key](session, *feed_dict.values())

    def resident(self, session, index):
        return [self.run(session, self.residents[index]) for _ in range(EVALUATIONS)]

    def fed_each_time(self, session, index):
        return [self.run(session, self.from_feed, {self.fed: self.batches[index]}) for _ in range(EVALUATIONS)]

    def aligned_buffer(self, session, index):
        with self.aligned_cache.advance(self.batches[index]) as feed_dict:
            return [self.run(session, self.from_feed, feed_dict) for _ in range(EVALUATIONS)]

    def variable_(self, session, index):
        session.run(self.variable_cache.advance)
        return [self.run(session, self.variable) for _ in range(EVALUATIONS)]

    def handle_(self, session, index):
        with self.handle_cache.advance(session) as feed_dict:
            return [self.run(session, self.handle, feed_dict) for _ in range(EVALUATIONS)]

    def dequeued_again(self, session, index):
        return [self.run(session, self.live) for _ in range(EVALUATIONS)]

    def table(self):
        """(label, function, how many batches it takes from the queue)."""
        return [("resident", self.resident, 0), ("fed each time", self.fed_each_time, 0),
                ("AlignedBatchCache", self.aligned_buffer, 0), ("VariableBatchCache", self.variable_, 1),
                ("HandleBatchCache", self.handle_, 1), ("dequeued each time", self.dequeued_again, EVALUATIONS)]


def unaligned(batch):
    """Copies `batch` to an address that TensorFlow cannot use without a copy, as ordinary arrays mostly have."""
    memory = np.empty(batch.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64 + 16
    copy = memory[start:start + batch.nbytes].view(batch.dtype).reshape(batch.shape)
    copy[:] = batch
    return copy


def measure(megabytes, resource, rounds):
    """Prints one table."""
    random = np.random.RandomState(0)
    size = max(1, int(megabytes * 1e6 / 4 / COLUMNS))
    batches = [unaligned(random.rand(size - 7 * index, COLUMNS).astype(np.float32)) for index in range(2)]
    weights = np.linspace(0.5, 1.5, COLUMNS)
    expected = []
    for batch in batches:
        wide = batch.astype(np.float64)
        products = wide.dot(weights)
        expected.append((np.sum(products ** 2), 2 * wide.T.dot(products)))
    with tf.Graph().as_default(), tf.Session() as session:
        rows = Rows(batches, resource)
        session.run(tf.global_variables_initializer())
        tf.get_default_graph().finalize()
        measured = {label: Measured() for label, _, _ in rows.table()}
        errors = dict.fromkeys(measured, 0.0)
        for round_ in range(rounds + 2):
            index = round_ % len(batches)
            for label, function, dequeues in rows.table():
                for _ in range(dequeues):
                    rows.enqueue(session, batches[index])
                times = measured[label] if round_ >= 2 else Measured()  # the first of each batch allocates
                results = times.run(lambda: function(session, index))
                for loss, gradient in results:
                    errors[label] = max(errors[label], abs(loss / expected[index][0] - 1),
                                        np.max(np.abs(gradient / expected[index][1] - 1)))
    flops = 4 * batches[0].size * EVALUATIONS
    floor = measured["resident"].cpu
    print(f"\n{megabytes:g} MB, {'resource' if resource else 'ref'} variables: the resident batch takes "
          f"{np.median(floor) / EVALUATIONS * 1e3:.2f} ms an evaluation, {flops / np.median(floor) / 1e9:.1f} GFLOP/s")
    for label, times in measured.items():
        print(f"{label:<20} CPU {ratio(times, measured['resident']):5.2f}  wall "
              f"{ratio(times, measured['resident'], 'wall'):5.2f}  error {errors[label]:.0e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[1, 10, 50])
    args = parser.parse_args()
    print(f"TensorFlow {tf.__version__}, NumPy {np.__version__}: median of {args.rounds} rounds of {EVALUATIONS} "
          "evaluations, ratio to the resident batch")
    for resource in (False, True):
        for megabytes in args.megabytes:
            measure(megabytes, resource, args.rounds)


if __name__ == "__main__":
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    main()
