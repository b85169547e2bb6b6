"""Writes the norms of the applied gradients, as one line per step and for TensorBoard."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tf1grad._arguments import describe, integer
from tf1grad._compat import operation, tf, v1_control_flow, without_dependencies
from tf1grad._types import GradsAndVars
from tf1grad.recipes.gradients.grads_and_vars import merged_pairs
from tf1grad.recipes.gradients.guarded_gradients import find_guard, hand_on_guard
from tf1grad.recipes.gradients.transforms import replace_values, squared_norms
from tf1grad.recipes.hooks.monitored import MonitoredHook, check_global_step
from tf1grad.recipes.sessions.state_variables import read_or_zeros, state_variable


class GradientNormHook(MonitoredHook):
    """Writes the global norm of the gradients of each step as a line,
    and with each variable's norm for TensorBoard.

        norms = tf1grad.GradientNormHook(summary_dir="logs")
        optimizer = tf1grad.ClippingOptimizer(
            tf.train.AdamOptimizer(1e-3), transform=norms.watch)

    `watch` returns the gradients unchanged and records the norms of those that are applied, also of
    a window's mean, which no run could fetch. A run that applies nothing writes nothing. Put this
    hook after an `AccumulateHook` in the session's hooks, so that it sees the last applied window.

    Not thread-safe: one thread runs the session, because the hook keeps state from the start of a
    run to its end.

    Args:
        summary_dir: the directory of the event files, as a MonitoredTrainingSession's
            `checkpoint_dir`; None writes none. Where several workers share it, give the hook to the
            chief: `chief_only_hooks`.
        every: writes at one step in `every`, from the first on; an int of at least 1.
        write: a function of a line, such as `tf.logging.info`; None writes no lines.
        global_step: the variable that counts applied steps; default the graph's.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: `every` is below 1, or a global step is missing.
        RuntimeError: the graph is finalized, or eager execution is on.

    Source: `tf1grad.summarize_gradients`, with the same tags, as a `tf.train.SessionRunHook`.
    """

    def __init__(
        self,
        summary_dir: str | None = None,
        every: int = 1,
        write: Callable[[str], Any] | None = print,
        global_step: tf.Variable | None = None,
    ) -> None:
        super().__init__()
        if write is not None and not callable(write):
            raise TypeError(
                f"GradientNormHook: write must be a function of a line, such as print, or None; got {describe(write)}."
            )
        self._every = integer(every, self._caller, "every", 1)
        self._summary_dir, self._write, self._writer = summary_dir, write, None
        self._global_step = check_global_step(global_step, self._caller)
        self._watched: dict[str, tuple[list[str], tf.Variable]] = {}

    def watch(self, grads_and_vars: GradsAndVars, name: str = "gradients") -> GradsAndVars:
        """Returns the same pairs, and records their norms whenever they are used.

        None stays None, and is left out. `tf.IndexedSlices` stay sparse, with duplicate rows
        summed. The guard of a `GuardedGradients` list is handed on.

        Args:
            grads_and_vars: a list of (gradient, variable) pairs.
            name: their name in the summaries' tags and the line, for a hook that watches in two
                places: for example "gradients" before a clip and "clipped" after it.

        Returns:
            The list of pairs.

        Raises:
            TypeError, ValueError: `grads_and_vars` is not such a list, or has other variables than
                the list watched under that name before.
        """
        pairs = merged_pairs(grads_and_vars, "GradientNormHook.watch")
        tags = [
            f"{name}/norm/{variable.op.name}"
            for gradient, variable in pairs
            if gradient is not None
        ]
        if name not in self._watched:
            # It holds the number of uses, and the square of each gradient's norm.
            self._watched[name] = tags, state_variable("watched_norms", [1 + len(tags)], tf.float64)
        watched, state = self._watched[name]
        if watched != tags:
            raise ValueError(
                f"GradientNormHook.watch: {name} was watched with the norms {watched}, now with "
                f"{tags}. Give each list of pairs a separate name: watch(pairs, name)."
            )
        squares = [tf.cast(squared, tf.float64) for squared in squared_norms(pairs)]
        guard = find_guard(grads_and_vars, pairs)
        with v1_control_flow():
            before = read_or_zeros(state)
        noted = tf.stack([before[0] + 1] + squares)
        if guard is not None:
            noted = tf.where(guard.finite, noted, before)
        with tf.control_dependencies([operation(state.assign(noted))]):
            watched_pairs = [
                (replace_values(gradient, tf.identity), variable) for gradient, variable in pairs
            ]
        return hand_on_guard(grads_and_vars, watched_pairs)

    def begin(self) -> None:
        super().begin()
        if not self._watched:
            raise ValueError(
                "GradientNormHook: no gradients were watched. Hand them through watch before they are "
                "applied: ClippingOptimizer(optimizer, transform=hook.watch), or grads_and_vars = "
                "hook.watch(grads_and_vars)."
            )
        with v1_control_flow(), without_dependencies():
            self._fetches = [
                self._global_step,
                [read_or_zeros(state) for _, state in self._watched.values()],
            ]
        if self._summary_dir is not None:
            self._writer = tf.summary.FileWriterCache.get(self._summary_dir)

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        super().after_create_session(session, coord)
        _, noted = session.run(self._fetches)
        self._seen = noted[0][0]

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        self._look(run_context.session)

    def _look(self, session: tf.Session) -> None:
        step, noted = session.run(self._fetches)
        uses = noted[0][0]
        if uses != self._seen and (uses - 1) % self._every == 0:
            self._report(step, [np.sqrt(values[1:]) for values in noted])
        self._seen = uses

    def _report(self, step: int, norms_of_each: Any) -> None:
        line, values = f"step {step}", {}
        for (name, (tags, _)), norms in zip(self._watched.items(), norms_of_each):
            total = np.linalg.norm(norms)
            line += f"  |{name}| {total:.6e}"
            values[f"{name}/global_norm"] = total
            values.update(zip(tags, norms))
        if self._write is not None:
            self._write(line)
        if self._writer is not None:
            self._writer.add_summary(
                tf.Summary(
                    value=[
                        tf.Summary.Value(tag=tag, simple_value=value)
                        for tag, value in values.items()
                    ]
                ),
                step,
            )

    def end(self, session: tf.Session) -> None:
        self._look(session)
        if self._writer is not None:
            self._writer.flush()
