"""Ends a player's turn with an applied step, and keeps others from moving while its window is open.

With an `AccumulatingOptimizer`, a run of a player's train op is a micro-batch. If another player
moved between the micro-batches of a window, their gradients would belong to two models.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from tf1grad._compat import let_wait, scales_the_loss, tf, v1_control_flow, without_dependencies
from tf1grad._types import GradsAndVars, Optimizer
from tf1grad.recipes.accumulation.apply_when_full import windows_in
from tf1grad.recipes.accumulation.window import Window
from tf1grad.recipes.gradients.apply import after_gradients
from tf1grad.recipes.gradients.clip import are_finite
from tf1grad.recipes.gradients.guarded_gradients import apply_and_tell
from tf1grad.recipes.gradients.train_op import within_train_op
from tf1grad.recipes.sessions.graph_assertions import assert_in_run


class Turn:
    """The ops of one player's turn.

    Attributes:
        applied: a bool scalar that runs the player once: whether that applied a step, so that the
            turn is over.
        windows: the windows that the player's optimizer made.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        pairs: GradsAndVars,
        global_step: tf.Variable | None,
        updates: Sequence[tf.Operation],
    ) -> None:
        graph = tf.get_default_graph()
        known = len(windows_in(graph))
        with after_gradients(pairs), tf.control_dependencies(updates), within_train_op():
            self._begin = tf.no_op(name="begin")
            with tf.control_dependencies([self._begin]):
                train_op, self.applied = apply_and_tell(optimizer, pairs, global_step)
        self.windows = windows_in(graph)[known:]
        if self.windows and not hasattr(optimizer, "step_applied"):
            # An optimizer around ours does not tell.
            with tf.control_dependencies([train_op]):
                self.applied = tf.logical_not(_is_any_open(self.windows))
        if scales_the_loss(optimizer):  # and skips a run that overflowed
            self.applied = tf.logical_and(self.applied, are_finite(pairs))

    def begin_after(self, check: tf.Operation) -> None:
        """Lets the player write nothing before the op `check`."""
        let_wait(self._begin, [check])


def keep_windows_whole(turns: Mapping[str, Turn]) -> None:
    """Lets the run of a player fail, before it writes anything,
    while the window of another one is open.
    """
    for player, turn in turns.items():
        for other in turns:
            if other != player and turns[other].windows:
                turn.begin_after(_check_closed(other, turns[other].windows))


def _check_closed(player: str, windows: Sequence[Window]) -> tf.Operation:
    sentence = (
        f"the window of {player} is open, and all of its micro-batches must see one model. A turn ends with an "
        f"applied step: run step_applied of {player} until it is True, before the turn of another player begins."
    )
    with without_dependencies():
        closed = tf.logical_not(_is_any_open(windows))
        return assert_in_run(closed, "alternate", sentence, name="window_of_another_player_is_open")


def _is_any_open(windows: Sequence[Window]) -> tf.Tensor:
    with v1_control_flow():
        return tf.reduce_any(tf.stack([window.is_open() for window in windows]))
