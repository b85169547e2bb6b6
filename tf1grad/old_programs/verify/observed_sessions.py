"""Passes the runs of all sessions in a process to a function, and gives seeds to graphs without one."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Optional, Sequence

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.process.replaced_functions import replace_functions


def observe(around_run: Callable[..., Any]) -> None:
    """Calls `around_run` in the place of each `Session._do_run`, with that function and its arguments."""
    for name, around in (
        ("_do_run", around_run),
        ("make_callable", _make_callable),
        ("_make_callable_from_options", _make_callable_from_options),
    ):
        patches.wrap(_compat.session_class(), name, around, reason="the first runs are recorded")


def seed_graphs(seed: int, facts: Dict[str, Any]) -> None:
    """Gives `seed` to each graph whose random ops have no seed, and says so in the fact "seeded"."""

    def get_seed(original: Callable[..., Any], op_seed: Any) -> Any:
        graph = tf.get_default_graph()
        if op_seed is None and graph.seed is None and not tf.executing_eagerly():
            facts["seeded"] = graph.seed = seed
        return original(op_seed)

    replace_functions(
        {
            _compat.module_name("framework.random_seed") + ":get_seed": functools.partial(
                patches.wrapped, around=get_seed
            )
        },
        "graphs without a seed get that of verify",
    )


def _make_callable(
    original: Callable[..., Any],
    session: tf.Session,
    fetches: Any,
    feed_list: Optional[Sequence[Any]] = None,
    accept_options: bool = False,
) -> Callable[..., Any]:
    def call(*values: Any, **options: Any) -> Any:
        return session.run(fetches, dict(zip(feed_list or (), values)), **options)

    return call


def _make_callable_from_options(
    original: Callable[..., Any], session: tf.Session, options: Any
) -> Callable[..., Any]:
    """Returns a prepared run that is a `session.run`, which is observed."""

    def call(*values: Any, **kwargs: Any) -> Any:
        fetches = [list(options.fetch), list(options.target)]
        return session.run(fetches, dict(zip(options.feed, values)), **kwargs)[0]

    return call
