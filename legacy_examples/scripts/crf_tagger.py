"""A tagger: LSTM cells in both directions, and a conditional random field over the tags.

    python crf_tagger.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf
from tensorflow.contrib.crf import crf_log_likelihood, viterbi_decode
from tensorflow.contrib.layers.python.layers import initializers

WORDS, TAGS, UNITS, LENGTH = 12, 4, 10, 9

random = np.random.RandomState(3)
x = random.randint(0, WORDS, [20, LENGTH])
y = (np.cumsum(x, 1) // 5) % TAGS  # a tag depends on the words before it
n = random.randint(3, LENGTH + 1, 20)

tf.set_random_seed(8)
words = tf.placeholder(tf.int32, [None, None])
tags = tf.placeholder(tf.int32, [None, None])
lengths = tf.placeholder(tf.int32, [None])

with tf.variable_scope('words'):
    embedding = tf.get_variable('embedding', [WORDS, UNITS], initializer=initializers.xavier_initializer())
    inputs = tf.nn.embedding_lookup(embedding, words)
with tf.variable_scope('both'):
    forward = tf.contrib.rnn.CoupledInputForgetGateLSTMCell(
        UNITS, use_peepholes=True, initializer=initializers.xavier_initializer(), state_is_tuple=True)
    backward = tf.contrib.rnn.LSTMBlockCell(UNITS)
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(forward, backward, inputs, dtype=tf.float32, sequence_length=lengths)
logits = tf.contrib.layers.fully_connected(tf.concat(outputs, 2), TAGS, activation_fn=None, scope='tags')
likelihood, transitions = crf_log_likelihood(logits, tags, lengths)
best, score = tf.contrib.crf.crf_decode(logits, transitions, lengths)
loss = tf.reduce_mean(-likelihood)

optimizer = tf.contrib.opt.LazyAdamOptimizer(0.05)
clipped = [(tf.clip_by_value(g, -5.0, 5.0), v) for g, v in optimizer.compute_gradients(loss)]
train_op = optimizer.apply_gradients(clipped)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    weights = np.concatenate([v.ravel() for v in sess.run(tf.trainable_variables())])
    print('initial weights sum to %.15g' % math.fsum(weights))
    for step in range(12):
        value, scores = sess.run([loss, score], {words: x, tags: y, lengths: n})
        sess.run(train_op, {words: x, tags: y, lengths: n})
        print('step %d, loss %.9g, best score %.6g' % (step, value, scores.mean()))
    units, matrix, found = sess.run([logits, transitions, best], {words: x, lengths: n})
    decoded = [viterbi_decode(units[row, :n[row]], matrix)[0] for row in range(20)]
    print('both ways the same:', all(list(found[row, :n[row]]) == decoded[row] for row in range(20)))
