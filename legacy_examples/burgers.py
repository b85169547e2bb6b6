"""Burgers' equation without TensorFlow: its exact solution, the points of the paper,
the options and the plot.
"""

import numpy as np

import common

VISCOSITY = 0.01 / np.pi
TIMES = (0.25, 0.5, 0.75)


def exact_solution(x, t, nodes=100):
    """Computes u(t, x) by the Cole-Hopf integral, with Gauss-Hermite quadrature.

    u = -integral sin(pi y) exp(-cos(pi y) / (2 pi nu)) g dy / integral exp(-cos(pi y) / (2 pi nu))
    g dy, with the heat kernel g = exp(-(x - y)^2 / (4 nu t)).

    Args:
        x: places, `[n]`.
        t: times, `[m]`.
        nodes: the number of nodes of the quadrature.

    Returns:
        u, `[n, m]`.
    """
    z, weights = np.polynomial.hermite.hermgauss(nodes)
    y = x[:, None, None] - np.sqrt(4 * VISCOSITY * t)[None, :, None] * z
    exponent = -np.cos(np.pi * y) / (2 * np.pi * VISCOSITY)
    heat = weights * np.exp(exponent - exponent.max(axis=-1, keepdims=True))
    return -np.sum(np.sin(np.pi * y) * heat, axis=-1) / np.sum(heat, axis=-1)


def grid():
    """Returns the 256 places and 100 times of the paper."""
    return np.linspace(-1, 1, 256), np.linspace(0, 0.99, 100)


def pairs(x, t):
    """Returns all points (x, t) of a grid, `[n * m, 2]`, in the order of an array `[n, m]`."""
    return np.stack(np.meshgrid(x, t, indexing="ij"), axis=-1).reshape(-1, 2)


def boundary():
    """Returns the grid's points on the initial and the two boundary lines, `[456, 2]`."""
    x, t = grid()
    return np.concatenate([pairs(x, t[:1]), pairs(x[:1], t), pairs(x[-1:], t)])


BOUNDARY = boundary()


def boundary_points(count, seed):
    """Returns `count` points of the boundary, `[count, 2]`, and u there, `[count]`."""
    values = np.where(BOUNDARY[:, 1] == 0, -np.sin(np.pi * BOUNDARY[:, 0]), 0)
    chosen = np.random.RandomState(seed).choice(len(BOUNDARY), count, replace=False)
    return BOUNDARY[chosen], values[chosen]


def latin_hypercube(count, seed):
    """Returns `count` points (x, t) in [-1, 1] x [0, 0.99]."""
    try:
        from scipy.stats import qmc

        unit = qmc.LatinHypercube(2, seed=seed).random(count)
    except ImportError:  # SciPy before 1.7
        import pyDOE

        np.random.seed(seed)
        unit = pyDOE.lhs(2, count)
    return np.array([-1, 0]) + unit * np.array([2, 0.99])


def truncated_normal(random, shape):
    """Draws standard normal values, and redraws those further than 2 from 0, as
    `tf.truncated_normal` does.
    """
    values = random.randn(*shape)
    while np.any(np.abs(values) > 2):
        values = np.where(np.abs(values) > 2, random.randn(*shape), values)
    return values


def add_arguments(parser, quick):
    """Adds the options of the runs, of the network and of the search that trains it."""
    parser.add_argument(
        "--seed", type=common.natural, default=0, help="seed of the first run (default: 0)"
    )
    parser.add_argument(
        "--runs",
        type=common.count,
        default=1,
        help="number of runs, each with its seed (default: 1)",
    )
    parser.add_argument(
        "--depth", type=common.count, default=8, help="number of hidden layers (default: 8)"
    )
    parser.add_argument(
        "--width", type=common.count, default=20, help="neurons per hidden layer (default: 20)"
    )
    parser.add_argument("--precision", choices=["float32", "float64"], default="float32")
    parser.add_argument(
        "--iterations",
        type=common.count,
        default=50000,
        help="maximum for L-BFGS-B (default: 50000)",
    )
    parser.add_argument(
        "--threads", type=common.natural, default=0, help="threads of TensorFlow (default: 0, all)"
    )
    parser.add_argument("--xla", action="store_true", help="compile the loss (TensorFlow 2)")
    parser.add_argument("--quick", action="store_true", help=quick)


def draw(path, title, predicted, exact):
    """Plots both solutions at three times into the file `path`."""
    x, t = grid()
    figure, axes = common.subplots(1, len(TIMES), figsize=(11, 3.8), sharey=True)
    for axis, time_ in zip(axes, TIMES):
        column = int(np.argmin(np.abs(t - time_)))
        axis.plot(x, exact[:, column], "b-", linewidth=2, label="exact")
        axis.plot(x, predicted[:, column], "r--", linewidth=2, label="network")
        axis.set(title=f"t = {t[column]:.2f}", xlabel="x")
    axes[0].set_ylabel("u(t, x)")
    axes[0].legend()
    figure.suptitle(title)
    common.save(figure, path)
