"""Tests the plugin that starts the processes of a run of all files."""

import os
import subprocess
import sys

import pytest

from paths import ROOT

FILE = """
import os, time
def test_first(): time.sleep(0.2)
def test_second(): time.sleep(0.2) if {number} else os._exit(9)
def test_third(): time.sleep(0.2)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    len(getattr(os, "sched_getaffinity", lambda _: [0])(0)) < 2, reason="needs a second processor"
)
def test_a_killed_process_ends_the_run_and_is_named(tmp_path):
    """pytest-xdist alone waits for ever here."""
    (tmp_path / "tox.ini").write_text("[pytest]\ntestpaths = tests\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "conftest.py").write_text('pytest_plugins = ["short_run"]\n')
    for number in range(6):
        (tmp_path / "tests" / f"test_{number}.py").write_text(FILE.format(number=number))
    plugins = os.path.join(ROOT, "tests", "helpers", "plugins")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", "-q"],
        cwd=str(tmp_path),
        env=dict(os.environ, PYTHONPATH=plugins, PYTEST_ADDOPTS=""),
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    # 3: pytest-xdist itself fails where it just gave the killed process more to do.
    named = "crashed while running 'tests/test_0.py::test_second'" in ended.stdout
    assert (ended.returncode, named) in ((1, True), (3, False)), ended.stdout
