"""Runs scripts with `tf1grad run`, each in a temporary folder."""

import os
import subprocess
import sys
import textwrap

import fork_server
from paths import ROOT


class ScriptFolder:
    """A folder of scripts, with methods that write, start and run them."""

    def __init__(self, path):
        self.path = str(path)

    def write(self, name, text):
        """Writes a file and returns its path."""
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else textwrap.dedent(text).encode("utf-8"))
        return path

    def start(self, *arguments, **options):
        """Starts a Python in the folder."""
        environment = _environment(TF_CPP_MIN_LOG_LEVEL="3", **options.pop("env", {}))
        return subprocess.Popen(
            [sys.executable] + list(arguments),
            cwd=options.pop("cwd", self.path),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            **options,
        )

    def run(self, *arguments, stdin="", **options):
        """Runs `tf1grad run` and returns its exit code, its output and its errors."""
        process = self.start("-m", "tf1grad", "run", *arguments, **options)
        output, errors = process.communicate(stdin)
        return process.returncode, output, errors

    def lines(self, *arguments, **options):
        """Returns the lines that a run prints; fails when the run fails."""
        code, output, errors = self.run(*arguments, **options)
        assert code == 0, errors[-3000:]
        return output.splitlines()

    def files(self):
        """Returns the names of all files in the folder."""
        return sorted(
            os.path.relpath(os.path.join(folder, name), self.path)
            for folder, _, names in os.walk(self.path)
            for name in names
        )


def run_output(*arguments, folder=None, under=fork_server.UNDER_RUN):
    """Returns what `tf1grad run` or Python prints with these arguments,
    in a fork if the first one is a script.

    Fails when the run fails.
    """
    code, output, errors = run_in_fork(arguments, folder or os.getcwd(), under)
    assert code == 0, errors[-3000:]
    return output


def run_in_fork(arguments, folder, under=fork_server.UNDER_RUN):
    """Returns the exit code, the output and the errors of a run,
    in a fork where that is possible.
    """
    is_script = not arguments[0].startswith("-")
    return (
        is_script
        and fork_server.run_forked(arguments, folder, under)
        or run_python(*under, *arguments, cwd=folder)
    )


def _environment(**variables):
    """Returns an environment in which Python finds tf1grad, with these variables."""
    python_path = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": python_path, **variables}


def run_python(*arguments, stdin="", cwd=None, **environment):
    """Runs a Python that finds tf1grad, and returns its exit code, its output and its errors."""
    process = subprocess.run(
        [sys.executable, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=_environment(**environment),
    )
    return process.returncode, process.stdout, process.stderr


def printed(*arguments, **options):
    """Returns the output of `run_python`; fails when the run fails."""
    code, output, errors = run_python(*arguments, **options)
    assert code == 0, errors[-3000:]
    return output


HEADER = """
import sys
import numpy as np
import tensorflow as tf
"""


def output_of(text, folder, *arguments):
    """Returns what `tf1grad run` prints for a script of `HEADER` and this text,
    which is written to a folder.
    """
    path = os.path.join(str(folder), "script.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEADER + textwrap.dedent(text))
    return run_output(path, *arguments, folder=str(folder))
