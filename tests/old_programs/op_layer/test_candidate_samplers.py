"""Tests true classes out of range against the values that TensorFlow 1.15.5 gives, which did not check them."""


import pytest

from script_folder import values_of

pytestmark = pytest.mark.period

SCRIPT = """
true = tf.placeholder(tf.int64, [None, 1])
sampled, count, _ = tf.nn.fixed_unigram_candidate_sampler(
    true, num_true=1, num_sampled=4, unique=False, range_max=3, distortion=0.75, unigrams=[1, 2, 3], seed=1)
_, uniform, _ = tf.nn.uniform_candidate_sampler(true, 1, 4, False, 6, seed=1)
with tf.Session() as session:
    fetches = [sampled, tf.identity(count), tf.reduce_sum(tf.exp(count)), uniform]
    print(json.dumps([[values.tolist() for values in session.run(fetches, {true: classes})]
                      for classes in ([[0]], [[3]], [[-1], [2]])]))
"""

# Of TensorFlow 1.15.5: sampled classes, expected counts, the sum of their exponentials, counts of a uniform sampler.
RECORDED = [
    [[2, 1, 2, 2], [[0.8062403202056885]], 2.2394723892211914, [[0.6666666865348816]]],
    [[2, 1, 2, 0], [[0.0]], 1.0, [[0.6666666865348816]]],
    [[1, 2, 1, 0], [[0.0], [1.8378305435180664]], 7.282893180847168, [[0.6666666865348816], [0.6666666865348816]]],
]


def test_true_classes_out_of_range_have_the_counts_of_1_15(tmp_path):
    found = values_of(SCRIPT, tmp_path)
    assert found == RECORDED
