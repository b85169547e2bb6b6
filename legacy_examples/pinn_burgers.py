"""Solves Burgers' equation with a continuous-time physics-informed neural network,
trained by L-BFGS-B.

    u_t + u u_x = (0.01 / pi) u_xx,    u(0, x) = -sin(pi x),    u(t, -1) = u(t, 1) = 0

Reproduces Raissi, Perdikaris and Karniadakis (2017), "Physics Informed Deep Learning (Part I)",
arXiv 1711.10561: 9 layers of 20 neurons, N_u = 100 points on the boundary, N_f = 10,000 inside. The
exact solution is the Cole-Hopf integral.

    python legacy_examples/pinn_burgers.py --quick         # a minute: an error of 0.1
    python legacy_examples/pinn_burgers.py --xla           # two to three minutes: 2e-3
    python legacy_examples/pinn_burgers.py --runs 5        # five seeds: median and range

Ctrl-C stops the search of a run at the best point so far, and plots it.
"""

import collections
import sys
import time

import numpy as np

import common
from burgers import (
    BOUNDARY,
    VISCOSITY,
    add_arguments,
    boundary_points,
    draw,
    exact_solution,
    grid,
    latin_hypercube,
    pairs,
    truncated_normal,
)

PAPER = 6.7e-4


def parse(argv=None):
    parser = common.parser(__doc__, "pinn_burgers.png")
    parser.add_argument(
        "--n-u",
        type=common.count,
        default=100,
        help="number of points on the boundary (default: 100)",
    )
    parser.add_argument(
        "--n-f", type=common.count, default=10000, help="number of points inside (default: 10000)"
    )
    add_arguments(parser, quick="2000 points inside and 1500 iterations: far from converged")
    args = common.parse(parser, argv)
    if args.n_u > len(BOUNDARY):
        parser.error(
            f"argument --n-u: the grid has {len(BOUNDARY)} points on the boundary; got {args.n_u}"
        )
    if args.quick:
        args.n_f, args.iterations = 2000, 1500
    return args


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()

with common.quiet():
    import tensorflow.compat.v1 as tf

import tf1grad  # noqa: E402


def initial_weights(depth, width, dtype, seed):
    """Returns weight and bias of each layer of a network from (x,
    t) to u with `depth` hidden layers.
    """
    random = np.random.RandomState(seed)
    sizes = [2] + [width] * depth + [1]
    variables = []
    for index, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
        weight = truncated_normal(random, [fan_in, fan_out]) * np.sqrt(2.0 / (fan_in + fan_out))
        variables.append(tf.get_variable(f"w{index}", initializer=weight.astype(dtype)))
        variables.append(tf.get_variable(f"b{index}", initializer=np.zeros(fan_out, dtype)))
    return variables


def network(x, t, weights):
    """Computes u, `[n, 1]`, at the places and times `[n, 1]`."""
    hidden = tf.concat([x, 2 * t / 0.99 - 1], axis=1)
    for weight, bias in zip(weights[0:-2:2], weights[1:-2:2]):
        hidden = tf.tanh(tf.matmul(hidden, weight) + bias)
    return tf.matmul(hidden, weights[-2]) + weights[-1]


def residual(x, t, u, speed=1.0, viscosity=VISCOSITY):
    """Computes the residual of Burgers' equation: u_t + speed u u_x - viscosity u_xx."""
    u_x, u_t = tf.gradients(u, [x, t])
    (u_xx,) = tf.gradients(u_x, [x])
    return u_t + speed * u * u_x - viscosity * u_xx


def columns(points, dtype):
    """Returns constants x and t, `[n, 1]`, of points `[n, 2]`."""
    return tf.constant(points[:, :1].astype(dtype)), tf.constant(points[:, 1:].astype(dtype))


Trained = collections.namedtuple(
    "Trained", "values loss iterations evaluations seconds ended interrupted"
)
Trained.__doc__ = (
    "The requested values at the end of a search, its cost, and SciPy's message about its end."
)


def search(loss, variables, values, title, args):
    """Minimizes `loss`, a function of the variables, by L-BFGS-B with the paper's options;
    returns a `Trained`.
    """
    optimizer = tf1grad.ScipyOptimizerInterface(
        loss,
        variables,
        xla=args.xla,
        options={
            "maxiter": args.iterations,
            "maxfun": args.iterations,
            "maxcor": 50,
            "maxls": 50,
            "ftol": np.finfo(float).eps,
        },
    )
    config = tf.ConfigProto(
        intra_op_parallelism_threads=args.threads, inter_op_parallelism_threads=args.threads
    )
    seen = {"iterations": 0, "evaluations": 0, "loss": np.inf}

    def step(vector):
        seen["iterations"] += 1

    with tf.Session(config=config) as session, common.Progress() as progress:

        def report(now):
            seen.update(evaluations=now.evaluations, loss=min(seen["loss"], now.loss))
            progress.show(
                f"{title}: iteration {seen['iterations']} of at most {args.iterations}, loss "
                f"{seen['loss']:.2e}"
            )

        session.run(tf.global_variables_initializer())
        began = time.time()
        # An interrupted search leaves the variables at its best point.
        with common.Interruptible() as work:
            result = optimizer.minimize(session, step_callback=step, progress=report)
        return Trained(
            session.run(values),
            seen["loss"],
            seen["iterations"],
            seen["evaluations"],
            time.time() - began,
            "Ctrl-C" if work.interrupted else message(result),
            work.interrupted,
        )


def message(result):
    """Returns SciPy's message as text; before SciPy 1.6 it is bytes."""
    return result.message.decode() if isinstance(result.message, bytes) else result.message


def train(args, seed):
    """Trains a network; the returned values are its solution on the grid, `[256, 100]`."""
    points, values = boundary_points(args.n_u, seed)
    # The whole boundary, as in the paper's code.
    inside = np.concatenate([latin_hypercube(args.n_f, seed), BOUNDARY])
    with tf.Graph().as_default():
        variables = initial_weights(args.depth, args.width, args.precision, seed)
        x_u, t_u = columns(points, args.precision)
        x_f, t_f = columns(inside, args.precision)
        u_exact = tf.constant(values[:, None].astype(args.precision))

        def loss(*weights):
            u = network(x_f, t_f, weights)
            return tf.reduce_mean(tf.square(network(x_u, t_u, weights) - u_exact)) + tf.reduce_mean(
                tf.square(residual(x_f, t_f, u))
            )

        predicted = tf.reshape(
            network(*columns(pairs(*grid()), args.precision), weights=variables), [256, 100]
        )
        return search(loss, variables, predicted, f"seed {seed}", args)


def main(args):
    tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
    tf.disable_v2_behavior()
    exact, errors = exact_solution(*grid()), []
    for seed in range(args.seed, args.seed + args.runs):
        trained = train(args, seed)
        errors.append(np.linalg.norm(trained.values - exact) / np.linalg.norm(exact))
        print(
            f"seed {seed}: relative L2 error {errors[-1]:.2e}; loss {trained.loss:.2e}, {trained.iterations} "
            f"iterations, {trained.evaluations} evaluations, {trained.seconds:.0f} s; ended by {trained.ended}",
            flush=True,
        )
        if args.output and len(errors) == 1:
            title = (
                f"Burgers' equation, seed {seed} after {trained.iterations} iterations: relative L2 error "
                f"{errors[0]:.1e}"
            )
            draw(args.output, title, trained.values, exact)
        if trained.interrupted:
            return common.INTERRUPTED
    if args.runs > 1:
        print(f"relative L2 error of {args.runs} runs: {common.spread(errors, '%.1e')}")
    print(
        f"the paper, one run: {PAPER:.1e}"
        + ("; --quick stops far from there" if args.quick else "")
    )


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
