"""Tests what recorders note of a run, and how they end the process, in this process."""

import atexit
import os
import sys
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.programs.process import patches
from tf1grad.verify.fetch_recorder import FetchRecorder
from tf1grad.verify.graph_recorder import GraphRecorder
from tf1grad.verify.observed_sessions import SessionRun
from tf1grad.verify.record import Record
from tf1grad.verify.recorder import Recorder
from tf1grad.verify.step_recorder import StepRecorder


class Counting(Recorder):
    """Counts the runs, and adds the number at the end."""

    runs = 0

    def observe(self, run):
        self.runs += 1
        return run.execute([])

    def complete(self):
        self.record.facts.number_runs = self.runs


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "record")


def test_runs_are_seen_until_the_record_is_written(session, path):
    before = len(patches.changes())
    recorder = Counting(path)
    recorder.start()
    try:
        assert session.run(tf.constant(3.0)) == 3.0
        recorder.save()
        session.run(tf.no_op())
    finally:
        patches.undo(before)
        atexit.unregister(recorder.save)
    assert recorder.runs == Record.load(path).facts.number_runs == 1


def test_checkpoints_that_a_run_saves_or_restores_are_noted(session, path, tmp_path):
    tf.get_variable("w", initializer=1.0)
    text = tf.placeholder(tf.string, [], name="text")
    of_saver = tf.train.Saver().saver_def
    saves = session.graph.get_tensor_by_name(of_saver.save_tensor_name).op
    restores = session.graph.get_operation_by_name(of_saver.restore_op_name)
    recorder = Recorder(path)
    for target, name, fed in (
        (saves, of_saver.filename_tensor_name, "model-1"),
        (restores, of_saver.filename_tensor_name, "model-2"),
        (saves, text.name, "model-3"),
    ):
        feeds = {name: np.array(str(tmp_path / fed), object), "w:0": np.array(2.0)}
        recorder._note_checkpoint(SessionRun(session, [target], [], feeds, None))
    facts = recorder.record.facts
    assert facts.saved == [str(tmp_path / "model-1")]
    assert facts.restored == [str(tmp_path / "model-2")]
    assert (facts.new_folders, facts.old_folders) == ([str(tmp_path)], [])


def test_a_fetch_that_cannot_be_read_after_its_run_has_the_value_of_the_run(session, path):
    w = tf.get_variable("w", initializer=1.0)
    fetched = tf.check_numerics(w.read_value(), "w")
    write = w.assign(float("nan")).op

    def execute(unused_extra):
        """Reads first, which TensorFlow may do as well."""
        return [session.run(fetched), session.run(write)][:1]

    session.run(w.initializer)
    recorder = FetchRecorder(path)
    assert recorder.observe(SessionRun(session, [write], [fetched], {}, execute)) == [1.0]
    assert [each.unordered for each in recorder.record.runs] == [[0]]


def test_a_fetched_number_has_the_number_of_its_run_among_all(session, path):
    w = tf.get_variable("w", initializer=1.0)
    recorder = FetchRecorder(path)

    def run(*fetches):
        def execute(unused_extra):
            return session.run(list(fetches))

        targets = [] if fetches else [w.initializer]
        recorder.observe(SessionRun(session, targets, list(fetches), {}, execute))

    run()
    session.run(w.initializer)
    run(w.value())
    run()
    run(w.value())
    recorder.save()
    assert [each.number for each in Record.load(path).runs] == [2, 4]


def test_trained_variables_are_perturbed_before_the_first_run_that_writes_them(session, path):
    w, step = tf.get_variable("w", initializer=[3.0, 0.0]), tf.Variable(0, trainable=False)
    read, train, count = w.read_value(), w.assign_add([0.0, 1.0]).op, step.assign_add(1).op
    recorder = FetchRecorder(path, directions=1)

    def run(*targets):
        def execute(unused_extra):
            return session.run([read, targets])[:1]

        fetches = [] if targets else [read]
        recorder.observe(SessionRun(session, list(targets), fetches, {}, execute))

    session.run(tf.global_variables_initializer())
    run()
    run(count)
    assert session.run(read).tolist() == [3.0, 0.0] and recorder.record.facts.moved is None
    run(train)
    run(train)
    neighbours = np.nextafter(np.float32(3.0), np.array([2.0, 4.0], np.float32))
    first, last = session.run(read)
    assert first in neighbours and last == 2.0
    assert recorder.record.facts.moved == (2, 1)  # before the second run with numbers, one value


def test_the_last_evaluation_ends_the_process_with_all_that_was_written(path, monkeypatch):
    done = []
    recorder = GraphRecorder(path, steps=2)
    with monkeypatch.context() as patched:
        patched.setattr(os, "_exit", done.append)
        patched.setattr(atexit, "_run_exitfuncs", lambda: done.append("exit functions"))
        for name in ("stdout", "stderr"):
            stream = types.SimpleNamespace(flush=lambda name=name: done.append(name))
            patched.setattr(sys, name, stream)
        recorder.end_step({}, {})
        before_last = list(done)
        recorder.end_step({}, {})
    assert before_last == [] and done == ["exit functions", "stdout", "stderr", 0]
    assert Record.load(path).facts.has_ended


def test_initial_values_are_those_before_the_first_step_that_succeeds(session, path):
    """Tests a first run that fails, since a variable has no value: the script gives it one, and
    trains. Values that were known before stay, since they may have been perturbed since.
    """
    w = tf.get_variable("w", initializer=[1.0])
    v = tf.get_variable("v", initializer=[2.0])
    later = tf.get_variable("later", initializer=[3.0])
    recorder = StepRecorder(path, 9, directions=1)
    session.run(w.initializer)
    recorder.begin_step(session)
    session.run(v.initializer)
    recorder.begin_step(session)
    recorder.end_step({}, {})
    session.run(later.initializer)  # it may depend on what was trained
    recorder.begin_step(session)
    assert session.run(w) != [1.0]
    found = {name: list(kept.values) for name, kept in recorder.record.initial.items()}
    assert found == {"w:0": [1.0], "v:0": [2.0]}
