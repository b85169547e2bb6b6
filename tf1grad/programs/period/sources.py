"""Reads the files of a part from wheels, which pip downloads or finds in a folder,
or from a Python with 1.15.
"""

from __future__ import annotations

import errno
import functools
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile
from typing import Callable, Iterable, Iterator, Sequence, Tuple

from tf1grad.programs._errors import UsageError
from tf1grad.programs.period import helper_processes, parts, pip
from tf1grad.programs.period.parts import PeriodPart

OFFLINE = "TF1GRAD_OFFLINE"
NO_RELEASE = """\
pip named no fault of the network: its index has no release for this Python or system. There are two other ways to bring
what TensorFlow 1.15 came with:"""
NO_NETWORK = """\
Without a network, there are two ways to bring what TensorFlow 1.15 came with:
  on a machine with one: tf1grad period download FOLDER; then here: tf1grad period install --wheels FOLDER
  with a Python that has TensorFlow 1.15 here: tf1grad period install --from PYTHON, and run --numpy installed"""
IN_FOLDER = """\
{} must have the wheels for this Python and this system. On a machine with a network and the same Python and system:
  tf1grad period download FOLDER"""
_OBJECT = re.compile(r"<[^<>]* object at 0x\w+>: ")  # which the text of a fault begins with
_BROKEN = re.compile(r"connection broken by '(.*)': ")
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
# Time for another Python to import its TensorFlow, which is slow from a network disk.
PROBE_SECONDS = 300

# A path in a part, and a function that returns the file's bytes.
File = Tuple[str, Callable[[], bytes]]
# A function of a part and of a working folder that yields the files of the part.
Source = Callable[[PeriodPart, str], Iterator[File]]


class Failed(UsageError):
    """A part cannot be read or installed, although the command was used correctly."""

    code = 1


def from_index(part: PeriodPart, staging: str) -> Iterator[File]:
    """Downloads the wheels of a part from the package index with pip,
    and yields its files; raises `Failed`.
    """
    refuse_offline(part)
    return _of_wheels(part, download(part, staging))


def is_offline() -> bool:
    """Says whether the user forbade to fetch."""
    return os.environ.get(OFFLINE, "0") not in ("", "0")


def refuse_offline(part: PeriodPart) -> None:
    """Raises `Failed` if the user forbade to fetch."""
    if is_offline():
        raise Failed(f"{part.title} would be fetched, but {OFFLINE} is set.\n{NO_NETWORK}")


def from_folder(wheels: str) -> Source:
    """Returns the source that takes wheels from a folder, without a network."""
    if not os.path.isdir(wheels):
        raise UsageError(f"--wheels: {wheels} is not a folder.")
    options = ["--no-index", "--find-links", wheels]
    return lambda part, staging: _of_wheels(
        part, download(part, staging, options, IN_FOLDER.format(wheels))
    )


def from_python(path: str) -> Source:
    """Returns the source that takes parts from a Python with TensorFlow 1.15,
    and what it lacks from the index.
    """
    version, parent = _ask(path)
    if not parent:
        found = f"has TensorFlow {version}" if version else "cannot import TensorFlow"
        raise UsageError(f"--from: {path} {found}; it needs a Python that has TensorFlow 1.15.")

    def files(part: PeriodPart, staging: str) -> Iterator[File]:
        is_there = all(os.path.isdir(os.path.join(parent, folder)) for folder in part.folders)
        return _below(parent, part) if is_there else from_index(part, staging)

    return files


def ask_index(scratch: str) -> None:
    """Downloads a small wheel into the folder `scratch`; raises `Failed` if it does not come."""
    smallest = parts.LIBRARIES._replace(requirements=parts.LIBRARIES.requirements[:1])
    download(smallest, scratch, ["--retries", "1", "--timeout", "15", "--no-cache-dir"])


def refuse_full_disk(needed: int, folder: str) -> None:
    """Raises `full_disk` if fewer than `needed` MB are free on the disk of a folder."""
    if shutil.disk_usage(folder).free < needed * 10**6:
        raise full_disk(folder)


def full_disk(folder: str) -> OSError:
    """Returns the error of a full disk, for a folder on it."""
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), folder)


def download(
    part: PeriodPart, destination: str, options: Sequence[str] = (), ways: str | None = None
) -> list[str]:
    """Lets pip put the wheels of a part into a folder, and returns their paths.

    `Failed` is raised where pip is missing or fails, or a wheel is another than the one with its
    name. `ways` is the advice where pip fails, other than that about the network.
    """
    refuse_full_disk(part.space(), destination)
    command = [
        *_pip(),
        "download",
        *part.requirements,
        "--no-deps",
        "--only-binary=:all:",
        "--no-input",
        "--disable-pip-version-check",
        "--dest",
        destination,
        *part.options,
        *options,
    ]
    code, stderr = _run_pip(command, destination)
    if code:
        # Where a disk fills in the middle, pip may say that a download broke.
        refuse_full_disk(part.space(), destination)
        if os.strerror(errno.ENOSPC) in stderr:
            raise full_disk(destination)
        raise Failed(f"pip could not get {part.title}: {_reason(stderr)}.\n{ways or _ways(stderr)}")
    known = parts.read_checksums()
    found = sorted(glob.glob(os.path.join(glob.escape(destination), "*.whl")))
    wheels = [path for name in part.requirements for path in found if _is_of(path, name)]
    for name in part.requirements:
        if not any(_is_of(path, name) for path in wheels):
            raise Failed(
                f"pip said that it had got {name}, and no wheel of it is there.\n{NO_NETWORK}"
            )
    for path in wheels:
        _check(path, known.get(os.path.basename(path)))
    return wheels


def _is_of(path: str, requirement: str) -> bool:
    """Says whether a wheel is of a requirement such as astor==0.8.1."""
    release = "==".join(os.path.basename(path).split("-")[:2])
    return release.lower() == requirement.lower()


def _check(path: str, expected: str | None) -> None:
    """Checks that a wheel has the SHA-256 `expected`."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    if digest.hexdigest() != expected:
        raise Failed(
            f"{os.path.basename(path)} is damaged, or not the file that PyPI has: its {os.path.getsize(path)} "
            f"bytes have the sha256 {digest.hexdigest()}, expected {expected}."
        )


def _of_wheels(part: PeriodPart, wheels: Iterable[str]) -> Iterator[File]:
    for path in wheels:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                kept = None if name.endswith("/") else part.kept(name)
                if kept:
                    yield kept, functools.partial(archive.read, name)


def _below(parent: str, part: PeriodPart) -> Iterator[File]:
    """Yields the files of a part from a folder that has its packages."""
    for top in part.folders:
        for path, _, names in os.walk(os.path.join(parent, *top.strip("/").split("/"))):
            for name in names:
                file = os.path.join(path, name)
                kept = part.kept(os.path.relpath(file, parent).replace(os.sep, "/"))
                if kept:
                    yield kept, pathlib.Path(file).read_bytes


def _ask(path: str) -> tuple[str | None, str | None]:
    """Returns the version of the TensorFlow of the Python at `path`,
    and the parent folder of `tensorflow_core`.
    """
    found = None if os.path.isdir(path) else shutil.which(path)
    if found is None:
        raise UsageError(
            f"--from: there is no program {path}. Give the path of a Python that has TensorFlow 1.15."
        )
    # The variables left out are for this Python.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME")
    }
    try:  # in another folder than the current one, which is on its path
        answer = subprocess.run(
            [os.path.abspath(found), "-c", PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PROBE_SECONDS,
            cwd=os.path.dirname(os.path.abspath(found)),
            env=environment,
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"--from: {path} does not run as a Python interpreter: {error}") from error
    lines = re.findall(r"^tf1grad (.*)$", answer.decode(errors="replace"), re.MULTILINE)
    if not lines:
        raise UsageError(f"--from: {path} is not a Python interpreter.")
    version, parent = json.loads(lines[-1])
    return version, parent


def _pip() -> list[str]:
    """Returns the words that start pip; raises `Failed` where there is none."""
    found = pip.find_command()
    if found is None:
        raise Failed(
            f"{sys.executable} does not have pip, which downloads; install it in this environment."
        )
    return found


def _run_pip(command: list[str], staging: str) -> tuple[int, str]:
    """Runs pip, with its progress bar on stderr if that is a terminal,
    and returns its exit code and its stderr.
    """
    output = sys.__stderr__ if sys.stderr.isatty() else subprocess.DEVNULL
    environment = dict(os.environ, TMPDIR=staging, TEMP=staging, TMP=staging)
    address = os.environ.get("PIP_INDEX_URL", "the package index of pip")
    done = helper_processes.run(command, address, stdout=output, env=environment)
    return done.returncode, done.stderr


def _ways(stderr: str) -> str:
    """Returns the advice on a failed download, which says what pip's `stderr` shows."""
    if "No matching distribution found" not in stderr or _BROKEN.search(stderr):
        return NO_NETWORK
    _, end, ways = NO_NETWORK.partition("\n")
    return (
        NO_RELEASE + end + ways.replace("on a machine with one", "on a machine whose pip finds it")
    )


def _reason(stderr: str) -> str:
    """Returns the cause of a failed download: the network error in pip's `stderr`,
    or else the last error.
    """
    broken = _BROKEN.findall(stderr)
    errors = re.findall(r"^(?:ERROR:|\u00d7) (?!Exception:$)(.*)$", stderr, re.MULTILINE)
    # The last line of a traceback says what it is about.
    last = (broken or errors or stderr.strip().split("\n"))[-1].strip().rstrip(".")
    return _OBJECT.sub("", last) or "it gave no reason"
