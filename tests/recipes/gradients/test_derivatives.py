"""Tests derivatives of transformed gradients,
as gradient penalties and learned optimizers take them.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad

MATRIX = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -1.0], [0.0, -1.0, 3.0]])
POINTS = {"large": [3.0, -4.0, 1.0], "small": [0.01, 0.02, -0.03], "zero": [0.0, 0.0, 0.0]}
WEIGHTS = np.array([1.0, -2.0, 0.5])


def sums_of_slices(gradient, variable):
    """Returns the same gradient in rows, one of which comes twice."""
    half = tf.concat([gradient[:1] / 4, gradient[1:], gradient[:1] * 3 / 4], 0)
    return tf.IndexedSlices(half, tf.constant([0, 1, 2, 0]), tf.constant([3])), variable


TRANSFORMS = {
    "clip_by_value": lambda pairs: tf1grad.clip_by_value(pairs, -2.5, 1.5),
    "clip_by_norm": lambda pairs: tf1grad.clip_by_norm(pairs, 2.0),
    "clip_by_norm of 0": lambda pairs: tf1grad.clip_by_norm(
        pairs, tf.placeholder_with_default(0.0, [])
    ),
    "clip_by_global_norm": lambda pairs: tf1grad.clip_by_global_norm(pairs, 2.0)[0],
    "drop_nonfinite": tf1grad.drop_nonfinite,
    "multiply_gradients": lambda pairs: tf1grad.multiply_gradients(pairs, {"w": 0.25}),
}


def numpy_transform(name, gradient):
    norm = np.sqrt(np.sum(gradient**2))
    if name == "clip_by_value":
        return np.clip(gradient, -2.5, 1.5)
    if name.startswith("clip"):
        limit = 0.0 if name.endswith("of 0") else 2.0
        return gradient * (limit / norm if norm > limit else 1.0)
    return {
        "drop_nonfinite": gradient,
        "multiply_gradients": gradient / 4,
    }[name]


def numpy_penalty(name, point):
    """WEIGHTS . transform(gradient of w' M w / 2), at w = point."""
    return WEIGHTS @ numpy_transform(name, MATRIX @ point)


def differences(function, point, step=1e-6):
    return np.array(
        [
            (function(point + step * unit) - function(point - step * unit)) / (2 * step)
            for unit in np.eye(len(point))
        ]
    )


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("point", sorted(POINTS))
@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_second_derivatives_equal_differences(name, point, sparse, session):
    if name == "clip_by_norm of 0" and point == "zero":
        pytest.skip("there the function has no derivative")
    w = tf.get_variable("w", initializer=np.array(POINTS[point]))
    loss = tf.reduce_sum(w * tf.linalg.matvec(tf.constant(MATRIX), w)) / 2
    (gradient,) = tf.gradients(loss, w)
    ((transformed, _),) = TRANSFORMS[name](
        [sums_of_slices(gradient, w) if sparse else (gradient, w)]
    )
    penalty = tf.reduce_sum(WEIGHTS * tf.convert_to_tensor(transformed))
    (second,) = tf.gradients(penalty, w)
    session.run(tf.global_variables_initializer())
    found = session.run([penalty, second])
    start = np.array(POINTS[point])
    np.testing.assert_allclose(found[0], numpy_penalty(name, start), rtol=1e-12)
    np.testing.assert_allclose(
        found[1], differences(lambda at: numpy_penalty(name, at), start), rtol=1e-5, atol=1e-6
    )


def test_a_split_batch_says_that_it_cannot_be_differentiated_again(graph):
    """Tests a second derivative, for which the loop keeps no values."""
    w = tf.get_variable("w", initializer=np.ones(3))
    table = tf.get_variable("table", initializer=np.ones([4, 3]))

    def loss_of(x):
        return tf.reduce_mean(tf.reduce_sum(tf.square(x * w + tf.gather(table, [0])), 1))

    loss, pairs = tf1grad.split_batch(loss_of, tf.ones([6, 3], tf.float64), 2)
    for value in (loss, pairs[0][0], pairs[1][0].values):
        with pytest.raises(LookupError, match="split_batch.*loss_fn"):
            tf.gradients(value, w)
