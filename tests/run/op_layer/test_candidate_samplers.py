"""Tests the sampler by unigrams: 1.15.5 prints the same."""

import ast

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)

SAMPLER = """
def sampler(classes):
    return tf.nn.fixed_unigram_candidate_sampler(
        classes, num_true=1, num_sampled=3, unique=False, range_max=4,
        unigrams=[1.0, 2.0, 3.0, 4.0], seed=2)
"""


def test_a_true_class_out_of_range_has_the_expected_count_0(tmp_path):
    script = """
classes = tf.placeholder(tf.int64, [None, 1])
sampled, true_counts, sampled_counts = sampler(classes)
doubled = 2 * true_counts
print([op.type for op in tf.get_default_graph().get_operations()])
with tf.Session() as session:
    print(np.round(session.run(doubled, {classes: [[0], [3], [9], [-1]]}).ravel(), 3).tolist())
    print(np.round(session.run(sampled_counts, {classes: [[0]]}) / 3, 1).shape)
"""
    ops, doubled, shape = output_of(SAMPLER + script, tmp_path).splitlines()
    assert ops == "['Placeholder', 'FixedUnigramCandidateSampler', 'Const', 'Mul']"
    # Three draws of a class whose share of the unigrams is 1 or 4 tenths.
    assert [round(each, 3) for each in ast.literal_eval(doubled)] == [0.6, 2.4, 0.0, 0.0]
    assert shape == "(3,)"


def test_functions_and_eager_execution_take_the_installed_op(tmp_path):
    script = """
counts = tf.data.Dataset.range(2).map(lambda each: sampler([[each]])[1])
element = counts.make_one_shot_iterator().get_next()
with tf.Session() as session:
    print([round(float(session.run(element)), 3) for _ in range(2)])
"""
    assert output_of(SAMPLER + script, tmp_path) == "[0.3, 0.6]\n"
    script = """
tf.enable_eager_execution()
print(round(float(sampler([[2]])[1]), 3))
"""
    assert output_of(SAMPLER + script, tmp_path) == "0.9\n"
