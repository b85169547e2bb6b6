"""Measures the cost of loss and gradient to an external optimizer, as ratios to a prepared run at fixed variables.

    python tests/benchmarks/external_optimizer.py [--rounds 15] [--problems rosenbrock burgers quadratic]

All rows run interleaved in one process. The floor is one prepared callable that returns loss and flat gradient and
moves nothing. `floor, copies` adds what no evaluation can avoid: SciPy's float64 vector becomes the variables' float32,
and the gradient becomes float64, both in memory that was used before. `floor, copies, assignment` also runs the op that
assigns the variables, which an existing graph needs. The other rows move to another point each time: ours on an
existing loss graph, ours with the loss as a function, that one compiled by XLA (TensorFlow 2), and `tf.contrib.opt`
(TensorFlow 1, ref variables: on resource variables it evaluates at the wrong point). CPU times, with quartiles. `error`
is the largest relative difference of loss or gradient from the floor's at the same point. `L-BFGS-B run` is a whole
search of 50 iterations, as a ratio to contrib's.
"""

import argparse
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

from harness import Measured, ratios, spread
from tf1grad.external.flat import FlatVariables
from tf1grad.external.scipy_interface import ScipyOptimizerInterface
from tf1grad.sessions.memory import aligned_empty
from tf1grad.sessions.prepared import PreparedRun

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "legacy_examples"))

import pinn_burgers

TF_1 = tf.__version__.startswith("1.")


def rosenbrock():
    """1000 dimensions."""
    v = tf.get_variable("v", initializer=np.linspace(-1, 1, 1000).astype(np.float32))

    def loss(v):
        return tf.reduce_sum(100 * tf.square(v[1:] - tf.square(v[:-1])) + tf.square(1 - v[:-1]))

    return loss, [v], 20 * 1000, 200


def quadratic():
    """10 million dimensions."""
    v = tf.Variable(tf.ones([10000000]))
    return lambda v: tf.reduce_sum(tf.square(v - 3.0)), [v], 4 * 10000000, 1


def burgers():
    """Builds the network of the example at 10,000 points; its second derivatives are most of the work."""
    points = pinn_burgers.latin_hypercube(10000, 0)
    variables = pinn_burgers.initial_weights(8, 20, "float32", 0)
    x, t = pinn_burgers.columns(points, "float32")

    def loss(*weights):
        return tf.reduce_mean(tf.square(pinn_burgers.residual(x, t, pinn_burgers.network(x, t, weights))))

    products = 10000 * (2 * 20 + 7 * 20 * 20 + 20)
    return loss, variables, 2 * products * 12, 1  # about twelve passes of matrix products in all derivatives


PROBLEMS = {"rosenbrock": rosenbrock, "burgers": burgers, "quadratic": quadratic}


def contrib_evaluation(optimizer, session):
    """Returns what `tf.contrib.opt` gives a solver, taken from the call of its hook."""
    taken = []

    class Taken(Exception):
        pass

    def hook(loss_grad_func, **_):
        taken.append(loss_grad_func)
        raise Taken

    optimizer._minimize = hook
    try:
        optimizer.minimize(session)
    except Taken:
        pass
    return lambda point: (lambda loss, gradient: (loss, gradient.astype("float64")))(*taken[0](point))


class Problem:
    def __init__(self, name, resource):
        (tf.enable_resource_variables if resource else tf.disable_resource_variables)()
        function, self.variables, self.flops, self.repeats = PROBLEMS[name]()
        loss = function(*self.variables)
        self.optimizers = {"existing graph": ScipyOptimizerInterface(loss, self.variables),
                           "function": ScipyOptimizerInterface(function, self.variables)}
        if not TF_1:
            self.optimizers["function, XLA"] = ScipyOptimizerInterface(function, self.variables, xla=True)
        elif not resource:
            from tensorflow.contrib.opt import ScipyOptimizerInterface as ContribOptimizer
            self.optimizers["tf.contrib.opt"] = ContribOptimizer(loss, self.variables)
        gradients = tf.concat([tf.reshape(g, [-1]) for g in tf.gradients(loss, self.variables)], 0)
        self.floor = PreparedRun([loss, gradients], [])
        flat = FlatVariables(self.variables, "floor")
        self.assign = PreparedRun([flat.assign], [flat.vector])

    def evaluations(self, session):
        """Functions of a vector, by label; the floor ignores it."""
        size = sum(variable.shape.num_elements() for variable in self.variables)
        narrow, wide = aligned_empty([size], np.float32), np.ones(size)

        def with_copies(point):
            np.copyto(narrow, point, casting="same_kind")
            loss, gradient = self.floor(session)
            np.copyto(wide, gradient)
            return loss, wide

        def with_assignment(point):
            np.copyto(narrow, point, casting="same_kind")
            self.assign(session, narrow)
            loss, gradient = self.floor(session)
            np.copyto(wide, gradient)
            return loss, wide

        rows = {"floor": lambda point: self.floor(session), "floor, copies": with_copies,
                "floor, copies, assignment": with_assignment}
        for label, optimizer in self.optimizers.items():
            rows[label] = (contrib_evaluation(optimizer, session) if label == "tf.contrib.opt"
                           else optimizer.loss_and_gradient(session))
        return rows


def difference(ours, expected):
    """Returns the largest relative difference of the losses and of the gradients."""
    gradient = np.asarray(expected[1], np.float64)
    return max(abs(float(ours[0]) / float(expected[0]) - 1),
               np.linalg.norm(ours[1] - gradient) / np.linalg.norm(gradient))


def measure(name, resource, rounds):
    with tf.Graph().as_default(), tf.Session() as session:
        problem = Problem(name, resource)
        session.run(tf.global_variables_initializer())
        mover = problem.optimizers["existing graph"]
        start = mover.vector(session)
        rows = problem.evaluations(session)
        points = [start + 1e-3 * sign for sign in (1, -1)]
        expected = []
        for point in points:
            mover.assign(point, session)
            expected.append([np.array(value) for value in problem.floor(session)])
        measured, errors = {label: Measured() for label in rows}, dict.fromkeys(rows, 0.0)
        for round_ in range(rounds + 2):
            point = points[round_ % 2]
            mover.assign(point, session)
            for label, function in rows.items():
                times = measured[label] if round_ >= 2 else Measured()
                result = times.run(lambda: [function(point) for _ in range(problem.repeats)][-1])
                errors[label] = max(errors[label], difference(result, expected[round_ % 2]))
        floor = np.array(measured["floor"].cpu) / problem.repeats
        print(f"\n{PROBLEMS[name].__doc__.split(',')[0].rstrip('.')}, {'resource' if resource else 'ref'} variables: "
              f"the floor takes {np.median(floor) * 1e3:.3f} ms, {problem.flops / np.median(floor) / 1e9:.1f} GFLOP/s")
        for label, times in measured.items():
            bound = "floor, copies, assignment" if label == "existing graph" else "floor, copies"
            print(f"{label:<26} x floor {spread(ratios(times, measured['floor'])):<18} x {bound} "
                  f"{spread(ratios(times, measured[bound])):<18} error {errors[label]:.0e}")


def whole_runs(rounds):
    """Whole L-BFGS-B runs on Rosenbrock, by contrib and by ours, from the same start."""
    from tensorflow.contrib.opt import ScipyOptimizerInterface as ContribOptimizer
    tf.disable_resource_variables()
    with tf.Graph().as_default(), tf.Session() as session:
        function, variables, _, _ = rosenbrock()
        arguments = {"var_list": variables, "options": {"maxiter": 50}}
        loss = function(*variables)
        rows = {"tf.contrib.opt": ContribOptimizer(loss, **arguments),
                "existing graph": ScipyOptimizerInterface(loss, **arguments),
                "function": ScipyOptimizerInterface(function, **arguments)}
        seconds, ends = {label: [] for label in rows}, {}
        initialize = tf.global_variables_initializer()
        for _ in range(rounds):
            for label, optimizer in rows.items():
                session.run(initialize)
                began = time.process_time()
                optimizer.minimize(session)
                seconds[label].append(time.process_time() - began)
                ends[label] = session.run(variables[0])
    contrib = np.array(seconds["tf.contrib.opt"])
    print(f"\nL-BFGS-B run of 50 iterations on Rosenbrock, ratio to contrib's {np.median(contrib) * 1e3:.0f} ms")
    for label in rows:
        print(f"{label:<18} {np.median(np.array(seconds[label]) / contrib):6.2f}   end differs by "
              f"{np.max(np.abs(ends[label] - ends['tf.contrib.opt'])):.0e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--problems", nargs="+", choices=sorted(PROBLEMS), default=sorted(PROBLEMS))
    args = parser.parse_args()
    print(f"TensorFlow {tf.__version__}, NumPy {np.__version__}: median of {args.rounds} rounds, ratio to the floor")
    for name in args.problems:
        for resource in (False, True):
            measure(name, resource, args.rounds)
    if TF_1:
        whole_runs(args.rounds)


if __name__ == "__main__":
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    main()
