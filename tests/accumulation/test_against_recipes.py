"""Compares every method of taking a large step with NumPy, with one full batch in TensorFlow, and with the recipes."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import recipes
from accumulation_methods import METHODS
from numpy_optimizers import RULES

SIZES = [3, 3, 3, 1]  # the last micro-batch is short
BATCHES = [models.random_batch(sum(SIZES), seed) for seed in range(3)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rule", sorted(RULES))
@pytest.mark.parametrize("method", sorted(METHODS))
def test_update_is_the_full_batch_update_of_numpy(method, rule, session):
    in_numpy, make_optimizer = RULES[rule]
    expected, expected_losses = models.train_in_numpy(in_numpy(), BATCHES)
    model = models.Model()
    global_step = tf.train.get_or_create_global_step()
    step = METHODS[method](model, make_optimizer(), global_step)
    session.run(tf.global_variables_initializer())
    losses = [step(session, models.split(batch, SIZES)) for batch in BATCHES]
    models.assert_same_values(model.values(session), expected)
    assert session.run(global_step) == len(BATCHES)
    if losses[0] is not None:
        np.testing.assert_allclose(losses, expected_losses, rtol=1e-9)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_numpy_rules_are_those_of_tensorflow(rule, session):
    in_numpy, make_optimizer = RULES[rule]
    expected, _ = models.train_in_numpy(in_numpy(), BATCHES)
    model = models.Model()
    train_op = make_optimizer().minimize(model.loss)
    session.run(tf.global_variables_initializer())
    for batch in BATCHES:
        session.run(train_op, model.feed_dict(batch))
    models.assert_same_values(model.values(session), expected)


@pytest.mark.parametrize("recipe", ["textbook", "fetch_average_feed", "stacked_placeholders"])
@pytest.mark.parametrize("rule", ["sgd", "adam", "adagrad"])
def test_update_is_the_recipe_s_with_equal_micro_batches(recipe, rule, session):
    # Only these three rules: the recipes make sparse gradients dense, which changes what the others do.
    batches = [models.random_batch(12, seed) for seed in range(3)]
    model = models.Model()
    optimizers = [RULES[rule][1](), RULES[rule][1]()]
    steps = [METHODS["explicit_ops"](model, optimizers[0]), _recipe(recipe, optimizers[1], model.loss).step]
    results = []
    for index, step in enumerate(steps):
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        feed = (lambda part: part) if index == 0 else model.feed_dict
        losses = [step(session, [feed(part) for part in models.split(batch, [4] * 3)]) for batch in batches]
        results.append((model.values(session), losses))
    models.assert_same_values(results[0][0], results[1][0])
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-9)
    assert np.abs(results[0][0]["matrix"] - models.START["matrix"]).max() > 0.01, "nothing was trained"


def _recipe(name, optimizer, loss):
    if name == "textbook":
        return recipes.TextbookAccumulation(optimizer, loss, batches_per_step=3)
    return {"fetch_average_feed": recipes.FetchAverageFeed,
            "stacked_placeholders": recipes.StackedPlaceholders}[name](optimizer, loss)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_one_micro_batch_is_one_full_batch(method, session):
    expected, _ = models.train_in_numpy(RULES["nesterov"][0](), BATCHES)
    model = models.Model()
    step = METHODS[method](model, RULES["nesterov"][1]())
    session.run(tf.global_variables_initializer())
    for batch in BATCHES:
        step(session, [batch])
    models.assert_same_values(model.values(session), expected)
