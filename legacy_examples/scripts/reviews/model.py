"""A bag of words under a small network."""

import tensorflow as tf
from tensorflow.contrib import framework as contrib_framework
from tensorflow.contrib import layers as contrib_layers


def build(hparams, vocabulary_size):
    words = tf.placeholder(tf.int32, [None, hparams.length], name='words')
    labels = tf.placeholder(tf.float32, [None], name='labels')
    with contrib_framework.arg_scope([contrib_layers.fully_connected],
                                     weights_initializer=tf.uniform_unit_scaling_initializer(1.2)):
        embedding = tf.get_variable('embedding', [vocabulary_size, hparams.embedding_size])
        bag = tf.reduce_mean(tf.nn.embedding_lookup(embedding, words), axis=1)
        hidden = contrib_layers.fully_connected(bag, hparams.hidden_size, activation_fn=tf.nn.tanh)
        logits = tf.squeeze(contrib_layers.fully_connected(hidden, 1, activation_fn=None), [1])
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels))
    return words, labels, loss
