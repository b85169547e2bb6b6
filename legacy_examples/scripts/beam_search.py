"""Sequence to sequence: an encoder, a decoder with attention, and beam search; it learns to turn sequences around.

    python beam_search.py --beam_width 3
"""

from __future__ import print_function

import argparse
import math

import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq

GO, END, WORDS = 0, 1, 8


def batches(size, length):
    random = np.random.RandomState(5)
    while True:
        lengths = random.randint(2, length + 1, size)
        source = np.full([size, length], END, np.int32)
        target = np.full([size, length + 1], END, np.int32)
        for row, n in enumerate(lengths):
            source[row, :n] = random.randint(2, WORDS, n)
            target[row, :n] = source[row, :n][::-1]
        yield source, lengths, target


class Model(object):
    def __init__(self, args):
        self.source = tf.placeholder(tf.int32, [None, None], name='source')
        self.lengths = tf.placeholder(tf.int32, [None], name='lengths')
        self.target = tf.placeholder(tf.int32, [None, None], name='target')
        self.args = args
        self.batch = tf.shape(self.source)[0]
        self.embedding = tf.get_variable('embedding', [WORDS, args.units])
        self.projection = tf.layers.Dense(WORDS, use_bias=False, name='projection')
        with tf.variable_scope('encoder'):
            cell = tf.contrib.rnn.GRUCell(args.units)
            inputs = tf.nn.embedding_lookup(self.embedding, self.source)
            self.memory, self.state = tf.nn.dynamic_rnn(cell, inputs, self.lengths, dtype=tf.float32)
        self.loss = self.training()
        self.train_op = tf.contrib.layers.optimize_loss(
            self.loss, tf.train.get_or_create_global_step(), 0.02, 'Adam', clip_gradients=5.0)
        self.beams = self.inference()

    def cell(self, memory, lengths):
        attention = seq2seq.LuongAttention(self.args.units, memory, memory_sequence_length=lengths, scale=True)
        return seq2seq.AttentionWrapper(tf.contrib.rnn.GRUCell(self.args.units), attention, self.args.units)

    def training(self):
        with tf.variable_scope('decoder'):
            cell = self.cell(self.memory, self.lengths)
            start = cell.zero_state(self.batch, tf.float32).clone(cell_state=self.state)
            fed = tf.concat([tf.fill([self.batch, 1], GO), self.target[:, :-1]], 1)
            helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(self.embedding, fed), self.lengths + 1)
            decoder = seq2seq.BasicDecoder(cell, helper, start, self.projection)
            outputs, _, lengths = seq2seq.dynamic_decode(decoder)
        steps = tf.reduce_max(lengths)
        weights = tf.sequence_mask(lengths, dtype=tf.float32)
        return seq2seq.sequence_loss(outputs.rnn_output, self.target[:, :steps], weights)

    def inference(self):
        width = self.args.beam_width
        with tf.variable_scope('decoder', reuse=True):
            memory, lengths, state = [seq2seq.tile_batch(t, width) for t in (self.memory, self.lengths, self.state)]
            cell = self.cell(memory, lengths)
            start = cell.zero_state(self.batch * width, tf.float32).clone(cell_state=state)
            decoder = seq2seq.BeamSearchDecoder(
                cell, self.embedding, tf.fill([self.batch], GO), END, start, width, self.projection)
            outputs, _, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=self.args.length + 1)
        return outputs.predicted_ids


def main(args):
    tf.set_random_seed(21)
    model = Model(args)
    data = batches(args.batch_size, args.length)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        weights = np.concatenate([v.ravel() for v in sess.run(tf.trainable_variables())])
        print('initial weights sum to %.15g' % math.fsum(weights))
        for step in range(60):
            source, lengths, target = next(data)
            feed = {model.source: source, model.lengths: lengths, model.target: target}
            loss, _ = sess.run([model.loss, model.train_op], feed)
            if step < 12:
                print('step %d, loss %.9g' % (step, loss))
        beams = sess.run(model.beams, {model.source: source[:3], model.lengths: lengths[:3]})
        for row in range(3):
            print('source', source[row, :lengths[row]], 'beam', beams[row, :, 0])


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--units', type=int, default=16)
    parser.add_argument('--batch_size', type=int, default=16)
    parser.add_argument('--length', type=int, default=5)
    parser.add_argument('--beam_width', type=int, default=3)
    main(parser.parse_args())
