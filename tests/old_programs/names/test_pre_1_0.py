"""Tests names from before 1.0: their new names and orders of arguments, and that 1.15 has the new ones, not the old."""

import functools
import importlib

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.old_programs.names import pre_1_0

IS_TF1 = tf.__version__.startswith("1.")


@pytest.mark.parametrize("name, positional, keywords, expected", [
    ("concat", [1, ["a", "b"]], [], True), ("concat", ["axis", ["a", "b"]], [], True),
    ("concat", [["a", "b"], 1], [], False), ("concat", [["a", "b"]], ["axis"], False),
    ("concat", ["values", "axis"], [], False), ("concat", ["x"], ["concat_dim"], True),
    ("concat", [], ["values"], False),
    ("split", [0, 3, "x"], [], True), ("split", ["x", 3, 0], [], False), ("split", ["x", [1, 2]], [], False),
    ("split", [], ["value", "split_dim", "num_split"], True), ("split", ["x", 3], ["axis"], False),
    ("reverse", ["x", [True, False]], [], True), ("reverse", ["x", [1, 0]], [], False), ("reverse", ["x"], [], False),
    ("nn.softmax_cross_entropy_with_logits", ["x", "y"], [], True),
    ("nn.softmax_cross_entropy_with_logits", [], ["labels", "logits"], False),
    ("image.resize_images", ["x", 2, 3], [], True), ("image.resize_images", ["x", [2, 3], 1], [], False),
    ("image.resize_images", ["x", "h", "w"], [], False), ("image.resize_images", ["x"], ["new_width"], True),
    ("nn.nce_loss", ["w", "b", "x", "labels"], [], True), ("nn.nce_loss", ["w", "b", "labels", "x"], [], False),
    ("nn.nce_loss", ["w", "b", "labels", "labels"], [], False), ("nn.nce_loss", ["w", "b"], ["labels"], False),
    ("nn.ctc_loss", ["x", "labels", "n"], [], True), ("nn.ctc_loss", ["labels", "x", "n"], [], False),
    ("nn.weighted_cross_entropy_with_logits", ["x", "labels", 2], [], True),
    ("mul", ["x", "y"], [], True)])
def test_is_old_call(name, positional, keywords, expected):
    old = pre_1_0.entry_of("tensorflow." + name)
    reading = pre_1_0.Reading(lambda value: isinstance(value, int),
                                 lambda value: value if isinstance(value, list) else None, "labels".__eq__)
    assert pre_1_0.is_old_call(old, positional, keywords, reading) is expected


@pytest.mark.skipif(not IS_TF1, reason="only TensorFlow 1 has all targets")
def test_tensorflow_1_15_has_every_target_and_no_old_name():
    plain = importlib.import_module("tensorflow")

    def has(path):
        try:
            return functools.reduce(getattr, path.split("."), plain) is not None
        except AttributeError:
            return False

    names = sorted(pre_1_0.NAMES)
    assert [name for name in names if has(name)] == []
    assert [name for name in names if not has(pre_1_0.entry_of("tensorflow." + name).target)] == []
