"""Factorises the digits images by alternating least squares: two players, each with its `var_list`, the other frozen.

    python legacy_examples/freeze_matrix_factorization.py [--rank 8] [--rounds 60] [--output PNG]

Images are the rows of a matrix R `[1797, 64]`, approximated by U V^T. Both players minimise the same loss,

    (|R - U V^T|^2 + weight (|U|^2 + |V|^2)) / 2,

each over its own factor. That is quadratic in one factor, so a gradient step of length 1 along the gradient times the
inverse of the Hessian solves it: the transform does that, and plain SGD applies it. The global optimum is known in
closed form: the singular values of R, each reduced by the weight. The script fails unless the loss falls in every half
step, each half step equals NumPy's least squares, and the end is the optimum.
"""

import argparse
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import matplotlib
import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.datasets import load_digits

import tf1grad

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402, the backend comes first

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

TOLERANCE = 1e-8  # of the loss, relative, in float64


def optimum(ratings, rank, weight):
    """The least loss that any U and V of this rank reach."""
    singular = np.linalg.svd(ratings, compute_uv=False)
    kept = np.maximum(singular[:rank] - weight, 0)
    return np.sum((singular[:rank] - kept) ** 2) / 2 + np.sum(singular[rank:] ** 2) / 2 + weight * np.sum(kept)


def least_squares(ratings, fixed, weight):
    """The best U for a fixed V, by NumPy."""
    return np.linalg.solve(fixed.T.dot(fixed) + weight * np.eye(fixed.shape[1]), fixed.T.dot(ratings.T)).T


def build(ratings, rank, weight):
    """The factors, the loss, and the players."""
    random = np.random.RandomState(0)
    factors = {name: tf.get_variable("%s/factor" % name, initializer=random.randn(size, rank))
               for name, size in zip(("images", "pixels"), ratings.shape)}
    error = ratings - tf.matmul(factors["images"], factors["pixels"], transpose_b=True)
    size = tf.reduce_sum(tf.square(factors["images"])) + tf.reduce_sum(tf.square(factors["pixels"]))
    loss = (tf.reduce_sum(tf.square(error)) + weight * size) / 2

    def newton(grads_and_vars):
        (gradient, variable), = grads_and_vars
        other = factors["pixels" if variable.op.name == "images/factor" else "images"]
        hessian = tf.matmul(other, other, transpose_a=True) + weight * tf.eye(rank, dtype=tf.float64)
        return [(tf.transpose(tf.linalg.solve(hessian, tf.transpose(gradient))), variable)]

    players = tf1grad.alternate({name: (loss, name) for name in factors},
                                lambda: tf.train.GradientDescentOptimizer(1.0), transform=newton)
    return factors, loss, players


def alternate(ratings, rank, weight, rounds):
    """The loss after each half step, and the largest difference of a half step from NumPy's."""
    with tf.Graph().as_default(), tf.Session() as session:
        factors, loss, players = build(ratings, rank, weight)
        session.run(tf.global_variables_initializer())
        losses, worst = [session.run(loss)], 0
        for _ in range(rounds):
            for player in players.order:
                other = session.run(factors["pixels" if player == "images" else "images"])
                expected = least_squares(ratings if player == "images" else ratings.T, other, weight)
                session.run(players.train_ops[player])
                mine, frozen, value = session.run([factors[player],
                                                   factors["pixels" if player == "images" else "images"], loss])
                if not np.array_equal(frozen, other):
                    sys.exit("the frozen factor moved in a step of %s" % player)
                worst = max(worst, np.max(np.abs(mine - expected)))
                losses.append(value)
    return np.array(losses), worst


def draw(losses, best, path):
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    gaps = np.maximum(losses / best - 1, 1e-16)
    steps = np.arange(len(losses))
    axes.semilogy(steps, gaps, color="gray", linewidth=1)
    axes.semilogy(steps[1::2], gaps[1::2], "o", markersize=3, label="after a step of the images")
    axes.semilogy(steps[2::2], gaps[2::2], "s", markersize=3, label="after a step of the pixels")
    axes.set(xlabel="half step", ylabel="loss / closed-form optimum - 1", title="Alternating least squares")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--weight", type=float, default=100.0)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--output", default="freeze_matrix_factorization.png", metavar="PNG")
    arguments = parser.parse_args()
    ratings = load_digits().data
    losses, worst = alternate(ratings, arguments.rank, arguments.weight, arguments.rounds)
    best = optimum(ratings, arguments.rank, arguments.weight)
    draw(losses, best, arguments.output)
    print("TensorFlow %s: loss %.6f after %d rounds; the optimum is %.6f; relative gap %.1e"
          % (tf.__version__, losses[-1], arguments.rounds, best, losses[-1] / best - 1))
    print("largest difference of a half step from NumPy's least squares: %.1e\nthe curve is in %s"
          % (worst, arguments.output))
    if np.any(np.diff(losses) > TOLERANCE * losses[1:]):
        sys.exit("the loss rose in a half step")
    if worst > 1e-8 or losses[-1] / best - 1 > TOLERANCE:
        sys.exit("that is not the optimum")


if __name__ == "__main__":
    main()
