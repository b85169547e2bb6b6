"""Keeps one value for each session, thread-safe."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from tf1grad._types import Session

_ATTRIBUTE = "_tf1grad_values"


class PerSession:
    """A value for each session, made once, when it is first asked for.

    A value is dropped with its session or with this object, whichever is dropped first. Threads may
    share the object, with one session or with several.

    Args:
        make: a function of the session that makes the value. The value must not refer to this
            object.
    """

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self._lock = threading.Lock()

    def of(self, session: Session) -> Any:
        """Returns the value of `session`: a `tf.Session`,
        or anything that runs fetches like one.
        """
        # A dict from sessions would keep a session alive whose value refers to it, as a prepared
        # run does.
        values = vars(session).get(_ATTRIBUTE)
        if values is None:
            values = vars(session).setdefault(_ATTRIBUTE, weakref.WeakKeyDictionary())
        with self._lock:
            if self not in values:
                values[self] = self._make(session)
            return values[self]
