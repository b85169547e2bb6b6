"""Queue runners: lines of a CSV file are read, decoded and batched by threads of the graph.

    python queue_runners.py --data data/houses.csv
"""

from __future__ import print_function

import argparse
import math

import numpy as np
import tensorflow as tf


def read_batch(path, batch_size):
    filename_queue = tf.train.string_input_producer([path], shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(filename_queue)
    columns = tf.decode_csv(line, record_defaults=[[0.0]] * 5)
    features, price = tf.stack(columns[:-1]), columns[-1]
    return tf.train.batch([features, price], batch_size=batch_size, capacity=3 * batch_size, num_threads=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--data', default='data/houses.csv')
    parser.add_argument('--batch_size', type=int, default=16)
    parser.add_argument('--steps', type=int, default=15)
    args = parser.parse_args()

    tf.set_random_seed(3)
    features, price = read_batch(args.data, args.batch_size)
    hidden = tf.contrib.layers.fully_connected(features, 16, activation_fn=tf.nn.tanh)
    prediction = tf.contrib.layers.fully_connected(hidden, 1, activation_fn=None)
    loss = tf.reduce_mean(tf.square(tf.squeeze(prediction, [1]) - price))
    global_step = tf.contrib.framework.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        weights = np.concatenate([v.ravel() for v in sess.run(tf.trainable_variables())])
        print('initial weights sum to %.15g' % math.fsum(weights))
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            for _ in range(args.steps):
                if coord.should_stop():
                    break
                value, _ = sess.run([loss, train_op])
                print('step %d, loss %.9g' % (sess.run(global_step), value))
        finally:
            coord.request_stop()
            coord.join(threads)


if __name__ == '__main__':
    main()
