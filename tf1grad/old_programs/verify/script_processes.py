"""Runs and records a script in processes of the two interpreters, one after another."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, TypeVar

import tf1grad
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.verify.interpreters import environment

MODULE = (
    "tf1grad.old_programs.cli.verify_process"  # not imported: this process needs nothing of `run`
)
SECONDS_TO_EXIT = 10.0  # for a process that has written its record
PROGRESS_SECONDS = 10.0  # between two progress messages

AnyRecord = TypeVar("AnyRecord")


class Program(NamedTuple):
    """A script to run, and its name.

    The command has the options of `tf1grad run`, the script and its arguments. A process ends after so many `steps`;
    None stands for the default.
    """

    command: Sequence[str]
    name: str
    steps: Optional[int]
    seed: int


class Side(NamedTuple):
    """An interpreter, with its name for messages."""

    name: str
    python: str = sys.executable


class ScriptFailed(UsageError):
    """The script failed under one of the interpreters."""

    code = 3


class ScriptProcesses:
    """Runs the script under one interpreter after another. As a context manager it ends every process at its exit."""

    def __init__(self, timeout: float, threads: int, tell: Callable[[str], Any]) -> None:
        self._timeout, self._threads, self._tell = timeout, threads, tell
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._temporary = tempfile.TemporaryDirectory(prefix="tf1grad-")
        self.folder = self._temporary.name
        # A copy: the other interpreter must not see what else is installed beside this package.
        self._packages = os.path.join(self.folder, "packages")
        shutil.copytree(
            os.path.dirname(os.path.abspath(tf1grad.__file__)),
            os.path.join(self._packages, "tf1grad"),
            ignore=shutil.ignore_patterns("__pycache__"),
        )

    def __enter__(self) -> ScriptProcesses:
        return self

    def __exit__(self, *exception: Any) -> None:
        self._end()
        self._temporary.cleanup()

    def attempt(
        self,
        kind: Type[AnyRecord],
        side: Side,
        program: Program,
        recorder: Mapping[str, Any],
        is_reordered: bool = False,
    ) -> Tuple[AnyRecord, Optional[str]]:
        """Runs the script once, and returns what it recorded until it ended or failed, and the message of a failure.

        The process makes a record of this `kind`, with these options of its `recorder`. With `is_reordered` Python's
        sets have another order, which the hashes of texts and the addresses of objects give.
        """
        name, python = side
        names = ("record", "record.steps", "record.processes", "refusal", "output")
        paths = {each: os.path.join(self.folder, each) for each in names}
        for path in filter(os.path.exists, paths.values()):
            os.remove(path)
        options = {
            "run": list(program.command),
            "steps": program.steps or 1,
            "seed": program.seed,
            "kind": kind.__name__,
            "recorder": recorder,
            "other_addresses": is_reordered,
            "record": paths["record"],
            "refusal": paths["refusal"],
        }
        self._tell(f"{name}: {python}")
        env = {
            **environment(self._packages, python, self._threads),
            "PYTHONHASHSEED": str(int(is_reordered)),
        }
        with open(paths["output"], "wb") as output:
            self._process = subprocess.Popen(
                [python, "-m", MODULE, json.dumps(options)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env=env,
            )
            ended = self._wait(
                self._process, paths["record"], f"{name}: step %d of {options['steps']}"
            )
            code = self._end()
        if os.path.exists(paths["refusal"]):
            raise UsageError(f"{python}: {_text(paths['refusal']).strip()}")
        record: Any = kind()
        if os.path.exists(paths["record"]):
            with open(paths["record"], "rb") as file:
                record = pickle.load(file)
        failure = None if record.facts.get("ended") == "recorder" else self._failure(ended, code)
        if failure:
            failure = f"{name} ({python}): {failure}\n{last_lines(_text(paths['output']))}"
        return record, failure

    def _failure(self, ended: bool, code: Optional[int]) -> Optional[str]:
        if not ended:
            return f"the script was not done after {self._timeout:g} seconds (--timeout)."
        if code:
            return (
                f"the script ended with signal {-code}."
                if code < 0
                else f"the script ended with exit code {code}."
            )
        return None

    def _wait(self, process: subprocess.Popen[bytes], record: str, progress: str) -> bool:
        """Waits for the process. Returns False if the time is up."""
        start = told = time.monotonic()
        written = None
        while True:
            try:
                process.wait(0.1)
                return True
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            if now - told > PROGRESS_SECONDS:
                told = now
                steps = record + ".steps"
                number = os.path.getsize(steps) if os.path.exists(steps) else 0
                self._tell(f"{progress % number}, {int(now - start)} s")
            if written is None and os.path.exists(record):
                written = now
            if written is not None and now - written > SECONDS_TO_EXIT:
                return True
            if now - start > self._timeout:
                return False

    def _end(self) -> Optional[int]:
        """Ends the process and everything that it started, and returns its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        code = process.poll()
        _kill(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2)
        _kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        process.wait()
        return code


def _kill(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(OSError):  # every process has ended already
        if os.name == "posix":
            os.killpg(
                process.pid, number
            )  # start_new_session made it the leader of a process group
        else:
            process.terminate()


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def last_lines(text: str, count: int = 20) -> str:
    """Returns the last lines of a script's output, indented; only those of the last traceback if there is one."""
    _, traceback, after = text.rstrip().rpartition("Traceback (most recent call last)")
    return "\n".join("    " + line for line in (traceback + after).split("\n")[-count:])
