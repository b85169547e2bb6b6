"""Checks that a Python interpreter can run `verify`,
and prepares the environment of its processes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tf1grad.programs._errors import UsageError

PROBE = """
import sys
assert sys.version_info >= (3, 7), "it is Python %d.%d" % sys.version_info[:2]
from importlib.util import find_spec
assert find_spec("numpy"), "it lacks NumPy"
assert find_spec("tensorflow"), "it lacks TensorFlow"
print("tf1grad can run")
"""


def find_python(path: str) -> str:
    """Returns the absolute path of the Python interpreter `path`,
    after checking that `verify` can use it.
    """
    found = shutil.which(path)
    if found is None and os.path.isdir(path):
        raise UsageError(
            f"{path} is a folder. Give the Python in it, such as {os.path.join(path, 'bin', 'python')}."
        )
    if found is None:
        raise UsageError(
            f"no program {path} was found. Give the path of a Python that has TensorFlow."
        )
    # Symbolic links stay: a virtual environment's python is one, and finds its packages by the
    # link's folder.
    found = os.path.abspath(found)
    try:
        answer = subprocess.run(
            [found, "-c", PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            errors="replace",
            cwd=os.path.dirname(found),
            env=environment(None, found),
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{path} does not answer as a Python interpreter: {error}") from error
    lines = answer.splitlines()
    if "tf1grad can run" not in lines:
        raise UsageError(
            f"{path} cannot be used. Give a Python from 3.7 on that has NumPy and TensorFlow 1.15 or newer. It "
            f"answers: {lines[-1] if lines else 'nothing'}"
        )
    return found


def environment(packages: str | None, python: str, threads: int = 0) -> dict[str, str]:
    """Returns the environment variables for `python`,
    which imports from the folder `packages` first.

    TensorFlow uses this number of `threads` unless the script sets it; 0 means TensorFlow's
    default.
    """
    variables = dict(os.environ, TF_ENABLE_ONEDNN_OPTS="0", PYTHONUNBUFFERED="1")
    # Set by the import of TensorFlow 2; it makes TensorFlow 1 eager.
    variables.pop("TF2_BEHAVIOR", None)
    if packages:
        paths = [packages, os.environ.get("PYTHONPATH")]
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    if threads:
        variables.update(TF_NUM_INTRAOP_THREADS=str(threads), TF_NUM_INTEROP_THREADS=str(threads))
    if python != sys.executable:
        variables.pop("PYTHONHOME", None)  # it is for one interpreter only
    return variables
