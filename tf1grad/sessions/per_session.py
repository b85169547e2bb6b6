"""What exists once for each session, and may be asked for by several threads."""

import threading
import weakref
from typing import Any, Callable

_ATTRIBUTE = "_tf1grad_values"


class PerSession:
    """A value for each session, made once, when it is first asked for.

    The values of a session live with it, and go with it or with this object, whichever goes first. Threads may share
    the object, each with a session of its own or several with one.

    Args:
        make: a function of the session that makes the value. The value must not refer to this object.
    """

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self._lock = threading.Lock()

    def of(self, session: Any) -> Any:
        """The value of `session`: a `tf.Session`, or anything that runs fetches like one."""
        # Not a dict from sessions here: a value that refers to its session, as a prepared run does, would keep it.
        values = vars(session).setdefault(_ATTRIBUTE, weakref.WeakKeyDictionary())
        value = values.get(self)
        if value is None:
            with self._lock:
                value = values.get(self)
                if value is None:
                    value = values[self] = self._make(session)
        return value
