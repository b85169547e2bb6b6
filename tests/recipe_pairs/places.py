"""Holds the places where programs are trained:
restarted sessions, a shared server, an imported graph.
"""

import itertools

import tensorflow.compat.v1 as tf

import models
from plain_batch import SIZES
from training import Place, Runs, new_programs


class Restarts(Place):
    """Saves before each window, trains on some of its micro-batches, restarts from there,
    and takes the window.
    """

    def __init__(self, folder):
        self._path = str(folder / "model")
        self._numbers = itertools.cycle(range(len(SIZES) + 1))

    def new_saver(self):
        return tf.train.Saver()

    def prepare(self, runs):
        def restart(program, take, parts):
            options = dict(write_meta_graph=False, write_state=False)
            checkpoint = runs.saver.save(program.raw_session, self._path, **options)
            program.begin_window(take, parts, next(self._numbers))
            runs.restart_from(checkpoint)

        for program in runs.programs:
            program.before_window = restart


class ImportedGraph(Place):
    """Exports the graph of the gradients, and builds all that uses them in
    the graph that imports it.

    Args:
        contexts: a `contextlib.ExitStack` that keeps the imported graph the default one.
    """

    def __init__(self, contexts):
        self._contexts = contexts

    def before_build(self, program):
        program.hand_on = self._hand_on

    def _hand_on(self, program, loss, pairs):
        exported = tf.train.export_meta_graph()
        graph = self._contexts.enter_context(tf.Graph().as_default())
        tf.train.import_meta_graph(exported)
        variables = {variable.name: variable for variable in tf.global_variables()}

        def find(value):
            if isinstance(value, tf.IndexedSlices):
                parts = (value.values, value.indices, value.dense_shape)
                return tf.IndexedSlices(*map(find, parts))
            if value is None:
                return None
            if value.name in variables:
                return variables[value.name]
            return graph.get_tensor_by_name(value.name)

        program.move(find)
        return find(loss), [(find(gradient), find(variable)) for gradient, variable in pairs]


class SharedServer(Place):
    """Lets another client, with the same program,
    accumulate a micro-batch in the middle of each step.
    """

    def __init__(self, target, lists_of_recipes, rule, kind):
        self.target = target
        tf.Session.reset(target)  # the variables of the case before
        with tf.Graph().as_default():
            self._others = [
                program for program, _ in new_programs(lists_of_recipes, rule, kind, Place())[0]
            ]
            Runs(self._others, target)
        self._batch = kind.batch(models.random_batch(sum(SIZES), 8))

    def prepare(self, runs):
        for program, other in zip(runs.programs, self._others):
            program.before_second_run = lambda: other.begin_step(self._batch)
