"""Finds the coefficients of Burgers' equation from scattered values of its solution, by L-BFGS-B.

    u_t + lambda_1 u u_x = lambda_2 u_xx,    truth: lambda_1 = 1, lambda_2 = 0.01 / pi = 0.0031831

Raissi, Perdikaris and Karniadakis (2017), "Physics Informed Deep Learning (Part II)", arXiv 1711.10566: the
continuous-time model, 2000 points, 9 layers of 20 neurons. lambda_2 is positive, so its logarithm is learned.

    python pinn_burgers_identification.py --quick
    python pinn_burgers_identification.py --plot identified.png
"""

import argparse
import time

import numpy as np
import tensorflow.compat.v1 as tf

from pinn_burgers import VISCOSITY, columns, exact_solution, grid, initial_weights, network, pairs, plot, residual
import tf1grad

PAPER = "the paper's table, clean data, 8 hidden layers of 20: 0.141 % and 1.902 %"


def observations(count, noise, seed):
    """`count` of the grid's points (x, t), `[count, 2]`, and u there with noise, a share of its standard deviation."""
    random = np.random.RandomState(seed)
    values = exact_solution(*grid()).ravel()
    chosen = random.choice(len(values), count, replace=False)
    return pairs(*grid())[chosen], values[chosen] + noise * values.std() * random.randn(count)


def identify(args, noise):
    """Trains a network and both coefficients; returns them, the solution `[256, 100]` and SciPy's result."""
    points, values = observations(args.points, noise, args.seed)
    with tf.Graph().as_default():
        weights = initial_weights(args.depth, args.width, args.precision, args.seed)
        lambda_1 = tf.get_variable("lambda_1", initializer=np.zeros([], args.precision))
        log_lambda_2 = tf.get_variable("log_lambda_2", initializer=np.full([], -6.0, args.precision))
        x, t = columns(points, args.precision)
        u_exact = tf.constant(values[:, None].astype(args.precision))

        def loss(speed, log_viscosity, *weights):
            u = network(x, t, weights)
            left = residual(x, t, u, speed, tf.exp(log_viscosity))
            return tf.reduce_mean(tf.square(u - u_exact)) + tf.reduce_mean(tf.square(left))

        optimizer = tf1grad.ScipyOptimizerInterface(loss, [lambda_1, log_lambda_2] + weights, xla=args.xla, options={
            "maxiter": args.iterations, "maxfun": args.iterations, "maxcor": 50, "maxls": 50,
            "ftol": np.finfo(float).eps})
        predicted = network(*columns(pairs(*grid()), args.precision), weights=weights)
        config = tf.ConfigProto(intra_op_parallelism_threads=args.threads, inter_op_parallelism_threads=args.threads)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            result = optimizer.minimize(session, progress=tf1grad.print_progress(every=args.report))
            return session.run([lambda_1, tf.exp(log_lambda_2), tf.reshape(predicted, [256, 100])]) + [result]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--points", type=int, default=2000)
    parser.add_argument("--depth", type=int, default=8, help="hidden layers")
    parser.add_argument("--width", type=int, default=20, help="neurons a hidden layer")
    parser.add_argument("--precision", choices=["float32", "float64"], default="float32")
    parser.add_argument("--iterations", type=int, default=50000, help="of L-BFGS-B, at most")
    parser.add_argument("--threads", type=int, default=0, help="of TensorFlow; 0 is all")
    parser.add_argument("--xla", action="store_true", help="compile the loss (TensorFlow 2)")
    parser.add_argument("--report", type=int, default=500, help="evaluations from one line to the next")
    parser.add_argument("--quick", action="store_true", help="1500 iterations")
    parser.add_argument("--plot", help="a file to draw the solution from clean data into")
    args = parser.parse_args()
    if args.quick:
        args.iterations = 1500
    return args


def main():
    args = arguments()
    for noise in (0.0, 0.01):
        began = time.time()
        lambda_1, lambda_2, predicted, result = identify(args, noise)
        print("%.0f %% noise: lambda_1 = %.5f (off by %.3f %%), lambda_2 = %.7f (off by %.3f %%); %d iterations, "
              "%d evaluations, %.0f s" % (100 * noise, lambda_1, 100 * abs(lambda_1 - 1), lambda_2,
                                          100 * abs(lambda_2 / VISCOSITY - 1), result.nit, result.nfev,
                                          time.time() - began), flush=True)
        if args.plot and not noise:
            plot(args.plot, predicted, exact_solution(*grid()))
    print(PAPER)


if __name__ == "__main__":
    tf.disable_v2_behavior()
    main()
