"""Asks the package index, through pip, about libraries for TensorFlow 1 that `names/library_releases.py` does not have.

A pinned release is unpacked in a temporary folder. Without a pin it is the newest wheel for Python 3.6. The text and
the metadata of the package decide, as they do under `run`.
"""

import functools
import os
import re
import subprocess
import sys
import tempfile
from typing import Iterator, Optional

from tf1grad.old_programs.emulation import old_libraries
from tf1grad.old_programs.names import packages
from tf1grad.old_programs.names.library_releases import Library
from tf1grad.old_programs.period import sources
from tf1grad.old_programs.process import ownership
from tf1grad.old_programs.source import library_text

# Releases of that time may exclude Python 3.8 and newer, as TensorFlow 1 did.
ALONE = ("--no-deps", "--ignore-requires-python")
_OF_THAT_TIME = ("--only-binary=:all:", "--python-version", "3.6")
# Large ones, or of a package's own tests.
_SELDOM_NEEDED = (
    "apache-beam",
    "pytest",
    "torch",
    "torchvision",
)
_OPTIONAL = re.compile(r"extra\s*==|python_version\s*(<|==)|platform")
_PIN = re.compile(r"==\s*[\d.]+(?![\d.*])")


@functools.lru_cache(maxsize=None)
def library_of(name: str, version: str) -> Optional[Library]:
    """Returns the row for a package, in a version or ""; None unless it is for TensorFlow 1 and pip gets it."""
    if sources.is_offline():
        return None
    requirement = f"{name}=={version}" if version else name
    print(f"Asking the package index about {requirement}", file=sys.stderr)
    options = ALONE if version else ("--no-deps", *_OF_THAT_TIME)
    with tempfile.TemporaryDirectory() as folder:
        code = subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                requirement,
                "--no-compile",
                "--no-input",
                "--retries=1",
                "--target",
                folder,
                *options,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ).returncode
        return next(_old_libraries(name, folder), None) if code == 0 else None


def _old_libraries(name: str, folder: str) -> Iterator[Library]:
    """Yields a row for each package in `folder` that is for TensorFlow 1."""
    for entry in sorted(os.listdir(folder)):
        package = os.path.join(folder, entry)
        if entry.endswith(".py") or os.path.isfile(os.path.join(package, "__init__.py")):
            answer = old_libraries.answer_for(package)
            if answer.is_old:
                module, version = ownership.name_of_package(package), answer.title.split()[-1]
                needs = [*_required(old_libraries.headers_of(package)), *_imported(package)]
                yield Library(name, module, version, tuple(dict.fromkeys(needs)))


def _required(headers: str) -> Iterator[str]:
    """Yields what a package requires, with exact pins, without what the line never installs."""
    for each in packages.requirements(headers):
        if not _OPTIONAL.search(each.condition) and not packages.is_left_out(each.name):
            pin = _PIN.match(each.bounds)
            yield packages.package_of(each.name).name + (pin.group() if pin else "")


def _imported(package: str) -> Iterator[str]:
    """Yields the known packages that a package imports, since many libraries do not name all that they need."""
    names = (
        packages.package_of(module).name
        for module in sorted(library_text.imported_modules(package))
    )
    return (
        name
        for name in names
        if name == "keras" or packages.is_of_today(name) and name not in _SELDOM_NEEDED
    )
