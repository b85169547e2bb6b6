"""Trains players in turn, each on its variables:
adversarial training, and alternating minimisation.
"""

from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple, Sequence

from tf1grad._arguments import describe, integer, new_optimizers, scalar
from tf1grad._compat import operation, require_graph, tf, variable_key, without_dependencies
from tf1grad._types import Factory, Optimizer, Transform
from tf1grad.recipes.freezing.turns import Turn, keep_windows_whole
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.recipes.gradients.selection import select, variable_name
from tf1grad.recipes.gradients.train_op import as_train_op
from tf1grad.recipes.gradients.transforms import chain_of
from tf1grad.recipes.sessions.exclusive import count_up
from tf1grad.recipes.sessions.state_variables import read_or_zeros, state_variable
from tf1grad.recipes.sessions.writes import ancestors, writes


class Players(NamedTuple):
    """The players made by `alternate`, to be run in turn.

    Attributes:
        train_ops: a dict from player to the op that runs its optimizer once.
        order: a list of players, one round of turns: each as often as its steps.
        steps: a dict from player to an int64 scalar, the steps that were applied; fetch it in a
            separate run.
        optimizers: a dict from player to its optimizer, which has the slots.
        losses: a dict from player to the loss that it minimises.
        global_step: the variable that counts the applied steps of all of them, or None.
        step_applied: a dict from player to a bool scalar: whether a run of its train op, which
            fetching this is too, applied a step. That ends its turn.
    """

    train_ops: dict[str, tf.Operation]
    order: list[str]
    steps: dict[str, tf.Tensor]
    optimizers: dict[str, Optimizer]
    losses: dict[str, tf.Tensor]
    global_step: tf.Variable | None
    step_applied: dict[str, tf.Tensor]


def alternate(
    players: Mapping[str, tuple[tf.Tensor, Any]],
    optimizer_factory: Factory,
    global_step: tf.Variable | None = None,
    steps: Mapping[str, int] | None = None,
    update_ops: Mapping[str, Sequence[tf.Operation]] | None = None,
    allow_shared: bool = False,
    transform: Transform | None = None,
) -> Players:
    """Makes a train op for each player, which minimises its loss over its
    variables with its optimizer.

        players = tf1grad.alternate(
            {"discriminator": (d_loss, d_vars), "generator": (g_loss, g_vars)},
            lambda: tf.train.AdamOptimizer(1e-4), global_step,
            steps={"discriminator": 5})

        for player in players.order:
            applied = False
            while not applied:
                applied = session.run(players.step_applied[player])

    A turn ends with an applied step: with optimizers that apply in each run, after one run. A run
    of an `AccumulatingOptimizer` is a micro-batch, and a step that a guard such as `drop_nonfinite`
    skips does not count. While the window of a player is open, the runs of others fail with
    InvalidArgumentError, because the window's gradients would be of two models.

    One run of a player's op moves its variables, slots and beta powers, and no others. All its
    gradients are computed before anything is written. Goodfellow et al., "Generative adversarial
    nets" (2014), algorithm 1.

    Args:
        players: a dict from a player's name to (loss, variables): a scalar tensor, and selectors as
            in `trainable_in` or a list of variables.
        optimizer_factory: a function without arguments that returns a new `tf.train.Optimizer`,
            called once a player; or a dict of one such function a player.
        global_step: the one variable that counts the applied steps of all players.
        steps: a dict from player to the steps it takes in a round, which are its turns; 1 for those
            it leaves out.
        update_ops: a dict from player to the update ops that run before its optimizer, in each of
            its runs. By default the ops of `tf.GraphKeys.UPDATE_OPS` are split: each goes to the
            player whose variables share the longest scope with the variables that it writes.
        allow_shared: True lets players share variables; by default that is an error.
        transform: a function of (gradient, variable) pairs, such as a clip, applied to each
            player's.

    Returns:
        `Players`.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: players share variables, a loss does not reach its player's variables, an
            argument names an unknown player, `optimizer_factory` leaves one out, or an update op
            cannot be given to one player.
    """
    require_graph("alternate")
    players = _checked_players(players)
    variables = {
        name: select(chosen, tf.trainable_variables(), f"alternate, player {name}")
        for name, (_, chosen) in players.items()
    }
    if not allow_shared:
        _refuse_shared(variables)
    transform = chain_of("alternate", *([] if transform is None else [transform]))
    steps = _by_player(players, steps or {}, "steps")
    order = [
        name
        for name in players
        for _ in range(integer(steps.get(name, 1), "alternate", f"steps[{name!r}]", 1))
    ]
    updates = _by_player(
        players, _split_updates(variables) if update_ops is None else update_ops, "update_ops"
    )
    factories = (
        optimizer_factory
        if isinstance(optimizer_factory, dict)
        else dict.fromkeys(players, optimizer_factory)
    )
    factories = _by_player(players, factories, "optimizer_factory")
    missing = [name for name in players if name not in factories]
    if missing:
        raise ValueError(
            f"alternate: optimizer_factory has no function for {', '.join(missing)}. Give one for each player, or "
            "one function for all."
        )
    made = new_optimizers([factories[name] for name in players], "alternate")
    optimizers = dict(zip(players, made))
    counts = {name: state_variable(f"{name}_steps", [], tf.int64) for name in players}
    turns, applied = {}, {}
    for name, (loss, _) in players.items():
        with tf.name_scope(name):
            pairs = optimizers[name].compute_gradients(loss, var_list=variables[name])
            pairs = transform(check_grads_and_vars(pairs, f"alternate, player {name}"))
            turns[name] = Turn(optimizers[name], pairs, global_step, updates.get(name, []))
            applied[name] = _counted(turns[name].applied, counts[name])
    keep_windows_whole(turns)
    with without_dependencies():
        taken = {name: read_or_zeros(count) for name, count in counts.items()}
    return Players(
        {name: as_train_op(each.op) for name, each in applied.items()},
        order,
        taken,
        optimizers,
        {name: loss for name, (loss, _) in players.items()},
        global_step,
        applied,
    )


def _checked_players(players: object) -> dict[str, tuple[tf.Tensor, list[tf.Variable]]]:
    if not isinstance(players, dict) or not players:
        raise TypeError(
            'alternate: players must be a dict such as {"generator": (loss, variables)}; got '
            f"{describe(players)}."
        )
    for name, player in players.items():
        if not isinstance(name, str) or not isinstance(player, (list, tuple)) or len(player) != 2:
            raise TypeError(
                f"alternate: each player must be name: (loss, variables); got {name!r}: "
                f"{describe(player)}."
            )
        if not isinstance(player[0], tf.Tensor):
            raise TypeError(
                f"alternate: the loss of player {name} must be a tensor; got {describe(player[0])}. "
                "The order is (loss, variables)."
            )
        scalar(player[0], "alternate", f"the loss of player {name}")
    return players


def _refuse_shared(variables: Mapping[str, Sequence[tf.Variable]]) -> None:
    owner: dict[Any, str] = {}
    for name, owned in variables.items():
        for variable in owned:
            other = owner.setdefault(variable_key(variable), name)
            if other != name:
                raise ValueError(
                    f"alternate: {variable.name} belongs to both {other} and {name}. Make their variables "
                    "disjoint, or pass allow_shared=True."
                )


def _by_player(players: Mapping[str, Any], given: object, argument: str) -> dict[str, Any]:
    """Returns the argument `given`, a dict whose keys must be players."""
    if not isinstance(given, dict):
        raise TypeError(f"alternate: {argument} must be a dict by player; got {describe(given)}.")
    for name in given:
        if name not in players:
            raise ValueError(
                f"alternate: {argument} names {name!r}, which is no player; the players are "
                f"{', '.join(players)}."
            )
    return given


def _split_updates(variables: Mapping[str, Sequence[tf.Variable]]) -> dict[str, list[Any]]:
    """Splits UPDATE_OPS by the longest scope that their variables share
    with a player's variables.
    """
    split: dict[str, list[Any]] = {}
    for update in tf.get_collection(tf.GraphKeys.UPDATE_OPS):
        written = {write.variable.name for write in writes(ancestors([operation(update)]))}
        names = written or {operation(update).name}
        shared = {
            player: max(
                _shared_scope(name, variable_name(variable)) for name in names for variable in owned
            )
            for player, owned in variables.items()
        }
        longest = max(shared.values())
        nearest = [player for player, length in shared.items() if length == longest]
        if len(nearest) > 1 or longest == 0:
            raise ValueError(
                f"alternate: the update op {operation(update).name} writes {', '.join(sorted(names))}, "
                f"and its scope names no single player of {', '.join(variables)}. Pass "
                "update_ops={player: [ops]}."
            )
        split.setdefault(nearest[0], []).append(update)
    return split


def _shared_scope(name: str, other: str) -> int:
    """Counts the leading scopes that two names have in common."""
    return len(os.path.commonprefix([name.split("/")[:-1], other.split("/")[:-1]]))


def _counted(applied: tf.Tensor, count: tf.Variable) -> tf.Tensor:
    """Returns the bool scalar `applied`, known after the variable has counted it."""
    with tf.control_dependencies([count_up(count, tf.cast(applied, tf.int64))]):
        return tf.identity(applied, name="step_applied")
