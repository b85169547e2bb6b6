"""Compares every method of taking a large step with one full batch, in NumPy."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
from accumulation_methods import METHODS
from numpy_optimizers import RULES

SIZES = [3, 3, 3, 1]  # the last micro-batch is short
BATCHES = [models.random_batch(sum(SIZES), seed) for seed in range(3)]


@pytest.mark.parametrize("rule", ["adagrad", "adam", "nesterov", "sgd"])
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
