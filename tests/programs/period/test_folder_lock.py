"""Tests the lock of a folder among processes:
POSIX's, and the branch for Windows with a stand-in of `msvcrt`.

No test ran on Windows.
"""

import os
import subprocess
import sys

import pytest

import paths

if os.name == "nt":
    pytest.skip("the processes are POSIX's", allow_module_level=True)

import lock_holders

SYSTEMS = pytest.mark.parametrize("system", ["posix", "windows"])


def start(folder, system, action):
    """Starts a process that takes the lock of `folder`."""
    return subprocess.Popen(
        [sys.executable, lock_holders.__file__, str(folder), system, action],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=dict(os.environ, PYTHONPATH=paths.ROOT),
    )


@SYSTEMS
def test_one_process_at_a_time_has_the_lock(tmp_path, system):
    number = tmp_path / "number"
    number.write_text("0")
    counting = [start(tmp_path, system, "count") for _ in range(3)]
    for process in counting:
        process.communicate(timeout=60)
    assert [process.returncode for process in counting] == [0, 0, 0]
    assert int(number.read_text()) == 3 * lock_holders.TIMES


@SYSTEMS
def test_a_killed_process_gives_its_lock_to_one_that_waits_and_says_so(tmp_path, system):
    holding = start(tmp_path, system, "hold")
    assert holding.stdout.readline() == "held\n"
    waiting = start(tmp_path, system, "wait")
    assert waiting.stdout.readline() == "waiting\n"
    holding.kill()
    holding.communicate(timeout=60)
    assert waiting.communicate(timeout=60)[0] == "held\n"


@SYSTEMS
def test_a_free_lock_is_taken_without_a_word(tmp_path, system):
    for _ in range(2):  # the file of the first stays
        assert start(tmp_path, system, "wait").communicate(timeout=60)[0] == "held\n"
    assert os.listdir(str(tmp_path)) == (["lock"] if system == "windows" else [])
