"""Trains a plain tanh RNN on the temporal-order problem,
by SGD with and without clipping the gradient's norm.

    python legacy_examples/clip_exploding_rnn.py                # four minutes
    python legacy_examples/clip_exploding_rnn.py --quick        # a minute or two: lengths 10 and 20

Reproduces, at a small scale, the curves MSGD and MSGD-C of Pascanu, Mikolov and Bengio, "On the
difficulty of training recurrent neural networks" (2013), section 4.1.1 and figure 7 (success rate
by sequence length). A sequence of distractors contains two symbols, A or B, one in its second tenth
and one in its fifth. At the end, the network has to say which of AA, AB, BA and BB it was. A run
succeeds if at least 99 % of 2000 new sequences are classified correctly.

The paper trains longer, and on longer sequences. The five runs here take 6000 updates. All of them
learn sequences of 10 symbols with and without clipping. Sequences of 20 are learned by two runs
without clipping and by all with it, and sequences of 40 only with clipping, by all. Sequences of 60
are not learned.

All runs of a length are in one graph and see the same sequences. Run i starts from the same weights
with and without clipping. Ctrl-C stops the current length, and plots the lengths before it. The
script fails unless clipping solves more runs than plain SGD.
"""

import collections
import sys
import time

import numpy as np

import common

LENGTHS = [10, 20, 40, 60]


def parse(argv=None):
    parser = common.parser(__doc__, "clip_exploding_rnn.png")
    parser.add_argument(
        "--lengths",
        type=common.count,
        nargs="+",
        default=LENGTHS,
        metavar="LENGTH",
        help=f"sequence lengths of at least 10 (default: {' '.join(map(str, LENGTHS))})",
    )
    parser.add_argument(
        "--runs",
        type=common.count,
        default=5,
        help="runs per length, each with its seed (default: 5)",
    )
    parser.add_argument(
        "--steps", type=common.count, default=6000, help="updates of 20 sequences (default: 6000)"
    )
    parser.add_argument(
        "--rate", type=common.positive, default=0.1, help="learning rate (default: 0.1)"
    )
    parser.add_argument(
        "--clip-norm",
        type=common.positive,
        default=1.0,
        help="norm above which gradients are clipped (default: 1)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="lengths 10 and 20, 5 runs, 2000 updates"
    )
    arguments = common.parse(parser, argv)
    if arguments.quick:
        arguments.lengths, arguments.runs, arguments.steps = [10, 20], 5, 2000
    if min(arguments.lengths) < 10:
        parser.error(
            f"argument --lengths: a sequence has at least 10 symbols; got {min(arguments.lengths)}"
        )
    arguments.lengths = sorted(set(arguments.lengths))
    return arguments


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()

with common.quiet():
    import tensorflow.compat.v1 as tf

import tf1grad  # noqa: E402

SYMBOLS, DISTRACTORS, CLASSES, HIDDEN, BATCH = 6, 4, 4, 50, 20
TEST_SEQUENCES, EVALUATE_EVERY = 2000, 500


def draw_sequences(random, number, length):
    """Returns one-hot sequences `[length, number, SYMBOLS]` and the classes `[number]`."""
    symbols = random.randint(2, 2 + DISTRACTORS, (length, number))
    first = random.randint(length // 10, 2 * length // 10 + 1, number)
    second = random.randint(4 * length // 10, 5 * length // 10 + 1, number)
    kinds = random.randint(0, 2, (2, number))
    symbols[first, np.arange(number)] = kinds[0]
    symbols[second, np.arange(number)] = kinds[1]
    return np.eye(SYMBOLS, dtype=np.float32)[symbols], 2 * kinds[0] + kinds[1]


def start_weights(seed):
    """Returns weights with a recurrent matrix of spectral radius 0.95,
    so that nothing explodes at the start.
    """
    random = np.random.RandomState(seed)
    recurrent = random.randn(HIDDEN, HIDDEN) / np.sqrt(HIDDEN)
    recurrent *= 0.95 / np.max(np.abs(np.linalg.eigvals(recurrent)))
    weights = {
        "input": 0.1 * random.randn(SYMBOLS, HIDDEN),
        "recurrent": recurrent,
        "bias": np.zeros([1, HIDDEN]),
        "output": 0.1 * random.randn(HIDDEN, CLASSES),
        "output_bias": np.zeros([1, CLASSES]),
    }
    return {name: np.float32(value) for name, value in weights.items()}


def build_networks(seeds, inputs):
    """Builds one network per seed, side by side; returns their variables and logits
    `[len(seeds), batch, CLASSES]`.
    """
    networks = []
    for number, seed in enumerate(seeds):
        with tf.variable_scope(f"network{number}"):
            networks.append(
                {
                    name: tf.get_variable(name, initializer=value)
                    for name, value in start_weights(seed).items()
                }
            )
    stacked = {name: tf.stack([network[name] for network in networks]) for name in networks[0]}

    def step(hidden, symbol):
        symbol = tf.tile(symbol[tf.newaxis], [len(seeds), 1, 1])
        return tf.tanh(
            tf.matmul(symbol, stacked["input"])
            + tf.matmul(hidden, stacked["recurrent"])
            + stacked["bias"]
        )

    hidden = tf.zeros([len(seeds), tf.shape(inputs)[1], HIDDEN])
    for symbol in tf.unstack(inputs):
        hidden = step(hidden, symbol)
    return networks, tf.matmul(hidden, stacked["output"]) + stacked["output_bias"]


class Experiment:
    """All runs of one sequence length."""

    def __init__(self, length, runs, clip_norm, rate):
        self.length = length
        self.inputs = tf.placeholder(tf.float32, [length, None, SYMBOLS])
        self.labels = tf.placeholder(tf.int64, [None])
        networks, logits = build_networks(list(range(runs)) * 2, self.inputs)
        losses = [
            tf.losses.sparse_softmax_cross_entropy(self.labels, logit)
            for logit in tf.unstack(logits)
        ]
        optimizer = tf.train.GradientDescentOptimizer(rate)
        variables = [variable for network in networks for variable in network.values()]
        gradients = dict(
            zip(
                [variable.name for variable in variables], tf.gradients(tf.add_n(losses), variables)
            )
        )
        steps, self.norms = [], []
        for number, network in enumerate(networks):
            pairs = [(gradients[variable.name], variable) for variable in network.values()]
            self.norms.append(tf1grad.global_norm(pairs))
            steps.append(
                pairs if number < runs else tf1grad.clip_by_global_norm(pairs, clip_norm)[0]
            )
        with tf.control_dependencies([gradient for pairs in steps for gradient, _ in pairs]):
            self.train = tf.group(*[optimizer.apply_gradients(pairs) for pairs in steps])
        right = tf.equal(tf.argmax(logits, -1), self.labels[tf.newaxis])
        self.accuracies = tf.reduce_mean(tf.cast(right, tf.float32), 1)
        self.norms = tf.stack(self.norms)

    def run(self, session, steps, progress):
        """Returns the best accuracies and largest gradient norms, with the unclipped runs first."""
        random = np.random.RandomState(self.length)
        test = dict(
            zip([self.inputs, self.labels], draw_sequences(random, TEST_SEQUENCES, self.length))
        )
        session.run(tf.global_variables_initializer())
        best, largest = 0, 0
        for step in range(1, steps + 1):
            batch = dict(
                zip([self.inputs, self.labels], draw_sequences(random, BATCH, self.length))
            )
            norms, _ = session.run([self.norms, self.train], batch)
            largest = np.maximum(largest, norms)
            if step % EVALUATE_EVERY == 0 or step == steps:
                best = np.maximum(best, session.run(self.accuracies, test))
                if np.all(best >= 0.99):
                    break
            progress.show(
                f"length {self.length}: update {step} of {steps}, {np.sum(best >= 0.99)} of {len(norms)} "
                "runs solved",
                step / steps,
            )
        return best, largest


# Results of all runs of a length by method: the number of solved runs, and the median of the
# largest norms.
Point = collections.namedtuple("Point", "length solved norms seconds")
WAYS = ("plain SGD", "clipped")


def train(length, arguments):
    started = time.time()
    with tf.Graph().as_default(), tf.Session() as session, common.Progress() as progress:
        experiment = Experiment(length, arguments.runs, arguments.clip_norm, arguments.rate)
        best, largest = experiment.run(session, arguments.steps, progress)
    return Point(
        length,
        dict(zip(WAYS, np.sum(np.reshape(best, [2, -1]) >= 0.99, 1))),
        dict(zip(WAYS, np.median(np.reshape(largest, [2, -1]), 1))),
        time.time() - started,
    )


def interval(solved, runs, z=1.96):
    """Returns Wilson's 95 % interval of a success rate, from `solved` successes in `runs` runs."""
    middle = (solved + z**2 / 2) / (runs + z**2)
    half = z * np.sqrt(solved * (runs - solved) / runs + z**2 / 4) / (runs + z**2)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def draw(path, points, arguments):
    figure, (left, right) = common.subplots(1, 2, figsize=(10, 4.2))
    lengths = np.array([point.length for point in points])
    for name, style, shift in zip(WAYS, ("o--", "s-"), (-0.15, 0.15)):
        rates = np.array([point.solved[name] / arguments.runs for point in points])
        low, high = np.transpose([interval(point.solved[name], arguments.runs) for point in points])
        bars = np.clip([rates - low, high - rates], 0, None)
        left.errorbar(lengths + shift, 100 * rates, 100 * bars, fmt=style, capsize=3, label=name)
        right.semilogy(lengths, [point.norms[name] for point in points], style, label=name)
    left.set(
        xlabel="sequence length",
        ylabel="runs solved, %",
        ylim=(-5, 105),
        title=f"Temporal order: {arguments.runs} runs of up to {arguments.steps} updates\n"
        "(bars: 95 % interval of the success rate)",
    )
    right.axhline(arguments.clip_norm, color="gray", linewidth=1, label="clipping threshold")
    right.set(
        xlabel="sequence length",
        ylabel="largest gradient norm",
        title="Before clipping, median of the runs",
    )
    left.legend()
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 0.05))
    common.save(figure, path)


def main(arguments):
    tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
    tf.disable_v2_behavior()
    points = []
    with common.Interruptible() as work:
        for length in arguments.lengths:
            points.append(train(length, arguments))
            print(
                f"length {length:3d}: plain SGD solves {points[-1].solved['plain SGD']:2d} of {arguments.runs} runs, "
                f"clipped {points[-1].solved['clipped']:2d}; largest norms {points[-1].norms['plain SGD']:8.2f} and "
                f"{points[-1].norms['clipped']:8.2f}; {points[-1].seconds:.0f} s",
                flush=True,
            )
    if points and arguments.output:
        draw(arguments.output, points, arguments)
    if work.interrupted:
        return common.INTERRUPTED
    plain, clipped = [sum(point.solved[name] for point in points) for name in WAYS]
    print(f"clipping solves {clipped} of {len(points) * arguments.runs} runs, plain SGD {plain}")
    return None if clipped > plain else "clipping does not solve more"


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
