"""Evaluates tensors at vectors, through runs that are prepared once."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad.external.flat import FlatVariables
from tf1grad.sessions.prepared import RunsWithFeeds


class Evaluator:
    """Tensors as functions of a vector, in one session.

    Args:
        flat: the `FlatVariables`.
        assigns: True where the tensors read the variables, False where they are built on `flat.vector`.
        runs: a dict from fetches to their `RunsWithFeeds`, which the next evaluator finds again.
        session: the session that runs them.
        run_kwargs: a dict of further arguments of each `session.run`.
    """

    def __init__(self, flat: FlatVariables, assigns: bool, runs: Dict[Any, RunsWithFeeds], session: Any,
                 run_kwargs: Any) -> None:
        self._flat = flat
        self._assigns = assigns
        self._runs = runs
        self._session = session
        self._run_kwargs = run_kwargs

    def read(self) -> np.ndarray:
        """Returns the variables as a new float64 vector."""
        vector: np.ndarray = np.array(self._bind((self._flat.packed,), {}, ())(None)[0], np.float64)
        return vector

    def assigner(self) -> Callable[[np.ndarray], Any]:
        """Returns a function that assigns a vector to the variables, which may share its memory from then on."""
        return self._bind((self._flat.assign,), {}, (self._flat.vector,))

    def mover(self) -> Callable[[np.ndarray], Any]:
        """Returns a function that makes a vector the point at which bound tensors are evaluated."""
        return self.assigner() if self._assigns else lambda vector: None

    def bind(self, tensors: Tuple[tf.Tensor, ...], feed_dict: Any,
             fetches: Sequence[Any] = ()) -> Callable[[np.ndarray], List[Any]]:
        """Returns a function of the current point that returns the values of `tensors`, then copies of `fetches`.

        Args:
            tensors: a tuple of tensors.
            feed_dict: the feeds of each evaluation.
            fetches: further fetches of `session.run`, for tensors that read the assigned variables.
        """
        if not fetches:
            return self._bind(tensors, feed_dict, () if self._assigns else (self._flat.vector,))

        def run(vector: np.ndarray) -> List[Any]:
            values = self._session.run([*tensors, *fetches], feed_dict, **self._run_kwargs)
            return [value.copy() if isinstance(value, np.ndarray) else value for value in values]

        return run

    def _bind(self, fetches: Tuple[Any, ...], feed_dict: Any,
              moving: Tuple[tf.Tensor, ...]) -> Callable[[Any], List[Any]]:
        session, kwargs = self._session, self._run_kwargs
        if kwargs:
            return lambda vector: session.run(list(fetches), {**dict.fromkeys(moving, vector), **feed_dict}, **kwargs)
        run = self._runs.setdefault(fetches, RunsWithFeeds(fetches))
        return lambda vector: run(session, {**dict.fromkeys(moving, vector), **feed_dict})
