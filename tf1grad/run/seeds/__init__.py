"""Chooses the seeds of random ops that were given none,
by the rule of TF 1.15 or of TF 2.x, on either version.

Both rules derive the seed from `tf.set_random_seed` and a number. In TF 1.15 that is the number of
ops in the graph so far, and 1.15's op layer makes as many; in TF 2.x it is the number of random
ops. Ops with their own seed are the same everywhere, and do not change.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process.replaced_functions import Replacement, replace_functions
from tf1grad.run.seeds import data_order, loop_order, op_counts

_random_ops: weakref.WeakKeyDictionary[tf.Graph, int] = weakref.WeakKeyDictionary()


def install(rule: str) -> None:
    """Makes random ops without their own seed follow `rule`, in this process, from now on.

    "tf1" is the rule of TF 1.15, for graphs of its op layer: the same initial values as there.
    "count" is that of TF 2.x, except that a dropout of nothing does not count. Loops with random
    ops run in order.
    """
    if rule == "tf1" and not _compat.is_version_1():
        replacements = _op_seeds(op_counts.count)
        replacements.update(dict.fromkeys(data_order.METHODS, data_order.warn_of_other_order))
        replace_functions(replacements, "ops are counted as in 1.15, for op seeds")
    elif rule == "count":
        loop_order.install(lambda: True)
        replacements = _op_seeds(_random_ops_so_far)
        replacements[_compat.module_name("ops.nn_ops") + ":dropout_v2"] = _uncounted_if_idle
        replace_functions(replacements, "random ops are counted, for op seeds")


def _uncounted_if_idle(dropout: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a dropout that drops nothing take no number:
    layers pass it on or not, by the version of TensorFlow.
    """

    @functools.wraps(dropout)
    def wrapper(x: object, rate: object, *args: object, **kwargs: object) -> tf.Tensor:
        graph = tf.get_default_graph()
        before = _random_ops.get(graph, 0)
        dropped = dropout(x, rate, *args, **kwargs)
        if not isinstance(rate, tf.Tensor) and rate == 0:
            _random_ops[graph] = before
        return dropped

    return wrapper


def _op_seeds(choose: Callable[[tf.Graph], int]) -> dict[str, Replacement]:
    """Returns the replacement that makes `choose(graph)` the seed of a random
    op without its own seed.
    """
    module = _compat.random_seed_module()
    original = module.get_seed

    def get_seed(op_seed: object) -> Any:
        graph = tf.get_default_graph()
        if op_seed is None and graph.seed is not None and not tf.executing_eagerly():
            if hasattr(graph, "_seed_used"):  # that of a function
                graph._seed_used = True
            op_seed = choose(graph)
        return original(op_seed)

    return {f"{module.__name__}:get_seed": lambda function: get_seed}


def _random_ops_so_far(graph: tf.Graph) -> int:
    number = _random_ops.get(graph, 0)
    _random_ops[graph] = number + 1
    return number
