"""Where the originals are taken from: the package index, a wheel that is already here, or another Python."""

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
from typing import Callable, Iterator, List, NamedTuple, Optional, Tuple

from tf1grad.old_programs.originals import folder, manifest

# Any of the wheels would do: all have the same Python files. This one is taken on every system, and never executed.
WHEEL = "tensorflow-1.15.5-cp37-cp37m-manylinux2010_x86_64.whl"
WHEEL_OPTIONS = ["--python-version", "3.7", "--implementation", "cp", "--abi", "cp37m",
                 "--platform", "manylinux2010_x86_64"]
SHA256 = "29831dda98d668067de75403b2fca0d06a2f026ef6f217fa2ca873c20b4ee4d3"
PAGE = f"https://pypi.org/project/tensorflow/{folder.RELEASE}/#files"
PROBE = """
import json, os, sys
version = parent = None
try:
    import tensorflow
    version = tensorflow.__version__
    if version.startswith("1.15."):
        import tensorflow_core.python  # the package itself has other folders on its path as well
        package = os.path.dirname(os.path.abspath(sys.modules["tensorflow_core.python"].__file__))
        parent = os.path.dirname(os.path.dirname(package))
except ImportError:
    pass
print("\\ntf1grad " + json.dumps([version, parent]))
"""
NEEDED = 250 * 10 ** 6  # bytes: pip keeps the wheel twice for a moment, and 30 MB are taken out of it
FAREWELL = 3  # seconds that pip has to end after Ctrl-C
PATIENCE = 300  # seconds for another Python to import its TensorFlow, which takes long from a disk that is far away


class Source(NamedTuple):
    """What the originals are taken from.

    Attributes:
        version: of TensorFlow.
        sha256: of the wheel, or None.
        names: of the files that are served, from `tensorflow_core` on, with slashes.
        read: the function of a name that gives the file's bytes.
    """

    version: str
    sha256: Optional[str]
    names: List[str]
    read: Callable[[str], bytes]


class WrongSource(Exception):
    """What was named to take the originals from is not there, or is something else."""


class Failed(Exception):
    """The originals cannot be had, for a reason that is not how the command was used."""


@contextlib.contextmanager
def index(workshop: str) -> Iterator[Source]:
    """The wheel from the package index, as a `Source`; pip, which is this interpreter's, downloads it.

    Args:
        workshop: a folder for the download, and for all that pip writes on the way.

    Raises:
        Failed: there is no pip, or it fails, or what came is another file.
        OSError: the disk is full.
    """
    command = [sys.executable, "-m", "pip", "download", "tensorflow==" + folder.RELEASE, "--no-deps",
               "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--dest", workshop] + WHEEL_OPTIONS
    if shutil.disk_usage(workshop).free < NEEDED:  # pip takes what comes of a full disk for a broken connection
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), workshop)
    code, complaints = _run(command, workshop)
    if code:
        raise Failed(f"{_reason(complaints)}. Without pip or a network, give --wheel {WHEEL}, which is at {PAGE}.")
    with wheel(os.path.join(workshop, WHEEL)) as source:
        yield source


@contextlib.contextmanager
def wheel(path: str) -> Iterator[Source]:
    """The wheel at `path` as a `Source`.

    Raises:
        WrongSource: there is no such file.
        Failed: it is another one.
    """
    if not os.path.isfile(path):
        raise WrongSource(f"there is no file {path}.")
    found = _sha256(path)
    if found != SHA256:
        raise Failed(f"{path} is not the whole {WHEEL} ({PAGE}): wrong checksum. Its {os.path.getsize(path)} bytes "
                     f"have the sha256 {found}, expected {SHA256}.")
    with zipfile.ZipFile(path) as archive:
        yield Source(folder.RELEASE, SHA256, sorted(filter(manifest.is_served, archive.namelist())), archive.read)


@contextlib.contextmanager
def interpreter(path: str) -> Iterator[Source]:
    """The TensorFlow 1.15 of another Python, of whatever version it is, as a `Source`.

    Raises:
        WrongSource: there is no such Python, or it has no TensorFlow 1.15.
    """
    version, parent = _ask(path)
    names = manifest.served(parent) if parent else []
    if not (version and parent and names):
        found = f"TensorFlow {version}" if version else "no TensorFlow that it can import"
        raise WrongSource(f"{path} has {found}; --from needs a Python that has TensorFlow 1.15.")

    def read(name: str) -> bytes:
        with open(os.path.join(parent, name), "rb") as file:
            return file.read()

    yield Source(version, None, names, read)


def _ask(path: str) -> Tuple[Optional[str], Optional[str]]:
    """The version of the TensorFlow of the Python at `path`, and the folder that `tensorflow_core` is in; or None."""
    found = None if os.path.isdir(path) else shutil.which(path)
    if found is None:
        raise WrongSource(f"there is no program {path}. Give the path of a Python that has TensorFlow 1.15.")
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("PYTHONPATH", "PYTHONHOME")}  # they are for this one
    try:  # not in the current folder, which is on its path
        answer = subprocess.run([os.path.abspath(found), "-c", PROBE], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE,
                                cwd=os.path.dirname(os.path.abspath(found)), env=environment).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongSource(f"{path} does not answer as a Python: {error}") from error
    lines = re.findall(r"^tf1grad (.*)$", answer.decode(errors="replace"), re.MULTILINE)
    if not lines:
        raise WrongSource(f"{path} is no Python.")
    version, parent = json.loads(lines[-1])
    return version, parent


def _run(command: List[str], workshop: str) -> Tuple[int, str]:
    """Runs pip, with its bar where somebody looks; gives its exit code and what it complains of."""
    output = None if sys.stdout.isatty() else subprocess.DEVNULL
    environment = dict(os.environ, TMPDIR=workshop, TEMP=workshop, TMP=workshop)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE,
                          env=environment) as pip:
        try:
            complaints = pip.communicate()[1].decode(errors="replace")
            return pip.returncode, complaints
        except BaseException:
            with contextlib.suppress(subprocess.TimeoutExpired):  # Ctrl-C came to pip as well, which tidies up
                pip.wait(FAREWELL)
            pip.kill()
            raise


def _reason(complaints: str) -> str:
    """What went wrong, of all that pip complained of: why the network failed, or else its last error."""
    if "No module named pip" in complaints:
        return f"{sys.executable} has no pip to download with; `{sys.executable} -m ensurepip` brings it"
    broken = re.findall(r"connection broken by '(.*)': ", complaints)
    errors = re.findall(r"^(?:ERROR:|\u00d7) (?!Exception:$)(.*)$", complaints, re.MULTILINE)
    # Of a traceback, the last line.
    last = (broken or errors or complaints.strip().split("\n"))[-1].strip().rstrip(".")
    return f"pip could not download TensorFlow {folder.RELEASE}: {last or 'it did not say why'}"


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
