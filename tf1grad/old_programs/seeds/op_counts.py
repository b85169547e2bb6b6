"""Counts the ops that TF 1.15 would have made in a graph so far, which it uses as the seed of the next random op.

A graph's ops are counted as they are made. A function of TF 2.x that makes another number of ops than in TF 1.15 is
wrapped for the life of the process. A rule (`op_rules`) corrects the count: before the call for the random ops in it,
and after the call for later ops.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Union

from tf1grad._compat import tf
from tf1grad.old_programs import _compat

UNLIKE_GRADIENT = (
    "unlike gradient"  # a key for functions with gradients that have another number of ops
)

_states: weakref.WeakKeyDictionary[tf.Graph, _State] = weakref.WeakKeyDictionary()


class _State:
    """One graph's correction of the count, keys that were met, and the function that makes the count uncertain."""

    def __init__(self) -> None:
        self.shift = 0
        self.met: Set[Any] = set()
        self.uncertain_function: Optional[str] = None


class Call:
    """One call of a wrapped function, as its rule sees it: its arguments with defaults, its graph, its result."""

    def __init__(
        self, function: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]
    ) -> None:
        self.graph = tf.get_default_graph()
        self.result: Any = None
        self._start, self._version = count(self.graph), self.graph.version
        self._met = set(_state(self.graph).met)
        bound = _signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        self.arguments = bound.arguments

    def counted(self) -> int:
        """Returns the number of ops counted so far in this call, including corrections of the calls inside it."""
        return count(self.graph) - self._start

    def total(self, ops: int) -> int:
        """Returns the correction that makes this call count as `ops`."""
        return ops - self.counted()

    def instead(self, ops: int) -> int:
        """Returns `total(ops)`, and forgets the keys of inner calls, which TF 1.15 did not make."""
        _state(self.graph).met = self._met
        return self.total(ops)

    def first(self, key: Any) -> bool:
        """Returns True the first time it gets `key` in this graph: TF 1.15 reuses some ops in later calls."""
        met = _state(self.graph).met
        new = key not in met
        met.add(key)
        return new

    def has_met(self, key: Any) -> bool:
        """Says whether `first` was called with `key` in this graph."""
        return key in _state(self.graph).met

    def made_ops(self) -> bool:
        """Says whether this call really made ops."""
        return bool(self.graph.version > self._version)

    def made_types(self) -> List[str]:
        """Returns the types of the ops that this call really made."""
        return [operation.type for operation in self.graph.get_operations()[self._version :]]


# A number to add to the count, or a function that returns it, or None where TF 1.15's count is unknown.
Correction = Union[int, Callable[[Call], Optional[int]]]
# The corrections before and after a call.
Rule = Tuple[Correction, Correction]


def count(graph: tf.Graph) -> int:
    """Returns the number of ops that TF 1.15 would have made in `graph`."""
    return int(graph.version) + _state(graph).shift


def shift(graph: tf.Graph, ops: int) -> None:
    """Corrects the count of `graph` by `ops`."""
    _state(graph).shift += ops


def uncertain_function(graph: tf.Graph) -> Optional[str]:
    """Returns the first function in `graph` for which TF 1.15's count is unknown, or None."""
    return _state(graph).uncertain_function


@contextlib.contextmanager
def uncounted() -> Iterator[None]:
    """Excludes the ops made within the context from the counts of the default graph and of the graphs around it."""
    graphs = {graph: count(graph) for graph in _compat.with_outer_graphs(tf.get_default_graph())}
    try:
        yield
    finally:
        for graph, before in graphs.items():
            shift(graph, before - count(graph))


def wrap(
    function: Callable[..., Any], name: str, before: Correction, after: Correction
) -> Callable[..., Any]:
    """Wraps `function` so that it corrects the count of its graph before and after the call.

    A correction is a number, or a function from a `Call` to a number, or to None where TF 1.15's count is unknown. The
    warning that the count is uncertain has the `name`.
    """

    @functools.wraps(function)
    def counting(*args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly():
            return function(*args, **kwargs)
        call = Call(function, args, kwargs)
        _correct(call, before, name)
        call.result = function(*args, **kwargs)
        _correct(call, after, name)
        return call.result

    return counting


def _correct(call: Call, correction: Correction, name: str) -> None:
    ops = correction(call) if callable(correction) else correction
    state = _state(call.graph)
    if ops is None:
        state.uncertain_function = state.uncertain_function or name
    else:
        state.shift += ops
        if ops and _compat.in_control_flow(
            call.graph
        ):  # tensors from outside come in at other moments in TF 1.15
            state.uncertain_function = state.uncertain_function or f"{name} in a branch or a loop"


def _state(graph: tf.Graph) -> _State:
    return _states.setdefault(graph, _State())


@functools.lru_cache(maxsize=None)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)
