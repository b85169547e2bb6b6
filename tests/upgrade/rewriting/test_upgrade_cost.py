"""Tests that the cost of an upgrade grows with the length of a program, not with its square."""

import cProfile
import pstats

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from upgraded_texts import upgraded_text

pytestmark = NEEDS_PYTHON_3_8

HEAD = "import tensorflow as tf\nfrom tensorflow.contrib import slim\n"
# Names that get others, names of 1.15 alone, rewritten calls, and comments.
FUNCTION = """
def layer_{0}(x):
    with tf.variable_scope("layer_{0}"):
        w = tf.get_variable("w", [3, 3], initializer=tf.contrib.layers.xavier_initializer())
        y = slim.batch_norm(tf.mul(x, w))
        for key in x.iterkeys():
            y += tf.concat(1, [y, x[key] / 2])
    return tf.contrib.gan.GANModel(y)
"""


def _calls(functions):
    profile = cProfile.Profile()
    text = HEAD + "".join(map(FUNCTION.format, range(functions)))
    profile.runcall(upgraded_text, text)
    return pstats.Stats(profile).total_calls


@pytest.mark.slow
def test_the_cost_is_linear():
    upgraded_text(HEAD)  # reads the rules
    few, many = _calls(30), _calls(120)
    assert many < 4.4 * few
