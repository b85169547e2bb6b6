"""Tests every recipe with every other against plain large batches in NumPy."""

import itertools
import zlib

import pytest
import tensorflow.compat.v1 as tf

from excluded import EXCLUDED
from gradient_kinds import GRADIENTS
from recipe_table import RECIPES
from training import check_training

IN_SHORT_RUN = "accumulated_step"  # with each other recipe


def pairs():
    for pair in itertools.combinations(RECIPES, 2):
        yield pair if IN_SHORT_RUN in pair else pytest.param(pair, marks=pytest.mark.slow)


@pytest.mark.parametrize("pair", list(pairs()), ids="-".join)
def test_two_recipes_give_the_step_of_the_plain_large_batch(pair, graph, variable_kind):
    if tf.__version__.startswith("1.") and variable_kind == "resource":
        pytest.skip("on TensorFlow 1.15, pairs have ref variables, as its programs do")
    # Of an excluded pair, the one takes the odd steps and the other the even ones.
    lists_of_recipes = [[name] for name in pair] if frozenset(pair) in EXCLUDED else [pair]
    rule = rule_of(pair, variable_kind)
    check_training(" and ".join(pair), lists_of_recipes, rule, GRADIENTS["float64"])


def rule_of(pair, variable_kind):
    """Returns Adam on one kind of variables and Momentum on the other."""
    turn = zlib.crc32(" ".join(pair).encode()) + (variable_kind == "ref")
    return "adam" if turn % 2 else "nesterov"
