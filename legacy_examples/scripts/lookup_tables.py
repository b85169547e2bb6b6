"""Lookup tables: words to numbers and back, and what has no number counted in a table that changes.

    python lookup_tables.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf

VOCABULARY = ['good', 'bad', 'fine', 'poor', 'very', 'not']
SENTENCES = ['good', 'very good', 'not bad', 'fine indeed', 'bad', 'very poor', 'not good', 'poor show']
LABELS = [1, 1, 1, 1, 0, 0, 0, 0]

tf.set_random_seed(4)
sentences = tf.placeholder(tf.string, [None])
labels = tf.placeholder(tf.float32, [None])

table = tf.contrib.lookup.index_table_from_tensor(VOCABULARY, num_oov_buckets=3)
weights = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(['very', 'not'], [2.0, -1.0]), default_value=1.0)
back = tf.contrib.lookup.index_to_string_table_from_tensor(VOCABULARY, default_value='?')
seen = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, default_value=0)

words = tf.string_split(sentences)
ids = tf.SparseTensor(words.indices, table.lookup(words.values), words.dense_shape)
factors = tf.SparseTensor(words.indices, weights.lookup(words.values), words.dense_shape)
embedding = tf.get_variable('embedding', [len(VOCABULARY) + 3, 6])
vectors = tf.contrib.layers.safe_embedding_lookup_sparse(embedding, ids, factors, combiner='mean')
logits = tf.squeeze(tf.contrib.layers.linear(vectors, 1), 1)
loss = tf.contrib.losses.sigmoid_cross_entropy(tf.expand_dims(logits, 1), tf.expand_dims(labels, 1))
train_op = tf.train.AdagradOptimizer(0.5).minimize(loss)
found, _ = tf.unique(words.values)
count = seen.insert(found, seen.lookup(found) + 1)

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    values = np.concatenate([v.ravel() for v in sess.run(tf.trainable_variables())])
    print('initial weights sum to %.15g' % math.fsum(values))
    feed = {sentences: SENTENCES, labels: LABELS}
    for step in range(12):
        value, _, _ = sess.run([loss, train_op, count], feed)
        print('step %d, loss %.9g' % (step, value))
    print('step 12, ids', *sess.run(ids, feed).values)
    print('step 13, seen', *sess.run(seen.lookup(tf.constant(['good', 'indeed', 'nothing']))))
    print('words', *sess.run(back.lookup(tf.constant([0, 5, 7], tf.int64))))
