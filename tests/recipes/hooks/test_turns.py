"""Tests the turns of players whose optimizers accumulate:
by the loop over `step_applied` and by PlayersHook.

Each player's turn is one step on a large batch, by NumPy, whatever the windows and restarts.
"""

import itertools

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from numpy_optimizers import RULES
from steps import Outer, everything, monitored, unchanged
from variable_kinds import BOTH_KINDS

SIZES = [4, 4, 2]
K, ROUNDS = len(SIZES), 2
RULE = RULES["nesterov"]
OWN, FACTORS = {"d": ["bias", "matrix"], "g": ["table"]}, {"d": 1, "g": 2}
BATCHES = [models.random_batch(sum(SIZES), seed) for seed in range(8)]
PARTS = [part for batch in BATCHES for part in models.split(batch, SIZES)]

WRAPPERS = {
    "accumulating": lambda accumulate, inner: accumulate(inner),
    "clipping, then accumulating": lambda accumulate, inner: tf1grad.ClippingOptimizer(
        accumulate(inner), 1e6
    ),
    "skipping, then accumulating": lambda accumulate, inner: tf1grad.ClippingOptimizer(
        accumulate(inner), 1e6, nonfinite="skip"
    ),
    "accumulating, then skipping": lambda accumulate, inner: accumulate(
        tf1grad.ClippingOptimizer(inner, 1e6, nonfinite="skip")
    ),
    "in another optimizer": lambda accumulate, inner: Outer(accumulate(inner)),
}


def trained(order, turns):
    """NumPy: the values after so many turns, each a step on a large batch."""
    values = {name: value.copy() for name, value in models.START.items()}
    rules = {name: RULE[0]() for name in OWN}
    for player, batch in zip(itertools.cycle(order), BATCHES[:turns]):
        _, gradients, rows = models.loss_and_gradients(values, batch)
        rules[player].begin_step()
        for name in OWN[player]:
            gradient = gradients[name] * FACTORS[player]
            values[name] = rules[player].update(name, values[name], gradient, rows.get(name))
    return values


class Game:
    """Two players, d and g, on the model of `models`."""

    def __init__(self, wrap=WRAPPERS["accumulating"], steps=None, persistent=False, transform=None):
        self.model, self.step = models.Model(), tf.train.get_or_create_global_step()

        def accumulate(optimizer):
            return tf1grad.AccumulatingOptimizer(
                optimizer, K, weight=self.model.samples, persistent=persistent
            )

        self.losses = {name: factor * self.model.loss for name, factor in FACTORS.items()}
        self.players = tf1grad.alternate(
            {
                name: (self.losses[name], [self.model.variables[each] for each in own])
                for name, own in OWN.items()
            },
            lambda: wrap(accumulate, RULE[1]()),
            self.step,
            steps,
            transform=transform,
        )

    def check(self, session, turns):
        order = self.players.order
        models.assert_same_values(self.model.values(session), trained(order, turns))
        assert session.run(self.step) == turns

    def check_counts(self, session, turns):
        taken = [self.players.order[turn % len(self.players.order)] for turn in range(turns)]
        assert session.run(self.players.steps) == {name: taken.count(name) for name in OWN}

    def loop(self, session, parts, turn=0):
        """Runs the documented loop over the parts, from the given turn on."""
        parts = iter(parts)
        for player in itertools.islice(itertools.cycle(self.players.order), turn, None):
            applied = False
            while not applied:
                part = next(parts, None)
                if part is None:
                    return
                applied = session.run(self.players.step_applied[player], self.model.feed_dict(part))


WRAPPED = pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(wrap, marks=[] if name == "accumulating" else pytest.mark.slow, id=name)
        for name, wrap in WRAPPERS.items()
    ],
)
STEPS = pytest.mark.parametrize("steps", [None, {"d": 2}], ids=["no steps", "two steps"])


@BOTH_KINDS
@STEPS
@WRAPPED
def test_turns_by_the_loop(wrap, steps, variable_kind, session):
    game = Game(wrap, steps)
    session.run(tf.global_variables_initializer())
    turns = ROUNDS * len(game.players.order)
    game.loop(session, PARTS[: K * turns])
    game.check(session, turns)
    game.check_counts(session, turns)


@BOTH_KINDS
@STEPS
@WRAPPED
def test_turns_by_the_hook(wrap, steps, variable_kind, graph):
    game, order = Game(wrap, steps), ""
    hook = tf1grad.PlayersHook(game.players)
    turns = ROUNDS * len(game.players.order)
    with monitored(hooks=[hook]) as session:
        for part in PARTS[: K * turns]:
            session.run(list(game.losses.values()), game.model.feed_dict(part))
            order += hook.player
        game.check(session, turns)
        game.check_counts(session, turns)
    assert order == "".join(K * player for player in game.players.order) * ROUNDS


@pytest.mark.slow
@BOTH_KINDS
@STEPS
@pytest.mark.parametrize("persistent", [False, True], ids=["dropped", "persistent"])
@pytest.mark.parametrize("by", ["loop", "hook"])
def test_a_restart_in_each_position_of_the_round(
    by, persistent, steps, variable_kind, graph, tmpdir
):
    """A window that is not persistent begins again with its first micro-batch."""
    game = Game(steps=steps, persistent=persistent)
    saver, turns = tf.train.Saver(), ROUNDS * len(game.players.order)
    hook, initialize = tf1grad.PlayersHook(game.players), tf.global_variables_initializer()
    path = str(tmpdir.join("model"))

    def open_session(restore):
        if by == "loop":
            return tf.Session()
        scaffold = tf.train.Scaffold(saver=saver, init_op=initialize)
        creator = tf.train.ChiefSessionCreator(
            scaffold, checkpoint_filename_with_path=path if restore else None
        )
        return tf.train.MonitoredSession(creator, hooks=[hook])

    def train(session, parts, turn=0):
        if by == "loop":
            return game.loop(session, parts, turn)
        for part in parts:
            session.run(game.losses["d"], game.model.feed_dict(part))

    for position in range(1 + K * len(game.players.order)):
        with open_session(False) as session:
            if by == "loop":
                session.run(initialize)
            train(session, PARTS[:position])
            raw = (
                session
                if by == "loop"
                else session.run_step_fn(lambda step_context: step_context.session)
            )
            saver.save(raw, path, write_meta_graph=False)
        with open_session(True) as session:
            if by == "loop":
                saver.restore(session, path)
            turn = session.run(game.step)
            assert turn == position // K
            train(session, PARTS[position if persistent else turn * K : turns * K], turn)
            game.check(session, turns)


@BOTH_KINDS
def test_no_player_moves_while_the_window_of_another_is_open(variable_kind, session):
    game = Game()
    ops, parts = game.players.train_ops, [game.model.feed_dict(part) for part in PARTS]
    session.run(tf.global_variables_initializer())
    session.run(ops["d"], parts[0])
    with unchanged(session, *everything(game.players.optimizers["g"]).values()):
        for op in [ops["g"], game.players.step_applied["g"]]:
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="the window of d is open.*step_applied of d"
            ):
                session.run(op, parts[1])
    session.run(ops["d"], parts[1])
    session.run(ops["d"], parts[2])
    game.loop(session, PARTS[K : 2 * K], 1)
    session.run(ops["g"], parts[2 * K])  # out of turn, which only the order forbids
    with pytest.raises(tf.errors.InvalidArgumentError, match="the window of g is open"):
        session.run(ops["d"], parts[2 * K])


def test_an_op_a_micro_batch_in_the_order_of_as_many_steps(session):
    """The plain loop over the train ops is right where the round has a
    step for each micro-batch.
    """
    game = Game(steps=dict.fromkeys(OWN, K))
    session.run(tf.global_variables_initializer())
    for player, part in zip(game.players.order, PARTS):
        session.run(game.players.train_ops[player], game.model.feed_dict(part))
    assert session.run(game.players.steps) == {"d": 1, "g": 1}
    models.assert_same_values(game.model.values(session), trained(["d", "g"], 2))


@pytest.mark.parametrize("by", ["loop", "hook"])
def test_a_step_that_is_skipped_does_not_end_the_turn(by, graph):
    """Bad micro-batches have the weight 0, and a window of them has no step."""
    game = Game(transform=lambda pairs: tf1grad.drop_nonfinite(pairs))
    hook = tf1grad.PlayersHook(game.players)
    bad = [(x, ids, np.full_like(y, np.nan)) for x, ids, y in PARTS[:K]]
    # A window of d's whose micro-batches are all bad, before that of its turn.
    parts = bad + PARTS[: 2 * K]
    with monitored(hooks=[hook] if by == "hook" else []) as session:
        if by == "loop":
            game.loop(session, parts)
        else:
            for part in parts:
                session.run(game.losses["d"], game.model.feed_dict(part))
        game.check(session, 2)
        game.check_counts(session, 2)


def test_two_hooks_that_accumulate_take_turns_by_step_applied(graph):
    model, step, hooks = models.Model(), tf.train.get_or_create_global_step(), {}
    for name, own in OWN.items():
        optimizer, loss = RULE[1](), model.loss * FACTORS[name]
        pairs = optimizer.compute_gradients(loss, [model.variables[each] for each in own])
        accumulator = tf1grad.GradientAccumulator(pairs, loss, model.samples, name=name)
        hooks[name] = tf1grad.AccumulateHook(accumulator, optimizer, K)
    parts = iter(PARTS)
    with monitored(hooks=list(hooks.values())) as session:
        for player in ["d", "g"] * ROUNDS:
            applied, hook = False, hooks[player]
            while not applied:
                fetches = [hook.train_op, hook.step_applied]
                _, applied = session.run(fetches, model.feed_dict(next(parts)))
        assert session.run(step) == 2 * ROUNDS
        models.assert_same_values(model.values(session), trained(["d", "g"], 2 * ROUNDS))


def test_a_run_that_also_fetches_accumulate_is_refused(graph):
    model, optimizer = models.Model(), RULE[1]()
    accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(model.loss), model.loss)
    hook = tf1grad.AccumulateHook(accumulator, optimizer, K)
    with monitored(hooks=[hook]) as session:
        with pytest.raises(
            ValueError,
            match=r"fetches accumulator\.accumulate \(the op accumulator/.*count twice\. Leave it out",
        ):
            session.run([model.loss, accumulator.accumulate], model.feed_dict(PARTS[0]))


def test_a_hook_stops_after_steps_of_a_player(graph):
    game = Game(steps={"d": 2})
    stop = tf1grad.StopAfterStepsHook(last_step=3, counter=game.players.steps["d"])
    hooks, runs = [tf1grad.PlayersHook(game.players), stop], 0
    with monitored(hooks=hooks) as session:
        while not session.should_stop():
            session.run(game.losses["d"], game.model.feed_dict(PARTS[runs]))
            runs += 1
    assert runs == 4 * K  # d, d, g, d
