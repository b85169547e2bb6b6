"""Prints what an old script draws; TF 2.x makes another number of ops than 1.15 before each of its random ops."""

import hashlib

import numpy as np
import tensorflow as tf


def digest(value):
    return hashlib.sha1(np.ascontiguousarray(value).tobytes()).hexdigest()[:12]


tf.set_random_seed(7)
x, stop = tf.placeholder(tf.float32, [None, 4]), tf.placeholder_with_default(2, [])
sparse = tf.sparse_placeholder(tf.float32, [3, 4])
first = tf.get_variable("first", [4, 3])
with tf.variable_scope("tower"):
    second = tf.get_variable("second", [3, 2], initializer=tf.truncated_normal_initializer(stddev=0.1))
hidden = tf.nn.dropout(tf.matmul(x[0:stop], first), 0.5)
image = tf.image.random_flip_left_right(tf.reshape(tf.range(48.), [4, 4, 3]))
image = tf.image.resize_image_with_crop_or_pad(image, 3, 5)
loss = tf.reduce_max(tf.matmul(hidden, second)) + tf.reduce_sum(tf.sparse_tensor_dense_matmul(sparse, first))
step = tf.train.FtrlOptimizer(0.1).minimize(loss)
third = tf.get_variable("third", [5], initializer=tf.random_normal_initializer())
shuffled = tf.data.Dataset.range(10).shuffle(10).make_one_shot_iterator().get_next()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for variable in tf.trainable_variables():
        print(variable.name, digest(session.run(variable)))
    feeds = {x: np.ones([3, 4]), sparse: ([[0, 1]], [2.], [3, 4])}
    drawn = session.run([hidden, image], feeds)
    print("drawn", digest(drawn[0] != 0), digest(drawn[1]), [int(session.run(shuffled)) for _ in range(10)])
    session.run(step, feeds)
    print("after a step", [f"{session.run(tf.reduce_sum(variable)):.5f}" for variable in (first, second)])

with tf.Graph().as_default(), tf.Session() as session:  # a second graph
    tf.set_random_seed(8)
    tf.sparse_placeholder(tf.float32, [3, 4])
    print("second graph", digest(session.run(tf.random_normal([4]))), digest(session.run(tf.random_uniform([4]))))
