"""Tests that spellings of TensorFlow mean the same here, or are an error."""

import inspect

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad

OTHER_NAMES = {"grads_and_vars": "t_list", "low": "clip_value_min", "high": "clip_value_max"}
SAME = {
    "clip_by_value": (tf1grad.clip_by_value, tf.clip_by_value),
    "clip_by_norm": (tf1grad.clip_by_norm, tf.clip_by_norm),
    "clip_by_global_norm": (tf1grad.clip_by_global_norm, tf.clip_by_global_norm),
    "global_norm": (tf1grad.global_norm, tf.global_norm),
    "StopAtStepHook": (tf1grad.StopAfterStepsHook.__init__, tf.train.StopAtStepHook.__init__),
    **{
        f"{wrapper.__name__}.{method}": (
            getattr(wrapper, method),
            getattr(tf.train.Optimizer, method),
        )
        for wrapper in (tf1grad.AccumulatingOptimizer, tf1grad.ClippingOptimizer)
        for method in ("apply_gradients", "get_slot", "minimize", "variables")
    },
}


def positional(function):
    return [
        OTHER_NAMES.get(parameter.name, parameter.name)
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]


@pytest.mark.parametrize("name", sorted(SAME))
def test_arguments_without_a_keyword_are_those_of_tensorflow(name):
    ours, theirs = map(positional, SAME[name])
    theirs = ["t_list" if name == "t" else name for name in theirs]
    shared = theirs[: len(ours)] if name != "StopAtStepHook" else theirs
    assert ours[: len(shared)] == shared


def test_every_function_that_tensorflow_has_too_is_compared():
    assert {name for name in tf1grad.__all__ if hasattr(tf, name)} <= set(SAME)


@pytest.fixture
def pairs(graph):
    """Makes two gradients and variables of one shape."""
    variables = [tf.get_variable(name, initializer=np.ones(2, np.float32)) for name in "vw"]
    return list(zip([tf.constant([3.0, 4.0]), tf.constant([0.0, 12.0])], variables))


@pytest.mark.parametrize("nonfinite", ["raise", "skip", "propagate"])
def test_a_norm_that_is_known_is_used_as_in_tensorflow(pairs, session, nonfinite):
    known = tf.placeholder(tf.float32, [])
    theirs, their_norm = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 5.0, known)
    clipped, norm = tf1grad.clip_by_global_norm(pairs, 5.0, known, nonfinite=nonfinite)
    ours = [gradient for gradient, _ in clipped]
    for value in (2.0, 20.0):
        np.testing.assert_allclose(*session.run([ours, theirs], {known: value}), rtol=1e-6)
        assert session.run([norm, their_norm], {known: value}) == [value, value]
    with pytest.raises(ValueError, match="use_norm must be a scalar"):
        tf1grad.clip_by_global_norm(pairs, 5.0, [1.0, 2.0])


@pytest.mark.parametrize(
    "use",
    [tf1grad.global_norm, tf1grad.drop_none, tf1grad.GradientAccumulator, tf1grad.feed_gradients],
)
def test_the_result_of_a_clip_is_no_list_of_pairs(pairs, use):
    with pytest.raises(
        TypeError, match=r"clipped, norm = .*clip_by_global_norm\(pairs, 5.0\)\[0\]"
    ):
        use(tf1grad.clip_by_global_norm(pairs, 5.0))


def test_the_result_of_a_clip_is_no_result_of_a_transform(pairs):
    optimizer = tf1grad.ClippingOptimizer(
        tf.train.AdamOptimizer(), transform=lambda pairs: tf1grad.clip_by_global_norm(pairs, 5.0)
    )
    with pytest.raises(TypeError, match=r"after <lambda>.*clip_by_global_norm\(pairs, 5.0\)\[0\]"):
        optimizer.apply_gradients(pairs)
