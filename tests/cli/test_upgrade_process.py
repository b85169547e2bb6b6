"""Tests how `upgrade --by-running` starts the upgraded program, in this process."""

import random

import numpy as np
import pytest

from tf1grad.cli import upgrade_process
from tf1grad.programs.process import finder
from tf1grad.run.script import script
from tf1grad.run.start import options


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Returns a function that starts a program with a seed,
    and returns the first random numbers that it would draw.
    """
    (tmp_path / "train.py").write_text("")
    states = random.getstate(), np.random.get_state()
    monkeypatch.setattr(options, "defaults", options.defaults)
    monkeypatch.setattr(finder, "call_after", lambda *arguments, **words: None)
    found = []

    def draw(*arguments, **words):
        found[:] = [random.random(), np.random.random_sample()]

    monkeypatch.setattr(script, "run", draw)

    def start(seed):
        given = {"seed": seed, "recorder": None}
        upgrade_process.main(given, [str(tmp_path / "train.py")])
        return list(found)

    yield start
    random.setstate(states[0])
    np.random.set_state(states[1])


def test_an_upgraded_program_starts_with_the_seed_or_with_none(drawn):
    expected = [random.Random(7).random(), np.random.RandomState(7).random_sample()]
    assert drawn(7) == expected and options.defaults.seeds == upgrade_process.RULE
    assert drawn(None) != expected
