"""Observes the runs of all sessions in the script's process, and ends that process after the last step.

Several threads may train at the same time. What a subclass keeps, it changes under `lock`.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import pickle
import sys
import threading
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence

from tf1grad._compat import tf
from tf1grad._types import Session
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.process.replaced_functions import replace_functions
from tf1grad.old_programs.verify.recorded_steps import Arrays
from tf1grad.old_programs.verify.training_ops import Watch


class SessionObserver:
    """Passes each `session.run` through `observe_run`. The `record`, which has `facts`, is written to a file."""

    def __init__(self, path: str, steps: int, record: Any) -> None:
        self._path, self._steps, self.record = path, steps, record
        self._process = os.getpid()
        self._thread = threading.local()
        self._saved = False
        self.lock = threading.Lock()
        self.watch = Watch()

    def start(self, seed: Optional[int] = None) -> None:
        """Starts to record. `seed` is for graphs with unseeded random ops."""
        self.watch.start()
        self.observe(seed)
        atexit.register(self.save)

    def observe(self, seed: Optional[int]) -> None:
        """Passes the runs of all sessions to `observe_run` from now on; `seed` as above."""
        for name, around in (
            ("_do_run", self._do_run),
            ("make_callable", _make_callable),
            ("_make_callable_from_options", _make_callable_from_options),
        ):
            patches.wrap(
                _compat.session_class(), name, around, reason="the first runs are recorded"
            )
        if seed is not None:
            around = functools.partial(self._get_seed, seed)
            replace_functions(
                {
                    _compat.module_name("framework.random_seed") + ":get_seed": functools.partial(
                        patches.wrapped, around=around
                    )
                },
                "graphs without a seed get that of verify",
            )

    def observe_run(
        self,
        session: tf.Session,
        run: Callable[..., Any],
        targets: List[tf.Operation],
        fetches: List[tf.Tensor],
        feeds: Dict[str, Any],
        metadata: Any,
    ) -> Any:
        """Returns the values of one run. `run(targets, fetches, metadata)` runs what the script asked for, or more."""
        raise NotImplementedError

    def begin_step(self, session: Session, perturb: bool = True) -> None:
        """Is called when a step begins; `perturb` allows to perturb the variables now."""

    def end_step(
        self, gradients: Arrays, values: Arrays, losses: Iterable[Any] = (), kind: str = "apply"
    ) -> None:
        """Is called when a step has ended."""

    def _get_seed(self, seed: int, original: Callable[..., Any], op_seed: Any) -> Any:
        graph = tf.get_default_graph()
        if op_seed is None and graph.seed is None and not tf.executing_eagerly():
            self.record.facts["seeded"] = graph.seed = seed
        return original(op_seed)

    def save(self) -> None:
        """Writes the record, once, and not in forked processes."""
        if not self._saved and os.getpid() == self._process:
            self._saved = True
            # The parent process waits for this name, which must never belong to half a file.
            with open(self._path + ".part", "wb") as file:
                pickle.dump(self.record, file, protocol=4)
            os.replace(self._path + ".part", self._path)

    def _do_run(
        self,
        original: Callable[..., Any],
        session: tf.Session,
        handle: Any,
        targets: List[tf.Operation],
        fetches: List[tf.Tensor],
        feed_dict: Any,
        options: Any,
        metadata: Any,
    ) -> Any:
        def run(
            targets: Sequence[tf.Operation], fetches: Sequence[tf.Tensor], metadata: Any = None
        ) -> Any:
            return original(session, handle, targets, fetches, feed_dict, options, metadata)

        if handle is not None or not self.recording:
            return run(targets, fetches, metadata)
        with self.paused():
            return self.observe_run(
                session, run, targets, fetches, _compat.fed_values(feed_dict), metadata
            )

    @property
    def recording(self) -> bool:
        """Returns False in the observer's own runs, after the last step, and in forked processes."""
        return not (
            getattr(self._thread, "paused", False) or self._saved or os.getpid() != self._process
        )

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Returns a context in which the runs of this thread are not recorded."""
        before = getattr(self._thread, "paused", False)
        self._thread.paused = True
        try:
            yield
        finally:
            self._thread.paused = before

    def end_after(self, steps: int) -> None:
        """Shows that so many `steps` are recorded, and ends the process after the last one."""
        with open(self._path + ".steps", "a") as progress:
            progress.write(".")
        if steps == self._steps:
            self.record.facts["ended"] = "recorder"
            self.save()
            # Not SystemExit: a bare `except:` would catch it, and a MonitoredSession would write a last checkpoint.
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)


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
