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
