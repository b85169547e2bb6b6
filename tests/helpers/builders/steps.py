"""Reads gradients, summaries and everything that a training step can move;
makes three optimizers.
"""

import contextlib

import numpy as np
import tensorflow.compat.v1 as tf


def descent():
    return tf.train.GradientDescentOptimizer(0.1)


def momentum():
    return tf.train.MomentumOptimizer(0.1, 0.9)


def adam():
    return tf.train.AdamOptimizer(0.1)


OPTIMIZERS = [descent, momentum, adam]


class Forgetful(tf.train.GradientDescentOptimizer):
    """Takes a global_step and leaves it alone."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return super().apply_gradients(grads_and_vars, name=name)


class Outer(tf.train.Optimizer):
    """Hands everything on to another optimizer."""

    def __init__(self, optimizer):
        super().__init__(False, "Outer")
        self._optimizer = optimizer

    def compute_gradients(self, *args, **kwargs):
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, *args, **kwargs):
        return self._optimizer.apply_gradients(*args, **kwargs)


def everything(optimizer, *others):
    """Returns the trainable variables, the optimizer's slots and beta powers, and `others`,
    by name, to be fetched.
    """
    variables = tf.trainable_variables() + optimizer.variables() + list(others)
    return {variable.name: variable for variable in variables}


@contextlib.contextmanager
def unchanged(session, *variables):
    """Asserts that what runs in the block leaves the values of the variables as they are."""
    before = [np.array(value) for value in session.run(list(variables))]
    yield
    for variable, old, new in zip(variables, before, session.run(list(variables))):
        np.testing.assert_array_equal(new, old, err_msg=variable.name)


def dense_value(gradient, rows):
    """Returns the sum of a fetched gradient, as an array with `rows` rows."""
    if isinstance(gradient, tuple):
        total = np.zeros((rows,) + gradient.values.shape[1:], gradient.values.dtype)
        np.add.at(total, gradient.indices, gradient.values)
        return total
    return gradient


def fetched(session, pairs):
    return [None if gradient is None else session.run(gradient) for gradient, _ in pairs]


def summary_values(summary):
    """Returns the scalars and histograms of a serialized summary, by tag."""
    found = {value.tag: value for value in tf.Summary.FromString(summary).value}
    return (
        {tag: value.simple_value for tag, value in found.items() if value.HasField("simple_value")},
        {tag: value.histo for tag, value in found.items() if value.HasField("histo")},
    )


def monitored(folder=None, **options):
    """Opens a MonitoredTrainingSession that writes nothing but checkpoints,
    into `folder` if it is given.
    """
    settings = dict(
        dict(save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None),
        **options,
    )
    return tf.train.MonitoredTrainingSession(checkpoint_dir=folder and str(folder), **settings)
