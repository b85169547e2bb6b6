"""Enthalpies of molecules of different sizes, a queue, and L-BFGS on each batch of it.

The molecules are the G2 set that ASE carries (`ase.data.g2`); the target is the enthalpy of formation, in kcal/mol,
less its best linear fit by the numbers of atoms of each element: what a straight line cannot know. The network is of
the kind of Behler and Parrinello (2007): symmetry functions of each atom's neighbours, one small network for each
element, the sum over the atoms. A batch has as many atoms as its molecules have, so that no two are of one shape. It
is dequeued once, and L-BFGS evaluates it as often as its line searches need.

    python line_search_molecules.py --plot molecules.png
"""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf
from ase.data import atomic_numbers
from ase.data.g2 import data as g2

import tf1grad

ELEMENTS = ["H", "C", "N", "O", "F", "Si", "P", "S", "Cl"]
CUTOFF = 5.0  # Angstrom
CENTERS = np.linspace(0.7, 4.0, 8)
WIDTH = 4.0  # of the radial functions exp(-WIDTH (r - center)^2), 1 / Angstrom^2
HIDDEN = 12


def molecules():
    """Elements `[atoms]`, positions `[atoms, 3]` in Angstrom and enthalpy of formation of each molecule."""
    chosen = []
    for name in sorted(g2):
        entry = g2[name]
        symbols = [symbol for symbol in ELEMENTS for _ in range(symbols_of(entry).count(symbol))]
        if len(symbols) == len(symbols_of(entry)) > 1 and entry.get("enthalpy") is not None:
            chosen.append((np.array([ELEMENTS.index(symbol) for symbol in symbols_of(entry)]),
                           np.array(entry["positions"], np.float64), float(entry["enthalpy"])))
    return chosen


def symbols_of(entry):
    """The list of a molecule's chemical symbols, of one or two letters each."""
    text, symbols = entry["symbols"], []
    while text:
        length = 2 if text[:2] in atomic_numbers and text[1:2].islower() else 1
        symbols.append(text[:length])
        text = text[length:]
    return symbols


def composition(molecule):
    """How many atoms of each element a molecule has, and 1."""
    return np.append(np.bincount(molecule[0], minlength=len(ELEMENTS)), 1.0)


def fingerprints(element, position, molecule):
    """Radial symmetry functions of each atom, by the element of the neighbour: `[atoms, centers * elements]`.

    G = sum over the neighbours of exp(-WIDTH (r - center)^2) (1 + cos(pi r / CUTOFF)) / 2
    """
    atoms = tf.shape(element)[0]
    same = tf.equal(molecule[:, None], molecule[None, :]) & ~tf.cast(tf.eye(atoms), tf.bool)
    pairs = tf.where(same)
    first, second = pairs[:, 0], pairs[:, 1]
    distance = tf.sqrt(tf.reduce_sum(tf.square(tf.gather(position, first) - tf.gather(position, second)), axis=1))
    smooth = tf.where(distance < CUTOFF, 0.5 + 0.5 * tf.cos(np.pi * distance / CUTOFF), tf.zeros_like(distance))
    radial = tf.exp(-WIDTH * tf.square(distance[:, None] - CENTERS)) * smooth[:, None]
    kind = tf.one_hot(tf.gather(element, second), len(ELEMENTS), dtype=tf.float64)
    by_kind = tf.reshape(radial[:, :, None] * kind[:, None, :], [-1, len(CENTERS) * len(ELEMENTS)])
    return tf.unsorted_segment_sum(by_kind, first, tf.cast(atoms, tf.int64))


def energies(element, position, molecule, count):
    """The energy of each molecule, `[count]`: the sum over its atoms of their elements' networks."""
    random = np.random.RandomState(0)
    inputs = len(CENTERS) * len(ELEMENTS)
    first = tf.get_variable("first", initializer=random.randn(len(ELEMENTS), inputs, HIDDEN) / np.sqrt(inputs))
    bias = tf.get_variable("bias", initializer=np.zeros([len(ELEMENTS), HIDDEN]))
    last = tf.get_variable("last", initializer=random.randn(len(ELEMENTS), HIDDEN) / np.sqrt(HIDDEN))
    inside = fingerprints(element, position, molecule)
    hidden = tf.tanh(tf.einsum("ai,eih->aeh", inside, first) + bias)
    by_element = tf.einsum("aeh,eh->ae", hidden, last)
    atomic = tf.reduce_sum(by_element * tf.one_hot(element, len(ELEMENTS), dtype=tf.float64), axis=1)
    return tf.unsorted_segment_sum(atomic, molecule, count)


def batch(chosen, targets):
    """The arrays of a batch: elements, positions and molecule of all atoms, and the targets."""
    return (np.concatenate([molecule[0] for molecule in chosen]),
            np.concatenate([molecule[1] for molecule in chosen]),
            np.repeat(np.arange(len(chosen)), [len(molecule[0]) for molecule in chosen]), targets)


def plot(path, train, test):
    """Draws predicted against true enthalpies into the file `path`."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axis = pyplot.subplots(figsize=(5, 5))
    for (true, predicted), label in ((train, "trained on"), (test, "held out")):
        axis.plot(true, predicted, "o", markersize=4, label=label)
    low, high = min(train[0].min(), test[0].min()), max(train[0].max(), test[0].max())
    axis.plot([low, high], [low, high], "k-", linewidth=0.5)
    axis.set(xlabel="enthalpy of formation, kcal/mol", ylabel="predicted, kcal/mol", title="G2 molecules")
    axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=40, help="molecules in a batch")
    parser.add_argument("--iterations", type=int, default=8, help="of L-BFGS a batch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", help="a file to draw predicted against true enthalpies into")
    return parser.parse_args()


def main():
    args = arguments()
    random = np.random.RandomState(args.seed)
    everything = molecules()
    order = random.permutation(len(everything))
    split = len(order) * 4 // 5
    train, test = ([everything[index] for index in part] for part in (order[:split], order[split:]))
    line = np.linalg.lstsq(np.stack([composition(molecule) for molecule in train]),
                           np.array([molecule[2] for molecule in train]), rcond=None)[0]
    residuals = [np.array([molecule[2] - composition(molecule).dot(line) for molecule in part])
                 for part in (train, test)]
    scale = residuals[0].std()

    queue = tf.FIFOQueue(100, [tf.int64, tf.float64, tf.int64, tf.float64])
    arrays = [tf.placeholder(dtype) for dtype in queue.dtypes]
    enqueue = queue.enqueue(arrays)
    live = queue.dequeue()
    for tensor, shape in zip(live, ([None], [None, 3], [None], [None])):
        tensor.set_shape(shape)
    cache = tf1grad.HandleBatchCache(live)
    element, position, molecule, target = cache.tensors
    predicted = energies(element, position, molecule, tf.size(target))
    decay = 0.3 * tf.add_n([tf.reduce_mean(tf.square(variable)) for variable in tf.trainable_variables()])
    optimizer = tf1grad.ScipyOptimizerInterface(tf.reduce_mean(tf.square(predicted - target)) + decay,
                                        options={"maxiter": args.iterations})
    evaluations = 0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for epoch in range(args.epochs):
            order = random.permutation(len(train))
            for begin in range(0, len(order), args.batch):
                chosen = order[begin:begin + args.batch]
                session.run(enqueue, dict(zip(arrays, batch([train[index] for index in chosen],
                                                            residuals[0][chosen] / scale))))
            losses = []
            for _ in range(0, len(order), args.batch):
                with cache.advance(session) as feed_dict:  # one dequeue, as many evaluations as the search needs
                    result = optimizer.minimize(session, feed_dict)
                evaluations += result.nfev
                losses.append(result.fun)
            print("epoch %d: mean loss after a batch's search %.4f" % (epoch + 1, np.mean(losses)))
        dequeues = cache.advances

        def predict(part, values):
            session.run(enqueue, dict(zip(arrays, batch(part, values / scale))))
            with cache.advance(session) as feed_dict:
                return session.run(predicted, feed_dict) * scale

        guesses = [predict(part, values) for part, values in zip((train, test), residuals)]
    print("%d dequeues, %d evaluations" % (dequeues, evaluations))
    for name, values, guess in zip(("trained on", "held out"), residuals, guesses):
        print("%-10s %3d molecules: mean absolute error %5.1f kcal/mol, the straight line's %5.1f"
              % (name, len(values), np.mean(np.abs(values - guess)), np.mean(np.abs(values))))
    if args.plot:
        plot(args.plot, *[(np.array([molecule[2] for molecule in part]),
                           np.array([molecule[2] for molecule in part]) - values + guess)
                          for part, values, guess in zip((train, test), residuals, guesses)])


if __name__ == "__main__":
    tf.disable_v2_behavior()
    main()
