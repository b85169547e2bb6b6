"""Runs one search of an external optimizer:
evaluates at the requested points, and remembers the best.
"""

from __future__ import annotations

import collections
import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, ContextManager, Iterator, Mapping, Sequence

import numpy as np

from tf1grad._arguments import describe
from tf1grad._compat import is_variable, tf
from tf1grad._types import LossAndGradient
from tf1grad.recipes.external.flat import FlatVariables
from tf1grad.recipes.external.progress import Progress
from tf1grad.recipes.sessions.memory import aligned_copy
from tf1grad.recipes.sessions.prepared import PreparedRun

if TYPE_CHECKING:
    from tf1grad._types import FeedDict, FeedDicts, Session

Scalar = collections.namedtuple("Scalar", "value gradient")
Scalar.__doc__ = "A loss or a constraint: tensors of shape [] and [n]."


class Search:
    """A context that leaves the variables at the vector given to `finish`,
    or else at the best point so far.

    The best point is the one of the lowest loss. With constraints, which that point may violate, it
    is the end of the last iteration. Several threads may call its functions: each evaluates at its
    own vector.

    Args:
        prepared: a function that returns the `PreparedRun` of fetches.
        turn: a context that admits one thread, where evaluations assign the variables. None where
            the tensors are built on `flat.vector`.

    Attributes:
        start: the variables' values, float64 `[n]`, when the search began.
        end: where it ended, float64 `[n]`.
    """

    def __init__(
        self,
        flat: FlatVariables,
        session: Session,
        prepared: Callable[[Any], PreparedRun],
        turn: ContextManager[object] | None,
        run_kwargs: Mapping[str, object],
        feed_dict: FeedDict | None = None,
        feed_dicts: FeedDicts | None = None,
        constrained: bool = False,
    ) -> None:
        self._flat, self._session, self._prepared, self._run_kwargs = (
            flat,
            session,
            prepared,
            run_kwargs,
        )
        self._assigns = turn is not None
        self._turn = contextlib.nullcontext() if turn is None else turn
        self._noting = threading.Lock()
        self._dtype = flat.dtype.as_numpy_dtype
        self._feed_dict = _owned(feed_dict, flat.variables)
        self._feed_dicts = feed_dicts
        self._constrained = constrained
        self._best: Any = None
        self._best_loss = np.inf
        self._evaluations = 0
        self.start: Any = None
        self.end: np.ndarray | None = None

    def loss_and_gradient(
        self,
        loss: Scalar,
        fetches: Sequence[Any] = (),
        loss_callback: Any = None,
        progress: Any = None,
    ) -> LossAndGradient:
        """Returns the `Scalar` `loss` as a function from a vector to (loss, gradient):
        a float, float64 `[n]`.
        """
        parts = _parts(self._feed_dict, self._feed_dicts)
        began = time.time()

        def function(vector: np.ndarray) -> tuple[float, np.ndarray]:
            total, gradient, fetched = 0.0, None, ()
            with self._turn:
                point = self._move_to(vector)
                for feed_dict in parts():
                    value, part, *fetched = self._evaluate(loss, point, feed_dict, fetches)
                    total += float(value)
                    gradient = (
                        part.astype(np.float64)
                        if gradient is None
                        else np.add(gradient, part, out=gradient)
                    )
            if gradient is None:
                raise ValueError(
                    "feed_dicts gave no micro-batch. Pass a list, or a function that returns a new "
                    "iterator each time it is called."
                )
            with self._noting:
                if total < self._best_loss and not self._constrained:
                    self._best_loss, self._best = total, point
                self._evaluations += 1
                number = self._evaluations
            if loss_callback:
                loss_callback(*fetched)
            if progress:
                speed = number / max(time.time() - began, 1e-9)
                progress(Progress(number, total, float(np.linalg.norm(gradient)), speed))
            return total, gradient

        return function

    def tensor(self, tensor: tf.Tensor) -> Callable[[Any], np.ndarray]:
        """Returns `tensor` as a function of a vector that returns a new
        float64 array `[1, ...]`.
        """

        def function(vector: np.ndarray) -> np.ndarray:
            with self._turn:
                values = self._evaluate((tensor,), self._move_to(vector), self._feed_dict)
            return np.array(values, np.float64)

        return function

    def step(self, step_callback: Any) -> Callable[..., Any]:
        """Wraps `step_callback`, so that its `StopIteration` carries the point as its value."""

        def step(point: Any, *state: Any) -> Any:
            if self._constrained:
                self._best = np.array(point)
            try:
                return step_callback(point, *state) if step_callback else None
            except StopIteration:
                raise StopIteration(np.array(point)) from None

        return step

    def read(self) -> np.ndarray:
        """Returns the variables as a new float64 vector."""
        return np.array(self._run((self._flat.packed,), {})[0], np.float64)

    def finish(self, vector: np.ndarray, demand: str = "_minimize must return") -> None:
        """Takes `vector` as the end of the search; an error begins with `demand`."""
        end = np.array(vector, np.float64).ravel()
        if end.shape != (self._flat.size,):
            raise ValueError(
                f"{demand} a vector of the shape {(self._flat.size,)}; got the shape "
                f"{np.shape(vector)}."
            )
        with self._turn:
            self._assign(end)
        self.end = end

    def __enter__(self) -> Search:
        self.start = self._best = self.read()
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if kind is not None:
            with self._turn:
                self._assign(self._best)

    def _assign(self, vector: np.ndarray) -> np.ndarray:
        """Assigns a copy of `vector`, which the variables may keep as
        their memory, and returns it.
        """
        point = aligned_copy(vector, self._dtype)
        self._run((self._flat.assign,), {self._flat.vector: point})
        return point

    def _move_to(self, vector: np.ndarray) -> np.ndarray:
        """Copies `vector`, and makes it the point at which tensors are evaluated."""
        if np.shape(vector) != (self._flat.size,):
            raise ValueError(
                f"the variables make a vector of shape {(self._flat.size,)}; got the shape "
                f"{np.shape(vector)}."
            )
        return self._assign(vector) if self._assigns else aligned_copy(vector, self._dtype)

    def _evaluate(
        self,
        tensors: tuple[tf.Tensor, ...],
        point: np.ndarray,
        feed_dict: FeedDict,
        fetches: Sequence[Any] = (),
    ) -> Any:
        """Returns the values of `tensors` at the current point, then copies of `fetches`,
        which read the variables.
        """
        return self._run(
            tensors,
            feed_dict if self._assigns else {self._flat.vector: point, **feed_dict},
            fetches,
        )

    def _run(
        self, fetches: tuple[Any, ...], feed_dict: FeedDict, variables: Sequence[Any] = ()
    ) -> Any:
        if not variables and not self._run_kwargs:
            return self._prepared(fetches)(self._session, feed_dict)
        values = self._session.run([*fetches, *variables], feed_dict, **self._run_kwargs)
        # A fetched ref variable is its live memory.
        return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


def _owned(feed_dict: FeedDict | None, variables: Sequence[tf.Variable]) -> dict[Any, Any]:
    """Copies the arrays of `feed_dict` into memory that TensorFlow reads in
    place at each evaluation.
    """
    owned = {}
    for key, value in _checked(feed_dict, variables, "feed_dict").items():
        if (
            isinstance(key, tf.Tensor)
            and isinstance(value, (np.ndarray, list, tuple))
            and key.dtype != tf.string
        ):
            value = aligned_copy(value, key.dtype.as_numpy_dtype, casting="unsafe")
        owned[key] = value
    return owned


def _parts(
    common: dict[Any, Any], feed_dicts: FeedDicts | None
) -> Callable[[], Iterator[dict[Any, Any]]]:
    """Returns a function that gives a new iterator of what to feed:
    `common`, or it with each of `feed_dicts`.
    """
    if feed_dicts is None:
        return lambda: iter([common])
    if not callable(feed_dicts) and not isinstance(feed_dicts, (list, tuple)):
        raise TypeError(
            "feed_dicts must be a list of dicts, or a function that returns a new iterator of them: the "
            f"micro-batches are read again at each evaluation; got {describe(feed_dicts)}."
        )
    return lambda: (
        {**common, **_checked(feed_dict, (), "an element of feed_dicts")}
        for feed_dict in (feed_dicts() if callable(feed_dicts) else feed_dicts)
    )


def _checked(
    feed_dict: FeedDict | None, variables: Sequence[tf.Variable], what: str
) -> dict[Any, Any]:
    feed_dict = {} if feed_dict is None else feed_dict
    if not isinstance(feed_dict, dict):
        raise TypeError(f"{what} must be a dict of what to feed; got {describe(feed_dict)}.")
    names = [variable.name for variable in variables]
    for key in feed_dict:
        if (is_variable(key) or isinstance(key, tf.Tensor)) and key.name in names:
            raise ValueError(
                f"{what} feeds {key.name}, which is being optimized. To start elsewhere, assign it; to "
                "keep it fixed, leave it out of var_list."
            )
    return feed_dict
