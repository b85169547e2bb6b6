"""Tests every recipe with every other against plain large batches in NumPy."""

import contextlib
import itertools
import zlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
from numpy_optimizers import RULES
from paired_program import Program
from plain_batch import STEPS, PlainBatch, norm
from recipe_table import RECIPES

BATCHES = [models.random_batch(12, seed) for seed in range(STEPS)]
ACCUMULATING = ["gradient_accumulator", "accumulated_step", "accumulate_hook", "feed_gradients"]
# Pairs that a program has in turn: the one takes the odd steps, the other the even ones.
IN_TURN = {
    **dict.fromkeys(
        map(frozenset, itertools.combinations(ACCUMULATING, 2)),
        "a micro-batch goes to one window; AccumulatingOptimizer and split_batch nest with all of them",
    ),
    **{
        frozenset([name, players]): "the op of a player applies what its own run computes"
        for name in ("accumulated_step", "accumulate_hook", "split_batch")
        for players in ("alternate", "players_hook")
    },
    **{
        frozenset(["gate_variables", players]): "both apply, each with optimizers of its own"
        for players in ("alternate", "players_hook")
    },
    frozenset(["alternate", "players_hook"]): "the hook runs the ops of its own players",
    **{
        frozenset(["queue", search]): "each evaluation would take a batch from the queue"
        for search in ("scipy_optimizer_interface", "external_optimizer_interface")
    },
    **{
        frozenset(["batch_cache_hook", source]): "the hook advances its own cache"
        for source in ("queue", "variable_batch_cache", "handle_batch_cache")
    },
}
CONFIG = tf.ConfigProto(operation_timeout_in_ms=5000, inter_op_parallelism_threads=1)
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True  # takes half of the time
IN_SHORT_RUN = "accumulated_step"  # with each other recipe


def pairs():
    for pair in itertools.combinations(RECIPES, 2):
        yield pair if IN_SHORT_RUN in pair else pytest.param(pair, marks=pytest.mark.slow)


@pytest.mark.parametrize("pair", list(pairs()), ids="-".join)
def test_two_recipes_give_the_step_of_the_plain_large_batch(pair, graph, variable_kind):
    if tf.__version__.startswith("1.") and variable_kind == "resource":
        pytest.skip("on TensorFlow 1.15, pairs have ref variables, as its programs do")
    global_step = tf.train.get_or_create_global_step()
    variables = {
        name: tf.get_variable(name, initializer=value)
        for name, value in sorted(models.START.items())
    }
    state = {"global_step": 0, **models.START}
    programs = [
        built(recipes, *optimizer_of(pair, variable_kind), variables, global_step, state)
        for recipes in ([[name] for name in pair] if frozenset(pair) in IN_TURN else [pair])
    ]
    values = {**variables, "global_step": global_step}
    with opened(programs) as session:
        for number, batch in enumerate(BATCHES):
            for program, _ in programs:
                program.begin(batch)
            program, plain = programs[number % len(programs)]
            program.step(session, batch)
            plain.step(batch)
        raw = program.raw_session
        assert session_stops(session) == any(program.stop for program, _ in programs)
        models.assert_same_values(raw.run(values), state, 1e-7)
        for program, plain in programs:
            check_notes(raw, program, plain)
            for search in program.searches:
                search.minimize(raw, program.feed(raw, batch))
            plain.search(batch)
        models.assert_same_values(raw.run(values), state, 1e-7)


def optimizer_of(pair, variable_kind):
    """Returns Adam on one kind of variables and Momentum on the other: its rule in NumPy, and how to make it."""
    turn = zlib.crc32(" ".join(pair).encode()) + (variable_kind == "ref")
    return RULES["adam" if turn % 2 else "nesterov"]


def built(recipes, new_rule, new_optimizer, variables, global_step, state):
    """Returns the program of the recipes, and its plain large batch."""
    program, plain = Program(new_optimizer, variables, global_step), PlainBatch(new_rule, state)
    for name in recipes:
        RECIPES[name](program, plain)
    program.build()
    return program, plain


@contextlib.contextmanager
def opened(programs):
    """Opens the session that all programs need: with their hooks, or a plain one."""
    hooks = [hook for program, _ in programs for hook in program.hooks]
    start = tf.global_variables_initializer()
    creator = tf.train.ChiefSessionCreator(config=CONFIG)
    with (
        tf.train.MonitoredSession(creator, hooks) if hooks else tf.Session(config=CONFIG)
    ) as session:
        if hooks:
            raw = session.run_step_fn(lambda step_context: step_context.session)
        else:
            raw = session
            raw.run(start)
        for program, _ in programs:
            program.raw_session = raw
            session = program.opened(session)
        yield session


def session_stops(session):
    return not isinstance(session, tf.Session) and session.should_stop()


def check_notes(session, program, plain):
    """Checks what else the programs keep and write: moving moments and averages, and norms."""
    if program.normalizes:
        np.testing.assert_allclose(session.run(program.moving), plain.moments, rtol=1e-9)
    if program.averages:
        averages = {
            name: program.averages.average(program.variables[name]) for name in plain.average
        }
        models.assert_same_values(session.run(averages), plain.average)
    if program.lines:
        written = [float(line.split()[-1]) for turn in zip(*program.lines) for line in turn]
        np.testing.assert_allclose(written, plain.norms, rtol=1e-6)
    if program.summaries:
        part = program.parts_of(BATCHES[-1])[-1]
        values = session.run(program.summaries, program.feed(session, part))
        summarized = [tf.Summary.FromString(value).value[0].simple_value for value in values]
        expected = [norm(plain.gradients(part, groups)) for groups in plain.turns]
        np.testing.assert_allclose(summarized, expected, rtol=1e-6)
