"""Tests every recipe with every other against plain large batches in NumPy."""

import itertools
import zlib

import pytest
import tensorflow.compat.v1 as tf

from excluded import EXCLUDED
from gradient_kinds import GRADIENTS
from recipe_table import RECIPES
from training import check_training

IN_SHORT_RUN = "accumulated_step"  # with each other recipe, on ref variables
KINDS = ["ref", "resource"]


def checksum(pair):
    return zlib.crc32(" ".join(pair).encode())


def cases():
    """Returns each pair on each kind of variables. Of a pair outside the short run, `.ci/run` has
    one kind on the newest TensorFlow.
    """
    for pair, kind in itertools.product(itertools.combinations(RECIPES, 2), KINDS):
        marks = []
        if IN_SHORT_RUN not in pair or kind != KINDS[0]:
            marks.append(pytest.mark.slow)
        if IN_SHORT_RUN not in pair and kind != KINDS[checksum(pair) // 2 % 2]:
            marks.append(pytest.mark.tox_alone)
        yield pytest.param(pair, kind, marks=marks, id="-".join([kind, *pair]))


@pytest.mark.parametrize("pair, variable_kind", list(cases()), indirect=["variable_kind"])
def test_two_recipes_give_the_step_of_the_plain_large_batch(pair, graph, variable_kind):
    if tf.__version__.startswith("1.") and variable_kind == "resource":
        pytest.skip("on TensorFlow 1.15, pairs have ref variables, as its programs do")
    # Of an excluded pair, the one takes the odd steps and the other the even ones.
    lists_of_recipes = [[name] for name in pair] if frozenset(pair) in EXCLUDED else [pair]
    rule = rule_of(pair, variable_kind)
    check_training(" and ".join(pair), lists_of_recipes, rule, GRADIENTS["float64"])


def rule_of(pair, variable_kind):
    """Returns Adam on one kind of variables and Momentum on the other."""
    return "adam" if (checksum(pair) + KINDS.index(variable_kind)) % 2 else "nesterov"
