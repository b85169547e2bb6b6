"""SciPy line search: L-BFGS-B decides the steps, through tf.contrib.opt.ScipyOptimizerInterface.

A network learns the solution of u'' = -sin(x), u(0) = u(pi) = 0 from the equation alone.

    python scipy_line_search.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf


class PoissonSolver:
    def __init__(self, layers, points):
        self.points = points
        self.weights, self.biases = self.initialize(layers)
        self.sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False))
        self.x_tf = tf.placeholder(tf.float64, shape=[None, 1])
        self.ends_tf = tf.placeholder(tf.float64, shape=[2, 1])
        u = self.network(self.x_tf)
        u_x = tf.gradients(u, self.x_tf)[0]
        u_xx = tf.gradients(u_x, self.x_tf)[0]
        self.loss = tf.reduce_mean(tf.square(u_xx + tf.sin(self.x_tf))) + \
            tf.reduce_mean(tf.square(self.network(self.ends_tf)))
        self.optimizer = tf.contrib.opt.ScipyOptimizerInterface(self.loss,
                                                                method='L-BFGS-B',
                                                                options={'maxiter': 12,
                                                                         'maxfun': 14,
                                                                         'maxcor': 50,
                                                                         'maxls': 50,
                                                                         'ftol': 1.0 * np.finfo(float).eps})
        self.evaluations = 0
        self.sess.run(tf.global_variables_initializer())

    def initialize(self, layers):
        weights, biases = [], []
        for size_in, size_out in zip(layers[:-1], layers[1:]):
            stddev = np.sqrt(2 / (size_in + size_out))
            weights.append(tf.Variable(tf.truncated_normal([size_in, size_out], stddev=stddev, dtype=tf.float64)))
            biases.append(tf.Variable(tf.zeros([1, size_out], dtype=tf.float64)))
        return weights, biases

    def network(self, h):
        for w, b in zip(self.weights[:-1], self.biases[:-1]):
            h = tf.tanh(tf.add(tf.matmul(h, w), b))
        return tf.add(tf.matmul(h, self.weights[-1]), self.biases[-1])

    def callback(self, loss):
        print('step %d, loss %.9g' % (self.evaluations, loss))
        self.evaluations += 1

    def train(self):
        weights = np.concatenate([v.ravel() for v in self.sess.run(tf.trainable_variables())])
        print('initial weights sum to %.15g' % math.fsum(weights))
        tf_dict = {self.x_tf: self.points, self.ends_tf: np.array([[0.0], [np.pi]])}
        self.optimizer.minimize(self.sess, feed_dict=tf_dict, fetches=[self.loss], loss_callback=self.callback)


if __name__ == '__main__':
    np.random.seed(1234)
    tf.set_random_seed(1234)
    model = PoissonSolver([1, 20, 20, 1], np.pi * np.random.rand(100, 1))
    model.train()
