"""The temporal-order problem for a plain tanh RNN, by SGD with and without clipping the gradient's norm.

    python legacy_examples/clip_exploding_rnn.py [--lengths 10 15 20 25 30 40] [--runs 10] [--steps 6000]

Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks" (2013), section 4.1.1 and figure
7 (success rate by sequence length), whose curves MSGD and MSGD-C are reproduced here in small. A sequence of
distractors holds two symbols, A or B, one in its second tenth and one in its fifth; the network has to say, at the end,
which of AA, AB, BA and BB it was. A run succeeds when at least 99 % of 2000 new sequences are right.

The paper trains longer and goes on until both fail. Here ten runs of 6000 updates, of 20 sequences each, are enough to
see plain SGD fail from length 20 on, where clipped SGD solves every run up to the longest, 40.

All runs of a length stand in one graph and see the same sequences: run i starts from the same weights with and without
clipping. The script fails unless clipping solves more runs than not clipping.
"""

import argparse
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import matplotlib
import numpy as np
import tensorflow.compat.v1 as tf

import tf1grad

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402, the backend comes first

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

SYMBOLS, DISTRACTORS, CLASSES, HIDDEN, BATCH = 6, 4, 4, 50, 20
TEST_SEQUENCES, EVALUATE_EVERY = 2000, 500


def draw_sequences(random, number, length):
    """One-hot sequences `[length, number, SYMBOLS]` and the classes `[number]`."""
    symbols = random.randint(2, 2 + DISTRACTORS, (length, number))
    first = random.randint(length // 10, 2 * length // 10 + 1, number)
    second = random.randint(4 * length // 10, 5 * length // 10 + 1, number)
    kinds = random.randint(0, 2, (2, number))
    symbols[first, np.arange(number)] = kinds[0]
    symbols[second, np.arange(number)] = kinds[1]
    return np.eye(SYMBOLS, dtype=np.float32)[symbols], 2 * kinds[0] + kinds[1]


def start_weights(seed):
    """Weights whose recurrent matrix has spectral radius 0.95: nothing explodes yet."""
    random = np.random.RandomState(seed)
    recurrent = random.randn(HIDDEN, HIDDEN) / np.sqrt(HIDDEN)
    recurrent *= 0.95 / np.max(np.abs(np.linalg.eigvals(recurrent)))
    weights = {"input": 0.1 * random.randn(SYMBOLS, HIDDEN), "recurrent": recurrent, "bias": np.zeros([1, HIDDEN]),
               "output": 0.1 * random.randn(HIDDEN, CLASSES), "output_bias": np.zeros([1, CLASSES])}
    return {name: np.float32(value) for name, value in weights.items()}


def build_networks(seeds, inputs):
    """A network a seed, computed side by side: the variables of each, and logits `[len(seeds), batch, CLASSES]`."""
    networks = []
    for number, seed in enumerate(seeds):
        with tf.variable_scope("network%d" % number):
            networks.append({name: tf.get_variable(name, initializer=value)
                             for name, value in start_weights(seed).items()})
    stacked = {name: tf.stack([network[name] for network in networks]) for name in networks[0]}

    def step(hidden, symbol):
        symbol = tf.tile(symbol[tf.newaxis], [len(seeds), 1, 1])
        return tf.tanh(tf.matmul(symbol, stacked["input"]) + tf.matmul(hidden, stacked["recurrent"]) + stacked["bias"])

    hidden = tf.zeros([len(seeds), tf.shape(inputs)[1], HIDDEN])
    for symbol in tf.unstack(inputs):
        hidden = step(hidden, symbol)
    return networks, tf.matmul(hidden, stacked["output"]) + stacked["output_bias"]


class Experiment(object):
    """All runs of one sequence length."""

    def __init__(self, length, runs, clip_norm, rate):
        self.length = length
        self.inputs = tf.placeholder(tf.float32, [length, None, SYMBOLS])
        self.labels = tf.placeholder(tf.int64, [None])
        networks, logits = build_networks(list(range(runs)) * 2, self.inputs)
        losses = [tf.losses.sparse_softmax_cross_entropy(self.labels, logit) for logit in tf.unstack(logits)]
        optimizer = tf.train.GradientDescentOptimizer(rate)
        variables = [variable for network in networks for variable in network.values()]
        gradients = dict(zip([variable.name for variable in variables], tf.gradients(tf.add_n(losses), variables)))
        steps, self.norms = [], []
        for number, network in enumerate(networks):
            pairs = [(gradients[variable.name], variable) for variable in network.values()]
            self.norms.append(tf1grad.global_norm(pairs))
            steps.append((pairs if number < runs else tf1grad.clip_by_global_norm(pairs, clip_norm)))
        with tf.control_dependencies([gradient for pairs in steps for gradient, _ in pairs]):
            self.train = tf.group(*[optimizer.apply_gradients(pairs) for pairs in steps])
        right = tf.equal(tf.argmax(logits, -1), self.labels[tf.newaxis])
        self.accuracies = tf.reduce_mean(tf.cast(right, tf.float32), 1)
        self.norms = tf.stack(self.norms)

    def run(self, session, steps):
        """Best accuracies and largest gradient norms, unclipped runs first."""
        random = np.random.RandomState(self.length)
        test = dict(zip([self.inputs, self.labels], draw_sequences(random, TEST_SEQUENCES, self.length)))
        session.run(tf.global_variables_initializer())
        best, largest = 0, 0
        for step in range(1, steps + 1):
            batch = dict(zip([self.inputs, self.labels], draw_sequences(random, BATCH, self.length)))
            norms, _ = session.run([self.norms, self.train], batch)
            largest = np.maximum(largest, norms)
            if step % EVALUATE_EVERY == 0 or step == steps:
                best = np.maximum(best, session.run(self.accuracies, test))
                if np.all(best >= 0.99):
                    break
        return best, largest


def draw_picture(path, lengths, success, norms, arguments):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for name, style in (("plain SGD", "o--"), ("clipped", "s-")):
        left.plot(lengths, [100 * rate for rate in success[name]], style, label=name)
        right.semilogy(lengths, norms[name], style, label=name)
    left.set(xlabel="sequence length", ylabel="runs solved, %", ylim=(-5, 105),
             title="Temporal order, %d runs, %d steps" % (arguments.runs, arguments.steps))
    right.set(xlabel="sequence length", ylabel="largest gradient norm (median of runs)")
    right.axhline(arguments.clip_norm, color="gray", linewidth=1)
    left.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[10, 15, 20, 25, 30, 40])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--clip-norm", type=float, default=1.0)
    parser.add_argument("--output", default="clip_exploding_rnn.png")
    arguments = parser.parse_args()
    success, norms = {"plain SGD": [], "clipped": []}, {"plain SGD": [], "clipped": []}
    for length in arguments.lengths:
        started = time.time()
        with tf.Graph().as_default(), tf.Session() as session:
            experiment = Experiment(length, arguments.runs, arguments.clip_norm, arguments.rate)
            best, largest = experiment.run(session, arguments.steps)
        for name, part in (("plain SGD", slice(None, arguments.runs)), ("clipped", slice(arguments.runs, None))):
            success[name].append(np.mean(best[part] >= 0.99))
            norms[name].append(np.median(largest[part]))
        print("length %3d: plain SGD solves %3.0f %%, clipped %3.0f %%; largest norms %8.2f and %8.2f; %.0f s" % (
            length, 100 * success["plain SGD"][-1], 100 * success["clipped"][-1], norms["plain SGD"][-1],
            norms["clipped"][-1], time.time() - started), flush=True)
    draw_picture(arguments.output, arguments.lengths, success, norms, arguments)
    better = sum(success["clipped"]) > sum(success["plain SGD"])
    print("clipping solves %s: %.0f %% of all runs, against %.0f %%" % (
        "more" if better else "NO more", 100 * np.mean(success["clipped"]), 100 * np.mean(success["plain SGD"])))
    sys.exit(0 if better else 1)


if __name__ == "__main__":
    main()
