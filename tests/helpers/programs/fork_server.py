"""Runs scripts under `tf1grad run` or Python, each in a fork of a process that has imported
TensorFlow and not used it.

`run_forked` starts this file, once under each in each process of pytest, and sends it a line for
each script.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile

from paths import ROOT

UNDER_RUN, UNDER_PYTHON = ("-m", "tf1grad", "run"), ()
_servers = {}


def run_forked(arguments, folder, under=UNDER_RUN):
    """Runs a script with its arguments in a folder, and returns its exit code,
    its output and its errors.

    Returns None where the environment is not that of the server, as in a test that changes it.
    """
    if under not in _servers:
        _servers[under] = _Server(under)
    return (
        _servers[under].run(arguments, folder)
        if _servers[under].has_environment(_environment())
        else None
    )


def _environment():
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


class _Server:
    def __init__(self, under):
        self._environment = _environment()
        self._process = subprocess.Popen(
            [sys.executable, *under, os.path.abspath(__file__)],
            env=dict(
                self._environment,
                PYTHONPATH=os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")])),
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        )
        atexit.register(self._process.communicate)  # closes its input, which ends it

    def has_environment(self, environment):
        return environment == self._environment

    def run(self, arguments, folder):
        with tempfile.TemporaryDirectory() as temporary:
            files = [os.path.join(temporary, name) for name in ("output", "errors")]
            self._process.stdin.write(json.dumps([list(arguments), folder, *files]) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            return (code, *map(_text, files))


def _text(path):
    with open(path) as file:
        return file.read()


def _serve():
    import runpy

    import tensorflow as tf  # what the forks share

    if tf.__version__.startswith("1."):  # as under `run`, where most scripts load Keras too
        from tensorflow.keras import layers  # noqa: F401

    for line in iter(sys.stdin.readline, ""):
        arguments, folder, output, errors = json.loads(line)
        child = os.fork()
        if not child:
            for stream, path, flags in (
                (0, os.devnull, os.O_RDONLY),
                (1, output, os.O_WRONLY | os.O_CREAT),
                (2, errors, os.O_WRONLY | os.O_CREAT),
            ):
                os.dup2(os.open(path, flags), stream)
            os.chdir(folder)
            sys.argv, sys.path[0] = arguments, os.path.dirname(os.path.abspath(arguments[0]))
            runpy.run_path(arguments[0], run_name="__main__")
            return
        _, status = os.waitpid(child, 0)
        print(
            -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True
        )


if __name__ == "__main__":
    _serve()
