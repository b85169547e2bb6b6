"""Adversarial domain adaptation of two moons: learned in one position, classified after a rotation.

    python legacy_examples/adversarial_moons.py              # three minutes
    python legacy_examples/adversarial_moons.py --quick      # seconds: not converged

Reproduces section 5.1.1 and figure 2 of Ganin and others, "Domain-adversarial training of neural
networks" (2016). The source is two moons with labels; the target, without labels, is two moons
rotated by 35 degrees. The reader, a network with 15 hidden neurons, classifies a point. Its
opponent, the critic, tells the domains apart by the hidden neurons. The reader learns the labels.
Through the negative of the critic's loss, it also learns hidden neurons that do not reveal the
domain. The paper does both with one reversed gradient. Here, two players with separate `var_list`s
take turns. The reader goes first, because it does worse against a critic that has just learned the
same pair (--critic-first). The numbers of points, noise, order, rates and weights are those of the
authors' code: 150 points in each domain, 500 epochs of pairs of one point each, rate 0.05, weight
6.

The script fails unless the mean target accuracy is higher with the critic. Ctrl-C stops it and
plots the results so far.
"""

import sys

import numpy as np

import common


def parse(argv=None):
    parser = common.parser(__doc__, "adversarial_moons.png")
    parser.add_argument(
        "--angle",
        type=common.number,
        default=35.0,
        help="rotation of the target in degrees (default: 35)",
    )
    parser.add_argument(
        "--runs",
        type=common.count,
        default=5,
        help="runs per method, each with its seed (default: 5)",
    )
    parser.add_argument(
        "--epochs", type=common.count, default=500, help="number of epochs (default: 500)"
    )
    parser.add_argument(
        "--weight",
        type=common.positive,
        default=6.0,
        help="weight of the critic's loss (default: 6)",
    )
    parser.add_argument(
        "--critic-first",
        action="store_true",
        help="let the critic go first, which gives worse results",
    )
    parser.add_argument("--quick", action="store_true", help="1 run of 100 epochs")
    arguments = common.parse(parser, argv)
    if arguments.quick:
        arguments.runs, arguments.epochs = 1, 100
    return arguments


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()
    common.require("sklearn")

with common.quiet():
    import tensorflow.compat.v1 as tf

import tf1grad  # noqa: E402

POINTS, HIDDEN, RATE, EVALUATE_EVERY = 150, 15, 0.05, 10


def read_domains(angle):
    """Returns points `[150, 2]` and labels of source and target;
    only the evaluation sees the target's labels.
    """
    from sklearn.datasets import make_moons

    (source, source_labels), (target, target_labels) = [
        make_moons(POINTS, noise=0.05, random_state=seed) for seed in (1, 2)
    ]
    center = np.mean(source, 0)
    cosine, sine = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    turned = 2 * (target - center).dot(np.array([[cosine, sine], [-sine, cosine]]))
    return (2 * (source - center), source_labels), (turned, target_labels)


def layer(name, inputs, units, random):
    size = int(inputs.shape[1])
    width = np.sqrt(6.0 / (size + units))
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        weights = tf.get_variable(
            "weights", initializer=np.float32(random.uniform(-width, width, [size, units]))
        )
        return tf.matmul(inputs, weights) + tf.get_variable(
            "bias", [units], initializer=tf.zeros_initializer()
        )


class Model:
    """The reader, which classifies points, the critic, and a train op for each,
    or only one for the reader.
    """

    def __init__(self, seed, weight, critic_first=False):
        random = np.random.RandomState(seed)
        self.source, self.target = [tf.placeholder(tf.float32, [None, 2]) for _ in range(2)]
        self.labels = tf.placeholder(tf.int64, [None])
        hidden = tf.sigmoid(
            layer("reader/hidden", tf.concat([self.source, self.target], 0), HIDDEN, random)
        )
        logits = layer("reader/moon", hidden, 2, random)
        with tf.variable_scope("critic"):
            told = tf.matmul(
                hidden, tf.get_variable("weights", [HIDDEN, 1], initializer=tf.zeros_initializer())
            )
            told += tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
        count = tf.shape(self.source)[0]
        self.named = tf.argmax(logits, 1)
        label_loss = tf.losses.sparse_softmax_cross_entropy(self.labels, logits[:count])
        told_apart = sum(
            tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=part, labels=truth))
            for part, truth in (
                (told[:count], tf.ones_like(told[:count])),
                (told[count:], tf.zeros_like(told[count:])),
            )
        )

        def optimizer():
            return tf.train.GradientDescentOptimizer(RATE)

        if weight:
            opponents = [
                ("reader", (label_loss - weight * told_apart, "reader")),
                ("critic", (weight * told_apart, "critic")),
            ]
            players = tf1grad.alternate(
                dict(reversed(opponents) if critic_first else opponents), optimizer
            )
            self.train_ops = [players.train_ops[player] for player in players.order]
        else:
            self.train_ops = [
                optimizer().minimize(label_loss, var_list=tf1grad.trainable_in("reader"))
            ]

    def names(self, session, points):
        """Returns the moon of each point: 0 or 1."""
        return session.run(self.named, {self.source: points, self.target: np.zeros([0, 2])})


class Run:
    """The results of a run: target accuracies [(epoch, accuracy), ...],
    and the classes of points on the plane.
    """

    def __init__(self):
        self.curve, self.plane = [], None


def plane(size=120):
    """Returns points of the plane, `[size * size, 2]`."""
    line = np.linspace(-4, 4, size)
    return np.stack(np.meshgrid(line, line), -1).reshape(-1, 2)


def train(seed, weight, domains, arguments, run, progress):
    """Trains a model and fills in its `Run`; after an exception,
    the `Run` holds the results so far.
    """
    (source, labels), (target, target_labels) = domains
    with tf.Graph().as_default(), tf1grad.fast_session(tf.Session()) as session:
        model = Model(seed, weight, arguments.critic_first)
        session.run(tf.global_variables_initializer())
        random = np.random.RandomState(seed)
        try:
            for epoch in range(1, arguments.epochs + 1):
                for first, second in enumerate(random.randint(POINTS, size=POINTS)):
                    pair = {
                        model.source: source[first : first + 1],
                        model.labels: labels[first : first + 1],
                        model.target: target[second : second + 1],
                    }
                    for train_op in model.train_ops:
                        session.run(train_op, pair)
                if epoch % EVALUATE_EVERY == 0 or epoch == arguments.epochs:
                    run.curve.append(
                        (epoch, np.mean(model.names(session, target) == target_labels))
                    )
                progress(epoch, run.curve)
        finally:
            run.plane = model.names(session, plane())


WAYS = ("labels alone", "against the critic")


def last(curve):
    return f"{curve[-1][1]:.3f}" if curve else "not known yet"


def train_all(domains, arguments, runs):
    """Trains all runs of both methods, and appends them to `runs[way]`."""
    done, total = 0, len(WAYS) * arguments.runs
    with common.Progress() as bar:
        for seed in range(arguments.runs):
            for way, weight in zip(WAYS, (0.0, arguments.weight)):

                def progress(epoch, curve):
                    bar.show(
                        f"{way}, run {seed + 1} of {arguments.runs}: epoch {epoch} of {arguments.epochs}, target "
                        f"accuracy {last(curve)}",
                        (done + epoch / arguments.epochs) / total,
                    )

                runs[way].append(Run())
                train(seed, weight, domains, arguments, runs[way][-1], progress)
                done += 1


def draw(path, runs, domains, arguments):
    """Plots the classes of the first run of each method on the plane,
    and the accuracies of all runs.
    """
    (source, labels), (target, _) = domains
    figure, axes = common.subplots(1, 1 + len(WAYS), figsize=(14, 4.4))
    for axis, (way, ended) in zip(axes, runs.items()):
        size = int(np.sqrt(len(ended[0].plane)))
        axis.contourf(
            *plane().reshape(size, size, 2).transpose(2, 0, 1),
            ended[0].plane.reshape(size, size),
            levels=[-0.5, 0.5, 1.5],
            colors=["tab:orange", "tab:blue"],
            alpha=0.3,
        )
        for moon, color in enumerate(("tab:orange", "tab:blue")):
            axis.plot(
                *source[labels == moon].T,
                "o",
                color=color,
                markersize=4,
                label=f"source, moon {moon}",
            )
        axis.plot(*target.T, "k.", markersize=4, label=f"target, {arguments.angle:g} degrees")
        axis.set(
            title=f"{way}: {100 * ended[0].curve[-1][1]:.0f} % of the target right",
            xlim=(-4, 4),
            ylim=(-4, 4),
        )
        axis.legend(loc="lower right")
    for way, ended in runs.items():
        reached = min(len(run.curve) for run in ended)  # by all runs, even after an interrupt
        epochs, accuracies = np.transpose([run.curve[:reached] for run in ended], (2, 0, 1))
        (line,) = axes[-1].plot(epochs[0], 100 * np.median(accuracies, 0), label=f"{way}, median")
        axes[-1].fill_between(
            epochs[0],
            100 * np.min(accuracies, 0),
            100 * np.max(accuracies, 0),
            alpha=0.2,
            linewidth=0,
            color=line.get_color(),
            label=f"{way}, range of {len(ended)} runs",
        )
    axes[-1].set(
        xlabel="epoch", ylabel="target accuracy, %", title="Accuracy where no label was seen"
    )
    axes[-1].legend(loc="lower right")
    common.save(figure, path)


def main(arguments):
    tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
    tf.disable_v2_behavior()
    domains, runs = read_domains(arguments.angle), {way: [] for way in WAYS}
    with common.Interruptible() as work:
        train_all(domains, arguments, runs)
    runs = {way: [run for run in ended if run.curve] for way, ended in runs.items()}
    runs = {way: ended for way, ended in runs.items() if ended}
    accuracies = {way: [run.curve[-1][1] for run in ended] for way, ended in runs.items()}
    for way, values in accuracies.items():
        print(
            f"{way:<18}  target accuracy at the end of {len(values)} runs: {common.spread(values)}"
        )
    if runs and arguments.output:
        draw(arguments.output, runs, domains, arguments)
    if work.interrupted:
        return common.INTERRUPTED
    alone, against = [np.mean(accuracies[way]) for way in WAYS]
    return None if against > alone else "the critic did not help"


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
