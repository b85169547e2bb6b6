"""Factorises the digits images by alternating least squares:
each player trains its `var_list` and freezes the other.

    python legacy_examples/freeze_matrix_factorization.py       # seconds

Images are the rows of a matrix R `[1797, 64]`, approximated by U V^T. Both players minimise the
same loss,

    (|R - U V^T|^2 + weight (|U|^2 + |V|^2)) / 2,

each over its own factor. The loss is quadratic in one factor, so a gradient step of length 1 along
the gradient times the inverse of the Hessian minimises it. The transform computes this product, and
plain SGD applies it. The global optimum is known in closed form: the singular values of R, each
reduced by the weight. The script fails unless the loss falls in every half step, each half step
equals NumPy's least squares, and the last loss is the optimum. Ctrl-C stops the script, and plots
the results so far.
"""

import sys

import numpy as np

import common


def parse(argv=None):
    parser = common.parser(__doc__, "freeze_matrix_factorization.png")
    parser.add_argument(
        "--rank", type=common.count, default=8, help="rank of U and V, at most 64 (default: 8)"
    )
    parser.add_argument(
        "--weight",
        type=common.positive,
        default=100.0,
        help="weight of the factors' size (default: 100)",
    )
    parser.add_argument(
        "--rounds",
        type=common.count,
        default=60,
        help="number of rounds, with one step of each player (default: 60)",
    )
    arguments = common.parse(parser, argv)
    if arguments.rank > 64:
        parser.error(f"argument --rank: the images have 64 pixels; got {arguments.rank}")
    return arguments


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()
    common.require("sklearn")

with common.quiet():
    import tensorflow.compat.v1 as tf

import tf1grad  # noqa: E402

TOLERANCE = 1e-8  # of the loss, relative, in float64


def optimum(ratings, rank, weight):
    """Returns the smallest loss that any U and V of this rank reach."""
    singular = np.linalg.svd(ratings, compute_uv=False)
    kept = np.maximum(singular[:rank] - weight, 0)
    return (
        np.sum((singular[:rank] - kept) ** 2) / 2
        + np.sum(singular[rank:] ** 2) / 2
        + weight * np.sum(kept)
    )


def least_squares(ratings, fixed, weight):
    """Computes the best U for a fixed V with NumPy."""
    return np.linalg.solve(
        fixed.T.dot(fixed) + weight * np.eye(fixed.shape[1]), fixed.T.dot(ratings.T)
    ).T


def build(ratings, rank, weight):
    """Builds the factors, the loss and the players."""
    random = np.random.RandomState(0)
    factors = {
        name: tf.get_variable(f"{name}/factor", initializer=random.randn(size, rank))
        for name, size in zip(("images", "pixels"), ratings.shape)
    }
    error = ratings - tf.matmul(factors["images"], factors["pixels"], transpose_b=True)
    size = tf.reduce_sum(tf.square(factors["images"])) + tf.reduce_sum(tf.square(factors["pixels"]))
    loss = (tf.reduce_sum(tf.square(error)) + weight * size) / 2

    def newton(grads_and_vars):
        ((gradient, variable),) = grads_and_vars
        other = factors["pixels" if variable.op.name == "images/factor" else "images"]
        hessian = tf.matmul(other, other, transpose_a=True) + weight * tf.eye(
            rank, dtype=tf.float64
        )
        return [(tf.transpose(tf.linalg.solve(hessian, tf.transpose(gradient))), variable)]

    players = tf1grad.alternate(
        {name: (loss, name) for name in factors},
        lambda: tf.train.GradientDescentOptimizer(1.0),
        transform=newton,
    )
    return factors, loss, players


def read_ratings():
    """Returns the digits images as rows of pixels, `[1797, 64]`."""
    from sklearn.datasets import load_digits

    return load_digits().data


def alternate(ratings, arguments, losses, differences):
    """Appends each half step's loss to `losses`,
    and its difference from NumPy's to `differences`.
    """
    with tf.Graph().as_default(), tf.Session() as session, common.Progress() as progress:
        factors, loss, players = build(ratings, arguments.rank, arguments.weight)
        session.run(tf.global_variables_initializer())
        losses.append(session.run(loss))
        for number in range(1, arguments.rounds + 1):
            for player in players.order:
                other = factors["pixels" if player == "images" else "images"]
                before = session.run(other)
                expected = least_squares(
                    ratings if player == "images" else ratings.T, before, arguments.weight
                )
                session.run(players.train_ops[player])
                mine, frozen, value = session.run([factors[player], other, loss])
                if not np.array_equal(frozen, before):
                    sys.exit(f"the frozen factor moved in a step of {player}")
                differences.append(np.max(np.abs(mine - expected)))
                losses.append(value)
            progress.show(
                f"round {number} of {arguments.rounds}, loss {losses[-1]:.6f}",
                number / arguments.rounds,
            )


def draw(losses, best, path):
    figure, axes = common.subplots(figsize=(7, 4.5))
    gaps = np.maximum(np.array(losses) / best - 1, 1e-16)
    steps = np.arange(len(losses))
    axes.semilogy(steps, gaps, color="gray", linewidth=1, label="from half step to half step")
    axes.semilogy(steps[1::2], gaps[1::2], "o", markersize=3, label="after a step of the images")
    axes.semilogy(steps[2::2], gaps[2::2], "s", markersize=3, label="after a step of the pixels")
    axes.set(
        xlabel="half step",
        ylabel="loss / closed-form optimum - 1",
        title="Alternating least squares",
    )
    axes.legend()
    common.save(figure, path)


def main(arguments):
    tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
    tf.disable_v2_behavior()
    ratings, losses, differences = read_ratings(), [], []
    with common.Interruptible() as work:
        alternate(ratings, arguments, losses, differences)
    if not differences:
        return common.INTERRUPTED
    best = optimum(ratings, arguments.rank, arguments.weight)
    print(
        f"loss {losses[-1]:.6f} after {len(differences)} half steps; the optimum is {best:.6f}; relative gap "
        f"{losses[-1] / best - 1:.1e}"
    )
    print(f"largest difference of a half step from NumPy's least squares: {max(differences):.1e}")
    if arguments.output:
        draw(losses, best, arguments.output)
    if work.interrupted:
        return common.INTERRUPTED
    if np.any(np.diff(losses) > TOLERANCE * np.array(losses[1:])):
        return "the loss rose in a half step"
    if max(differences) > 1e-8 or losses[-1] / best - 1 > TOLERANCE:
        return "that is not the optimum"
    return None


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
