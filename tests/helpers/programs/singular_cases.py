"""Holds cases of matrices without a factor or a solution: values, or the words of an error;
see `recorded_cases.py`.
"""

import numpy as np
import tensorflow as tf

from recorded_cases import case

WORDS = [
    "Cholesky decomposition was not successful. The input might not be valid.",
    "Input matrix is not invertible.",
]
EYE, COLUMN = np.eye(2), np.ones([2, 1])
INDEFINITE, SINGULAR = np.array([[1.0, 3.0], [3.0, 1.0]]), np.array([[1.0, 2.0], [0.0, 0.0]])


def lists(value):
    return [lists(each) for each in value] if np.ndim(value) else str(np.round(value, 5) + 0)


def outcome(build, *arrays):
    """Of `build` of placeholders of unknown shapes, which are fed with `arrays`."""
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(array.dtype) for array in arrays]
        try:
            return lists(session.run(build(*fed), dict(zip(fed, arrays))))
        except tf.errors.InvalidArgumentError as error:
            return [words for words in WORDS if words in error.message]


def retried():
    """Adds more to the diagonal until the matrix has a factor, as the recipe does."""
    with tf.Graph().as_default(), tf.Session() as session:
        jitter = tf.placeholder(tf.float64, [])
        factor = tf.cholesky(tf.constant(INDEFINITE) + jitter * tf.eye(2, dtype=tf.float64))
        for exponent in range(-2, 3):
            try:
                session.run(factor, {jitter: 10.0**exponent})
                return exponent
            except tf.errors.InvalidArgumentError:
                pass


def seed(build, given=EYE):
    """Of a random op after a function and its gradient: the ops that look are not counted."""
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        matrix = tf.constant(given)
        tf.gradients(build(matrix), matrix)
        return tf.multinomial([[1.0]], 1).op.get_attr("seed2")


def names():
    """Returns the names of an op and its inputs for a matrix that is not in the default graph."""
    with tf.Graph().as_default():
        matrix = tf.constant(EYE)
    factor = tf.cholesky(matrix, name="factor")
    return (
        factor.name,
        factor.op.type,
        [tensor.name for tensor in factor.op.inputs],
        solved(factor).op.type,
    )


def ops():
    """Returns type, name and control inputs of all ops before a session runs."""
    with tf.Graph().as_default() as graph:
        gradient(tf.placeholder(tf.float64, [2, 2]))
        return [
            [op.type, op.name, sorted(before.name for before in op.control_inputs)]
            for op in graph.get_operations()
        ]


def used_after_a_run():
    """Uses a factor, in a finalized graph in the end, that a session has run before."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        matrix = tf.placeholder(tf.float64, [2, 2])
        factor = tf.cholesky(matrix)
        session.run(factor, {matrix: EYE})
        count = tf.Variable(0)
        session.run(count.initializer)
        add = count.assign_add(tf.cast(tf.reduce_sum(factor), tf.int32)).op
        graph.finalize()
        session.run(add, {matrix: EYE})
        try:
            session.run(add, {matrix: INDEFINITE})
        except tf.errors.InvalidArgumentError:
            return session.run(count).tolist()


def solved(matrix):
    return tf.matrix_triangular_solve(tf.cholesky(matrix), COLUMN)


def gradient(matrix):
    return tf.gradients(solved(matrix), matrix)[0]


def triangular(matrix):
    return tf.matrix_triangular_solve(matrix, tf.ones_like(matrix)[..., :1])


@case("graph")
def singular_matrices():
    with_batch = np.stack([EYE, INDEFINITE, EYE])
    return {
        "definite": outcome(tf.cholesky, EYE * 4),
        "gradient": outcome(gradient, np.array([[4.0, 1.0], [1.0, 3.0]])),
        "indefinite": outcome(tf.cholesky, INDEFINITE),
        "single": outcome(tf.linalg.cholesky, -EYE.astype(np.float32)),
        "one of a batch": outcome(tf.cholesky, with_batch),
        "empty": outcome(tf.cholesky, EYE[:0, :0]),
        "given NaN": outcome(tf.cholesky, np.array([[1.0, 1.0], [np.nan, 1.0]])),
        "triangular": outcome(triangular, EYE * 2),
        "triangular with zero": outcome(tf.linalg.triangular_solve, SINGULAR, COLUMN),
        "triangular without columns": outcome(tf.linalg.triangular_solve, SINGULAR, COLUMN[:, :0]),
        "triangular batch": outcome(triangular, np.stack([EYE, SINGULAR])),
        "retried": retried(),
        "seed": seed(solved),
        "names": names(),
        "used after a run": used_after_a_run(),
    }


@case("graph")
def singular_systems():
    return {
        "ops": ops(),
        "seed after a loop": seed(
            lambda matrices: tf.map_fn(solved, matrices), np.stack([EYE, EYE])
        ),
        "cholesky_solve": outcome(tf.cholesky_solve, SINGULAR, COLUMN),
        "logdet": outcome(tf.linalg.logdet, INDEFINITE),
    }
