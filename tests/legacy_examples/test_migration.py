"""Tests that docs/migration.md and the README's picture show what the commands print for
the program of the guide.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest
import tensorflow.compat.v1 as tf

from paths import ROOT

FOLDER = os.path.join(ROOT, "legacy_examples", "migration")
TF2_ONLY = pytest.mark.skipif(
    tf.__version__.startswith("1."), reason="the page shows the output under TensorFlow 2"
)


@pytest.fixture
def folder(tmp_path):
    """A copy of the program's folder."""
    shutil.copytree(
        FOLDER, str(tmp_path / "migration"), ignore=shutil.ignore_patterns("__pycache__")
    )
    return str(tmp_path / "migration")


def _read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def _printed(arguments, folder, status=0):
    """Returns what a command writes to both streams, if it exits with the status."""
    environment = dict(
        os.environ, TF_CPP_MIN_LOG_LEVEL="2", PYTHONPATH=ROOT, TF_ENABLE_ONEDNN_OPTS="0"
    )
    process = subprocess.run(
        [sys.executable] + arguments,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.returncode == status, process.stdout[-3000:]
    return process.stdout


def _shown(heading):
    """Returns the parts of the first output below a heading; `...` stands between two parts."""
    below = _read(ROOT, "docs", "migration.md").split(heading, 1)[1]
    block = re.search(r"^```text\n(.*?)^```$", below, re.DOTALL | re.MULTILINE).group(1)
    return [_words(part) for part in re.split(r"^\.\.\.$", block, flags=re.MULTILINE)]


def _words(text):
    """Returns a text in one line, for whichever NumPy is installed."""
    return re.sub(r"NumPy \d+\.\d+", "NumPy", " ".join(text.split()))


def _assert_shown(heading, printed):
    assert [part for part in _shown(heading) if part not in _words(printed)] == []


@TF2_ONLY
def test_check_prints_what_the_page_shows(folder):
    _assert_shown(
        "## 1. Check it", _printed(["-m", "tf1grad", "check", "spirals.py"], folder, status=1)
    )


@TF2_ONLY
def test_upgrade_gives_the_diff_and_the_program_that_the_page_shows(folder):
    printed = _printed(["-m", "tf1grad", "upgrade", "spirals.py"], folder, status=1)
    assert _read(FOLDER, "spirals.diff") in printed
    _assert_shown("## 3. Look at the rewritten program", printed)
    _printed(["-m", "tf1grad", "upgrade", "--write", "spirals.py"], folder)
    assert _read(folder, "spirals.py") == _read(FOLDER, "spirals_upgraded.py")


@pytest.mark.slow
@pytest.mark.period
@pytest.mark.parametrize(
    "arguments",
    [
        ["spirals_upgraded.py"],
        ["spirals_with_recipes.py"],
    ],
    ids=" ".join,
)
def test_each_form_of_the_program_prints_the_same_lines(folder, arguments):
    lines = _printed(arguments, folder).splitlines()
    steps = [line for line in lines if line.startswith("step ")]
    assert [_words(" ".join(steps))] == _shown("TensorFlow 1.15.5 prints")


@TF2_ONLY
@pytest.mark.slow
@pytest.mark.period
@pytest.mark.skipif(os.name == "nt", reason="the picture's commands are those of a Unix shell")
def test_the_picture_shows_what_the_commands_print(folder, monkeypatch):
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    monkeypatch.syspath_prepend(os.path.join(ROOT, "docs", "generate"))
    import terminal

    shown = terminal.shown()
    assert [command for command, _ in shown] == terminal.COMMANDS
    assert shown == [(command, terminal.printed(command, folder)) for command in terminal.COMMANDS]
    assert [_words(" ".join(shown[-1][1]))] == _shown("TensorFlow 1.15.5 prints")


@pytest.mark.slow
@pytest.mark.skipif(not tf.__version__.startswith("1."), reason="what TensorFlow 1.15 prints")
def test_the_page_shows_what_1_15_prints(folder):
    steps = [
        line for line in _printed(["spirals.py"], folder).splitlines() if line.startswith("step ")
    ]
    assert [_words(" ".join(steps))] == _shown("TensorFlow 1.15.5 prints")


@TF2_ONLY
@pytest.mark.slow
@pytest.mark.period
def test_upgrade_by_running_gives_the_verdict_that_the_page_shows(folder):
    printed = _printed(
        ["-m", "tf1grad", "upgrade", "--write", "--by-running", "spirals.py", "spirals.py"], folder
    )
    _assert_shown("## 4. Rewrite it, and compare", printed)


@TF2_ONLY
def test_check_finds_nothing_in_the_program_with_recipes(folder):
    assert "Nothing found in 1 file" in _printed(
        ["-m", "tf1grad", "check", "spirals_with_recipes.py"], folder
    )
    assert _shown("It prints the three lines, and") == ["Nothing found in 1 file"]
