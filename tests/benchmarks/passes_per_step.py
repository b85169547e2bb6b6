"""Compares the behaviour of Horovod's `backward_passes_per_step` with that of AccumulatingOptimizer.

    python tests/benchmarks/passes_per_step.py

One process takes part, so that its all-reduce waits for nobody. Horovod has to be installed, which builds it: with a
C++ compiler and CMake, in a Python 3.7 that has TensorFlow 1.15.5 and `packaging`,

    HOROVOD_WITH_TENSORFLOW=1 HOROVOD_WITHOUT_PYTORCH=1 HOROVOD_WITHOUT_MXNET=1 HOROVOD_WITHOUT_MPI=1 \\
        HOROVOD_WITH_GLOO=1 HOROVOD_CPU_OPERATIONS=GLOO CXXFLAGS="-include cstdint -include limits" \\
        pip install --no-build-isolation horovod==0.28.1

A cell is what was seen when it ran, or the error that building it ended with.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow.compat.v1 as tf

try:
    import horovod.tensorflow as horovod
except ImportError as missing:
    sys.exit(f"Horovod is not here ({missing}).\n\n{__doc__}")

import tf1grad
from harness import table

K = 3  # micro-batches a step


def horovods(**options):
    return lambda inner, samples=None: horovod.DistributedOptimizer(
        inner, backward_passes_per_step=K, **options
    )


# Functions of the inner optimizer and the number of samples.
WAYS = {
    "Horovod": horovods(),
    "Horovod, average_aggregated_gradients, sparse_as_dense": horovods(
        average_aggregated_gradients=True, sparse_as_dense=True
    ),
    "AccumulatingOptimizer": lambda inner, samples=None: tf1grad.AccumulatingOptimizer(
        inner, K, weight=samples
    ),
}


class Witness(tf.train.GradientDescentOptimizer):
    """Gradient descent of rate 1 that remembers the gradients it is given."""

    def __init__(self):
        super().__init__(1.0)

    def apply_gradients(self, grads_and_vars, *arguments, **options):
        grads_and_vars = list(grads_and_vars)
        self.given = [pair[0] for pair in grads_and_vars]
        return super().apply_gradients(grads_and_vars, *arguments, **options)


class Model:
    """A number with the mean of the fed values as its gradient, and a table in rows."""

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        self.number = tf.get_variable("number", initializer=0.0)
        self.table = tf.get_variable("table", initializer=tf.zeros([4, 2]))
        self.global_step = tf.train.get_or_create_global_step()
        self.loss = self.number * tf.reduce_mean(self.x)

    def trained(self, train_op, batches, last=None):
        """Returns what a run for each batch and one of `last` subtracted from the number, and `global_step`."""
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            for batch in batches:
                session.run(train_op, {self.x: batch})
            session.run(last or tf.no_op())
            number, step = session.run([self.number, self.global_step])
            return -number, step


def applied(way):
    """Of gradients 1, 2 and 6 is applied"""
    model = Model()
    train_op = way(Witness()).minimize(model.loss, var_list=[model.number])
    return f"{model.trained(train_op, [[1], [2], [6]])[0]:g}"


def short_window(way):
    """Of one gradient more than fill the window, 5, is applied at the end"""
    model = Model()
    optimizer = way(Witness())
    train_op = optimizer.minimize(model.loss, var_list=[model.number])
    full, more = [[1], [1], [1]], [[1], [1], [1], [5]]
    last = (
        model.trained(train_op, more, getattr(optimizer, "flush", tf.no_op)())[0]
        - model.trained(train_op, full)[0]
    )
    return f"{last:g}"


def unequal(way):
    """Of micro-batches of 1, 1 and 6 samples, whose mean is 4.5, is applied"""
    model = Model()
    optimizer = way(Witness(), samples=tf.size(model.x))
    train_op = optimizer.minimize(model.loss, var_list=[model.number])
    return f"{model.trained(train_op, [[8], [4], [1, 2, 3, 4, 5, 9]])[0]:g}"


def sparse(way):
    """A sparse gradient reaches the optimizer inside as"""
    model, inner = Model(), Witness()
    way(inner).minimize(tf.reduce_sum(tf.gather(model.table, [1])), var_list=[model.table])
    return type(inner.given[0]).__name__


def global_step(way):
    """After 7 passes, `global_step` is"""
    model = Model()
    train_op = way(Witness()).minimize(
        model.loss, var_list=[model.number], global_step=model.global_step
    )
    return f"{model.trained(train_op, [[1]] * 7)[1]}"


OBSERVED = [applied, short_window, unequal, sparse, global_step]


def observed(look, way):
    """Returns a cell of the table."""
    with tf.Graph().as_default():
        try:
            return look(way)
        except Exception as error:  # whatever it is, the table says it
            return f"{type(error).__name__}: {' '.join(str(error).split())[:40]}"


def main():
    """Prints the table."""
    horovod.init()
    rows = [[look.__doc__] + [observed(look, way) for way in WAYS.values()] for look in OBSERVED]
    print(table([f"K = {K}", *WAYS], rows, markdown=True), flush=True)


if __name__ == "__main__":
    main()
