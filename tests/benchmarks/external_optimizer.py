"""Measures whole L-BFGS-B searches of 50 iterations on TensorFlow 1:
ours as a ratio to `tf.contrib.opt`'s.

    python tests/benchmarks/external_optimizer.py [--rounds 15]

The function is Rosenbrock's in 1000 dimensions; all start at the same point, in turn, in one
process. Ours have the loss as a graph that exists, and as a function. CPU times; the ends are
compared too.
"""

import argparse
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.contrib.opt import ScipyOptimizerInterface as ContribOptimizer

from tf1grad.recipes.external.scipy_interface import ScipyOptimizerInterface


def rosenbrock(v):
    return tf.reduce_sum(100 * tf.square(v[1:] - tf.square(v[:-1])) + tf.square(1 - v[:-1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    variable = tf.get_variable("v", initializer=np.linspace(-1, 1, 1000).astype(np.float32))
    given = {"var_list": [variable], "options": {"maxiter": 50}}
    loss = rosenbrock(variable)
    rows = {
        "tf.contrib.opt": ContribOptimizer(loss, **given),
        "existing graph": ScipyOptimizerInterface(loss, **given),
        "function": ScipyOptimizerInterface(rosenbrock, **given),
    }
    seconds, ends = {label: [] for label in rows}, {}
    initialize = tf.global_variables_initializer()
    with tf.Session() as session:
        for _ in range(arguments.rounds):
            for label, optimizer in rows.items():
                session.run(initialize)
                began = time.process_time()
                optimizer.minimize(session)
                seconds[label].append(time.process_time() - began)
                ends[label] = session.run(variable)
    contrib = np.array(seconds["tf.contrib.opt"])
    print(f"TensorFlow {tf.__version__}: ratio to contrib's {np.median(contrib) * 1e3:.0f} ms")
    for label in rows:
        print(
            f"{label:<18} {np.median(np.array(seconds[label]) / contrib):6.2f}   end differs by "
            f"{np.max(np.abs(ends[label] - ends['tf.contrib.opt'])):.0e}"
        )


if __name__ == "__main__":
    main()
