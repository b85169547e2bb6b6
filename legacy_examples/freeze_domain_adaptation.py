"""Digits learned upright and read rotated: adversarial domain adaptation, by two players that train in turn.

    python legacy_examples/freeze_domain_adaptation.py [--angle 30] [--runs 5] [--steps 4000] [--output PNG]

The source is one half of the digits images, with labels; the target is the other half, rotated, whose labels are seen
only to print the accuracy. A discriminator learns to tell the domains apart from features; the reader learns to name
the source digits and to make features that the discriminator takes for the other domain's. One run of a player moves
its own variables and its own Adam slots, and nothing of the other's: the script fails if that is not so, or unless the
mean target accuracy with adaptation is higher than without.

Ganin and Lempitsky, "Unsupervised domain adaptation by backpropagation" (2015), whose schedules of the adversarial
weight and of the learning rate are used. Adversarial training is not steady: look at the range of the runs.
"""

import argparse
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import matplotlib
import numpy as np
import tensorflow.compat.v1 as tf
from scipy import ndimage
from sklearn.datasets import load_digits

import tf1grad

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402, the backend comes first

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

BATCH, HIDDEN, FEATURES, EVALUATE_EVERY = 64, 128, 64, 100


def read_domains(angle):
    """Upright images with labels, and other images rotated, with labels that only the evaluation sees."""
    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images, labels = np.float32(digits.images[order] / 16), digits.target[order]
    half = len(labels) // 2
    rotated = ndimage.rotate(images[half:], angle, axes=(1, 2), reshape=False, order=1)
    return ((images[:half].reshape(half, 64), labels[:half]),
            (np.clip(rotated, 0, 1).reshape(len(rotated), 64), labels[half:]))


def layer(name, inputs, units, activation, seed):
    """A dense layer in TensorFlow 1 ops."""
    size = int(inputs.shape[1])
    with tf.variable_scope(name):
        start = tf.random_normal([size, units], stddev=np.sqrt(2.0 / size), seed=seed)
        weights = tf.get_variable("weights", initializer=start)
        bias = tf.get_variable("bias", initializer=tf.zeros([units]))
    return activation(tf.matmul(inputs, weights) + bias)


def read_digit(images, seed):
    """Features and logits of images."""
    with tf.variable_scope("reader", reuse=tf.AUTO_REUSE):
        hidden = layer("hidden", images, HIDDEN, tf.nn.relu, seed)
        features = layer("features", hidden, FEATURES, tf.nn.relu, seed + 1)
        return features, layer("digits", features, 10, tf.identity, seed + 2)


def tell_domain(features, seed):
    """The logit that features come from the target."""
    with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
        hidden = layer("hidden", features, HIDDEN, tf.nn.relu, seed + 3)
        return layer("domain", hidden, 1, tf.identity, seed + 4)


class Adaptation(object):
    """Reader and discriminator, and the players that train them."""

    def __init__(self, seed, weight, steps):
        self.source, self.target = [tf.placeholder(tf.float32, [None, 64]) for _ in range(2)]
        self.labels = tf.placeholder(tf.int64, [None])
        (source, logits), (target, self.logits) = [read_digit(images, seed) for images in (self.source, self.target)]
        domains = tell_domain(tf.concat([source, target], 0), seed)
        is_target = tf.concat([tf.zeros([tf.shape(source)[0], 1]), tf.ones([tf.shape(target)[0], 1])], 0)
        class_loss = tf.losses.sparse_softmax_cross_entropy(self.labels, logits)
        told_apart = tf.losses.sigmoid_cross_entropy(is_target, domains)
        taken_for_other = tf.losses.sigmoid_cross_entropy(1 - is_target, domains)
        global_step = tf.train.get_or_create_global_step()  # counts the steps of both players
        progress = tf.cast(global_step, tf.float32) / (2 * steps)
        weight *= 2 / (1 + tf.exp(-10 * progress)) - 1
        rate = 1e-3 * (1 + 10 * progress) ** -0.75
        self.players = tf1grad.alternate(
            {"discriminator": (told_apart, "discriminator"),
             "reader": (class_loss + weight * taken_for_other, "reader")},
            lambda: tf.train.AdamOptimizer(rate), global_step)

    def train(self, session, source, target, steps, seed):
        """Target accuracies along the way."""
        random = np.random.RandomState(seed)
        session.run(tf.global_variables_initializer())
        accuracies = []
        for step in range(steps):
            some, others = [random.randint(0, len(domain[0]), BATCH) for domain in (source, target)]
            batch = {self.source: source[0][some], self.labels: source[1][some], self.target: target[0][others]}
            for player in self.players.order:
                session.run(self.players.train_ops[player], batch)
            if step % EVALUATE_EVERY == EVALUATE_EVERY - 1:
                named = np.argmax(session.run(self.logits, {self.target: target[0]}), 1)
                accuracies.append(np.mean(named == target[1]))
        return accuracies

    def check_frozen(self, session, source, target):
        """Runs each player once and fails if anything of the other moved."""
        batch = {self.source: source[0][:BATCH], self.labels: source[1][:BATCH], self.target: target[0][:BATCH]}
        for player, other in (("reader", "discriminator"), ("discriminator", "reader")):
            held = tf1grad.trainable_in(other) + self.players.optimizers[other].variables()
            before = session.run(held)
            session.run(self.players.train_ops[player], batch)
            if not all(map(np.array_equal, before, session.run(held))):
                sys.exit("a step of the %s moved the %s" % (player, other))


def adapt(source, target, arguments, weight):
    """Target accuracies `[runs, evaluations]`."""
    results = []
    for seed in range(arguments.runs):
        with tf.Graph().as_default(), tf.Session() as session:
            adaptation = Adaptation(10 * seed, weight, arguments.steps)
            results.append(adaptation.train(session, source, target, arguments.steps, seed))
            adaptation.check_frozen(session, source, target)
    return np.array(results)


def draw(curves, target, path, arguments):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), gridspec_kw={"width_ratios": [3, 2]})
    steps = EVALUATE_EVERY * (1 + np.arange(curves["with adaptation"].shape[1]))
    for name, accuracies in curves.items():
        line, = left.plot(steps, 100 * np.mean(accuracies, 0), label=name)
        left.fill_between(steps, 100 * np.min(accuracies, 0), 100 * np.max(accuracies, 0), alpha=0.2,
                          color=line.get_color(), linewidth=0)
    left.set(xlabel="step", ylabel="target accuracy, %", title="Mean and range of %d runs" % arguments.runs)
    left.legend()
    tiles = target[0][:24].reshape(4, 6, 8, 8).transpose(0, 2, 1, 3).reshape(32, 48)
    right.imshow(tiles, cmap="gray_r")
    right.set_title("The target: rotated by %g degrees" % arguments.angle)
    right.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--angle", type=float, default=30)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--weight", type=float, default=0.3, help="of the adversarial loss of the reader")
    parser.add_argument("--output", default="freeze_domain_adaptation.png", metavar="PNG")
    arguments = parser.parse_args()
    source, target = read_domains(arguments.angle)
    curves = {name: adapt(source, target, arguments, weight)
              for name, weight in (("without adaptation", 0.0), ("with adaptation", arguments.weight))}
    draw(curves, target, arguments.output, arguments)
    for name, accuracies in curves.items():
        print("%-20s target accuracy %.3f (runs from %.3f to %.3f)" % (
            name, np.mean(accuracies[:, -1]), np.min(accuracies[:, -1]), np.max(accuracies[:, -1])))
    print("TensorFlow %s; the curves are in %s" % (tf.__version__, arguments.output))
    if np.mean(curves["with adaptation"][:, -1]) <= np.mean(curves["without adaptation"][:, -1]):
        sys.exit("adaptation did not help")


if __name__ == "__main__":
    main()
