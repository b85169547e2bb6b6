"""Trains handwritten digits with a batch of 512 that the device sees as 16 micro-batches of 32, in four ways.

    python legacy_examples/large_batch_digits.py [--steps 60] [--output large_batch_digits.png]

The full batch, explicit accumulation ops, AccumulatingOptimizer and fed averages start from the same weights and see
the same samples, so their loss curves must lie on one another: the script fails where they do not.
"""

import argparse
import multiprocessing
import os
import signal
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import matplotlib
import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.datasets import load_digits

import tf1grad

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402, the backend comes first

tf.logging.set_verbosity(tf.logging.ERROR)  # first: the next line warns of its own end
tf.disable_v2_behavior()

BATCH, MICRO_BATCH = 512, 32
BATCHES_PER_STEP = BATCH // MICRO_BATCH
TOLERANCE = 1e-3  # of the loss, after all steps of float32 arithmetic in another order


def read_digits():
    """Images `[n, 8, 8, 1]` in 0..1 and labels `[n]`, shuffled, the last fifth for testing."""
    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = digits.images[order, :, :, np.newaxis].astype(np.float32) / 16
    labels = digits.target[order].astype(np.int32)
    split = len(labels) * 4 // 5
    return (images[:split], labels[:split]), (images[split:], labels[split:])


class Model(object):
    """Two convolutions and a dense layer, in the plain ops that old scripts are written in."""

    def __init__(self):
        self.images = tf.placeholder(tf.float32, [None, 8, 8, 1])
        self.labels = tf.placeholder(tf.int32, [None])
        hidden = convolution("first", self.images, 32)
        hidden = convolution("second", hidden, 64)
        hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        hidden = tf.reshape(hidden, [-1, 4 * 4 * 64])
        logits = tf.matmul(hidden, weights("dense", [4 * 4 * 64, 10])) + tf.get_variable("dense/b", [10], tf.float32,
                                                                                       tf.zeros_initializer())
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits))
        hits = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))
        self.optimizer = tf.train.AdamOptimizer(1e-3)
        self.global_step = tf.train.get_or_create_global_step()

    def feed(self, samples):
        images, labels = samples
        return {self.images: images, self.labels: labels}

    def micro_batches(self, batch):
        for start in range(0, BATCH, MICRO_BATCH):
            yield self.feed([part[start:start + MICRO_BATCH] for part in batch])


def weights(name, shape):
    # An op-level seed draws the same numbers on every TensorFlow.
    start = tf.truncated_normal(shape, stddev=np.prod(shape[:-1]) ** -0.5, seed=sum(map(ord, name)))
    return tf.get_variable(name + "/w", initializer=start)


def convolution(name, images, channels):
    kernel = weights(name, [3, 3, int(images.shape[3]), channels])
    bias = tf.get_variable(name + "/b", [channels], tf.float32, tf.zeros_initializer())
    return tf.nn.relu(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME") + bias)


def full_batch(model):
    train = model.optimizer.minimize(model.loss, global_step=model.global_step)

    def step(session, batch):
        return session.run([model.loss, train], model.feed(batch))[0]

    return step


def explicit_ops(model):
    accumulator = tf1grad.GradientAccumulator(model.optimizer.compute_gradients(model.loss), loss=model.loss)
    apply = accumulator.apply(model.optimizer, global_step=model.global_step)

    def step(session, batch):
        session.run(accumulator.reset)
        for feed_dict in model.micro_batches(batch):
            session.run(accumulator.accumulate, feed_dict)
        session.run(apply)
        return session.run(accumulator.average_loss)

    return step


def accumulating_optimizer(model):
    optimizer = tf1grad.AccumulatingOptimizer(model.optimizer, BATCHES_PER_STEP)
    train = optimizer.minimize(model.loss, global_step=model.global_step)

    def step(session, batch):
        return np.mean([session.run([model.loss, train], feed_dict)[0] for feed_dict in model.micro_batches(batch)])

    return step


def fed_averages(model):
    fed = tf1grad.feed_gradients(model.optimizer.compute_gradients(model.loss))
    apply = model.optimizer.apply_gradients(fed.grads_and_vars, global_step=model.global_step)

    def step(session, batch):
        losses = []

        def fetched():
            for feed_dict in model.micro_batches(batch):
                loss, gradients = session.run([model.loss, fed.fetches], feed_dict)
                losses.append(loss)
                yield gradients

        session.run(apply, fed.feed_dict(fetched()))
        return np.mean(losses)

    return step


WAYS = {
    "full batch": full_batch,
    "explicit ops": explicit_ops,
    "AccumulatingOptimizer": accumulating_optimizer,
    "fed averages": fed_averages,
}


def train(name, steps, training, testing):
    """Trains in one way; returns its losses, weights, test accuracy, seconds and peak memory."""
    random = np.random.RandomState(1)
    with tf.Graph().as_default(), tf.Session() as session:
        model = Model()
        step = WAYS[name](model)
        session.run(tf.global_variables_initializer())
        losses, memory, start = [], PeakMemory(), time.perf_counter()
        for number in range(steps):
            chosen = random.choice(len(training[1]), BATCH, replace=False)
            losses.append(step(session, [part[chosen] for part in training]))
            show_progress(name, number + 1, steps, losses[-1])
        seconds = time.perf_counter() - start
        if session.run(model.global_step) != steps:
            raise AssertionError("%s: global_step is not %d" % (name, steps))
        return dict(losses=losses, weights=session.run(tf.trainable_variables()), seconds=seconds,
                    memory=memory.megabytes(), accuracy=session.run(model.accuracy, model.feed(testing)))


class PeakMemory(object):
    """The memory that this process needs at its peak beyond what it has when this is made; known on Linux only."""

    def __init__(self):
        self._before = None
        if os.path.exists("/proc/self/clear_refs"):
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")  # lets the recorded peak start anew
            self._before = self._status("VmRSS")

    def megabytes(self):
        return None if self._before is None else (self._status("VmHWM") - self._before) / 1e3

    @staticmethod
    def _status(field):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(field))


def show_progress(name, step, steps, loss):
    """One line that is written over on a terminal; a line a way in a file."""
    if sys.stdout.isatty() or step == steps:
        print("\r%-22s step %3d of %d, loss %.4f" % (name, step, steps, loss),
              end="\n" if step == steps else "", flush=True)


def in_own_process(function, *arguments):
    """`function(*arguments)` in a process of its own, so that its peak memory is not hidden by what came before."""
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1, leave_interrupts_to_parent) as pool:
        return pool.apply(function, arguments)


def leave_interrupts_to_parent():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def print_table(results):
    reference = results["full batch"]
    print("\n%-22s %14s %18s %8s %16s" % ("", "test accuracy", "weight difference", "seconds", "peak memory, MB"))
    for name, result in results.items():
        difference = max(np.abs(a - b).max() for a, b in zip(result["weights"], reference["weights"]))
        memory = "unknown" if result["memory"] is None else "%.0f" % result["memory"]
        print("%-22s %14.4f %18.1e %8.2f %16s" % (name, result["accuracy"], difference, result["seconds"], memory))


def draw(results, path):
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for (name, result), width in zip(results.items(), (9, 6, 3.5, 1.2)):
        axes.plot(range(1, len(result["losses"]) + 1), result["losses"], label=name, linewidth=width)
    axes.set_xlabel("step of %d samples" % BATCH)
    axes.set_ylabel("training loss")
    axes.set_yscale("log")
    axes.set_title("Four ways to take the same steps")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--output", default="large_batch_digits.png", metavar="PNG")
    arguments = parser.parse_args()
    if arguments.steps < 1:
        parser.error("--steps must be at least 1; got %d" % arguments.steps)
    print("TensorFlow %s, batches of %d as %d micro-batches of %d"
          % (tf.__version__, BATCH, BATCHES_PER_STEP, MICRO_BATCH))
    training, testing = read_digits()
    results = {name: in_own_process(train, name, arguments.steps, training, testing) for name in WAYS}
    print_table(results)
    draw(results, arguments.output)
    reference = results["full batch"]["losses"]
    apart = max(np.abs(np.subtract(result["losses"], reference)).max() for result in results.values())
    print("largest difference between two loss curves: %.1e\nthe curves are in %s" % (apart, arguments.output))
    if apart > TOLERANCE:
        sys.exit("the loss curves must lie on one another to %g" % TOLERANCE)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("interrupted")
