"""Tests that `run` gives the op seeds of TF 1.15.5,
and that the rule that counts random ops is the same everywhere.
"""

import ast
import json

import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import func_graph

import seed_cases
from script_folder import printed
from tf1grad._compat import VERSION
from tf1grad.run import seeds
from tf1grad.run.seeds import op_counts

RECORDED = seed_cases.CASES


ONE_IN_EIGHT = sorted(RECORDED)[::8]
OTHERS = sorted(set(RECORDED) - set(ONE_IN_EIGHT))


def derived(names, rule, *under):
    """Returns what a rule gives for cases."""
    return json.loads(printed(*under, seed_cases.__file__, rule, *names))


def recorded(names, rule):
    return {name: RECORDED[name][rule] for name in names}


@pytest.mark.period(on_1_15=True)
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(ONE_IN_EIGHT, marks=[pytest.mark.slow, pytest.mark.each_release]),
        pytest.param(OTHERS, marks=pytest.mark.slow),
    ],
    ids=["one in eight", "the others"],
)
def test_run_gives_the_recorded_seeds(names):
    assert derived(names, "tf1", "-m", "tf1grad", "run") == recorded(names, "tf1")


@pytest.mark.slow
def test_count_rule_gives_the_recorded_seeds():
    found, expected = derived(RECORDED, "count"), recorded(RECORDED, "count")
    missing = {name for name in found if "missing" in found[name]}  # layers, without tf_keras
    assert VERSION >= (2,) or not missing
    for name in missing:
        del found[name], expected[name]
    assert found == expected


def test_record_has_every_kind_of_case():
    assert len(RECORDED) > 450
    random = [case for case in RECORDED.values() if len(case["tf1"]["seeds"]) > 1]
    assert len(random) > 80
    assert len({case["tf1"]["values"] for case in random}) > 20


def test_the_count_of_ops_is_corrected_for_one_graph(graph):
    assert op_counts.count(graph) == 0
    tf.add(1, 2)  # with its two constants
    assert op_counts.count(graph) == 3
    op_counts.shift(graph, 2)
    op_counts.shift(graph, -1)
    assert op_counts.count(graph) == 4 and op_counts.count(tf.Graph()) == 0


SEEDS = """
    import tensorflow.compat.v1 as tf
    from tf1grad.run import seeds

    tf.disable_v2_behavior()
    seeds.install("{}")
    tf.set_random_seed(1)
    tf.random_normal([1]), tf.random_normal([1]), tf.random_normal([1], seed=9)
    ops = tf.get_default_graph().get_operations()
    random = [op for op in ops if op.type == "RandomStandardNormal"]
    print([(op.get_attr("seed2"), ops.index(op)) for op in random])
"""


@pytest.mark.slow
@pytest.mark.each_release
@pytest.mark.parametrize("rule", ["tf1", "count"])
def test_random_ops_are_counted_among_all_ops_or_among_themselves(run_forked, rule):
    (first, before), (second, between), (own, _) = ast.literal_eval(
        run_forked(SEEDS.format(rule)).splitlines()[-1]
    )
    assert (first, second) == ((before, between) if rule == "tf1" else (0, 1))
    assert own == 9


def test_a_dropout_of_nothing_takes_no_number(graph):
    def dropout(x, rate):
        seeds._random_ops[graph] = seeds._random_ops.get(graph, 0) + 1
        return x

    uncounted = seeds._uncounted_if_idle(dropout)
    counts = []
    for rate in (0.5, 0, 0.0, 0.5, tf.constant(0.0)):
        uncounted(tf.constant(1.0), rate)
        counts.append(seeds._random_ops[graph])
    assert counts == [1, 1, 1, 2, 3]


@pytest.mark.parametrize("is_function", [True, False])
def test_the_graph_of_a_function_notes_that_its_seed_was_used(is_function):
    """It does in TensorFlow, which warns of the seed of a function in a dataset."""
    (replace,) = seeds._op_seeds(lambda graph: 5).values()
    found = []
    for get_seed in (tf.get_seed, replace(None)):
        graph = func_graph.FuncGraph("f") if is_function else tf.Graph()
        with graph.as_default():
            tf.set_random_seed(3)
            get_seed(7)
            of_own_seed = getattr(graph, "_seed_used", None)
            seed = get_seed(None)
        found.append((of_own_seed, getattr(graph, "_seed_used", None)))
    assert found == [(False, True) if is_function else (None, None)] * 2 and seed == (3, 5)
