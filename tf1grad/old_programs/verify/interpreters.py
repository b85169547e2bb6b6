"""The interpreters that run the script, and their processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Mapping, Optional

import tf1grad
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.verify.run_record import Record

OLDEST_PYTHON = (3, 7)
PATIENCE = 10.  # seconds that a process may take to end once its record is written
PROGRESS = 10.  # seconds between two words on how far a run is
PROBE = """
import sys
print("tf1grad %d %d" % sys.version_info[:2])
if sys.version_info >= (3, 4):
    from importlib.util import find_spec
    print(" ".join(name for name in ("numpy", "tensorflow") if find_spec(name) is None))
"""


class ScriptFailed(Exception):
    """The script failed under one of the interpreters."""


def find_python(path: str) -> str:
    """The absolute path of the Python that `path` names, which must have what verify needs.

    Raises:
        UsageError: it is no Python, too old, or has no NumPy or TensorFlow.
    """
    if os.path.isdir(path):
        raise UsageError(f"{path} is a directory. Name the interpreter in it, such as "
                         f"{os.path.join(path, 'bin', 'python')}.")
    found = shutil.which(path)
    if found is None:
        raise UsageError(f"there is no program {path}. Give the path of a Python that has TensorFlow.")
    # Not resolved: a virtual environment's python is a link, and finds its packages by where the link is.
    found = os.path.abspath(found)
    try:
        answer = subprocess.run([found, "-c", PROBE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, timeout=60, errors="replace",
                                cwd=os.path.dirname(found), env=_environment(None, found)).stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{path} does not answer as a Python: {error}") from error
    answer = answer[[line.startswith("tf1grad ") for line in answer].index(True):] if any(
        line.startswith("tf1grad ") for line in answer) else []
    if not answer:
        raise UsageError(f"{path} is no Python.")
    version = answer[0].split()[1:]
    dotted = ".".join(version)
    if tuple(map(int, version)) < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        raise UsageError(f"{path} is Python {dotted}; tf1grad needs {oldest} or newer. TensorFlow 1.15 exists for "
                         "Python 3.7.")
    missing = " ".join(answer[1:]).split()
    if missing:
        raise UsageError(f"{path} (Python {dotted}) has no {' and no '.join(missing)}. Install TensorFlow 1.15 or "
                         "newer there.")
    return found


class Interpreters:
    """Runs the script, under one interpreter after another. As a context, it leaves no process behind.

    Args:
        folder: an existing folder for all files.
        timeout: seconds for each run; `math.inf` for no limit.
        threads: how many threads TensorFlow uses where the script does not say; 0 leaves it alone.
        tell: called with a line on what is done, now and then.
    """

    def __init__(self, folder: str, timeout: float, threads: int,
                 tell: Callable[[str], Any] = lambda line: None) -> None:
        self._tell = tell
        self._folder, self._timeout, self._threads = folder, timeout, threads
        self._process: Optional[subprocess.Popen[bytes]] = None
        # The other interpreter is to see this package and nothing else of where it lies, such as site-packages.
        self._packages = os.path.join(folder, "packages")
        shutil.copytree(os.path.dirname(os.path.abspath(tf1grad.__file__)), os.path.join(self._packages, "tf1grad"),
                        ignore=shutil.ignore_patterns("__pycache__"))

    def __enter__(self) -> Interpreters:
        return self

    def __exit__(self, *exception: Any) -> None:
        self._end()

    def record(self, name: str, python: str, options: Mapping[str, Any]) -> Record:
        """The `Record` of a run.

        Args:
            name: what to call the run in errors.
            python: the interpreter.
            options: what `child.main` takes besides files.

        Raises:
            ScriptFailed: it failed, took too long, or never trained.
            UsageError: the TensorFlow there cannot be used.
        """
        paths = {kind: os.path.join(self._folder, kind) for kind in ("record", "record.steps", "refusal", "output")}
        for path in filter(os.path.exists, paths.values()):
            os.remove(path)
        options = dict(options, record=paths["record"], refusal=paths["refusal"])
        self._tell(f"{name}: {python}")
        command = [python, "-m", "tf1grad.old_programs.verify.child", json.dumps(options)]
        with open(paths["output"], "wb") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                             env=_environment(self._packages, python, self._threads),
                                             start_new_session=True)
            ended = self._wait(self._process, paths["record"], f"{name}: step %d of {options['steps']}")
            code = self._end()
        if os.path.exists(paths["refusal"]):
            raise UsageError(f"{python}: {_text(paths['refusal']).strip()}")
        complaint = self._complaint(ended, code, paths["record"])
        if complaint:
            raise ScriptFailed(f"{name} ({python}): {complaint}\n{_last_lines(_text(paths['output']))}")
        return Record.load(paths["record"]) if os.path.exists(paths["record"]) else Record()

    def _complaint(self, ended: bool, code: Optional[int], path: str) -> Optional[str]:
        if os.path.exists(path) and Record.load(path).facts.get("ended") == "recorder":
            return None
        if not ended:
            return f"the script was not done after {self._timeout:g} seconds (--timeout)."
        if code:
            return f"the script ended with signal {-code}." if code < 0 else f"the script ended with exit code {code}."
        return None

    def _wait(self, process: subprocess.Popen[bytes], record: str, progress: str) -> bool:
        """Waits for the process; True when it ended, or is about to."""
        start, written = time.monotonic(), None
        told = start
        while True:
            try:
                process.wait(0.1)
                return True
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            if now - told > PROGRESS:
                told = now
                self._tell(f"{progress % _size(record + '.steps')}, {int(now - start)} s")
            if written is None and os.path.exists(record):
                written = now
            if written is not None and now - written > PATIENCE:
                return True
            if now - start > self._timeout:
                return False

    def _end(self) -> Optional[int]:
        """Ends the process and all that it started, and returns its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        code = process.poll()
        _kill(process, signal.SIGTERM)
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            pass
        _kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        process.wait()
        return code


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def _kill(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        if os.name == "posix":
            os.killpg(process.pid, number)  # it leads a session of its own
        else:
            process.terminate()
    except OSError:  # nothing of it is left
        pass


def _environment(packages: Optional[str], python: str, threads: int = 0) -> Dict[str, str]:
    environment = dict(os.environ, TF_ENABLE_ONEDNN_OPTS="0", PYTHONHASHSEED="0", PYTHONUNBUFFERED="1")
    environment.pop("TF2_BEHAVIOR", None)  # set where TensorFlow 2 was imported: it makes TensorFlow 1 eager
    if packages:
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [packages, os.environ.get("PYTHONPATH")]))
    if threads:
        environment.update(TF_NUM_INTRAOP_THREADS=str(threads), TF_NUM_INTEROP_THREADS=str(threads))
    if python != sys.executable:
        environment.pop("PYTHONHOME", None)  # it is for one interpreter only
    return environment


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _last_lines(text: str, count: int = 20) -> str:
    return "\n".join("    " + line for line in text.rstrip().split("\n")[-count:])
