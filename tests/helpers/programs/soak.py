"""Feeds micro-batches of a tiny model to every hook at once;
prints resident memory and graph size as they go.

    python tests/helpers/programs/soak.py 100000

Memory is read after each tenth of the runs. The first two tenths warm up: allocators and
TensorFlow's caches fill. Exits with an error where the graph has grown at all, or memory by more
than 2 % from there to the end.
"""

import os
import shutil
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow.compat.v1 as tf

import tf1grad
from tf1grad import (
    AccumulateHook,
    BatchCacheHook,
    GradientNormHook,
    PlayersHook,
    StopAfterStepsHook,
)

K = 4


class Soak:
    """A regression on batches from caches, accumulated and clipped; and two players beside it."""

    def __init__(self, folder, steps):
        self.folder, global_step = folder, tf.train.get_or_create_global_step()
        caches = [
            tf1grad.VariableBatchCache(tf.random_normal([8, 3])),
            tf1grad.HandleBatchCache(tf.random_normal([8])),
        ]
        w, table = tf.get_variable("w", [3]), tf.get_variable("table", [5])
        rows = tf.gather(table, tf.random_uniform([8], 0, 5, tf.int32))
        x, y = caches[0].tensors[0], caches[1].tensors[0]
        self.loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, w) + rows - y))
        players = {
            name: (tf.square(variable), [variable])
            for name, variable in (
                (name, tf.get_variable(name, [])) for name in ("generator", "discriminator")
            )
        }
        self.players = tf1grad.alternate(players, lambda: tf.train.AdamOptimizer(1e-3))
        optimizer, norms = tf.train.AdamOptimizer(1e-3), GradientNormHook(folder, write=None)
        accumulator = tf1grad.GradientAccumulator(
            optimizer.compute_gradients(self.loss, [w, table]), loss=self.loss
        )
        clipping = tf1grad.ClippingOptimizer(optimizer, transform=norms.watch)
        self.accumulate = AccumulateHook(accumulator, clipping, K)
        self.hooks = [
            self.accumulate,
            norms,
            PlayersHook(self.players),
            StopAfterStepsHook(last_step=steps),
        ]
        self.hooks += [BatchCacheHook(cache, global_step=global_step) for cache in caches]

    def run(self, runs):
        """Trains, and yields (runs so far, resident bytes, ops in the graph,
        bytes of the graph) after each tenth.
        """
        fetches, done = [self.loss] + list(self.players.losses.values()), 0
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=self.folder,
            hooks=self.hooks,
            save_checkpoint_secs=10,
            save_summaries_steps=None,
            log_step_count_steps=None,
        ) as session:
            graph = session.graph
            while not session.should_stop():
                session.run(fetches)
                done += 1
                if done % (runs // 10) == 0:
                    yield (
                        done,
                        resident(),
                        len(graph.get_operations()),
                        graph.as_graph_def().ByteSize(),
                    )


def resident():
    """Returns the bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def soak(runs):
    """Yields the measurements of `Soak.run`, in a new graph and a temporary directory."""
    folder = tempfile.mkdtemp()
    try:
        with tf.Graph().as_default():
            yield from Soak(folder, runs // K).run(runs)
    finally:
        shutil.rmtree(folder)


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    measured = []
    for done, memory, ops, size in soak(int(sys.argv[1])):
        print(f"{done:8d}  {memory / 2.0**20:8.2f} MB  {ops} ops, {size} bytes", flush=True)
        measured.append((memory, ops, size))
    growth = measured[-1][0] / measured[1][0] - 1
    if growth > 0.02 or measured[0][1:] != measured[-1][1:]:
        sys.exit(f"not flat: memory from the second tenth to the last: {100 * growth:+.2f} %")


if __name__ == "__main__":
    main()
