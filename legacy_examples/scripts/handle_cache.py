"""Handle cache: a batch is dequeued once, kept in the runtime, and evaluated at many step lengths.

Backtracking needs the loss of the *same* batch, and a queue gives another one at each run: so the batch stays behind
session handles while the step length is halved.

    python handle_cache.py
"""

from __future__ import print_function

import math
import threading

import numpy as np
import tensorflow as tf

STEPS = 12


def batches(random):
    true_w = random.randn(6)
    for _ in range(STEPS):
        points = random.randn(random.randint(20, 40), 6)
        yield points, points.dot(true_w) + 0.1 * random.randn(len(points))


def model(points, targets, w, b):
    residual = tf.squeeze(tf.matmul(points, w) + b, [1]) - targets
    return tf.reduce_mean(tf.log(tf.cosh(residual)))


tf.set_random_seed(5)
feed_x = tf.placeholder(tf.float32, [None, 6])
feed_y = tf.placeholder(tf.float32, [None])
queue = tf.FIFOQueue(4, [tf.float32, tf.float32])
enqueue_op = queue.enqueue([feed_x, feed_y])
handle_ops = [tf.get_session_handle(t) for t in queue.dequeue()]

w = tf.get_variable('w', [6, 1], initializer=tf.random_normal_initializer(stddev=0.5))
b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
length = tf.placeholder(tf.float32, [], name='step_length')

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print('initial weights sum to %.15g' % math.fsum(sess.run(w).ravel()))

    def fill():
        for points, targets in batches(np.random.RandomState(5)):
            sess.run(enqueue_op, feed_dict={feed_x: points, feed_y: targets})

    thread = threading.Thread(target=fill)
    thread.start()

    handles = sess.run(handle_ops)
    x_holder, x = tf.get_session_tensor(handles[0].handle, tf.float32)
    y_holder, y = tf.get_session_tensor(handles[1].handle, tf.float32)
    x.set_shape([None, 6])
    loss = model(x, y, w, b)
    gradients = tf.gradients(loss, [w, b])
    loss_along = model(x, y, w - length * gradients[0], b - length * gradients[1])
    slope = tf.add_n([tf.reduce_sum(tf.square(g)) for g in gradients])
    train_op = tf.train.GradientDescentOptimizer(length).apply_gradients(zip(gradients, [w, b]))

    for step in range(STEPS):
        if step:
            handles = sess.run(handle_ops)
        feed_dict = {x_holder: handles[0].handle, y_holder: handles[1].handle}
        start, squared_norm = sess.run([loss, slope], feed_dict)
        feed_dict[length] = 4.0
        while sess.run(loss_along, feed_dict) > start - 0.1 * feed_dict[length] * squared_norm:
            feed_dict[length] /= 2
        sess.run(train_op, feed_dict)
        print('step %d, loss %.9g, step length %g' % (step, start, feed_dict[length]))
        for handle in handles:
            handle.delete()
    thread.join()
