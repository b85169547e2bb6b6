"""Trains players in turn, each on its variables: adversarial training, and alternating minimisation."""

from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple, Sequence

from tf1grad._arguments import describe, integer, new_optimizers, scalar
from tf1grad._compat import operation, require_graph, tf, variable_key, without_dependencies
from tf1grad._types import Factory, GradsAndVars, Optimizer, Transform
from tf1grad.gradients.apply import once_computed
from tf1grad.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.gradients.guarded_gradients import apply_guarded, find_guard
from tf1grad.gradients.selection import select, variable_name
from tf1grad.gradients.train_op import as_train_op, part_of_a_train_op
from tf1grad.gradients.transforms import chain
from tf1grad.sessions.exclusive import count_up
from tf1grad.sessions.state_variables import read_or_zeros, state_variable
from tf1grad.sessions.writes import ancestors, writes


class Players(NamedTuple):
    """The players made by `alternate`, to be run in turn.

    Attributes:
        train_ops: a dict from player to the op that takes one of its steps.
        order: a list of players, one round: each as often as its steps. `for player in players.order: session.run(
            players.train_ops[player])` is one round.
        steps: a dict from player to an int64 scalar, the steps it has taken; fetch it in a separate run.
        optimizers: a dict from player to its optimizer, which has the slots.
        losses: a dict from player to the loss that it minimises.
        global_step: the variable that counts the steps of all of them, or None.
    """

    train_ops: dict[str, tf.Operation]
    order: list[str]
    steps: dict[str, tf.Tensor]
    optimizers: dict[str, Optimizer]
    losses: dict[str, tf.Tensor]
    global_step: tf.Variable | None


def alternate(
    players: Mapping[str, tuple[tf.Tensor, Any]],
    optimizer_factory: Factory,
    global_step: tf.Variable | None = None,
    steps: Mapping[str, int] | None = None,
    update_ops: Mapping[str, Sequence[tf.Operation]] | None = None,
    allow_shared: bool = False,
    transform: Transform | None = None,
) -> Players:
    """Makes a train op for each player, which minimises its loss over its variables with its optimizer.

        players = tf1grad.alternate(
            {"discriminator": (d_loss, d_vars), "generator": (g_loss, g_vars)},
            lambda: tf.train.AdamOptimizer(1e-4), global_step,
            steps={"discriminator": 5})

    One run of a player's op moves its variables, slots and beta powers, and no others. All its gradients are
    computed before anything is written. Goodfellow et al., "Generative adversarial nets" (2014), algorithm 1.

    Args:
        players: a dict from a player's name to (loss, variables): a scalar tensor, and selectors as in `trainable_in`
            or a list of variables.
        optimizer_factory: a function without arguments that returns a new `tf.train.Optimizer`, called once a player;
            or a dict of one such function a player.
        global_step: the one variable that counts the applied steps of all players.
        steps: a dict from player to the steps it takes in a round; 1 for those it leaves out.
        update_ops: a dict from player to the update ops that run before its step. By default the ops of
            `tf.GraphKeys.UPDATE_OPS` are split: each goes to the player whose variables share the longest scope with
            the variables that it writes.
        allow_shared: True lets players share variables; by default that is an error.
        transform: a function of (gradient, variable) pairs, such as a clip, applied to each player's.

    Returns:
        `Players`.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: players share variables, a loss does not reach its player's variables, `steps` or `update_ops` name
            an unknown player, or an update op cannot be given to one player.
    """
    require_graph("alternate")
    players = _checked_players(players)
    variables = {
        name: select(chosen, tf.trainable_variables(), f"alternate, player {name}")
        for name, (_, chosen) in players.items()
    }
    if not allow_shared:
        _refuse_shared(variables)
    transform = chain() if transform is None else chain(transform)
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
    made = new_optimizers([factories.get(name) for name in players], "alternate")
    optimizers = dict(zip(players, made))
    counts = {name: state_variable(f"{name}_steps", [], tf.int64) for name in players}
    train_ops = {}
    for name, (loss, _) in players.items():
        with tf.name_scope(name):
            pairs = optimizers[name].compute_gradients(loss, var_list=variables[name])
            pairs = transform(check_grads_and_vars(pairs, f"alternate, player {name}"))
            train_ops[name] = _step(
                optimizers[name], pairs, global_step, updates.get(name, []), counts[name]
            )
    with without_dependencies():
        taken = {name: read_or_zeros(count) for name, count in counts.items()}
    return Players(
        train_ops,
        order,
        taken,
        optimizers,
        {name: loss for name, (loss, _) in players.items()},
        global_step,
    )


def _checked_players(players: Any) -> dict[str, tuple[tf.Tensor, list[tf.Variable]]]:
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


def _by_player(players: Mapping[str, Any], given: Any, argument: str) -> dict[str, Any]:
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
    """Splits UPDATE_OPS by the longest scope that their variables share with a player's variables."""
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


def _step(
    optimizer: Optimizer,
    pairs: GradsAndVars,
    global_step: tf.Variable | None,
    updates: Sequence[Any],
    count: tf.Variable,
) -> tf.Operation:
    one = tf.constant(1, tf.int64)
    guard = find_guard(pairs, pairs)
    taken = one if guard is None else guard.keep(one)
    with once_computed(pairs), tf.control_dependencies(updates):
        with part_of_a_train_op():
            applied = apply_guarded(optimizer, pairs, global_step)
        return as_train_op(tf.group(applied, count_up(count, taken)))
