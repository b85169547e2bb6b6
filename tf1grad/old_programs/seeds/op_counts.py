"""How many ops TF 1.15 would have had in a graph by now: TF 1.15 takes that number for the seed of a random op.

A graph's ops are counted as they are made. Where a function of TF 2.x makes another number than TF 1.15's did, it is
wrapped for as long as the process lives, and a rule (`op_rules`) corrects the count, before the call for the random ops
in it and after the call for what follows.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Union

from tf1grad._compat import tf

UNLIKE_GRADIENT = "unlike gradient"  # met where a function was used whose gradient has another number of ops

_states: weakref.WeakKeyDictionary[tf.Graph, _State] = weakref.WeakKeyDictionary()


class _State:
    """What is known of one graph: the correction of its count, keys that were met, and why it is no longer sure."""

    def __init__(self) -> None:
        self.shift = 0
        self.met: Set[Any] = set()
        self.doubt: Optional[str] = None


class Call:
    """One call of a wrapped function, as its rule sees it.

    Attributes:
        arguments: the arguments by name, with defaults.
        graph: the graph that it builds in.
        result: what the call returned; None before.
    """

    def __init__(self, function: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        self.graph = tf.get_default_graph()
        self.result: Any = None
        self._start, self._version = count(self.graph), self.graph.version
        self._met = set(_state(self.graph).met)
        bound = _signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        self.arguments = bound.arguments

    def counted(self) -> int:
        """The ops counted so far in this call, corrections of the calls inside it included."""
        return count(self.graph) - self._start

    def total(self, ops: int) -> int:
        """The correction that makes this call count as `ops`."""
        return ops - self.counted()

    def instead(self, ops: int) -> int:
        """As `total`, where TF 1.15 made nothing of what the calls inside this one make."""
        _state(self.graph).met = self._met
        return self.total(ops)

    def first(self, key: Any) -> bool:
        """True the first time `key` is asked for in this graph: TF 1.15 keeps some ops for the graph's next call."""
        met = _state(self.graph).met
        new = key not in met
        met.add(key)
        return new

    def has_met(self, key: Any) -> bool:
        """True when `first` was asked for `key` in this graph."""
        return key in _state(self.graph).met

    def grew(self) -> bool:
        """True when any op was really made in this call."""
        return bool(self.graph.version > self._version)

    def made(self) -> List[str]:
        """The types of the ops that were really made in this call."""
        return [operation.type for operation in self.graph.get_operations()[self._version:]]


# What is added to the count at a call: of a function, None where it cannot be told.
Correction = Union[int, Callable[[Call], Optional[int]]]
# The corrections before and after a call.
Rule = Tuple[Correction, Correction]


def count(graph: tf.Graph) -> int:
    """The ops that TF 1.15 would have made in `graph`."""
    return int(graph.version) + _state(graph).shift


def shift(graph: tf.Graph, ops: int) -> None:
    """Corrects the count of `graph` by `ops`."""
    _state(graph).shift += ops


def doubt(graph: tf.Graph) -> Optional[str]:
    """The first function in `graph` that TF 1.15 counted otherwise in a way no rule tells; None where all is sure."""
    return _state(graph).doubt


@contextlib.contextmanager
def uncounted() -> Iterator[None]:
    """A context whose ops in the default graph, and in those around it that it lifts ops to, are not counted."""
    graphs = {graph: count(graph) for graph in _open_graphs()}
    try:
        yield
    finally:
        for graph, before in graphs.items():
            shift(graph, before - count(graph))


def _open_graphs() -> List[tf.Graph]:
    graph, graphs = tf.get_default_graph(), []
    while graph is not None:
        graphs.append(graph)
        graph = getattr(graph, "outer_graph", None)
    return graphs


def wrap(function: Callable[..., Any], name: str, before: Correction, after: Correction) -> Callable[..., Any]:
    """`function` with the count of its graph corrected.

    Args:
        function: what is wrapped.
        name: what it is called where the count is in doubt.
        before, after: the correction before and after the call: a number, or a function from a `Call` to a number, or
            to None where TF 1.15's count cannot be told.
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
        state.doubt = state.doubt or name
    else:
        state.shift += ops


def _state(graph: tf.Graph) -> _State:
    if graph not in _states:
        _states[graph] = _State()
    return _states[graph]


@functools.lru_cache(maxsize=None)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)
