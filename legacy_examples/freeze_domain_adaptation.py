"""Adversarial domain adaptation with alternating training:
digits learned upright, classified rotated.

    python legacy_examples/freeze_domain_adaptation.py              # five minutes
    python legacy_examples/freeze_domain_adaptation.py --quick      # 2 short runs: not converged

The source is one half of the digits images, with labels. The target is the other half, rotated; its
labels are used only to print the accuracy. A discriminator learns to tell the domains apart by
their features. The reader learns to classify the source digits, and to make features that the
discriminator assigns to the other domain. One run of a player changes its own variables and Adam
slots, and not those of the other player. The script fails if this does not hold, or unless the mean
target accuracy is higher with adaptation than without.

The schedules of the adversarial weight and of the learning rate are those of Ganin and Lempitsky,
"Unsupervised domain adaptation by backpropagation" (2015). Adversarial training is unstable: look
at the range of the runs. Ctrl-C stops the training, and plots the results so far.
"""

import sys

import numpy as np

import common


def parse(argv=None):
    parser = common.parser(__doc__, "freeze_domain_adaptation.png")
    parser.add_argument(
        "--angle",
        type=common.number,
        default=30.0,
        help="rotation of the target in degrees (default: 30)",
    )
    parser.add_argument(
        "--runs",
        type=common.count,
        default=5,
        help="runs per method, each with its seed (default: 5)",
    )
    parser.add_argument(
        "--steps", type=common.count, default=4000, help="steps of both players (default: 4000)"
    )
    parser.add_argument(
        "--weight",
        type=common.positive,
        default=0.3,
        help="weight of the reader's adversarial loss (default: 0.3)",
    )
    parser.add_argument("--quick", action="store_true", help="2 runs of 1000 steps")
    arguments = common.parse(parser, argv)
    if arguments.quick:
        arguments.runs, arguments.steps = 2, 1000
    return arguments


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()
    common.require("sklearn")

with common.quiet():
    import tensorflow.compat.v1 as tf

import tf1grad  # noqa: E402

BATCH, HIDDEN, FEATURES, EVALUATE_EVERY = 64, 128, 64, 100


def read_domains(angle):
    """Returns upright images with labels, and other images rotated,
    with labels that only the evaluation sees.
    """
    from scipy import ndimage
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images, labels = np.float32(digits.images[order] / 16), digits.target[order]
    half = len(labels) // 2
    rotated = ndimage.rotate(images[half:], angle, axes=(1, 2), reshape=False, order=1)
    return (
        (images[:half].reshape(half, 64), labels[:half]),
        (np.clip(rotated, 0, 1).reshape(len(rotated), 64), labels[half:]),
    )


def layer(name, inputs, units, activation, seed):
    """Builds a dense layer from TensorFlow 1 ops."""
    size = int(inputs.shape[1])
    with tf.variable_scope(name):
        start = tf.random_normal([size, units], stddev=np.sqrt(2.0 / size), seed=seed)
        weights = tf.get_variable("weights", initializer=start)
        bias = tf.get_variable("bias", initializer=tf.zeros([units]))
    return activation(tf.matmul(inputs, weights) + bias)


def read_digit(images, seed):
    """Returns features and logits of images."""
    with tf.variable_scope("reader", reuse=tf.AUTO_REUSE):
        hidden = layer("hidden", images, HIDDEN, tf.nn.relu, seed)
        features = layer("features", hidden, FEATURES, tf.nn.relu, seed + 1)
        return features, layer("digits", features, 10, tf.identity, seed + 2)


def tell_domain(features, seed):
    """Returns the logit of the event that features come from the target."""
    with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
        hidden = layer("hidden", features, HIDDEN, tf.nn.relu, seed + 3)
        return layer("domain", hidden, 1, tf.identity, seed + 4)


class Adaptation:
    """A reader, a discriminator, and the players that train them."""

    def __init__(self, seed, weight, steps):
        self.source, self.target = [tf.placeholder(tf.float32, [None, 64]) for _ in range(2)]
        self.labels = tf.placeholder(tf.int64, [None])
        (source, logits), (target, self.logits) = [
            read_digit(images, seed) for images in (self.source, self.target)
        ]
        domains = tell_domain(tf.concat([source, target], 0), seed)
        is_target = tf.concat(
            [tf.zeros([tf.shape(source)[0], 1]), tf.ones([tf.shape(target)[0], 1])], 0
        )
        class_loss = tf.losses.sparse_softmax_cross_entropy(self.labels, logits)
        told_apart = tf.losses.sigmoid_cross_entropy(is_target, domains)
        taken_for_other = tf.losses.sigmoid_cross_entropy(1 - is_target, domains)
        global_step = tf.train.get_or_create_global_step()  # counts the steps of both players
        progress = tf.cast(global_step, tf.float32) / (2 * steps)
        weight *= 2 / (1 + tf.exp(-10 * progress)) - 1
        rate = 1e-3 * (1 + 10 * progress) ** -0.75
        self.players = tf1grad.alternate(
            {
                "discriminator": (told_apart, "discriminator"),
                "reader": (class_loss + weight * taken_for_other, "reader"),
            },
            lambda: tf.train.AdamOptimizer(rate),
            global_step,
        )

    def train(self, session, source, target, steps, seed, curve, progress):
        """Trains, and appends the target accuracies to the list `curve`."""
        random = np.random.RandomState(seed)
        session.run(tf.global_variables_initializer())
        for step in range(1, steps + 1):
            some, others = [random.randint(0, len(domain[0]), BATCH) for domain in (source, target)]
            batch = {
                self.source: source[0][some],
                self.labels: source[1][some],
                self.target: target[0][others],
            }
            for player in self.players.order:
                session.run(self.players.train_ops[player], batch)
            if step % EVALUATE_EVERY == 0 or step == steps:
                named = np.argmax(session.run(self.logits, {self.target: target[0]}), 1)
                curve.append((step, np.mean(named == target[1])))
            progress(step, curve)

    def check_frozen(self, session, source, target):
        """Runs each player once, and fails if a variable of the other player changed."""
        batch = {
            self.source: source[0][:BATCH],
            self.labels: source[1][:BATCH],
            self.target: target[0][:BATCH],
        }
        for player, other in (("reader", "discriminator"), ("discriminator", "reader")):
            held = tf1grad.trainable_in(other) + self.players.optimizers[other].variables()
            before = session.run(held)
            session.run(self.players.train_ops[player], batch)
            if not all(map(np.array_equal, before, session.run(held))):
                sys.exit(f"a step of the {player} moved the {other}")


WAYS = ("without adaptation", "with adaptation")


def last(curve):
    return f"{curve[-1][1]:.3f}" if curve else "not known yet"


def adapt(source, target, arguments, curves):
    """Trains all runs of both methods, and appends their curves [(step, accuracy),
    ...] to `curves[way]`.
    """
    done, runs = 0, len(WAYS) * arguments.runs
    with common.Progress() as bar:
        for seed in range(arguments.runs):
            for way, weight in zip(WAYS, (0.0, arguments.weight)):

                def progress(step, curve):
                    bar.show(
                        f"{way}, run {seed + 1} of {arguments.runs}: step {step} of {arguments.steps}, target "
                        f"accuracy {last(curve)}",
                        (done + step / arguments.steps) / runs,
                    )

                curves[way].append([])
                with tf.Graph().as_default(), tf.Session() as session:
                    adaptation = Adaptation(10 * seed, weight, arguments.steps)
                    adaptation.train(
                        session, source, target, arguments.steps, seed, curves[way][-1], progress
                    )
                    adaptation.check_frozen(session, source, target)
                done += 1


def draw(curves, target, path, arguments):
    figure, (left, right) = common.subplots(
        1, 2, figsize=(10, 4), gridspec_kw={"width_ratios": [3, 2]}
    )
    for way, runs in curves.items():
        reached = min(map(len, runs))  # by all runs, even after an interrupt
        steps, accuracies = np.transpose([run[:reached] for run in runs], (2, 0, 1))
        (line,) = left.plot(steps[0], 100 * np.mean(accuracies, 0), label=f"{way}, mean")
        left.fill_between(
            steps[0],
            100 * np.min(accuracies, 0),
            100 * np.max(accuracies, 0),
            alpha=0.2,
            color=line.get_color(),
            linewidth=0,
            label=f"{way}, range of {len(runs)} runs",
        )
    left.set(
        xlabel="step",
        ylabel="target accuracy, %",
        title="Digits learned upright, classified rotated",
    )
    left.legend()
    tiles = target[0][:24].reshape(4, 6, 8, 8).transpose(0, 2, 1, 3).reshape(32, 48)
    right.imshow(tiles, cmap="gray_r")
    right.set_title(f"The target: rotated by {arguments.angle:g} degrees")
    right.axis("off")
    common.save(figure, path)


def main(arguments):
    tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
    tf.disable_v2_behavior()
    source, target = read_domains(arguments.angle)
    curves = {way: [] for way in WAYS}
    with common.Interruptible() as work:
        adapt(source, target, arguments, curves)
    curves = {way: [run for run in runs if run] for way, runs in curves.items()}
    curves = {way: runs for way, runs in curves.items() if runs}
    for way, runs in curves.items():
        print(
            f"{way:<18}  target accuracy at the end of {len(runs)} runs: "
            f"{common.spread([run[-1][1] for run in runs])}"
        )
    if curves and arguments.output:
        draw(curves, target, arguments.output, arguments)
    if work.interrupted:
        return common.INTERRUPTED
    without, adapted = [np.mean([run[-1][1] for run in curves[way]]) for way in WAYS]
    return None if adapted > without else "adaptation did not help"


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
