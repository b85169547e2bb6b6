"""Runs a program that records itself in a process of its own, and collects what it leaves.

`verify` and `upgrade --by-running` both run their programs here. They differ in the command, in the
environment variables, and in how they judge a failure.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from typing import Iterator, Mapping, NamedTuple

from tf1grad.programs import _systems
from tf1grad.verify.fresh_folder import FreshFolder, remove_checkpoints
from tf1grad.verify.record import Record

SHOWN_LINES = 20  # of the output of a program that failed


class EndedProcess(NamedTuple):
    """What a process left: its record, its exit code, and the last lines of its output, indented.

    All paths in the copied folder are those in the user's folder. The record is empty if the
    process wrote none. The code is None if the process was ended by this module. It `is_late` if
    that happened because the time was over.
    """

    record: Record
    code: int | None
    output: str
    is_late: bool


class RecordedProcesses:
    """Runs one process after another, each with its files in the same temporary folder.

    A process may take `timeout` seconds. As a context manager it removes the folder at its exit.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._temporary = tempfile.TemporaryDirectory(prefix="tf1grad-")
        self.record_path = self.path("record")

    def __enter__(self) -> RecordedProcesses:
        return self

    def __exit__(self, *exception: object) -> None:
        self._temporary.cleanup()

    def path(self, name: str) -> str:
        """Returns the path of a file in the temporary folder."""
        return os.path.join(self._temporary.name, name)

    @contextlib.contextmanager
    def fresh_folder(self) -> Iterator[FreshFolder]:
        """Has a copy of the current folder within, and removes it at the exit."""
        path = self.path("folder")
        fresh = FreshFolder(path)
        try:
            yield fresh
        finally:
            shutil.rmtree(path)

    def run(
        self,
        words: list[str],
        env: Mapping[str, str],
        folder: FreshFolder | None = None,
        seconds_to_exit: float | None = None,
    ) -> EndedProcess:
        """Runs a command that writes its record to `record_path`, in the current folder or in a
        copy of it.

        A process that has written its record gets `seconds_to_exit` more, or all of its time. The
        checkpoints that it saved outside of the copy are removed.
        """
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.record_path)
        output_path = self.path("output")
        with _running(words, output_path, env, folder) as process:
            is_late = self._wait(process, seconds_to_exit)
            code = process.returncode
        has_record = os.path.exists(self.record_path)
        record = Record.load(self.record_path) if has_record else Record()
        with open(output_path, encoding="utf-8", errors="replace") as file:
            output = _last_lines(file.read())
        if folder is None:
            return EndedProcess(record, code, output, is_late)
        for place in record.places:
            place[0] = folder.text(place[0])
        remove_checkpoints(record.facts, folder.path)
        return EndedProcess(record, code, folder.text(output), is_late)

    def _wait(self, process: subprocess.Popen[bytes], seconds_to_exit: float | None) -> bool:
        """Waits for a process, and says whether it takes too long."""
        end = time.monotonic() + self._timeout
        may_end = False
        while process.poll() is None and time.monotonic() < end:
            if seconds_to_exit is not None and not may_end and os.path.exists(self.record_path):
                may_end = True
                end = time.monotonic() + seconds_to_exit
            time.sleep(0.1)
        return process.returncode is None and not may_end


@contextlib.contextmanager
def _running(
    words: list[str], output_path: str, env: Mapping[str, str], folder: FreshFolder | None
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a command within, whose output goes into a file, in the current folder or in a copy.

    The exit ends the command and all that it started, also where Ctrl-C or another error is the
    reason.
    """
    with open(output_path, "wb") as output:
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


def _last_lines(text: str) -> str:
    """Returns the last lines of a program's output, indented;
    only those of the last traceback if there is one.
    """
    _, traceback, after = text.rstrip().rpartition("Traceback (most recent call last)")
    return "\n".join("    " + line for line in (traceback + after).split("\n")[-SHOWN_LINES:])
