"""Trains a program of several recipes beside the plain large batch in NumPy, and compares them after each step."""

import contextlib

import numpy as np
import tensorflow.compat.v1 as tf

import models
from numpy_optimizers import RULES
from paired_program import Program
from plain_batch import STEPS, PlainBatch, norm
from recipe_table import RECIPES, VARIANTS

BATCHES = [models.random_batch(12, seed) for seed in range(STEPS)]
CONFIG = tf.ConfigProto(operation_timeout_in_ms=5000, inter_op_parallelism_threads=1)
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True  # takes half of the time


def check_training(case, lists_of_recipes, rule, kind):
    """Trains on each batch, and checks variables, the global step, and what else the programs keep and write.

    Args:
        case: a text that names the programs where they part from NumPy.
        lists_of_recipes: the recipes of each program; of several, each takes a step in turn.
        rule: the name of the optimizer in `RULES`.
        kind: the `Gradients`.
    """
    global_step = tf.train.get_or_create_global_step()
    variables = kind.variables()
    state = {"global_step": 0, **kind.start()}
    programs = [
        built(recipes, *RULES[rule], variables, global_step, state, kind)
        for recipes in lists_of_recipes
    ]
    values = {**variables, "global_step": global_step}
    with opened(programs) as session:
        for number, batch in enumerate(map(kind.batch, BATCHES)):
            for program, _ in programs:
                program.begin(batch)
            program, plain = programs[number % len(programs)]
            program.step(session, batch)
            plain.step(batch)
            raw = program.raw_session
            kind.check(raw.run(values), state, f"{case}\nstep {number + 1} of {STEPS}")
        assert session_stops(session) == any(program.stop for program, _ in programs)
        for program, plain in programs:
            check_notes(raw, program, plain)
            for search in program.searches:
                search.minimize(raw, program.feed(raw, batch))
            plain.search(batch)
        kind.check(raw.run(values), state, f"{case}\nat the end of the searches")


def built(recipes, new_rule, new_optimizer, variables, global_step, state, kind):
    """Returns the program of the recipes, and its plain large batch."""
    program = Program(new_optimizer, variables, global_step, kind)
    plain = PlainBatch(new_rule, state, kind)
    for name in recipes:
        {**RECIPES, **VARIANTS}[name](program, plain)
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
