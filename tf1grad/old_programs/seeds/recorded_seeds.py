"""Records the seeds of random ops in one process and replays them op by op in another, on any TensorFlow.

An op is identified by its type and name among the random ops of its graph, including functions in that graph. Graphs
are numbered in the order of their first random op. Random `tf.data` operations do not have an op yet when they take
their seeds: they are identified by the name scope.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import weakref
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import messages
from tf1grad.old_programs.process.replaced_functions import replace_functions

DATASET = "Dataset"  # in place of an op's type
MAX_WARNINGS = 10  # about ops that are not in the record
_KEYS = ("seed", "seed2")


def install(replay: Optional[str] = None, record: Optional[str] = None) -> None:
    """Replays recorded seeds for the random ops that this process builds from now on, and records their seeds.

    Args:
        replay: a recorded file, or None; stderr lists ops that it does not have.
        record: the file to write when the process ends, or None.
    """
    watchers: List[Union[_Replay, _Recording]] = []
    if replay:
        with open(replay, encoding="utf-8") as file:
            watchers.append(_Replay(replay, json.load(file)["graphs"]))
    if record:
        recording = _Recording(record)
        watchers.append(recording)
        atexit.register(recording.save)
    if watchers:
        _watch(watchers)


def _watch(watchers: Sequence[Union[_Replay, _Recording]]) -> None:
    """Gives every random op the seeds that the watchers' `see(graph, type, name, seeds)` return."""
    here = threading.local()

    def see(graph: tf.Graph, op_type: str, name: str, seeds: Sequence[int]) -> Sequence[int]:
        for watcher in watchers:
            seeds = watcher.see(_compat.outermost_graph(graph), op_type, name, tuple(seeds))
        return seeds

    def change(graph: tf.Graph, op_type: str, name: Optional[str], attributes: Dict[str, Any]) -> Dict[str, Any]:
        if "seed" not in attributes or "seed2" not in attributes:
            return attributes
        kind = type(attributes["seed"])
        seeds = see(graph, op_type, _whole_name(graph, name or op_type), [attributes[key].i for key in _KEYS])
        return dict(attributes, **{key: kind(i=seed) for key, seed in zip(_KEYS, seeds)})

    def of_dataset(get_seed: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(seed: Any) -> Any:
            here.dataset = True
            try:
                return get_seed(seed)
            finally:
                here.dataset = False
        return wrapper

    def of_op(get_seed: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(op_seed: Any) -> Any:
            seeds, graph = get_seed(op_seed), tf.get_default_graph()
            if not getattr(here, "dataset", False) or any(isinstance(seed, tf.Tensor) for seed in seeds):
                return seeds
            return see(graph, DATASET, graph.get_name_scope(), seeds)
        return wrapper

    _compat.change_new_ops(change)
    replace_functions({_compat.module_name("data.util.random_seed") + ":get_seed": of_dataset,
                       _compat.module_name("framework.random_seed") + ":get_seed": of_op},
                      "seeds are recorded, or given back as they were recorded")


def _whole_name(graph: tf.Graph, name: str) -> str:
    """Returns the full name that an op will get; a name that ends in a slash is full already."""
    return name[:-1] if name.endswith("/") else graph.unique_name(name, mark_as_used=False)


class _Recording:
    """Keeps `[type, name, seed, seed2]` of the random ops of each graph. Any thread may build ops."""

    def __init__(self, path: str) -> None:
        self._path, self._process = path, os.getpid()
        self._graphs: List[List[List[Any]]] = []
        self._number: weakref.WeakKeyDictionary[tf.Graph, int] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def see(self, graph: tf.Graph, op_type: str, name: str, seeds: Sequence[int]) -> Sequence[int]:
        with self._lock:
            if graph not in self._number:
                self._number[graph] = len(self._graphs)
                self._graphs.append([])
            self._graphs[self._number[graph]].append([op_type, name] + list(seeds))
        return seeds

    def save(self) -> None:
        """Writes the file, in the process that records and not in its forks."""
        if os.getpid() != self._process:
            return
        graphs = ",\n".join("[" + ",\n ".join(map(json.dumps, ops)) + "]" for ops in self._graphs)
        with open(self._path, "w", encoding="utf-8") as file:
            file.write(f'{{"tensorflow": "{_compat.release()}", "graphs": [\n{graphs}\n]}}\n')


class _Replay:
    """Finds the seeds of an op in the graphs of a record. Any thread may build ops."""

    def __init__(self, path: str, graphs: Iterable[List[List[Any]]]) -> None:
        self._path, self._left, self._warned = path, map(_Ops, graphs), 0
        self._ops: weakref.WeakKeyDictionary[tf.Graph, _Ops] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def see(self, graph: tf.Graph, op_type: str, name: str, seeds: Sequence[int]) -> Sequence[int]:
        with self._lock:
            if graph not in self._ops:
                self._ops[graph] = next(self._left, _Ops([]))
            found = self._ops[graph].take(op_type, name)
            if found is None:
                self._warn(f"does not have {_shown(op_type, name)}, which gets the seed of --seeds=tf1.")
            elif found[1] != name:
                self._warn(f"does not have {_shown(op_type, name)}, which gets the seed of "
                           f"{_shown(op_type, found[1])} at the same position.")
            return seeds if found is None else tuple(found[2:])

    def _warn(self, text: str) -> None:
        self._warned += 1
        if self._warned <= MAX_WARNINGS:
            messages.say(f"--seeds {self._path} {text}")
        elif self._warned == MAX_WARNINGS + 1:
            messages.say(f"--seeds {self._path} does not have further ops either.")


class _Ops:
    """The recorded random ops of a graph, each to be taken once."""

    def __init__(self, ops: List[List[Any]]) -> None:
        self._ops, self._left, self._position = ops, dict(enumerate(ops)), 0
        self._by_name: Dict[Tuple[str, str], List[int]] = {}
        for position, (op_type, name, _, _) in enumerate(ops):
            self._by_name.setdefault((op_type, name), []).append(position)

    def take(self, op_type: str, name: str) -> Optional[List[Any]]:
        """Returns the op of this type and name; else the op at the current position if it has this type; else None."""
        place, self._position = self._position, self._position + 1
        named = [position for position in self._by_name.get((op_type, name), []) if position in self._left]
        if named:
            return self._left.pop(named[0])
        return self._left.pop(place) if place in self._left and self._ops[place][0] == op_type else None


def _shown(op_type: str, name: str) -> str:
    return f"the {'tf.data in' if op_type == DATASET else op_type} {name!r}"
