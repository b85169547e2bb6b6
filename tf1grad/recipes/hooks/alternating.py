"""Trains the players of `alternate` in turn in a plain `session.run(loss)`
loop of a MonitoredSession.
"""

from __future__ import annotations

from typing import Any, Sequence

from tf1grad._arguments import describe
from tf1grad._compat import tf
from tf1grad.recipes.freezing.players import Players
from tf1grad.recipes.hooks.monitored import MonitoredHook, run_names


class PlayersHook(MonitoredHook):
    """Runs one player in each run that fetches a loss, in the order of the rounds:
    each until it applied a step.

        players = tf1grad.alternate(
            {"discriminator": (d_loss, d_vars), "generator": (g_loss, g_vars)},
            lambda: tf.train.AdamOptimizer(1e-4), global_step,
            steps={"discriminator": 5})
        hook = tf1grad.PlayersHook(players)
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            while not session.should_stop():
                session.run([d_loss, g_loss])

    The player runs in the user's run, so that its input is read once; the user's fetches are not
    ordered with it, as with any train op. A turn ends with an applied step. An
    `AccumulatingOptimizer` keeps the turn for its whole window. A failed run and a step that a
    guard skipped leave the turn to the same player.

    The position in the round is the number of applied steps. A new session reads it from
    `alternate`'s `global_step`, which must count no other steps; without a `global_step` a round
    begins. From there each worker counts separately.

    Not thread-safe: one thread runs the session, because the hook keeps state from the start of a
    run to its end.

    Args:
        players: the result of `alternate`.
        fetches: a tensor or op, or a list: a run that fetches any of these is a player's. Default
            the players' losses.

    Attributes:
        player: the name of the player of the last such run, or None before the first.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: a tensor is of another graph.
        RuntimeError: the graph is finalized, or eager execution is on.

    Source: Goodfellow et al., "Generative adversarial nets" (2014), algorithm 1, as a
        `tf.train.SessionRunHook`.
    """

    def __init__(self, players: Players, fetches: Sequence[Any] | None = None) -> None:
        super().__init__()
        if not isinstance(players, Players):
            raise TypeError(
                f"PlayersHook: players must be what tf1grad.alternate returned; got {describe(players)}."
            )
        self._players = players
        fetches = list(players.losses.values()) if fetches is None else fetches
        self._counted = run_names(fetches, self._graph, self._caller)
        self.player: str | None = None

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        super().after_create_session(session, coord)
        # Checkpoints do not hold the counts of steps, but a server may have kept them.
        global_step = self._players.global_step
        self._turn = 0 if global_step is None else session.run(global_step)
        self._start, self._open = self._turn - self._taken(session), False

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs | None:
        super().before_run(run_context)
        if not self._takes_part(run_context):
            return None
        if self._open:  # the last run or a hook failed, maybe after the step
            self._turn = self._start + self._taken(run_context.session)
        self._open = True
        return tf.train.SessionRunArgs(self._players.step_applied[self._next()])

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        applied = run_values.results
        if applied is not None:
            self.player = self._next()
            self._turn, self._open = self._turn + int(applied), False

    def _next(self) -> str:
        return self._players.order[self._turn % len(self._players.order)]

    def _taken(self, session: tf.Session) -> int:
        return sum(session.run(list(self._players.steps.values())))
