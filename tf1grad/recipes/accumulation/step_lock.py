"""Lets one step after the other be taken with a window in a session,
and refuses steps that would never begin.
"""

from __future__ import annotations

import os
import threading
from typing import Any, Callable

from tf1grad._compat import tf

PATIENCE = 60.0  # seconds


class StepLock:
    """A lock that a thread holds while it takes a step; other threads wait for it."""

    def __init__(self) -> None:
        # A signal handler may interrupt its thread before `_held` is set. It then takes its step
        # first.
        self._lock = threading.RLock()
        self._held, self._process = False, os.getpid()

    def hold(self, take: Callable[[], Any]) -> Any:
        """Returns `take()`, called while no other thread is in this method.

        Raises:
            RuntimeError: this thread is in this method already, or the process was forked since the
                lock was made.
        """
        if os.getpid() != self._process:
            raise RuntimeError(
                "AccumulatedStep: this process was forked from one that takes steps in this session. TensorFlow's "
                "threads are not in it, so no run would end. Fork before the first session, or start processes by the "
                'multiprocessing method "spawn".'
            )
        if not self._lock.acquire(timeout=PATIENCE):
            tf.logging.warning(
                "AccumulatedStep: thread %s has waited %g seconds for the step of another thread. If that thread's "
                "generator waits for this one, both wait for ever: take no step in a thread that a generator joins.",
                threading.current_thread().name,
                PATIENCE,
            )
            self._lock.acquire()
        try:
            return self._hold_once(take)
        finally:
            self._lock.release()

    def _hold_once(self, take: Callable[[], Any]) -> Any:
        if self._held:
            raise RuntimeError(
                "AccumulatedStep: this thread is taking a step with this accumulator, which another one would break. "
                "Call no step in its own feed_dicts or in a signal handler. A handler may set a flag that the training "
                "loop reads."
            )
        try:
            self._held = True
            return take()
        finally:
            self._held = False
