"""Calls in the order of TensorFlow 0.12 are told from those of 1.15, where both have the name."""

import numbers

import numpy as np
import pytest

from tf1grad.programs.names import pre_1_0

READING = pre_1_0.Reading(
    lambda value: isinstance(value, numbers.Number),
    lambda value: value if isinstance(value, list) else None,
    lambda value: isinstance(value, np.ndarray) and value.dtype.kind == "i",
)
X, LABELS = np.zeros([2, 3]), np.zeros([2], int)
# A name, the arguments as 0.12 had them, and those of 1.15.
CALLS = [
    ("concat", [0, [X, X]], [[X, X], 0]),
    ("concat", ["an axis", [X, X]], [[X, X], "an axis"]),
    ("concat", [0, "values"], ["values", 0]),
    ("split", [0, 2, X], [X, 2, 0]),
    ("reverse", [X, [True, False]], [X, [0]]),
    ("reverse", [X, [False]], [X, [1, 0]]),
    ("image.resize_images", [X, 32, 32], [X, [32, 32]]),
    ("nn.ctc_loss", [X, LABELS, 3], [LABELS, X, 3]),
    ("nn.sigmoid_cross_entropy_with_logits", [X, LABELS], []),
]


@pytest.mark.parametrize("name, old, new", CALLS)
def test_the_order_of_arguments_is_recognized(name, old, new):
    kept = pre_1_0.find_kept("tensorflow." + name)
    assert pre_1_0.is_old_call(kept, old, [], READING) is True
    assert pre_1_0.is_old_call(kept, new, [], READING) is False


@pytest.mark.parametrize("name, keyword", [("concat", "concat_dim"), ("split", "split_dim")])
def test_a_keyword_of_then_tells(name, keyword):
    kept = pre_1_0.find_kept("tensorflow." + name)
    assert pre_1_0.is_old_call(kept, [], [keyword], READING)
    assert not pre_1_0.is_old_call(kept, [], ["axis"], READING)


def test_names_of_then_are_those_of_tensorflow_alone():
    assert pre_1_0.find_gone("tensorflow.mul").target == "multiply"
    assert (
        pre_1_0.find_gone("numpy.mul") is None and pre_1_0.find_gone("tensorflow.multiply") is None
    )
