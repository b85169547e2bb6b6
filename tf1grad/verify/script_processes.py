"""Runs and records a script in processes of the two interpreters, one after another."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from typing import Any, NamedTuple

import tf1grad
from tf1grad.programs._errors import UsageError
from tf1grad.verify.fresh_folder import FreshFolder
from tf1grad.verify.interpreters import environment
from tf1grad.verify.record import Record
from tf1grad.verify.recorded_processes import EndedProcess, RecordedProcesses

SECONDS_TO_EXIT = 10.0  # for a process that has written its record


class ScriptCommand(NamedTuple):
    """A script to run.

    The command has the options of `tf1grad run`, the script and its arguments. A process ends after
    so many `steps`; None stands for the default.
    """

    command: list[str]
    steps: int | None
    seed: int


class ScriptFailed(UsageError):
    """The script failed under one of the interpreters."""

    code = 3


class ScriptProcesses(RecordedProcesses):
    """Runs the script under one interpreter after another, by the module that runs it."""

    def __init__(self, module: str, timeout: float, threads: int) -> None:
        super().__init__(timeout)
        self._module, self._threads = module, threads
        # A copy: the other interpreter must not see what else is installed beside this package.
        self._packages = self.path("packages")
        shutil.copytree(
            os.path.dirname(os.path.abspath(tf1grad.__file__)),
            os.path.join(self._packages, "tf1grad"),
            ignore=shutil.ignore_patterns("__pycache__"),
        )

    def __enter__(self) -> ScriptProcesses:
        return self

    def record_in_copy(
        self, name: str, python: str, program: ScriptCommand, **recorder: Any
    ) -> Record:
        """Does what `record` does, in a fresh copy of the current folder."""
        with self.fresh_folder() as fresh:
            program = program._replace(command=fresh.words(program.command))
            return self.record(name, python, program, folder=fresh, **recorder)

    def record(
        self,
        name: str,
        python: str,
        program: ScriptCommand,
        folder: FreshFolder | None = None,
        is_reordered: bool = False,
        **recorder: object,
    ) -> Record:
        """Runs the script once, and returns what the recorder with these options
        recorded until the script ended.

        Messages have the name of the interpreter. The current folder is the default for `folder`.

        With `is_reordered` Python's sets have another order, which the hashes of texts and the
        addresses of objects give.
        """
        options = {
            "run": list(program.command),
            "seed": program.seed,
            "recorder": {"path": self.record_path, "steps": program.steps or 1, **recorder},
            "other_addresses": is_reordered,
        }
        print(f"tf1grad verify: {name}: {python}", file=sys.stderr)
        env = environment(self._packages, python, self._threads)
        env["PYTHONHASHSEED"] = str(int(is_reordered))
        words = [python, "-m", self._module, json.dumps(options)]
        ended = self.run(words, env, folder, SECONDS_TO_EXIT)
        failure = self._failure(ended)
        if failure and not ended.record.facts.has_ended:
            remedy = _remedy(ended.output, python)
            raise ScriptFailed(f"{name} ({python}): {failure}\n{ended.output}{remedy}")
        return ended.record

    def _failure(self, ended: EndedProcess) -> str | None:
        """Returns a sentence on how a process failed, or None."""
        if ended.is_late:
            return f"the script was not done after {self._timeout:g} s (--timeout)."
        return f"the script ended with exit code {ended.code}." if ended.code else None


def _remedy(told: str, python: str) -> str:
    """Returns a line on a module that an interpreter lacks, or "":
    each needs the packages of the script.
    """
    lacking = re.search(r"^\s*(?:ModuleNotFound|Import)Error: No module named '?(\w+)", told, re.M)
    if lacking is None:
        return ""
    return f"\n{lacking.group(1)} is missing there. Install the script's packages for {python} too."
