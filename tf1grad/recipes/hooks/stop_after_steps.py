"""Stops a MonitoredSession after a number of applied steps."""

from __future__ import annotations

from tf1grad._arguments import describe, integer
from tf1grad._compat import is_variable, tf
from tf1grad.recipes.hooks.monitored import MonitoredHook, check_global_step


class StopAfterStepsHook(MonitoredHook):
    """Stops after a number of *applied* steps, however many runs they take.

    A session that opens with all its steps done stops before the first run, which
    `tf.train.StopAtStepHook` lets through. The count is read after each run, so that steps of other
    workers count at once.

    Not thread-safe: one thread runs the session, because the hook keeps state from the start of a
    run to its end.

    Args:
        num_steps: the steps from where the first session begins, an int of at least 1; a session
            that recovers keeps the goal.
        last_step: the count to stop at, an int of at least 0, including the steps of earlier jobs.
            Give one of both.
        counter: an integer scalar variable or tensor that counts applied steps, such as those of
            one player; default the graph's global step.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: not exactly one of `num_steps` and `last_step` is given, one is too small, or a
            counter is missing.
        RuntimeError: the graph is finalized, or eager execution is on.

    Source: `tf.train.StopAtStepHook`.
    """

    def __init__(
        self,
        num_steps: int | None = None,
        last_step: int | None = None,
        counter: tf.Variable | tf.Tensor | None = None,
    ) -> None:
        super().__init__()
        if (num_steps is None) == (last_step is None):
            raise ValueError(
                "StopAfterStepsHook: give num_steps=1000, counted from the start of the session, or "
                f"last_step=1000, in all; got num_steps={num_steps!r}, last_step={last_step!r}."
            )
        if last_step is None:
            integer(num_steps, self._caller, "num_steps", 1)
        else:
            integer(last_step, self._caller, "last_step", 0)
        self._num_steps, self._last_step = num_steps, last_step
        self._counter = _checked_counter(counter, self._graph, self._caller)

    def begin(self) -> None:
        super().begin()
        self._goal = self._last_step

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        super().after_create_session(session, coord)
        count = session.run(self._counter)
        if self._goal is None:
            self._goal = count + self._num_steps
        if count >= self._goal:
            coord.request_stop()

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        if run_context.session.run(self._counter) >= self._goal:
            run_context.request_stop()


def _checked_counter(
    counter: tf.Variable | tf.Tensor | None, graph: tf.Graph, caller: str
) -> tf.Variable | tf.Tensor:
    if counter is None:
        return check_global_step(None, caller)
    is_tensor = is_variable(counter) or isinstance(counter, tf.Tensor)
    if (
        not is_tensor
        or counter.graph is not graph
        or not counter.dtype.base_dtype.is_integer
        or not counter.shape.is_compatible_with([])
    ):
        raise ValueError(
            f"{caller}: counter must be an integer scalar of the default graph; got {describe(counter)}."
        )
    return counter
