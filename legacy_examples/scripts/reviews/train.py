"""A package with several modules, flags and HParams; the data path is relative to the package, or a flag.

    python -m reviews.train --hparams=learning_rate=0.2,hidden_size=12
"""

from __future__ import absolute_import
from __future__ import print_function

import math

import numpy as np
import tensorflow as tf

from reviews import data
from reviews import model

tf.app.flags.DEFINE_string('data', data.DEFAULT_PATH, 'A label and a sentence a line.')
tf.app.flags.DEFINE_string('hparams', '', 'Comma-separated list of name=value.')
tf.app.flags.DEFINE_integer('steps', 12, 'Steps to train.')
FLAGS = tf.app.flags.FLAGS


def main(unused_argv):
    hparams = tf.contrib.training.HParams(length=8, embedding_size=8, hidden_size=8, batch_size=16, learning_rate=0.5)
    hparams.parse(FLAGS.hparams)
    reviews = data.Reviews(FLAGS.data, hparams.length)
    tf.set_random_seed(17)
    words, labels, loss = model.build(hparams, len(reviews.vocabulary))
    train_op = tf.train.AdagradOptimizer(hparams.learning_rate).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        weights = np.concatenate([v.ravel() for v in sess.run(tf.trainable_variables())])
        print('initial weights sum to %.15g' % math.fsum(weights))
        batches = reviews.batches(hparams.batch_size, np.random.RandomState(17))
        for step in range(FLAGS.steps):
            x, y = next(batches)
            value, _ = sess.run([loss, train_op], {words: x, labels: y})
            print('step %d, loss %.9g' % (step, value))


if __name__ == '__main__':
    tf.app.run()
