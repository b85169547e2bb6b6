"""Tests that the rules of `tf1grad.migrate.seeds` give the op seeds of TF 1.15.5, or warn that they may not."""

import json
import os

import pytest

import paths
import seed_cases
from script_folder import run_python
from tf1grad._compat import VERSION

RECORDED = seed_cases.CASES

# Where TF 2.x builds ops that TF 1.15 does not, in numbers that follow from more than the call. The rule tf1 says so.
UNSURE = {
    "einsum": "TF 1.15 spells out the products",
    "flipb": "a batch of images: TF 1.15 checks shapes in the graph",
    "ftrl": "the powers of the rate are constants of each variable",
    "grad_lstm": "gradients through a loop keep other values",
    "adam_rnn": "gradients through a loop keep other values",
    "grad_swish": "a gradient function of its own",
    "grad_atan2": "TF 1.15 does not reduce",
    "hessian": "gradients in a loop",
}


def derived(rule, names):
    """Returns what a rule gives for cases, the unsure ones too, and its messages on stderr."""
    code, output, errors = run_python(seed_cases.__file__, rule, *sorted(names | set(UNSURE)))
    assert code == 0, errors[-3000:]
    return json.loads(output), errors


@pytest.fixture(scope="module")
def tf1(names_of_run):
    """Derives the cases by the rule of TF 1.15."""
    return derived("tf1", names_of_run)


@pytest.fixture(scope="module")
def counted(names_of_run):
    """Derives the cases by the rule of TF 2.x."""
    return derived("count", names_of_run)


def same(found, recorded):
    if "missing" in found:
        assert VERSION >= (2,)
        pytest.skip(f"this TensorFlow has no layers: {found['missing']}")
    assert found == recorded


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", sorted(set(RECORDED) - set(UNSURE)))
def test_tf1_rule_gives_the_recorded_seeds(name, tf1):
    same(tf1[0][name], RECORDED[name]["tf1"])


@pytest.mark.matrix
@pytest.mark.parametrize("name", sorted(RECORDED))
def test_count_rule_gives_the_recorded_seeds(name, counted):
    same(counted[0][name], RECORDED[name]["count"])


@pytest.mark.parametrize("training, seed", [(True, 21), (False, 22)])
def test_dropout_of_rate_0_counts_as_in_1_15(run_program, training, seed):
    # TF 1.15.5 does not make an op of it in training.
    output = run_program(f"""
        import sys
        sys.path[:0] = {[os.path.dirname(module.__file__) for module in (seed_cases, paths)]!r}
        import seed_cases
        seed_cases.tf.disable_v2_behavior()
        seed_cases.seeds.install("tf1")
        found = seed_cases.derive("tf.layers.dropout(x, 0.0, training={training})")
        print("no layers" if "missing" in found else found["seeds"])
        """).strip()
    if output == "no layers":
        pytest.skip("this TensorFlow has no layers")
    assert output == str([seed])


def test_record_has_every_kind_of_case():
    assert len(RECORDED) > 450 and set(UNSURE) < set(RECORDED)
    random = [case for case in RECORDED.values() if len(case["tf1"]["seeds"]) > 1]
    assert len(random) > 80
    assert len({case["tf1"]["values"] for case in random}) > 20


def test_uncertain_counts_are_reported_once(tf1):
    said = tf1[1].count("the number of ops in TensorFlow 1.15 is unknown")
    assert said == (1 if VERSION >= (2,) else 0)


@pytest.mark.parametrize(
    "rule, other", [("tf1", "count"), pytest.param("count", "tf1", marks=pytest.mark.matrix)]
)
def test_a_rule_is_installed_once(run_forked, rule, other):
    output = run_forked(f"""
        import tensorflow.compat.v1 as tf
        from tf1grad.migrate import seeds
        tf.disable_v2_behavior()
        rule, other = "{rule}", "{other}"

        def draws():
            with tf.Graph().as_default() as graph:
                tf.set_random_seed(1)
                tf.random_uniform([]), tf.nn.dropout(tf.ones([3]), 0.5), tf.random_uniform([])
                return [op.get_attr("seed2") for op in graph.get_operations() if op.type == "RandomUniform"]

        seeds.install(rule)
        before = draws(), tf.get_seed, tf.nn.dropout
        seeds.install(rule)
        print((draws(), tf.get_seed, tf.nn.dropout) == before)
        try:
            seeds.install(other)
        except ValueError as error:
            print(repr(rule) in str(error) and repr(other) in str(error))
        print((draws(), tf.get_seed, tf.nn.dropout) == before)
    """)
    assert output.split() == ["True"] * 3


UNCERTAIN = """
import tensorflow.compat.v1 as tf
from tf1grad.migrate import seeds
from tf1grad.old_programs.seeds import op_counts
tf.disable_v2_behavior()
seeds.install("tf1")
%s
for case in CASES:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        case(tf.placeholder(tf.float32, [None, 4]))
        print(op_counts.uncertain_function(graph))
        tf.random_normal([2])
"""


@pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15 counts itself")
def test_doubtful_counts_name_their_function(run_program):
    output = run_program(
        UNCERTAIN
        % """
CASES = [
    lambda x: tf.reduce_mean(tf.nn.relu(x)),
    lambda x: tf.gradients(tf.reduce_sum(tf.square(x)), x),
    lambda x: x[0:tf.shape(x)[0]],
    lambda x: tf.gradients(tf.digamma(x), x),
    lambda x: tf.train.ProximalAdagradOptimizer(0.1).minimize(tf.reduce_sum(x * tf.get_variable("v", [4]))),
    lambda x: tf.cond(tf.placeholder(tf.bool, []), lambda: x + 1, lambda: x),
    lambda x: tf.cond(tf.placeholder(tf.bool, []), lambda: tf.nn.dropout(x, .5), lambda: x),
]
"""
    )
    *found, last = output.splitlines()
    assert found == [
        "None",
        "None",
        "Tensor.__getitem__",
        "the gradient of Digamma",
        "Optimizer.apply_gradients",
        "None",
    ]
    assert last.endswith("dropout_v2 in a branch or a loop")


@pytest.mark.skipif(VERSION < (2, 16), reason="Keras 3 comes with TensorFlow 2.16")
def test_keras_3_was_never_measured(run_program):
    output = run_program(
        "import os; os.environ['TF_USE_LEGACY_KERAS'] = '0'"
        + UNCERTAIN
        % """
CASES = [
    lambda x: tf.keras.layers.Dense(3)(tf.zeros([2, 4])),
    lambda x: tf.get_variable("g", [2], initializer=tf.keras.initializers.Constant(2.)),
    lambda x: tf.zeros([2]),
]
"""
    )
    assert [line == "None" for line in output.splitlines()] == [False, False, True]
