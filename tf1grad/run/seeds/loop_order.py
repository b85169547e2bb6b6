"""Makes loops with random ops finish one iteration before the next starts,
so that they draw the same in each run.

Random ops of parallel iterations draw in the order in which the executor runs them. TensorFlow 2's
executor takes the last iteration first. 1.15's took the first one if it had one thread; with more
threads the order was undefined.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import messages, patches

WARNING = (
    "the loop {} has random ops with a seed. Its iterations run in order, so it draws what TensorFlow 1.15 draws with "
    "parallel_iterations=1. By default 1.15 runs iterations at once, and may draw other numbers."
)
_REASON = "loops with random ops run in order, so that their numbers repeat"
_PARALLEL = "parallel_iterations"

_frames: weakref.WeakKeyDictionary[tf.Graph, set[str]] = weakref.WeakKeyDictionary()


def install(is_concerned: Callable[[], bool]) -> None:
    """Orders the loops that are built where `is_concerned` returns True."""

    def build(
        build_loop: patches.Function, loop: object, *arguments: object, **options: object
    ) -> Any:
        start = tf.get_default_graph().version
        result = build_loop(loop, *arguments, **options)
        if is_concerned():
            _order(loop, start)
        return result

    module = _compat.resolve(_compat.module_name("ops.control_flow_ops"))
    patches.wrap(module.WhileContext, "BuildLoop", build, reason=_REASON)
    patches.wrap(module, "_Enter", _enter, reason=_REASON)


def _order(loop: Any, start: int) -> None:
    """Orders a loop if random ops are among its ops, which the graph has from number `start` on."""
    graph = tf.get_default_graph()
    made = graph.get_operations()[start:]
    random_ops = [each for each in made if "seed2" in each.node_def.attr and _is_in(each, loop)]
    if not random_ops:
        return
    if loop.parallel_iterations != 1 and any(map(_has_seed, random_ops)):
        messages.warn_once("random loop", WARNING.format(loop.name.rpartition("/")[0]))
    _frames.setdefault(graph, set()).add(loop.name)
    entering = [each for each in made if each.type in ("Enter", "RefEnter")]
    for operation in entering:
        if operation.get_attr("frame_name").decode() == loop.name:
            _compat.set_attr(operation, _PARALLEL, i=1)


def _enter(
    enter: patches.Function, tensor: tf.Tensor, frame_name: str, *more: object, **options: object
) -> tf.Tensor:
    """Orders ops that gradients add to an ordered loop, since a loop takes the number of
    whichever op enters first.
    """
    entered = enter(tensor, frame_name, *more, **options)
    if isinstance(entered, tf.Tensor) and frame_name in _frames.get(tf.get_default_graph(), ()):
        _compat.set_attr(entered.op, _PARALLEL, i=1)
    return entered


def _has_seed(operation: tf.Operation) -> bool:
    return bool(operation.get_attr("seed") or operation.get_attr("seed2"))


def _is_in(operation: tf.Operation, loop: object) -> bool:
    context = operation._get_control_flow_context()
    while context is not None and context is not loop:
        context = context.outer_context
    return context is loop
