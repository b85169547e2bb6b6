"""Fits enthalpies of molecules of different sizes: dequeues each batch once and runs L-BFGS on it.

The molecules are the G2 set included in ASE (`ase.data.g2`). The target is the enthalpy of
formation in kcal/mol, minus its best linear fit by the numbers of atoms of each element. The
network follows Behler and Parrinello (2007): symmetry functions of each atom's neighbours, one
small network for each element, and the sum over the atoms. A batch has as many atoms as its
molecules, so batches differ in shape. Each batch is dequeued once, and L-BFGS evaluates it as often
as its line searches need.

    python legacy_examples/line_search_molecules.py       # half a minute

Ctrl-C stops the search on a batch at its best point, and plots the results so far.
"""

import sys

import numpy as np

import common


def parse(argv=None):
    parser = common.parser(__doc__, "line_search_molecules.png")
    parser.add_argument(
        "--epochs", type=common.count, default=8, help="number of epochs (default: 8)"
    )
    parser.add_argument(
        "--batch", type=common.count, default=40, help="molecules per batch (default: 40)"
    )
    parser.add_argument(
        "--iterations",
        type=common.count,
        default=8,
        help="iterations of L-BFGS per batch (default: 8)",
    )
    parser.add_argument(
        "--seed",
        type=common.natural,
        default=0,
        help="seed for the choice of held-out molecules (default: 0)",
    )
    return common.parse(parser, argv)


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()
    common.require("ase")

with common.quiet():
    import tensorflow.compat.v1 as tf

import tf1grad  # noqa: E402

ELEMENTS = ["H", "C", "N", "O", "F", "Si", "P", "S", "Cl"]
CUTOFF = 5.0  # Angstrom
CENTERS = np.linspace(0.7, 4.0, 8)
WIDTH = 4.0  # of the radial functions exp(-WIDTH (r - center)^2), 1 / Angstrom^2
HIDDEN = 12


def molecules():
    """Returns elements `[atoms]`, positions `[atoms,
    3]` in Angstrom and enthalpy of formation of each molecule.
    """
    from ase.data.g2 import data as g2

    chosen = []
    for name in sorted(g2):
        entry = g2[name]
        symbols = [symbol for symbol in ELEMENTS for _ in range(symbols_of(entry).count(symbol))]
        if len(symbols) == len(symbols_of(entry)) > 1 and entry.get("enthalpy") is not None:
            chosen.append(
                (
                    np.array([ELEMENTS.index(symbol) for symbol in symbols_of(entry)]),
                    np.array(entry["positions"], np.float64),
                    float(entry["enthalpy"]),
                )
            )
    return chosen


def symbols_of(entry):
    """Returns the list of a molecule's chemical symbols, of one or two letters each."""
    from ase.data import atomic_numbers

    text, symbols = entry["symbols"], []
    while text:
        length = 2 if text[:2] in atomic_numbers and text[1:2].islower() else 1
        symbols.append(text[:length])
        text = text[length:]
    return symbols


def composition(molecule):
    """Returns the number of atoms of each element in a molecule, and 1."""
    return np.append(np.bincount(molecule[0], minlength=len(ELEMENTS)), 1.0)


def fingerprints(element, position, molecule):
    """Computes radial symmetry functions of each atom by the neighbour's element:
    `[atoms, centers * elements]`.

    G = sum over the neighbours of exp(-WIDTH (r - center)^2) (1 + cos(pi r / CUTOFF)) / 2
    """
    atoms = tf.shape(element)[0]
    same = tf.equal(molecule[:, None], molecule[None, :]) & ~tf.cast(tf.eye(atoms), tf.bool)
    pairs = tf.where(same)
    first, second = pairs[:, 0], pairs[:, 1]
    distance = tf.sqrt(
        tf.reduce_sum(tf.square(tf.gather(position, first) - tf.gather(position, second)), axis=1)
    )
    smooth = tf.where(
        distance < CUTOFF, 0.5 + 0.5 * tf.cos(np.pi * distance / CUTOFF), tf.zeros_like(distance)
    )
    radial = tf.exp(-WIDTH * tf.square(distance[:, None] - CENTERS)) * smooth[:, None]
    kind = tf.one_hot(tf.gather(element, second), len(ELEMENTS), dtype=tf.float64)
    by_kind = tf.reshape(radial[:, :, None] * kind[:, None, :], [-1, len(CENTERS) * len(ELEMENTS)])
    return tf.unsorted_segment_sum(by_kind, first, tf.cast(atoms, tf.int64))


def energies(element, position, molecule, count):
    """Computes the energy of each molecule, `[count]`:
    the sum over its atoms of their elements' networks.
    """
    random = np.random.RandomState(0)
    inputs = len(CENTERS) * len(ELEMENTS)
    first = tf.get_variable(
        "first", initializer=random.randn(len(ELEMENTS), inputs, HIDDEN) / np.sqrt(inputs)
    )
    bias = tf.get_variable("bias", initializer=np.zeros([len(ELEMENTS), HIDDEN]))
    last = tf.get_variable(
        "last", initializer=random.randn(len(ELEMENTS), HIDDEN) / np.sqrt(HIDDEN)
    )
    inside = fingerprints(element, position, molecule)
    hidden = tf.tanh(tf.einsum("ai,eih->aeh", inside, first) + bias)
    by_element = tf.einsum("aeh,eh->ae", hidden, last)
    atomic = tf.reduce_sum(
        by_element * tf.one_hot(element, len(ELEMENTS), dtype=tf.float64), axis=1
    )
    return tf.unsorted_segment_sum(atomic, molecule, count)


def batch(chosen, targets):
    """Returns the arrays of a batch: elements,
    positions and molecule of all atoms, and the targets.
    """
    return (
        np.concatenate([molecule[0] for molecule in chosen]),
        np.concatenate([molecule[1] for molecule in chosen]),
        np.repeat(np.arange(len(chosen)), [len(molecule[0]) for molecule in chosen]),
        targets,
    )


class Part:
    """A subset of the molecules, and the residuals of their enthalpies after the linear fit."""

    def __init__(self, chosen, line):
        self.molecules = chosen
        self.enthalpies = np.array([molecule[2] for molecule in chosen])
        self.lines = np.array([composition(molecule).dot(line) for molecule in chosen])
        self.residuals = self.enthalpies - self.lines


def split(seed):
    """Returns the molecules for training, four fifths of them, and the held-out ones."""
    everything = molecules()
    order = np.random.RandomState(seed).permutation(len(everything))
    border = len(order) * 4 // 5
    train, test = (
        [everything[index] for index in part] for part in (order[:border], order[border:])
    )
    line = np.linalg.lstsq(
        np.stack([composition(molecule) for molecule in train]),
        np.array([molecule[2] for molecule in train]),
        rcond=None,
    )[0]
    return Part(train, line), Part(test, line)


class Fit:
    """The queue, the cache of a dequeued batch, the energies of its molecules,
    and the optimizer for a batch.
    """

    def __init__(self, iterations):
        self.queue = tf.FIFOQueue(100, [tf.int64, tf.float64, tf.int64, tf.float64])
        self.arrays = [tf.placeholder(dtype) for dtype in self.queue.dtypes]
        self.enqueue, self.waiting = self.queue.enqueue(self.arrays), self.queue.size()
        self.live = self.queue.dequeue()
        for tensor, shape in zip(self.live, ([None], [None, 3], [None], [None])):
            tensor.set_shape(shape)
        self.cache = tf1grad.HandleBatchCache(self.live)
        element, position, molecule, target = self.cache.tensors
        self.predicted = energies(element, position, molecule, tf.size(target))
        decay = 0.3 * tf.add_n(
            [tf.reduce_mean(tf.square(variable)) for variable in tf.trainable_variables()]
        )
        self.optimizer = tf1grad.ScipyOptimizerInterface(
            tf.reduce_mean(tf.square(self.predicted - target)) + decay,
            options={"maxiter": iterations},
        )
        self.evaluations = 0

    def put(self, session, chosen, targets):
        session.run(self.enqueue, dict(zip(self.arrays, batch(chosen, targets))))

    def search(self, session):
        """Searches on the next batch, with one dequeue and any number of evaluations;
        returns the final loss.
        """
        with self.cache.advance(session) as feed_dict:
            result = self.optimizer.minimize(session, feed_dict)
        self.evaluations += result.nfev
        return result.fun

    def predict(self, session, part, scale):
        while session.run(self.waiting):  # drops a batch that was not searched because of Ctrl-C
            session.run(self.live)
        self.put(session, part.molecules, part.residuals / scale)
        with self.cache.advance(session) as feed_dict:
            return session.run(self.predicted, feed_dict) * scale

    def train(self, session, part, scale, args, progress):
        """Trains all epochs; an exception stops the search of a batch at its best point."""
        random, size = np.random.RandomState(args.seed + 1), len(part.molecules)
        for epoch in range(1, args.epochs + 1):
            order, losses = random.permutation(size), []
            for begin in range(0, size, args.batch):
                chosen = order[begin : begin + args.batch]
                self.put(
                    session,
                    [part.molecules[index] for index in chosen],
                    part.residuals[chosen] / scale,
                )
                losses.append(self.search(session))
                progress.show(
                    f"epoch {epoch} of {args.epochs}, {begin + len(chosen)} molecules: loss after the search "
                    f"{losses[-1]:.4f}",
                    (epoch - 1 + (begin + len(chosen)) / size) / args.epochs,
                )
            progress.say(f"epoch {epoch}: mean loss after a batch's search {np.mean(losses):.4f}")


def draw(path, parts, guesses):
    """Plots, for both parts, the enthalpies from the linear fit and from the
    network against the true ones.
    """
    figure, axes = common.subplots(1, 2, figsize=(10, 5), sharex=True, sharey=True)
    ends = [
        min(part.enthalpies.min() for part in parts),
        max(part.enthalpies.max() for part in parts),
    ]
    for axis, part, guess, name in zip(axes, parts, guesses, ("Trained on", "Held out")):
        axis.plot(ends, ends, "k-", linewidth=0.5, label="exact")
        for error, values, style, label in (
            (part.residuals, part.lines, "x", "straight line"),
            (part.residuals - guess, part.lines + guess, "o", "with the network"),
        ):
            axis.plot(
                part.enthalpies,
                values,
                style,
                markersize=4,
                label=f"{label}: mean error {np.mean(np.abs(error)):.1f} kcal/mol",
            )
        axis.set(
            xlabel="enthalpy of formation, kcal/mol", title=f"{name}: {len(guess)} G2 molecules"
        )
        axis.legend(loc="lower right")
    axes[0].set_ylabel("predicted, kcal/mol")
    common.save(figure, path)


def main(args):
    tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
    tf.disable_v2_behavior()
    parts = split(args.seed)
    scale = parts[0].residuals.std()
    with tf.Graph().as_default(), tf.Session() as session:
        fit = Fit(args.iterations)
        session.run(tf.global_variables_initializer())
        with common.Interruptible() as work, common.Progress() as progress:
            fit.train(session, parts[0], scale, args, progress)
        print(f"{fit.cache.advances} dequeues, {fit.evaluations} evaluations")
        guesses = [fit.predict(session, part, scale) for part in parts]
    for name, part, guess in zip(("trained on", "held out"), parts, guesses):
        print(
            f"{name:<10} {len(guess):3d} molecules: mean absolute error "
            f"{np.mean(np.abs(part.residuals - guess)):5.1f} kcal/mol, the straight line's "
            f"{np.mean(np.abs(part.residuals)):5.1f}"
        )
    if args.output:
        draw(args.output, parts, guesses)
    return common.INTERRUPTED if work.interrupted else None


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
