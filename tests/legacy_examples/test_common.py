"""Tests Ctrl-C, the numbers and the quiet start that the examples share."""

import subprocess
import sys
import textwrap

import pytest

from examples import FOLDER, example

common = example("common")


def test_an_interrupt_ends_the_work_and_nothing_else(capsys):
    reached = []
    with common.Interruptible() as work:
        reached.append(1)
        raise KeyboardInterrupt
    assert work.interrupted and reached == [1]
    assert "interrupted: what was reached is kept" in capsys.readouterr().out


def test_an_error_is_no_interrupt():
    with pytest.raises(ValueError):
        with common.Interruptible():
            raise ValueError
    with common.Interruptible() as work:
        pass
    assert not work.interrupted


@pytest.mark.parametrize(
    "values, text",
    [
        ([3.0, 1.0, 2.0], "median 2.0 (from 1.0 to 3.0)"),
        ([4.0, 1.0], "median 2.5 (from 1.0 to 4.0)"),
        ([7.0], "median 7.0 (from 7.0 to 7.0)"),
    ],
)
def test_spread_is_median_and_range(values, text):
    assert common.spread(values, "%.1f") == text


def test_the_remaining_time_is_that_of_the_work_that_began_last(monkeypatch, capsys):
    clock = iter([0, 0, 10, 30, 1000, 1030])
    monkeypatch.setattr(common.time, "time", lambda: next(clock))
    progress = common.Progress(seconds=20)
    for done in (0.1, 0.2, 0.4, 0.1, 0.6):  # two works
        progress.show("", done)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [", 1:00 left", "", ", 0:24 left"]


QUIET_PROGRAM = """
    import os, sys
    sys.path.insert(0, {folder!r})
    import common
    with common.quiet():
        os.write(2, b"I0000 00:00:1700000000.000000    1 port.cc:153] oneDNN custom operations are on.\\n")
        os.write(2, b"2026-01-01 00:00:00.000000: I tensorflow/core/cpu_feature_guard.cc:210] optimized\\n")
        os.write(2, b"E0000 00:00:1700000000.000000    1 cuda.cc:1] no kernel image\\n")
        if {fails!r}:
            raise ImportError("no TensorFlow")
"""


@pytest.mark.parametrize("fails", [False, True])
def test_quiet_keeps_back_information_alone(fails):
    program = textwrap.dedent(QUIET_PROGRAM).format(folder=FOLDER, fails=fails)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, universal_newlines=True
    )
    _, errors = process.communicate()
    assert "oneDNN" not in errors and "optimized" not in errors and "no kernel image" in errors
    assert (process.returncode != 0) == fails and ("ImportError: no TensorFlow" in errors) == fails
