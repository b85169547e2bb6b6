"""Runs a program before and after its upgrade, for `tf1grad upgrade --by-running`, and compares what it fetched."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from typing import Optional, Tuple

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.process import run_notes
from tf1grad.old_programs.verify import fetch_comparison
from tf1grad.old_programs.verify.script_processes import last_lines

NOTED_RUN = "tf1grad.old_programs.cli.noted_run"  # not imported: it prepares its process


class UpgradeRuns:
    """The runs of one command: the first is recorded under `tf1grad run`, the second is that of the upgraded program.

    Args:
        command: the script and its arguments, as in a shell.

    Raises:
        UsageError: the command does not name a script.
    """

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        words = self._command[1:] if self._command[:1] == ["-m"] else self._command
        if not words or words is self._command and not os.path.isfile(words[0]):
            raise UsageError(f"--by-running: {command!r} does not begin with a script, such as 'train.py --epochs 1'")
        with tempfile.TemporaryDirectory(prefix="tf1grad-upgrade-") as folder:
            self.notes, self._failure = self._run(folder, upgraded=False)

    def verdict(self) -> Tuple[str, bool]:
        """Runs the upgraded program; returns a sentence or two, and whether it does what the old one did."""
        if self._failure:
            return f"The program fails under `tf1grad run`, so nothing was compared. {self._failure}", False
        with tempfile.TemporaryDirectory(prefix="tf1grad-upgrade-") as folder:
            notes, failure = self._run(folder, upgraded=True)
        if failure:
            return f"The upgraded program does not run. {failure}", False
        before, after = self.notes.fetched, notes.fetched
        difference = fetch_comparison.first_difference(before, after)
        if difference:
            return (f"The upgraded program runs, but {difference}. (A checkpoint that the first run wrote changes the "
                    "second: remove it and repeat.)"), False
        if not before:
            return "The upgraded program runs. Neither run fetches numbers from a session.", True
        return f"The upgraded program runs, and fetches the same values as before ({fetch_comparison.count(before)} " \
               "compared).", True

    def _run(self, folder: str, upgraded: bool) -> Tuple[run_notes.Notes, Optional[str]]:
        """Returns the notes of a run, and the message of a failure."""
        path = os.path.join(folder, "notes")
        options = {"notes": path, "command": self._command, "upgraded": upgraded}
        environment = dict(os.environ, PYTHONHASHSEED="0")
        process = subprocess.run([sys.executable, "-m", NOTED_RUN, json.dumps(options)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False)
        output = process.stdout.decode("utf-8", "replace")
        notes = run_notes.read(path) if os.path.exists(path) else run_notes.Notes()
        if process.returncode == 0:
            return notes, None
        return notes, f"It ends with exit code {process.returncode}:\n{last_lines(output)}"
