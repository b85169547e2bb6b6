"""Tests that misuse is refused when the graph is built, with the argument or variable,
the value and the remedy.
"""

import re

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.recipes.freezing.freeze import trainable_in, without
from tf1grad.recipes.freezing.gate import HeldGate, gate_gradient, gate_variables
from tf1grad.recipes.freezing.players import alternate
from tf1grad.recipes.freezing.training_report import report
from tf1grad.recipes.gradients.clip import (
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    drop_nonfinite,
)
from tf1grad.recipes.gradients.transforms import chain, map_gradients, multiply_gradients
from tf1grad.recipes.optimizers.clipping import ClippingOptimizer


def sgd():
    return tf.train.GradientDescentOptimizer(0.1)


class Misused:
    """Builds the graph that the cases below misuse."""

    def __init__(self):
        self.w = tf.get_variable("net/w", initializer=np.float32([1, 2]))
        self.v = tf.get_variable("net/v", initializer=np.float32([3]))
        self.still = tf.get_variable("still", initializer=1.0, trainable=False)
        self.g = tf.constant([3.0, 4.0])
        self.slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([2]))
        self.pairs = [(self.g, self.w), (None, self.v)]
        self.loss = tf.reduce_sum(self.w)


SHARED = tf.train.GradientDescentOptimizer(0.1)

CASES = [
    # The list itself
    (
        "the whole list as fn",
        lambda m: map_gradients(m.pairs, m.pairs),
        TypeError,
        "fn must be a function.*Write map_",
    ),
    (
        "a swapped pair",
        lambda m: map_gradients(tf.identity, [(m.w, m.g)]),
        TypeError,
        r"the pair \(net/w:0, .*\) is swapped: write \(gradient, variable\)",
    ),
    (
        "a pair without a variable",
        lambda m: map_gradients(tf.identity, [(m.g, m.g)]),
        TypeError,
        "the second member of each pair must be a variable; got ",
    ),
    (
        "a gradient of another dtype",
        lambda m: map_gradients(tf.identity, [(tf.cast(m.g, tf.float64), m.w)]),
        TypeError,
        r"net/w:0 is float64, the variable is float32\. Cast it",
    ),
    (
        "a gradient of another shape",
        lambda m: map_gradients(tf.identity, [(m.g[:1], m.w)]),
        ValueError,
        r"net/w:0.*\(1,\).*\(2,\)",
    ),
    (
        "fn returns None",
        lambda m: map_gradients(lambda g: None, m.pairs),
        TypeError,
        "None for.*net/w:0.*without",
    ),
    (
        "fn changes the shape",
        lambda m: map_gradients(tf.reduce_sum, m.pairs),
        ValueError,
        r"keep.*\(\).*net/w:0.*\(2,\)",
    ),
    (
        "chain of a result",
        lambda m: chain(clip_by_norm(m.pairs, 1.0)),
        TypeError,
        "chain: transform 0 must be.*Wrap.*lambda",
    ),
    (
        "pairs as the transform of players",
        lambda m: alternate({"d": (m.loss, [m.w])}, sgd, transform=m.pairs),
        TypeError,
        "alternate: transform 0 must be.*Wrap.*lambda",
    ),
    (
        "a transform of an optimizer that returns no pairs",
        lambda m: ClippingOptimizer(sgd(), transform=len).apply_gradients(m.pairs),
        TypeError,
        "ClippingOptimizer, after len",
    ),
    # Multipliers
    (
        "multipliers no dict",
        lambda m: multiply_gradients(m.pairs, 0.5),
        TypeError,
        "must be a dict such as.*0.5",
    ),
    (
        "unmatched multiplier",
        lambda m: multiply_gradients(m.pairs, {"net/x": 2.0}),
        ValueError,
        "'net/x' matches none.*Near names.*net/w",
    ),
    (
        "pattern as a string",
        lambda m: multiply_gradients(m.pairs, {"net/.*": 2.0}),
        ValueError,
        r"literal name or scope; a pattern is re.compile",
    ),
    (
        "matched twice",
        lambda m: multiply_gradients(m.pairs, {"net": 2.0, "net/w": 3.0}),
        ValueError,
        "net/w:0 is selected twice.*exclusive",
    ),
    (
        "multiplier is NaN",
        lambda m: multiply_gradients(m.pairs, {"net": float("nan")}),
        ValueError,
        "net.*got NaN",
    ),
    # Thresholds
    (
        "negative norm",
        lambda m: clip_by_global_norm(m.pairs, -1.0),
        ValueError,
        "clip_norm must be above 0.*-1.*inf",
    ),
    (
        "global norm of 0",
        lambda m: clip_by_global_norm(m.pairs, 0.0),
        ValueError,
        r"clip_by_global_norm: clip_norm must be above 0; got 0\.0\. To leave.*do not clip",
    ),
    (
        "norm of 0",
        lambda m: clip_by_norm(m.pairs, 0),
        ValueError,
        "clip_by_norm: clip_norm must be above 0; got 0",
    ),
    (
        "a constant of 0",
        lambda m: clip_by_norm(m.pairs, tf.constant(0.0)),
        ValueError,
        "clip_norm must be above 0",
    ),
    (
        "norm of NaN",
        lambda m: clip_by_global_norm(m.pairs, float("nan")),
        ValueError,
        "clip_norm must be a number; got NaN",
    ),
    (
        "low above high",
        lambda m: clip_by_value(m.pairs, 1.0, -1.0),
        ValueError,
        "low=1.*high=-1.*The order is",
    ),
    (
        "range without 0 on rows",
        lambda m: clip_by_value([(m.slices, m.w)], 0.5, 1.0),
        ValueError,
        "excludes 0.*net/w:0.*convert_to_tensor",
    ),
    (
        "unknown policy",
        lambda m: clip_by_norm(m.pairs, 1.0, nonfinite="ignore"),
        ValueError,
        "nonfinite must be one of .*got 'ignore'",
    ),
    # The wrapping optimizer
    (
        "no optimizer",
        lambda m: ClippingOptimizer(m.loss, 1.0),
        TypeError,
        "optimizer must have compute_gradients",
    ),
    (
        "no threshold",
        lambda m: ClippingOptimizer(sgd()),
        ValueError,
        "give clip_norm=5.0.*or transform",
    ),
    (
        "both",
        lambda m: ClippingOptimizer(sgd(), 1.0, lambda pairs: pairs),
        ValueError,
        "not both; got clip_norm=1.0",
    ),
    (
        "negative, at once",
        lambda m: ClippingOptimizer(sgd(), -1.0),
        ValueError,
        "ClippingOptimizer: clip_norm must be above 0; got -1.0",
    ),
    (
        "0, at once",
        lambda m: ClippingOptimizer(sgd(), 0),
        ValueError,
        "ClippingOptimizer: clip_norm must be above 0; got 0",
    ),
    (
        "unknown policy, at once",
        lambda m: ClippingOptimizer(sgd(), 1.0, nonfinite="ignore"),
        ValueError,
        "ClippingOptimizer: nonfinite must be one of .*; got 'ignore'",
    ),
    (
        "policy on a transform",
        lambda m: ClippingOptimizer(sgd(), transform=drop_nonfinite, nonfinite="skip"),
        ValueError,
        "nonfinite='skip' goes with clip_norm",
    ),
    (
        "counter of nothing",
        lambda m: ClippingOptimizer(sgd(), 1.0).dropped,
        ValueError,
        'nonfinite="skip".*minimize',
    ),
    # Selection
    (
        "no selector",
        lambda m: trainable_in(),
        ValueError,
        "name at least one scope.*tf.trainable_variables",
    ),
    ("empty scope", lambda m: trainable_in(""), ValueError, "'' would select every variable"),
    (
        "a number",
        lambda m: trainable_in(3),
        TypeError,
        "by variable, name, scope, compiled pattern or function; got int 3",
    ),
    (
        "without all",
        lambda m: without(m.pairs, "net"),
        ValueError,
        r"every variable .* \(2\) is frozen",
    ),
    # Gates
    (
        "gate on integers",
        lambda m: gate_gradient(tf.constant(1), True),
        TypeError,
        "must be floating.*int32",
    ),
    (
        "gate of text",
        lambda m: gate_gradient(m.g, "on"),
        TypeError,
        "do_gradient must be a bool or a number.*str 'on'",
    ),
    (
        "gate of another shape",
        lambda m: gate_gradient(m.g, [1, 0, 1]),
        ValueError,
        r"broadcast.*\(2,\); got \(3,\)",
    ),
    (
        "variable without a gate",
        lambda m: gate_variables(m.pairs, {"net/w": 1}, sgd),
        ValueError,
        "net/v:0 are in no group.*True to train",
    ),
    (
        "group without gradient",
        lambda m: gate_variables(m.pairs, {"net/w": 1, "net/v": 1}, sgd),
        ValueError,
        r"group \['net/v:0'\] is None.*without",
    ),
    (
        "gate no scalar",
        lambda m: gate_variables(m.pairs, {"net": [1, 0]}, sgd),
        ValueError,
        r"scalar.*\(2,\).*unstack",
    ),
    (
        "optimizer, not a factory",
        lambda m: gate_variables(m.pairs, {"net": 1}, sgd()),
        TypeError,
        "must be a function that returns a new optimizer.*Write lambda",
    ),
    (
        "held without a shape",
        lambda m: HeldGate(tf.placeholder(tf.bool, [None], name="mask")),
        ValueError,
        r"static shape; got \(\?,\)|static shape; got \(None,\)",
    ),
    # Players
    (
        "players as a list",
        lambda m: alternate([(m.loss, "net")], sgd),
        TypeError,
        "players must be a dict such as",
    ),
    (
        "loss and variables swapped",
        lambda m: alternate({"g": ("net", m.loss)}, sgd),
        TypeError,
        r"loss of player g must be a tensor; got str 'net'. The order is \(loss, variables\)",
    ),
    (
        "steps of a stranger",
        lambda m: alternate({"g": (m.loss, "net")}, sgd, steps={"d": 2}),
        ValueError,
        "steps names 'd', which is no player; the players are g",
    ),
    (
        "no steps",
        lambda m: alternate({"g": (m.loss, "net")}, sgd, steps={"g": 0}),
        ValueError,
        r"steps\['g'\].*got 0",
    ),
    (
        "one optimizer for two",
        lambda m: alternate({"a": (m.loss, "net/w"), "b": (m.loss, "net/v")}, lambda: SHARED),
        ValueError,
        "same optimizer twice.*inside the function",
    ),
    # The audit, and the contrib names
    (
        "audit of a name",
        lambda m: report("train"),
        TypeError,
        "must be a loss tensor or a train op; got str 'train'",
    ),
]


@pytest.mark.parametrize(
    "misuse, error, message", [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_misuse_is_refused(graph, misuse, error, message):
    misused = Misused()
    before = tf.global_variables()
    with pytest.raises(error) as raised:
        misuse(misused)
    assert type(raised.value) is error
    assert re.search(message, str(raised.value), re.DOTALL), str(raised.value)
    assert len(tf.global_variables()) == len(before)


@pytest.mark.parametrize(
    "change",
    [
        lambda pairs: clip_by_value(pairs, -1.0, 1.0),
        lambda pairs: without(pairs, [pairs[1][1]]),
    ],
    ids=["clip_by_value", "without"],
)
def test_a_finalized_graph_is_refused_before_an_op_is_made(graph, change):
    pairs = Misused().pairs
    graph.finalize()
    with pytest.raises(RuntimeError, match="adds ops to the graph, which is finalized"):
        change(pairs)


@pytest.mark.slow
def test_eager_execution_is_refused_with_the_line_to_add(run_forked):
    output = run_forked("""
        import tensorflow as tf
        from tf1grad import *
        tf.compat.v1.enable_eager_execution()
        variable = tf.Variable([1.0, 2.0])
        pairs = [(tf.constant([3.0, 4.0]), variable)]
        optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
        for build in (lambda: alternate({"g": (tf.constant(1.0), [variable])}, lambda: optimizer),
                      lambda: clip_by_global_norm(pairs, 1.0), lambda: clip_by_value(pairs, -1.0, 1.0),
                      lambda: drop_nonfinite(pairs), lambda: ClippingOptimizer(optimizer, 1.0),
                      lambda: without(pairs, [variable]), lambda: HeldGate(True), lambda: gate_gradient(pairs[0][0], 1),
                      lambda: gate_variables(pairs, [(variable, 1)], lambda: optimizer), lambda: global_norm(pairs),
                      lambda: GradientAccumulator(pairs), lambda: AccumulatingOptimizer(optimizer, 2),
                      lambda: feed_gradients(pairs), lambda: split_batch(lambda x: x * variable, [tf.zeros([2])], 1)):
            try:
                build()
            except RuntimeError as error:
                print(error)
    """)
    lines = [
        line
        for line in output.splitlines()
        if "builds a TensorFlow 1 graph, but eager execution is on" in line
    ]
    assert len(lines) == 14, output
    assert all("tf.disable_v2_behavior()" in line for line in lines)
