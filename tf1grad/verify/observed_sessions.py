"""Passes the runs of all sessions in a process to a function,
and gives seeds to graphs without one.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Hashable, NamedTuple, Sequence

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.programs.process.replaced_functions import replace_functions
from tf1grad.verify import run_dependencies
from tf1grad.verify.record import Facts


class SessionRun(NamedTuple):
    """One `session.run` of the script."""

    session: tf.Session
    targets: list[tf.Operation]
    fetches: list[tf.Tensor]
    feeds: dict[str, Any]  # by the names of tensors
    # Runs it, with the fetches in a list in addition to its own; returns the values of all.
    execute: Callable[[Sequence[tf.Tensor]], list[Any]]

    def ops(self) -> set[tf.Operation]:
        """Returns all ops that it executes."""
        fetched = [tensor.op for tensor in self.fetches if tensor.name not in self.feeds]
        return run_dependencies.executed([*self.targets, *fetched], self.feeds)

    def kind(self) -> Hashable:
        """Returns the same for runs of the same targets, fetches and feeds in a graph."""
        fetched = tuple(tensor.name for tensor in self.fetches)
        return self.session.graph, tuple(self.targets), fetched, frozenset(self.feeds)


def observe(observer: Callable[[SessionRun], list[Any]]) -> None:
    """Calls `observer` in the place of each `session.run`;
    it returns the values of the script's fetches.

    For `session.run([loss, step], {x: 1.0})` its argument `run` has the targets `[step]`, the
    fetches `[loss]` and the feeds `{"x:0": 1.0}`. An observer that reads a norm in the same run:

        def observer(run):
            *values, norm = run.execute([norm_tensor])
            print(norm)
            return values
    """
    for name, around in (
        ("_do_run", functools.partial(_observed, observer)),
        ("_make_callable_from_options", _make_callable_from_options),
    ):
        patches.wrap(_compat.session_class(), name, around, reason="the first runs are recorded")


def _observed(
    observer: Callable[[SessionRun], list[Any]],
    original: patches.Function,
    session: tf.Session,
    handle: object,
    targets: list[tf.Operation],
    fetches: list[tf.Tensor],
    feed_dict: Any,
    *more: object,
) -> Any:
    def execute(more_fetches: Sequence[tf.Tensor]) -> Any:
        return original(session, handle, targets, [*fetches, *more_fetches], feed_dict, *more)

    if handle is not None:
        return execute([])
    feeds = _compat.fed_values(feed_dict)
    return observer(SessionRun(session, targets, fetches, feeds, execute))


def seed_graphs(seed: int, facts: Facts) -> None:
    """Gives `seed` to each graph whose random ops have no seed, and notes it in the facts."""

    def get_seed(original: patches.Function, op_seed: object) -> object:
        graph = tf.get_default_graph()
        if op_seed is None and graph.seed is None and not tf.executing_eagerly():
            facts.seeded = graph.seed = seed
        return original(op_seed)

    place = _compat.module_name("framework.random_seed") + ":get_seed"
    replacement = functools.partial(patches.wrapped, around=get_seed)
    replace_functions({place: replacement}, "graphs without a seed get that of verify")


def _make_callable_from_options(
    original: patches.Function, session: tf.Session, options: Any
) -> patches.Function:
    """Returns a prepared run that is a `session.run`, which is observed."""

    def call(*values: Any, **kwargs: Any) -> Any:
        fetches = [list(options.fetch), list(options.target)]
        return session.run(fetches, dict(zip(options.feed, values)), **kwargs)[0]

    return call
