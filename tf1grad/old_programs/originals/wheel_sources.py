"""Reads the originals from the package index, from a downloaded wheel, or from another Python."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from tf1grad.old_programs.originals import folder, manifest

# All wheels have the same Python files. This one is used on every system, and never executed.
WHEEL = "tensorflow-1.15.5-cp37-cp37m-manylinux2010_x86_64.whl"
ESTIMATOR_WHEEL = "tensorflow_estimator-1.15.1-py2.py3-none-any.whl"  # the version that TensorFlow 1.15 requires
WHEEL_OPTIONS = ["--python-version", "3.7", "--implementation", "cp", "--abi", "cp37m",
                 "--platform", "manylinux2010_x86_64"]
SHA256 = {
    WHEEL: "29831dda98d668067de75403b2fca0d06a2f026ef6f217fa2ca873c20b4ee4d3",
    ESTIMATOR_WHEEL: "8853bfb7c3c96fbdc80b3d66c37a10af6ccbcd235dc87474764270c02a0f86b9",
}
PROBE = """
import json, os, sys
version = parent = None
try:
    import tensorflow
    version = tensorflow.__version__
    if version.startswith("1.15."):
        import tensorflow_core.python  # the path of the package itself also has other folders
        package = os.path.dirname(os.path.abspath(sys.modules["tensorflow_core.python"].__file__))
        parent = os.path.dirname(os.path.dirname(package))
except ImportError:
    pass
print("\\ntf1grad " + json.dumps([version, parent]))
"""
NEEDED_BYTES = 250 * 10 ** 6  # pip keeps the wheel twice for a moment, and 30 MB are extracted from it
PIP_EXIT_SECONDS = 3  # time for pip to exit after Ctrl-C
PROBE_SECONDS = 300  # time for another Python to import its TensorFlow, which is slow from a network disk


class Source(NamedTuple):
    """Gives access to the files of a TensorFlow 1.15.

    Attributes:
        version: the version of TensorFlow.
        sha256: the checksum of the wheel, or None.
        names: the names of the files that are served, from their package on, with slashes.
        read: a function from a name to the file's bytes.
    """

    version: str
    sha256: Optional[str]
    names: List[str]
    read: Callable[[str], bytes]


class WrongSource(Exception):
    """The wheel or the Python that was given does not exist, or is something else."""


class Failed(Exception):
    """The originals cannot be read or installed, although the command was used correctly."""


@contextlib.contextmanager
def index(staging: str) -> Iterator[Source]:
    """Downloads the wheels from the package index with this interpreter's pip, and yields them as a `Source`.

    Args:
        staging: a folder for the downloads, and for pip's temporary files.

    Raises:
        Failed: pip is missing or fails, or it downloaded another file.
        OSError: the disk is full.
    """
    releases = ["==".join(name.split("-")[:2]) for name in SHA256]
    command = [sys.executable, "-m", "pip", "download", *releases, "--no-deps", "--only-binary=:all:", "--no-input",
               "--disable-pip-version-check", "--dest", staging, *WHEEL_OPTIONS]
    if shutil.disk_usage(staging).free < NEEDED_BYTES:  # pip reports a full disk as a broken connection
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), staging)
    code, stderr = _run_pip(command, staging)
    if code:
        raise Failed(f"{_reason(stderr)}. Without pip or a network, give --wheel {WHEEL}, which is at {_page(WHEEL)}, "
                     f"and put {ESTIMATOR_WHEEL} ({_page(ESTIMATOR_WHEEL)}) beside it.")
    with _archives([os.path.join(staging, name) for name in SHA256]) as source:
        yield source


@contextlib.contextmanager
def wheel(path: str) -> Iterator[Source]:
    """Yields the wheel at `path` as a `Source`, with `ESTIMATOR_WHEEL` if that is in the same folder.

    Raises:
        WrongSource: the file does not exist.
        Failed: the file is not `WHEEL`, or the other one is damaged.
    """
    beside = os.path.join(os.path.dirname(path), ESTIMATOR_WHEEL)
    with _archives([path, beside] if os.path.isfile(beside) else [path]) as source:
        yield source


@contextlib.contextmanager
def _archives(paths: List[str]) -> Iterator[Source]:
    """Yields the files of wheels as a `Source`; the wheels are those of `SHA256`, in its order."""
    readers: Dict[str, Callable[[str], bytes]] = {}
    with contextlib.ExitStack() as opened:
        for name, path in zip(SHA256, paths):
            _check(name, path)
            archive = opened.enter_context(zipfile.ZipFile(path))
            readers.update(dict.fromkeys(filter(manifest.is_served, archive.namelist()), archive.read))
        yield Source(folder.RELEASE, SHA256[WHEEL], sorted(readers), lambda name: readers[name](name))


def _check(name: str, path: str) -> None:
    """Checks that the file at `path` is the wheel `name`."""
    if not os.path.isfile(path):
        raise WrongSource(f"there is no file {path}.")
    found = _sha256(path)
    if found != SHA256[name]:
        raise Failed(f"{path} is not the whole {name} ({_page(name)}): wrong checksum. Its {os.path.getsize(path)} "
                     f"bytes have the sha256 {found}, expected {SHA256[name]}.")


def _page(name: str) -> str:
    """Returns the page that has the wheel `name`."""
    project, version = name.split("-")[:2]
    return f"https://pypi.org/project/{project.replace('_', '-')}/{version}/#files"


@contextlib.contextmanager
def interpreter(path: str) -> Iterator[Source]:
    """Yields the TensorFlow 1.15 of another Python, of any version, as a `Source`.

    Raises:
        WrongSource: the Python does not exist, or does not have TensorFlow 1.15.
    """
    version, parent = _ask(path)
    names = manifest.served(parent) if parent else []
    if not (version and parent and names):
        found = f"has TensorFlow {version}" if version else "cannot import TensorFlow"
        raise WrongSource(f"{path} {found}; --from needs a Python that has TensorFlow 1.15.")

    def read(name: str) -> bytes:
        with open(os.path.join(parent, name), "rb") as file:
            return file.read()

    yield Source(version, None, names, read)


def _ask(path: str) -> Tuple[Optional[str], Optional[str]]:
    """Returns the version of the TensorFlow of the Python at `path`, and the parent folder of `tensorflow_core`."""
    found = None if os.path.isdir(path) else shutil.which(path)
    if found is None:
        raise WrongSource(f"there is no program {path}. Give the path of a Python that has TensorFlow 1.15.")
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("PYTHONPATH", "PYTHONHOME")}  # they are for this Python
    try:  # in another folder than the current one, which is on its path
        answer = subprocess.run([os.path.abspath(found), "-c", PROBE], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PROBE_SECONDS,
                                cwd=os.path.dirname(os.path.abspath(found)), env=environment).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongSource(f"{path} does not run as a Python interpreter: {error}") from error
    lines = re.findall(r"^tf1grad (.*)$", answer.decode(errors="replace"), re.MULTILINE)
    if not lines:
        raise WrongSource(f"{path} is not a Python interpreter.")
    version, parent = json.loads(lines[-1])
    return version, parent


def _run_pip(command: List[str], staging: str) -> Tuple[int, str]:
    """Runs pip, with its progress bar in a terminal, and returns its exit code and its stderr."""
    output = None if sys.stdout.isatty() else subprocess.DEVNULL
    environment = dict(os.environ, TMPDIR=staging, TEMP=staging, TMP=staging)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE,
                          env=environment) as pip:
        try:
            stderr = pip.communicate()[1].decode(errors="replace")
            return pip.returncode, stderr
        except BaseException:
            with contextlib.suppress(subprocess.TimeoutExpired):  # pip received Ctrl-C as well, and cleans up
                pip.wait(PIP_EXIT_SECONDS)
            pip.kill()
            raise


def _reason(stderr: str) -> str:
    """Returns the cause of a failed download: the network error in pip's `stderr`, or else the last error."""
    if "No module named pip" in stderr:
        return f"{sys.executable} does not have pip, which downloads; `{sys.executable} -m ensurepip` installs it"
    broken = re.findall(r"connection broken by '(.*)': ", stderr)
    errors = re.findall(r"^(?:ERROR:|\u00d7) (?!Exception:$)(.*)$", stderr, re.MULTILINE)
    # The last line of a traceback says what it is about.
    last = (broken or errors or stderr.strip().split("\n"))[-1].strip().rstrip(".")
    return f"pip could not download TensorFlow {folder.RELEASE}: {last or 'it gave no reason'}"


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
