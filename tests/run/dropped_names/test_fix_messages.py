"""Tests what is said and noted of a fix: a sentence once, a moved name in the register alone."""

import pytest

from tf1grad.programs.process import messages, patches
from tf1grad.run.dropped_names import fix_messages


@pytest.fixture
def said(monkeypatch, capsys):
    """Forgets what was said and expected; returns a function that returns the new lines."""
    monkeypatch.setattr(messages, "said", set())
    monkeypatch.setattr(fix_messages, "_expected", set())
    before = len(patches.changes())
    yield lambda: capsys.readouterr().err.splitlines()
    patches.undo(before)


def test_a_fix_is_said_once(said):
    for _ in range(2):
        fix_messages.warn_once("numpy.old", "is numpy.new")
    fix_messages.warn_once("numpy.older", "is numpy.newer")
    first, second = said()
    assert first.startswith("tf1grad: numpy.old") and first.endswith(": is numpy.new")
    assert second.startswith("tf1grad: numpy.older") and second.endswith(": is numpy.newer")


def test_a_moved_name_is_entered_in_the_register_once_and_not_said(said):
    before = len(patches.changes())
    for _ in range(2):
        fix_messages.record_move("imp", "is a module of tf1grad")
    (change,) = patches.changes()[before:]
    assert change.what.startswith("imp") and change.reason == "is a module of tf1grad"
    assert said() == []


def test_a_fix_that_the_program_calls_itself_is_not_said(said):
    fix_messages.expect([("numpy.old", "is numpy.new")])
    fix_messages.warn_once("numpy.old", "is numpy.new")
    assert said() == []
    fix_messages.warn_once("numpy.other", "is numpy.one")
    assert len(said()) == 1
