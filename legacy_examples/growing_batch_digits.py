"""Trains handwritten digits with a learning rate that decays in steps,
or with a batch that grows in the same steps.

    python legacy_examples/growing_batch_digits.py              # three minutes
    python legacy_examples/growing_batch_digits.py --quick      # half a minute: 0.986, not 0.989

Reproduces Smith, Kindermans, Ying and Le, "Don't decay the learning rate, increase the batch size"
(2018). The noise of SGD falls with the rate divided by the batch size. Both schedules therefore
give the same curve over the epochs, the second in fewer updates. As in the paper's wide residual
network for CIFAR-10, the factor is 5 after 30, 60 and 80 % of the epochs, with momentum 0.9. A
micro-batch always has 4 samples. Batches of 20, 100 and 500 are accumulated, and the number of
micro-batches per step is fed. A third run without a schedule shows the benefit of the schedules.

The script fails unless both schedules, on average over the runs, end within 1 % of the same test
accuracy and below the training loss without a schedule, and the growing batch takes less than half
of the updates. Ctrl-C stops the script, and plots the results so far.
"""

import sys

import numpy as np

import common


def parse(argv=None):
    parser = common.parser(__doc__, "growing_batch_digits.png")
    parser.add_argument(
        "--runs",
        type=common.count,
        default=5,
        help="runs per method, each with its seed (default: 5)",
    )
    parser.add_argument(
        "--epochs", type=common.count, default=100, help="number of epochs (default: 100)"
    )
    parser.add_argument(
        "--rate", type=common.positive, default=0.02, help="initial learning rate (default: 0.02)"
    )
    parser.add_argument("--quick", action="store_true", help="1 run of 20 epochs")
    arguments = common.parse(parser, argv)
    if arguments.quick:
        arguments.runs, arguments.epochs = 1, 20
    return arguments


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()
    common.require("sklearn")

with common.quiet():
    import tensorflow.compat.v1 as tf

import tf1grad  # noqa: E402

MICRO_BATCH, HIDDEN, FACTOR, DECAY = 4, 64, 5, 5e-4
MILESTONES = (0.3, 0.6, 0.8)  # shares of the epochs
# From the number of milestones passed to (divisor of the rate, micro-batches per step).
WAYS = {
    "neither": lambda passed: (1, 1),
    "falling rate": lambda passed: (FACTOR**passed, 1),
    "growing batch": lambda passed: (1, FACTOR**passed),
}


def read_digits():
    """Returns shuffled images `[n, 64]` in 0..1 and labels `[n]`; the last fifth is for testing."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images, labels = np.float32(digits.data[order] / 16), digits.target[order]
    split = len(labels) * 4 // 5
    return (images[:split], labels[:split]), (images[split:], labels[split:])


def dense(name, inputs, units, seed):
    size = int(inputs.shape[1])
    start = tf.random_normal([size, units], stddev=np.sqrt(2.0 / size), seed=seed)
    weights = tf.get_variable(name + "/weights", initializer=start)
    return tf.matmul(inputs, weights) + tf.get_variable(
        name + "/bias", [units], initializer=tf.zeros_initializer()
    ), (tf.nn.l2_loss(weights))


class Model:
    """One hidden layer, and the train op for a micro-batch;
    the rate and the micro-batches per step are fed.
    """

    def __init__(self, seed):
        self.images = tf.placeholder(tf.float32, [None, 64])
        self.labels = tf.placeholder(tf.int64, [None])
        self.rate = tf.placeholder(tf.float32, [])
        self.batches_per_step = tf.placeholder(tf.int64, [])
        hidden, size = dense("hidden", self.images, HIDDEN, seed)
        logits, size_of_last = dense("digits", tf.nn.relu(hidden), 10, seed + 1)
        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits)
        )
        self.accuracy = tf.reduce_mean(
            tf.cast(tf.equal(tf.argmax(logits, 1), self.labels), tf.float32)
        )
        self.updates = tf.train.get_or_create_global_step()
        optimizer = tf1grad.AccumulatingOptimizer(
            tf.train.MomentumOptimizer(self.rate, 0.9), self.batches_per_step
        )
        self.train_op = optimizer.minimize(
            self.loss + DECAY * (size + size_of_last), global_step=self.updates
        )

    def feed(self, samples):
        return dict(zip((self.images, self.labels), samples))


def train(seed, schedule, digits, arguments, curve, progress):
    """Trains a model; appends (epoch, updates, training loss,
    test accuracy) to `curve` after each epoch.
    """
    training, testing = digits
    count = len(training[1]) // MICRO_BATCH * MICRO_BATCH
    with tf.Graph().as_default(), tf1grad.fast_session(tf.Session()) as session:
        model = Model(2 * seed)
        session.run(tf.global_variables_initializer())
        random = np.random.RandomState(seed)
        for epoch in range(arguments.epochs):
            divisor, batches_per_step = schedule(
                sum(epoch >= share * arguments.epochs for share in MILESTONES)
            )
            feed_dict = {
                model.rate: arguments.rate / divisor,
                model.batches_per_step: batches_per_step,
            }
            for chosen in random.permutation(len(training[1]))[:count].reshape(-1, MICRO_BATCH):
                feed_dict.update(model.feed([part[chosen] for part in training]))
                session.run(model.train_op, feed_dict)
            loss, updates = session.run([model.loss, model.updates], model.feed(training))
            curve.append(
                (epoch + 1, updates, loss, session.run(model.accuracy, model.feed(testing)))
            )
            progress(curve)


def train_all(digits, arguments, curves):
    """Trains all runs of all methods, and appends their curves to `curves[way]`."""
    done, total = 0, len(WAYS) * arguments.runs
    with common.Progress() as bar:
        for seed in range(arguments.runs):
            for way, schedule in WAYS.items():

                def progress(curve):
                    bar.show(
                        f"{way}, run {seed + 1} of {arguments.runs}: epoch {curve[-1][0]} of {arguments.epochs}, "
                        f"training loss {curve[-1][2]:.4f}",
                        (done + curve[-1][0] / arguments.epochs) / total,
                    )

                curves[way].append([])
                train(seed, schedule, digits, arguments, curves[way][-1], progress)
                done += 1


def draw(path, curves):
    """Plots the training loss over the epochs and over the updates."""
    figure, axes = common.subplots(1, 2, figsize=(11, 4.4), sharey=True)
    for (way, runs), width in zip(curves.items(), (1.5, 5, 1.5)):  # the last two curves overlap
        reached = min(map(len, runs))  # by all runs, even after an interrupt
        epochs, updates, losses, _ = np.transpose([run[:reached] for run in runs], (2, 0, 1))
        for axis, places in zip(axes, (epochs[0], updates[0])):
            (line,) = axis.plot(
                places, np.median(losses, 0), linewidth=width, label=f"{way}, median"
            )
            axis.fill_between(
                places,
                np.min(losses, 0),
                np.max(losses, 0),
                alpha=0.2,
                linewidth=0,
                color=line.get_color(),
                label=f"{way}, range of {len(runs)} runs",
            )
    axes[0].set(
        xlabel="epoch",
        ylabel="training loss",
        yscale="log",
        title="The same curve over the epochs ...",
    )
    axes[1].set(xlabel="update", title="... in fewer updates")
    axes[1].legend()
    common.save(figure, path)


def verdict(ends):
    """Returns an error message about the final results {way: array `[runs, 4]`}, or None."""
    means = {way: np.mean(end, 0) for way, end in ends.items()}
    constant, falling, growing = [means[way] for way in WAYS]
    if abs(falling[3] - growing[3]) > 0.01:
        return "the test accuracies are not the same"
    if max(falling[2], growing[2]) >= constant[2]:
        return "a schedule was no use"
    return (
        None
        if growing[1] < falling[1] / 2
        else "the growing batch took half of the updates or more"
    )


def main(arguments):
    tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
    tf.disable_v2_behavior()
    digits, curves = read_digits(), {way: [] for way in WAYS}
    with common.Interruptible() as work:
        train_all(digits, arguments, curves)
    curves = {way: [run for run in runs if run] for way, runs in curves.items()}
    curves = {way: runs for way, runs in curves.items() if runs}
    ends = {way: np.array([run[-1] for run in runs]) for way, runs in curves.items()}
    for way, end in ends.items():
        print(
            f"{way:<14} {len(end)} runs, {int(end[0][1]):6d} updates: test accuracy {common.spread(end[:, 3])}, "
            f"training loss {common.spread(end[:, 2], '%.4f')}"
        )
    if curves and arguments.output:
        draw(arguments.output, curves)
    return common.INTERRUPTED if work.interrupted else verdict(ends)


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
