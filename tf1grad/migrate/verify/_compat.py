"""The private names of TensorFlow that `verify` needs, each with its reason. Imported in the script's process only."""

from tensorflow.python.framework import random_seed as _random_seed
from tensorflow.python.ops import gradients_util as _gradients_util

from tf1grad._compat import tf


def session_class():
    """The class under `tf.Session` and `tf.InteractiveSession`, which has `_do_run`, `make_callable` and the rest."""
    return next(base for base in tf.Session.__mro__ if "_do_run" in vars(base))


def fed_tensors(feed_dict):
    """The dict from tensor name to value in the `feed_dict` that `_do_run` gets: 2.x has references as its keys."""
    return {(key.deref() if hasattr(key, "deref") else key).name: value for key, value in feed_dict.items()}


def watch_gradients(observe):
    """Calls `observe(ys, xs, gradients)` after each `tf.gradients`, also the one in `Optimizer.compute_gradients`.

    All of them call this one function, on every version; `tf.gradients` itself can have been imported by name before.
    """
    original = _gradients_util._GradientsHelper

    def gradients_helper(ys, xs, *args, **kwargs):
        gradients = original(ys, xs, *args, **kwargs)
        observe(ys, xs, gradients)
        return gradients

    _gradients_util._GradientsHelper = gradients_helper


def seed_unseeded_graphs(seed, observe):
    """Gives `seed` to each graph where a random op has neither a graph's nor its own seed, and calls `observe()`."""
    original = _random_seed.get_seed  # asked by every random op, through its module

    def get_seed(op_seed):
        graph = tf.get_default_graph()
        if op_seed is None and graph.seed is None and not tf.executing_eagerly():
            observe()
            graph.seed = seed
        return original(op_seed)

    _random_seed.get_seed = get_seed


def external_interface(module):
    """The class `ExternalOptimizerInterface` of a module."""
    return vars(module)["ExternalOptimizerInterface"]
