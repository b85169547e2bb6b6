"""Trains a program of several recipes beside the plain large batch in NumPy,
and compares them after each step.
"""

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


def check_training(case, lists_of_recipes, rule, kind, place=None):
    """Trains on each batch, and checks variables, the global step,
    and what else the programs keep and write.

    Args:
        case: a text that names the programs where they part from NumPy.
        lists_of_recipes: the recipes of each program; of several, each takes a step in turn.
        rule: the name of the optimizer in `RULES`.
        kind: the `Gradients`.
        place: one of `PLACES`; default a session.
    """
    place = place or Place()
    programs, state = new_programs(lists_of_recipes, rule, kind, place)
    values = programs[0][0].variables
    with Runs([program for program, _ in programs], place.target, place.new_saver()) as runs:
        place.prepare(runs)
        for number, batch in enumerate(map(kind.batch, BATCHES)):
            for program, _ in programs:
                program.begin(batch)
            program, plain = programs[number % len(programs)]
            program.step(batch)
            plain.step(batch)
            raw = program.raw_session
            kind.check(raw.run(values), state, f"{case}\nstep {number + 1} of {STEPS}")
        assert runs.stops() == any(program.stop for program, _ in programs)
        for program, plain in programs:
            check_notes(raw, program, plain)
            for search in program.searches:
                search.minimize(raw, program.feed(raw, batch))
            plain.search(batch)
        kind.check(raw.run(values), state, f"{case}\nat the end of the searches")


def new_programs(lists_of_recipes, rule, kind, place):
    """Returns pairs of a program and its plain large batch;
    and the values of the variables in NumPy, by name.
    """
    variables = {**kind.variables(), "global_step": tf.train.get_or_create_global_step()}
    state = {"global_step": 0, **kind.start()}
    programs = [
        built(recipes, *RULES[rule], variables, state, kind, place) for recipes in lists_of_recipes
    ]
    return programs, state


def built(recipes, new_rule, new_optimizer, variables, state, kind, place):
    """Returns the program of the recipes, and its plain large batch."""
    program = Program(new_optimizer, variables, variables["global_step"], kind)
    plain = PlainBatch(new_rule, state, kind)
    for name in recipes:
        {**RECIPES, **VARIANTS}[name](program, plain)
    place.before_build(program)
    program.build()
    return program, plain


class Place:
    """A session, in which programs are trained without a break."""

    target = ""

    def before_build(self, program):
        """Changes a program before it is built."""

    def new_saver(self):
        """Returns the `tf.train.Saver` of the graph, or None where it is not needed."""
        return None

    def prepare(self, runs):
        """Changes the programs of `Runs` before their first step."""


class Runs:
    """A session for programs: with their hooks, or a plain one.
    As a context it closes what is open at the end.
    """

    def __init__(self, programs, target="", saver=None):
        self.programs, self._target, self.saver = programs, target, saver
        self._hooks = [hook for program in programs for hook in program.hooks]
        self._start, self._scaffold = (
            tf.global_variables_initializer(),
            tf.train.Scaffold(saver=saver),
        )
        self.open()

    def open(self, checkpoint=None):
        """Opens a session with new variables, or with those of the checkpoint."""
        if self._hooks:
            creator = tf.train.ChiefSessionCreator(
                self._scaffold, self._target, CONFIG, checkpoint_filename_with_path=checkpoint
            )
            session = tf.train.MonitoredSession(creator, self._hooks)
            raw = session.run_step_fn(lambda step_context: step_context.session)
        else:
            session = raw = tf.Session(self._target, config=CONFIG)
            if checkpoint is None:
                raw.run(self._start)
            else:
                self.saver.restore(raw, checkpoint)
        self.session = session
        for program in self.programs:
            session = program.opened(session)
        for program in self.programs:
            program.session, program.raw_session = session, raw

    def restart_from(self, checkpoint):
        self.session.close()
        self.open(checkpoint)

    def stops(self):
        return bool(self._hooks) and self.session.should_stop()

    def __enter__(self):
        return self

    def __exit__(self, kind_of_error, *error):
        if kind_of_error is None or not self._hooks:  # an end of hooks would hide the error
            self.session.close()


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
