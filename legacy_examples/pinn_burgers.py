"""Continuous-time inference of Burgers' equation by a physics-informed neural network, trained by L-BFGS-B.

    u_t + u u_x = (0.01 / pi) u_xx,    u(0, x) = -sin(pi x),    u(t, -1) = u(t, 1) = 0

Raissi, Perdikaris and Karniadakis (2017), "Physics Informed Deep Learning (Part I)", arXiv 1711.10561: 9 layers of 20
neurons, N_u = 100 points on the boundary, N_f = 10,000 inside. The exact solution is the Cole-Hopf integral.

    python pinn_burgers.py --quick                     # a minute
    python pinn_burgers.py --seed 3 --plot burgers.png
"""

import argparse
import time

import numpy as np
import tensorflow.compat.v1 as tf

import tf1grad

VISCOSITY = 0.01 / np.pi
PAPER = 6.7e-4
TIMES = (0.25, 0.5, 0.75)


def exact_solution(x, t, nodes=100):
    """u(t, x) by the Cole-Hopf integral, with Gauss-Hermite quadrature.

    u = -integral sin(pi y) exp(-cos(pi y) / (2 pi nu)) g dy / integral exp(-cos(pi y) / (2 pi nu)) g dy, with the heat
    kernel g = exp(-(x - y)^2 / (4 nu t)).

    Args:
        x: places, `[n]`.
        t: times, `[m]`.
        nodes: how many nodes the quadrature has.

    Returns:
        u, `[n, m]`.
    """
    z, weights = np.polynomial.hermite.hermgauss(nodes)
    y = x[:, None, None] - np.sqrt(4 * VISCOSITY * t)[None, :, None] * z
    exponent = -np.cos(np.pi * y) / (2 * np.pi * VISCOSITY)
    heat = weights * np.exp(exponent - exponent.max(axis=-1, keepdims=True))
    return -np.sum(np.sin(np.pi * y) * heat, axis=-1) / np.sum(heat, axis=-1)


def grid():
    """The 256 places and 100 times of the paper."""
    return np.linspace(-1, 1, 256), np.linspace(0, 0.99, 100)


def pairs(x, t):
    """All points (x, t) of a grid, `[n * m, 2]`, in the order of an array `[n, m]`."""
    return np.stack(np.meshgrid(x, t, indexing="ij"), axis=-1).reshape(-1, 2)


def latin_hypercube(count, seed):
    """`count` points (x, t) in [-1, 1] x [0, 0.99]."""
    try:
        from scipy.stats import qmc
        unit = qmc.LatinHypercube(2, seed=seed).random(count)
    except ImportError:  # SciPy before 1.7
        import pyDOE
        np.random.seed(seed)
        unit = pyDOE.lhs(2, count)
    return np.array([-1, 0]) + unit * np.array([2, 0.99])


def boundary_points(count, seed):
    """`count` of the grid's points on the initial and the two boundary lines, `[count, 2]`, and u there, `[count]`."""
    x, t = grid()
    points = np.concatenate([pairs(x, t[:1]), pairs(x[:1], t), pairs(x[-1:], t)])
    values = np.concatenate([-np.sin(np.pi * x), np.zeros(2 * len(t))])
    chosen = np.random.RandomState(seed).choice(len(points), count, replace=False)
    return points[chosen], values[chosen]


def initial_weights(depth, width, dtype, seed):
    """The variables of a network from (x, t) to u with `depth` hidden layers: weight and bias of each layer."""
    random = np.random.RandomState(seed)
    sizes = [2] + [width] * depth + [1]
    variables = []
    for index, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
        spread = np.sqrt(2.0 / (fan_in + fan_out))
        weight = np.clip(random.randn(fan_in, fan_out), -2, 2) * spread
        variables.append(tf.get_variable("w%d" % index, initializer=weight.astype(dtype)))
        variables.append(tf.get_variable("b%d" % index, initializer=np.zeros(fan_out, dtype)))
    return variables


def network(x, t, weights):
    """u, `[n, 1]`, at the places and times `[n, 1]`."""
    hidden = tf.concat([x, 2 * t / 0.99 - 1], axis=1)
    for weight, bias in zip(weights[0:-2:2], weights[1:-2:2]):
        hidden = tf.tanh(tf.matmul(hidden, weight) + bias)
    return tf.matmul(hidden, weights[-2]) + weights[-1]


def residual(x, t, u, speed=1.0, viscosity=VISCOSITY):
    """What is left of Burgers' equation: u_t + speed u u_x - viscosity u_xx."""
    u_x, u_t = tf.gradients(u, [x, t])
    u_xx, = tf.gradients(u_x, [x])
    return u_t + speed * u * u_x - viscosity * u_xx


def columns(points, dtype):
    """Constants x and t, `[n, 1]`, of points `[n, 2]`."""
    return tf.constant(points[:, :1].astype(dtype)), tf.constant(points[:, 1:].astype(dtype))


def train(args):
    """Trains a network; returns its solution on the grid, `[256, 100]`, SciPy's result and the seconds it took."""
    boundary, values = boundary_points(args.n_u, args.seed)
    inside = np.concatenate([latin_hypercube(args.n_f, args.seed), boundary])
    with tf.Graph().as_default():
        variables = initial_weights(args.depth, args.width, args.precision, args.seed)
        x_u, t_u = columns(boundary, args.precision)
        x_f, t_f = columns(inside, args.precision)
        u_exact = tf.constant(values[:, None].astype(args.precision))

        def loss(*weights):
            u = network(x_f, t_f, weights)
            return (tf.reduce_mean(tf.square(network(x_u, t_u, weights) - u_exact))
                    + tf.reduce_mean(tf.square(residual(x_f, t_f, u))))

        optimizer = tf1grad.ScipyOptimizerInterface(loss, variables, xla=args.xla, options={
            "maxiter": args.iterations, "maxfun": args.iterations, "maxcor": 50, "maxls": 50,
            "ftol": np.finfo(float).eps})
        predicted = network(*columns(pairs(*grid()), args.precision), weights=variables)
        config = tf.ConfigProto(intra_op_parallelism_threads=args.threads, inter_op_parallelism_threads=args.threads)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            began = time.time()
            result = optimizer.minimize(session, progress=tf1grad.print_progress(every=args.report))
            return session.run(predicted).reshape(256, 100), result, time.time() - began


def plot(path, predicted, exact):
    """Draws both solutions at three times into the file `path`."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    x, t = grid()
    figure, axes = pyplot.subplots(1, len(TIMES), figsize=(11, 3.5), sharey=True)
    for axis, time_ in zip(axes, TIMES):
        column = int(np.argmin(np.abs(t - time_)))
        axis.plot(x, exact[:, column], "b-", linewidth=2, label="exact")
        axis.plot(x, predicted[:, column], "r--", linewidth=2, label="network")
        axis.set(title="t = %.2f" % t[column], xlabel="x")
    axes[0].set_ylabel("u(t, x)")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n-u", type=int, default=100, help="points on the boundary")
    parser.add_argument("--n-f", type=int, default=10000, help="points inside")
    parser.add_argument("--depth", type=int, default=8, help="hidden layers")
    parser.add_argument("--width", type=int, default=20, help="neurons a hidden layer")
    parser.add_argument("--precision", choices=["float32", "float64"], default="float32")
    parser.add_argument("--iterations", type=int, default=50000, help="of L-BFGS-B, at most")
    parser.add_argument("--threads", type=int, default=0, help="of TensorFlow; 0 is all")
    parser.add_argument("--xla", action="store_true", help="compile the loss (TensorFlow 2)")
    parser.add_argument("--report", type=int, default=500, help="evaluations from one line to the next")
    parser.add_argument("--quick", action="store_true", help="2000 points inside and 1500 iterations")
    parser.add_argument("--plot", help="a file to draw the solution into")
    args = parser.parse_args()
    if args.quick:
        args.n_f, args.iterations = 2000, 1500
    return args


def main():
    args = arguments()
    exact = exact_solution(*grid())
    predicted, result, seconds = train(args)
    error = np.linalg.norm(predicted - exact) / np.linalg.norm(exact)
    print("seed %d: relative L2 error %.2e (the paper: %.1e); loss %.2e, %d iterations, %d evaluations, %.0f s"
          % (args.seed, error, PAPER, result.fun, result.nit, result.nfev, seconds))
    if args.plot:
        plot(args.plot, predicted, exact)


if __name__ == "__main__":
    tf.disable_v2_behavior()
    main()
