"""Recurrent cells: a stack of LSTM cells unrolled by legacy_seq2seq predicts the next character.

    python char_rnn.py --num_layers 2
"""

from __future__ import print_function

import argparse
import math

import numpy as np
import tensorflow as tf
from tensorflow.contrib import legacy_seq2seq
from tensorflow.contrib import rnn

TEXT = 'the gradient goes from the loss to the weights, and the weights go down the gradient to the next loss. ' * 8


class Model():
    def __init__(self, args):
        cells = [rnn.BasicLSTMCell(args.rnn_size) for _ in range(args.num_layers)]
        self.cell = cell = rnn.MultiRNNCell(cells, state_is_tuple=True)
        self.input_data = tf.placeholder(tf.int32, [args.batch_size, args.seq_length])
        self.targets = tf.placeholder(tf.int32, [args.batch_size, args.seq_length])
        self.initial_state = cell.zero_state(args.batch_size, tf.float32)
        with tf.variable_scope('rnnlm'):
            softmax_w = tf.get_variable('softmax_w', [args.rnn_size, args.vocab_size])
            softmax_b = tf.get_variable('softmax_b', [args.vocab_size])
            embedding = tf.get_variable('embedding', [args.vocab_size, args.rnn_size])
        inputs = tf.split(tf.nn.embedding_lookup(embedding, self.input_data), args.seq_length, 1)
        inputs = [tf.squeeze(input_, [1]) for input_ in inputs]
        outputs, last_state = legacy_seq2seq.rnn_decoder(inputs, self.initial_state, cell, scope='rnnlm')
        output = tf.reshape(tf.concat(outputs, 1), [-1, args.rnn_size])
        logits = tf.matmul(output, softmax_w) + softmax_b
        loss = legacy_seq2seq.sequence_loss_by_example(
            [logits], [tf.reshape(self.targets, [-1])], [tf.ones([args.batch_size * args.seq_length])])
        self.cost = tf.reduce_sum(loss) / args.batch_size / args.seq_length
        self.final_state = last_state
        self.lr = tf.Variable(0.0, trainable=False)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), args.grad_clip)
        with tf.name_scope('optimizer'):
            optimizer = tf.train.AdamOptimizer(self.lr)
        self.train_op = optimizer.apply_gradients(zip(grads, tvars))


def train(args):
    vocabulary = sorted(set(TEXT))
    args.vocab_size = len(vocabulary)
    codes = np.array([vocabulary.index(char) for char in TEXT])
    span = args.batch_size * args.seq_length
    model = Model(args)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        weights = np.concatenate([v.ravel() for v in sess.run(tf.trainable_variables())])
        print('initial weights sum to %.15g' % math.fsum(weights))
        sess.run(tf.assign(model.lr, args.learning_rate))
        state = sess.run(model.initial_state)
        for step in range(12):
            start = step * span % (len(codes) - span - 1)
            x, y = codes[start:start + span], codes[start + 1:start + span + 1]
            feed = {model.input_data: x.reshape(args.batch_size, -1), model.targets: y.reshape(args.batch_size, -1)}
            for i, (c, h) in enumerate(model.initial_state):
                feed[c] = state[i].c
                feed[h] = state[i].h
            train_loss, state, _ = sess.run([model.cost, model.final_state, model.train_op], feed)
            print('step %d, loss %.9g' % (step, train_loss))


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--rnn_size', type=int, default=24)
    parser.add_argument('--num_layers', type=int, default=2)
    parser.add_argument('--batch_size', type=int, default=4)
    parser.add_argument('--seq_length', type=int, default=16)
    parser.add_argument('--grad_clip', type=float, default=1.)
    parser.add_argument('--learning_rate', type=float, default=0.01)
    tf.set_random_seed(13)
    train(parser.parse_args())
