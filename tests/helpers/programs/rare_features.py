"""Prints, under `run`, what TensorFlow 1.15's rarely used ops give beside NumPy, as JSON."""

import json

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import spectral_ops_test_util  # TensorFlow 2 lacks it

wave = np.sin(np.arange(12, dtype=np.float32) ** 2)
frames = np.stack([wave[0:4], wave[4:8], wave[8:12]])
ragged = tf.RaggedTensor.from_row_splits([1., 2., 3.], [0, 2, 2, 3])
sparse = tf.SparseTensor([[0, 1]], [-4.], [1, 2])
operator = tf.linalg.LinearOperatorFullMatrix([[4., 2.], [2., 5.]], is_self_adjoint=True, is_positive_definite=True)
matrix, right = np.array([[2., 1., 0.], [1., 3., 1.], [0., 1., 2.]]), np.array([1., 2., 3.])

with tf.Session() as session, spectral_ops_test_util.fft_kernel_label_map():
    transformed = session.run(tf.signal.stft(wave, 4, 4, window_fn=None))
    back = session.run(tf.spectral.irfft(transformed, [4]))
    overlapping = session.run(tf.signal.frame(wave, 6, 3))
    fetched = session.run(ragged)
    taken_over = session.run([ragged + ragged, tf.exp(ragged - ragged), ragged < 2., tf.maximum(ragged, 2.)])
    tf.test.TestCase().assertAllEqual(taken_over[0], [[2., 4.], [], [6.]])
    solved = session.run(tf.linalg.tridiagonal_solve(tf.constant(matrix), tf.constant(right), "matrix"))
    operators = [tf.linalg.cholesky(operator), operator.inverse(), operator.adjoint(), operator.matmul(operator),
                 operator.solve(operator)]
    products = session.run([each.to_dense() for each in operators])
    padded = tf.pad(tf.placeholder(tf.float32, [2, 3]), [tf.placeholder(tf.int32, [2]), [1, 1]])
    signs, roots = session.run([tf.sign(sparse).values, tf.sqrt(tf.square(sparse)).values])

print(json.dumps({
    "stft": np.allclose(transformed, np.fft.rfft(frames), atol=1e-6),
    "irfft": np.allclose(back, frames, atol=1e-6),
    "frame": np.array_equal(overlapping, [wave[0:6], wave[3:9], wave[6:12]]),
    "ragged": [fetched.to_list(), isinstance(fetched, tf.compat.v1.ragged.RaggedTensorValue)],
    "taken over": [value.to_list() for value in taken_over],
    "tridiagonal": np.allclose(solved, np.linalg.solve(matrix, right)),
    "operators": [np.round(product, 4).tolist() for product in products],
    "pad": padded.shape.as_list(),
    "sparse": [signs.tolist(), roots.tolist()],
    "static": [tf.get_static_value(value) is None for value in (tf.identity(2), tf.stop_gradient(2), tf.constant(2))],
}))
