"""GAN alternation: two optimizers, each with the var_list of its own player, take turns.

    python gan_alternation.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf
import tensorflow.contrib.layers as layers


class GAN(object):
    def __init__(self, batch_size, noise_size):
        self.z = tf.placeholder(tf.float32, [batch_size, noise_size])
        self.real = tf.placeholder(tf.float32, [batch_size, 1])
        with tf.variable_scope('generator'):
            self.fake = self.generate(self.z)
        with tf.variable_scope('discriminator') as scope:
            real_logits = self.discriminate(self.real)
            scope.reuse_variables()
            fake_logits = self.discriminate(self.fake)
        cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits
        self.d_loss = tf.reduce_mean(cross_entropy(logits=real_logits, labels=tf.ones_like(real_logits)) +
                                     cross_entropy(logits=fake_logits, labels=tf.zeros_like(fake_logits)))
        self.g_loss = tf.reduce_mean(cross_entropy(logits=fake_logits, labels=tf.ones_like(fake_logits)))
        t_vars = tf.trainable_variables()
        d_vars = [var for var in t_vars if var.name.startswith('discriminator/')]
        g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='generator')
        self.d_optim = tf.train.AdamOptimizer(1e-3, beta1=0.5).minimize(self.d_loss, var_list=d_vars)
        self.g_optim = tf.train.AdamOptimizer(1e-3, beta1=0.5).minimize(self.g_loss, var_list=g_vars)

    @staticmethod
    def generate(z):
        h = layers.fully_connected(z, 16, activation_fn=tf.nn.softplus, scope='h0')
        return layers.fully_connected(h, 1, activation_fn=None, scope='h1')

    @staticmethod
    def discriminate(x):
        h = layers.fully_connected(x, 32, activation_fn=tf.nn.relu, scope='h0')
        h = layers.fully_connected(h, 32, activation_fn=tf.nn.relu, scope='h1',
                                   weights_initializer=tf.truncated_normal_initializer(stddev=0.2))
        return layers.fully_connected(h, 1, activation_fn=None, scope='h2')


if __name__ == '__main__':
    seed = 42
    np.random.seed(seed)
    tf.set_random_seed(seed)
    gan = GAN(batch_size=32, noise_size=4)
    with tf.Session() as session:
        tf.global_variables_initializer().run()
        weights = np.concatenate([v.ravel() for v in session.run(tf.trainable_variables())])
        print('initial weights sum to %.15g' % math.fsum(weights))
        for step in range(12):
            z = np.random.uniform(-1, 1, [32, 4])
            real = np.random.normal(4, 0.5, [32, 1])
            d_loss, _ = session.run([gan.d_loss, gan.d_optim], {gan.z: z, gan.real: real})
            z = np.random.uniform(-1, 1, [32, 4])
            g_loss, _ = session.run([gan.g_loss, gan.g_optim], {gan.z: z})
            print('step {}, discriminator loss {:.9g}, generator loss {:.9g}'.format(step, d_loss, g_loss))
