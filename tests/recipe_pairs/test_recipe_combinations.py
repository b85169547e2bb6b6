"""Tests recipes in combinations that are drawn, five kinds and a place at a time,
against large batches in NumPy.

A failure prints the seed, the case, and the first step after which a variable differs: expected,
and got.
"""

import contextlib
import itertools
import random

import pytest
import tensorflow.compat.v1 as tf

import clusters
from excluded import EXCLUDED
from gradient_kinds import GRADIENTS
from numpy_optimizers import RULES
from places import ImportedGraph, Restarts, SharedServer
from training import check_training

SEED = 2  # with it, the short run has each name
# Cases in the short run, on TensorFlow 1.15 and on the newest one in `.ci/run`, and in all.
SHORT, OLDEST, NEWEST, ALL = 40, 160, 240, 400
WAYS = {
    "to accumulate": [
        "gradient_accumulator",
        "ordered_run",
        "accumulated_sum",
        "accumulated_dense",
        "accumulated_step",
        "accumulate_hook",
        "accumulating_optimizer",
        "split_batch",
        "split_batch_with_collections",
        "split_batch_with_layers",
        "feed_gradients",
        "stacked_feed_gradients",
    ],
    "to clip or guard": [
        "clip_by_global_norm",
        "clip_by_norm",
        "clip_by_value",
        "multiply_gradients",
        "clipping_optimizer",
        "drop_nonfinite",
        "skipped_step",
    ],
    "to train a part": [
        "trainable_in",
        "without",
        "gate_gradient",
        "gate_variables",
        "alternate",
        "players_hook",
        "uneven_alternate",
        "uneven_players_hook",
    ],
}
PLACES = ["session", "restarts", "shared server", "imported graph"]


@pytest.fixture(scope="module")
def server():
    cluster = tf.train.ClusterSpec({"local": clusters.free_addresses(1)})
    return clusters.server(cluster, "local", 0)


def drawn(number):
    """Returns the names of a case: of recipes, a rule, a kind of gradients and a place;
    and its kind of variables.
    """
    draws = random.Random(f"{SEED} {number}")
    while True:
        recipes, place = [draws.choice(names) for names in WAYS.values()], draws.choice(PLACES)
        pairs = map(frozenset, itertools.combinations([*recipes, place], 2))
        if EXCLUDED.keys().isdisjoint(pairs):
            gradients = draws.choice(list(GRADIENTS))
            rule = draws.choice(GRADIENTS[gradients].rules)
            return [*recipes, rule, gradients, place], draws.choice(["ref", "resource"])


def case_of(number):
    names, variable_kind = drawn(number)
    marks = [pytest.mark.slow] if number >= SHORT else []
    marks += [pytest.mark.newest_alone] if number >= OLDEST else []
    marks += [pytest.mark.tox_alone] if number >= NEWEST else []
    return pytest.param(number, variable_kind, id=f"{number}-{'-'.join(names)}", marks=marks)


@pytest.mark.parametrize(
    "number, variable_kind", list(map(case_of, range(ALL))), indirect=["variable_kind"]
)
def test_recipes_together_give_the_step_of_the_plain_large_batch(
    number, graph, variable_kind, tmp_path, server
):
    (*recipes, rule, gradients, place), _ = drawn(number)
    case = (
        f"seed {SEED}, case {number}: {', '.join(recipes)}, {rule}, {gradients} gradients, "
        f"{variable_kind} variables, {place}"
    )
    program = [recipes], rule, GRADIENTS[gradients]
    new_places = {
        "session": lambda: None,
        "restarts": lambda: Restarts(tmp_path),
        "imported graph": lambda: ImportedGraph(contexts),
        "shared server": lambda: SharedServer(server.target, *program),
    }
    with contextlib.ExitStack() as contexts:
        check_training(case, *program, new_places[place]())


def test_the_short_run_draws_each_name():
    names = {name for number in range(SHORT) for name in drawn(number)[0]}
    assert names == set().union(*WAYS.values(), RULES, GRADIENTS, PLACES)
