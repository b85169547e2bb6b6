"""Holds the base class of the hooks, which checks graph, session and the runs that count,
and checks of arguments.
"""

from __future__ import annotations

from typing import Any, Mapping

from tf1grad._arguments import describe
from tf1grad._compat import is_variable, require_graph, tf
from tf1grad._types import HookBase


class MonitoredHook(HookBase):
    """A hook that knows its graph and its session, and refuses any other.

    Where a subclass sets `_counted`, only the user's runs that fetch one of these names count: see
    `_takes_part`.
    """

    _counted: frozenset[str] = frozenset()
    # What no run that counts may fetch too: as the user writes it, by its name.
    _run_by_hook: Mapping[str, str] = {}

    def __init__(self) -> None:
        self._caller, self._graph, self._session = type(self).__name__, tf.get_default_graph(), None
        require_graph(self._caller)

    def begin(self) -> None:
        if tf.get_default_graph() is not self._graph:
            raise ValueError(
                f"{self._caller} was made in another graph than the one that this session runs. Make the "
                "hook and the session inside the same `with graph.as_default():`."
            )
        self._session, self._runs, self._took_part = None, 0, False

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        if session is self._session:
            raise ValueError(
                f"{self._caller}: the same hook is twice in the session's hooks. Leave one out, or every "
                "run would count twice."
            )
        self._session = session

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs | None:
        if run_context.session is not self._session:
            raise RuntimeError(
                f"{self._caller} runs only in the one session that it was opened with: "
                "tf.train.MonitoredSession(hooks=[hook]). A plain tf.Session calls no hooks, and two "
                "open sessions need a hook each."
            )
        return None

    def _takes_part(self, run_context: tf.train.SessionRunContext) -> bool:
        """Says whether the user's run counts for this hook."""
        names = _names(run_context.original_args.fetches)
        asked = not self._counted.isdisjoint(names)
        fetched_too = [name for name in names if name in self._run_by_hook]
        if asked and fetched_too:
            written = self._run_by_hook[fetched_too[0]]
            raise ValueError(
                f"{self._caller}: the run fetches {written} (the op {fetched_too[0]}), which the hook runs by itself, "
                "so the micro-batch would count twice. Leave it out of the fetches."
            )
        self._runs, self._took_part = self._runs + 1, self._took_part or asked
        return asked

    def end(self, session: tf.Session) -> None:
        if self._runs and not self._took_part:
            tf.logging.warning(
                "%s: nothing was trained. None of the %d runs of the session fetched any of %s.",
                self._caller,
                self._runs,
                ", ".join(sorted(self._counted)),
            )


def run_names(fetches: Any, graph: tf.Graph, caller: str) -> frozenset[str]:
    """Returns the names of the fetches that make a run count:
    one tensor, op or variable of `graph`, or a list.
    """
    fetches = fetches if isinstance(fetches, (list, tuple)) else [fetches]
    for fetch in fetches:
        if not (isinstance(fetch, (tf.Tensor, tf.Operation)) or is_variable(fetch)):
            raise TypeError(
                f"{caller}: fetches must be tensors or ops, such as fetches=[loss]; got {describe(fetch)}."
            )
        if fetch.graph is not graph:
            raise ValueError(f"{caller}: fetches: {fetch.name} is of another graph.")
    if not fetches:
        raise TypeError(f"{caller}: fetches is empty, so no run would ever count. Name the loss.")
    return frozenset(fetch.name for fetch in fetches)


def check_graph(part: tf.Tensor | tf.Operation, graph: tf.Graph, caller: str, what: str) -> None:
    """Raises ValueError where `part` is not of `graph`,
    in which a run could find another op by its name.
    """
    if part.graph is not graph:
        raise ValueError(
            f"{caller}: {what} is of another graph than the default one. Make both inside the same "
            "`with graph.as_default():`."
        )


def _names(fetches: object) -> list[Any]:
    """Returns the names of fetches in any structure."""
    if isinstance(fetches, dict):
        fetches = fetches.values()
    elif not isinstance(fetches, (list, tuple)):
        return [fetches if isinstance(fetches, str) else getattr(fetches, "name", None)]
    return [name for fetch in fetches for name in _names(fetch)]


def check_global_step(global_step: tf.Variable | None, caller: str) -> tf.Variable:
    """Returns the variable `global_step`, or else the graph's."""
    if global_step is None:
        global_step = tf.train.get_global_step()
        if global_step is None:
            raise ValueError(
                f"{caller}: the graph has no global step. Call tf.train.get_or_create_global_step(), and "
                "give it to the optimizer, which counts applied steps in it."
            )
    if not is_variable(global_step):
        raise TypeError(
            f"{caller}: global_step must be the variable that counts applied steps; got "
            f"{describe(global_step)}."
        )
    return global_step
