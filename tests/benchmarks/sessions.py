"""Measures the cost of sessions: AccumulateHook in a MonitoredTrainingSession against the bare loop, and cluster steps.

    python tests/benchmarks/sessions.py [--rounds 11] [--k 8] [--cluster 1 8 32] [--steps 100]

The model has 10 million parameters. The bare loop runs `accumulator.accumulate` K times and `accumulator.apply` in a
plain `tf.Session`; the other runs `session.run(loss)` K times in a MonitoredTrainingSession with an AccumulateHook and
no checkpoints. Both are interleaved in one process. The cluster is that of legacy_examples/cluster_digits.py: applied
steps of both workers together per second, asynchronous.
"""

import argparse
import os
import statistics
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "legacy_examples"))

import tensorflow.compat.v1 as tf

import cluster_digits
import tf1grad
from accumulation import MODELS
from harness import interleave, ratio, table


class Loop:
    """Builds the graph that both loops run: a model, and what accumulates its gradients."""

    def __init__(self, k):
        self.model, self.graph = MODELS["dense"](), tf.Graph()
        with self.graph.as_default():
            self.x = self.model.input()
            self.loss = self.model.loss(self.x)
            self.optimizer = self.model.optimizer()
            self.global_step = tf.train.get_or_create_global_step()
            self.accumulator = tf1grad.GradientAccumulator(self.optimizer.compute_gradients(self.loss), loss=self.loss)
            self.session = self.open(k)
        self.feeds = [{self.x: batch} for batch in self.model.batches(k)]


class Bare(Loop):
    """`accumulate` K times, `apply`, `reset`."""

    def open(self, k):
        self.apply = self.accumulator.apply(self.optimizer, self.global_step)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        self.graph.finalize()
        return session

    def step(self):
        for feed_dict in self.feeds:
            self.session.run([self.loss, self.accumulator.accumulate], feed_dict)
        self.session.run(self.apply)
        self.session.run(self.accumulator.reset)


class Monitored(Loop):
    """`session.run(loss)` K times; the hook does the rest."""

    def open(self, k):
        hook = tf1grad.AccumulateHook(self.accumulator, self.optimizer, k, self.global_step)
        return tf.train.MonitoredTrainingSession(hooks=[hook], log_step_count_steps=None, save_summaries_steps=None,
                                                 save_summaries_secs=None)

    def step(self):
        for feed_dict in self.feeds:
            self.session.run(self.loss, feed_dict)


def compare(k, rounds):
    """Returns a row for each loop."""
    loops = {"bare loop": Bare(k), "MonitoredTrainingSession and AccumulateHook": Monitored(k)}
    measured = interleave({name: loop.step for name, loop in loops.items()}, rounds)
    floor = measured["bare loop"]
    for loop in loops.values():
        loop.session.close()
    return [[name, f"{1e3 * statistics.median(times.wall):.1f}", f"{ratio(times, floor, 'wall'):.2f}",
             f"{ratio(times, floor, 'cpu'):.2f}"] for name, times in measured.items()]


def cluster(ks, steps):
    """Returns a row for each K."""
    rows = []
    for k in ks:
        result = cluster_digits.train(k, max(steps // k, 10))
        rows.append([str(k), f"{result['steps per second']:.1f}", f"{k * result['steps per second']:.1f}",
                     f"{result['pushed'] / 1e3:.1f}", f"{result['loopback'] / 1e3:.1f}"])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--k", type=int, default=8, help="micro-batches a step of the loops")
    parser.add_argument("--cluster", type=int, nargs="*", default=[1, 8, 32], metavar="K")
    parser.add_argument("--steps", type=int, default=400, help="micro-batches of the cluster to measure, at each K")
    arguments = parser.parse_args()
    print(f"TensorFlow {tf.__version__}")
    print(table([f"loop, K = {arguments.k}", "ms a step", "x bare", "x bare, CPU"],
                compare(arguments.k, arguments.rounds)), flush=True)
    if arguments.cluster:
        print(table(["cluster, K", "applied steps/s", "micro-batches/s", "pushed kB/step", "loopback kB/step"],
                    cluster(arguments.cluster, arguments.steps)))


if __name__ == "__main__":
    main()
