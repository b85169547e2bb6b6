"""Runs and records a script in processes of the two interpreters, one after another."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any, Iterator, Mapping, NamedTuple

import tf1grad
from tf1grad.programs import _systems
from tf1grad.programs._errors import UsageError
from tf1grad.verify.fresh_folder import FreshFolder, remove_checkpoints
from tf1grad.verify.interpreters import environment
from tf1grad.verify.record import Record

SHOWN_LINES = 20  # of the output of a script that failed
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


class ScriptProcesses:
    """Runs the script under one interpreter after another, by the module that a process executes.

    As a context manager it removes its folder at its exit.
    """

    def __init__(self, module: str, timeout: float, threads: int) -> None:
        self._module, self._timeout, self._threads = module, timeout, threads
        self._temporary = tempfile.TemporaryDirectory(prefix="tf1grad-")
        # A copy: the other interpreter must not see what else is installed beside this package.
        self._packages = self.path("packages")
        shutil.copytree(
            os.path.dirname(os.path.abspath(tf1grad.__file__)),
            os.path.join(self._packages, "tf1grad"),
            ignore=shutil.ignore_patterns("__pycache__"),
        )

    def __enter__(self) -> ScriptProcesses:
        return self

    def __exit__(self, *exception: object) -> None:
        self._temporary.cleanup()

    def path(self, name: str) -> str:
        """Returns the path of a file in the folder that this context manager removes at its end."""
        return os.path.join(self._temporary.name, name)

    def record_in_copy(
        self, name: str, python: str, program: ScriptCommand, **recorder: Any
    ) -> Record:
        """Does what `record` does, in a fresh copy of the current folder."""
        temporary = self.path("folder")
        fresh = FreshFolder(temporary)
        try:
            program = program._replace(command=fresh.words(program.command))
            record = self.record(name, python, program, folder=fresh, **recorder)
        finally:
            shutil.rmtree(temporary)
        for place in record.places:
            place[0] = fresh.text(place[0])
        remove_checkpoints(record.facts, fresh.path)
        return record

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
        file, output_file = self.path("record"), self.path("output")
        if os.path.exists(file):
            os.remove(file)
        options = {
            "run": list(program.command),
            "seed": program.seed,
            "recorder": {"path": file, "steps": program.steps or 1, **recorder},
            "other_addresses": is_reordered,
        }
        print(f"tf1grad verify: {name}: {python}", file=sys.stderr)
        env = environment(self._packages, python, self._threads)
        env["PYTHONHASHSEED"] = str(int(is_reordered))
        words = [python, "-m", self._module, json.dumps(options)]
        with running(words, output_file, env, folder) as process:
            failure = self._wait(process, file)
        record = Record.load(file) if os.path.exists(file) else Record()
        if failure and not record.facts.has_ended:
            with open(output_file, encoding="utf-8", errors="replace") as output_text:
                told = last_lines(output_text.read())
            if folder:
                told = folder.text(told)
            remedy = _remedy(told, python)
            raise ScriptFailed(f"{name} ({python}): {failure}\n{told}{remedy}")
        return record

    def _wait(self, process: subprocess.Popen[bytes], record: str) -> str | None:
        """Waits for the process, and returns how it failed, as a sentence, or None.

        A process that has written its record gets some more seconds to end by itself.
        """
        end = time.monotonic() + self._timeout
        has_record = False
        while process.poll() is None and time.monotonic() < end:
            if not has_record and os.path.exists(record):
                has_record = True
                end = time.monotonic() + SECONDS_TO_EXIT
            time.sleep(0.1)
        code = process.returncode
        if code is None and not has_record:
            return f"the script was not done after {self._timeout:g} s (--timeout)."
        return f"the script ended with exit code {code}." if code else None


@contextlib.contextmanager
def running(
    words: list[str], output_file: str, env: Mapping[str, str], folder: FreshFolder | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a command within, whose output goes into a file, in the current folder or in a copy.

    The exit ends the command and all that it started, also where Ctrl-C or another error is the
    reason.
    """
    with open(output_file, "wb") as output:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=folder.environment(env) if folder else env,
            cwd=folder.path if folder else None,
        )
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    _systems.end(process)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)
    _systems.end(process, at_once=True)
    process.wait()


def _remedy(told: str, python: str) -> str:
    """Returns a line on a module that an interpreter lacks, or "":
    each needs the packages of the script.
    """
    lacking = re.search(r"^\s*(?:ModuleNotFound|Import)Error: No module named '?(\w+)", told, re.M)
    if lacking is None:
        return ""
    return f"\n{lacking.group(1)} is missing there. Install the script's packages for {python} too."


def last_lines(text: str) -> str:
    """Returns the last lines of a script's output, indented;
    only those of the last traceback if there is one.
    """
    _, traceback, after = text.rstrip().rpartition("Traceback (most recent call last)")
    return "\n".join("    " + line for line in (traceback + after).split("\n")[-SHOWN_LINES:])
