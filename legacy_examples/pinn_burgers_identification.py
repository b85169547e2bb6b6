"""Finds the coefficients of Burgers' equation from scattered values of its solution, by L-BFGS-B.

    u_t + lambda_1 u u_x = lambda_2 u_xx,    truth: lambda_1 = 1, lambda_2 = 0.01 / pi = 0.0031831

Reproduces the continuous-time model of Raissi, Perdikaris and Karniadakis (2017), "Physics Informed
Deep Learning (Part II)", arXiv 1711.10566: 2000 points, 9 layers of 20 neurons. lambda_2 is
positive, so its logarithm is learned.

    python legacy_examples/pinn_burgers_identification.py --quick     # 0.3 % and 3 %, 0.6 % and 4 %
    python legacy_examples/pinn_burgers_identification.py --runs 5    # five seeds

Ctrl-C stops the search of a run at the best point so far, and plots it.
"""

import sys

import numpy as np

import common
from burgers import VISCOSITY, add_arguments, draw, exact_solution, grid, pairs

# Errors in per cent of lambda_1 and lambda_2 by noise, from the paper's tables: one run each, 2000
# points.
PAPER = {0.0: (0.141, 1.902), 1.0: (0.039, 0.008)}


def parse(argv=None):
    parser = common.parser(__doc__, "pinn_burgers_identification.png")
    parser.add_argument(
        "--noise",
        type=common.percentage,
        nargs="+",
        default=[0.0, 1.0],
        metavar="PERCENT",
        help="noise in per cent of the values' standard deviation (default: 0 1)",
    )
    parser.add_argument(
        "--points",
        type=common.count,
        default=2000,
        help="number of values of the solution (default: 2000)",
    )
    add_arguments(parser, quick="1500 iterations: far from converged")
    args = common.parse(parser, argv)
    if args.points > 25600:
        parser.error(f"argument --points: the grid has 25600; got {args.points}")
    if args.quick:
        args.iterations = 1500
    return args


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()

with common.quiet():
    import tensorflow.compat.v1 as tf

from pinn_burgers import columns, initial_weights, network, residual, search  # noqa: E402


def observations(count, noise, seed):
    """Returns `count` grid points (x, t), `[count, 2]`, and noisy u there;
    `noise` is a share of u's deviation.
    """
    random = np.random.RandomState(seed)
    values = exact_solution(*grid()).ravel()
    chosen = random.choice(len(values), count, replace=False)
    return pairs(*grid())[chosen], values[chosen] + noise * values.std() * random.randn(count)


def identify(args, noise, seed):
    """Trains a network and both coefficients; returns a `Trained` with these and
    the solution `[256, 100]`.
    """
    points, values = observations(args.points, noise / 100, seed)
    with tf.Graph().as_default():
        weights = initial_weights(args.depth, args.width, args.precision, seed)
        lambda_1 = tf.get_variable("lambda_1", initializer=np.zeros([], args.precision))
        log_lambda_2 = tf.get_variable(
            "log_lambda_2", initializer=np.full([], -6.0, args.precision)
        )
        x, t = columns(points, args.precision)
        u_exact = tf.constant(values[:, None].astype(args.precision))

        def loss(speed, log_viscosity, *weights):
            u = network(x, t, weights)
            left = residual(x, t, u, speed, tf.exp(log_viscosity))
            return tf.reduce_mean(tf.square(u - u_exact)) + tf.reduce_mean(tf.square(left))

        predicted = tf.reshape(
            network(*columns(pairs(*grid()), args.precision), weights=weights), [256, 100]
        )
        return search(
            loss,
            [lambda_1, log_lambda_2] + weights,
            [lambda_1, tf.exp(log_lambda_2), predicted],
            f"{noise:g} % noise, seed {seed}",
            args,
        )


def main(args):
    tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
    tf.disable_v2_behavior()
    drawn = False
    for noise in args.noise:
        errors = []
        for seed in range(args.seed, args.seed + args.runs):
            trained = identify(args, noise, seed)
            lambda_1, lambda_2, predicted = trained.values
            errors.append((100 * abs(lambda_1 - 1), 100 * abs(lambda_2 / VISCOSITY - 1)))
            print(
                f"{noise:g} % noise, seed {seed}: lambda_1 = {lambda_1:.5f} (off by {errors[-1][0]:.3f} %), "
                f"lambda_2 = {lambda_2:.7f} (off by {errors[-1][1]:.3f} %); {trained.iterations} iterations, "
                f"{trained.evaluations} evaluations, {trained.seconds:.0f} s; ended by {trained.ended}",
                flush=True,
            )
            if args.output and not drawn:
                drawn = True
                title = (
                    f"{noise:g} % noise, {trained.iterations} iterations: u_t + {lambda_1:.4f} u u_x = "
                    f"{lambda_2:.6f} u_xx  (truth: 1, {VISCOSITY:.6f})"
                )
                draw(args.output, title, predicted, exact_solution(*grid()))
            if trained.interrupted:
                return common.INTERRUPTED
        if args.runs > 1:
            for name, values in zip(("lambda_1", "lambda_2"), zip(*errors)):
                print(
                    f"{noise:g} % noise: {name} off by % of {args.runs} runs: {common.spread(values)}"
                )
        if noise in PAPER:
            one, other = PAPER[noise]
            print(
                f"the paper, one run with {noise:g} % noise: off by {one:.3f} % and {other:.3f} %"
            )


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
