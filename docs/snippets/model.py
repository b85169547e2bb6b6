import numpy as np
import tensorflow.compat.v1 as tf
import tf1grad

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 3])
encoder = tf.get_variable("encoder/weights", initializer=tf.eye(3))
head = tf.get_variable("head/weights", [3], initializer=tf.ones_initializer())
outputs = tf.tensordot(tf.matmul(x, encoder), head, 1)
loss = tf.reduce_mean(tf.square(outputs - 1))
optimizer = tf.train.AdamOptimizer(1e-3)
global_step = tf.train.get_or_create_global_step()
batches = [[[1.0, 2.0, 3.0]] * 4, [[0.0, 1.0, 0.0]] * 2]
