"""Runs `tf1grad doctor`: lists the parts of tf1grad that work here,
and prints a line that installs the rest.

With a path it lists the packages of a program.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import platform
import sys
import warnings
from typing import Any, Iterator, List, NamedTuple, Sequence, Tuple

import numpy

import tf1grad
from tf1grad.cli import program_packages
from tf1grad.programs import _compat
from tf1grad.programs._compat import is_installed
from tf1grad.programs._errors import UsageError
from tf1grad.programs._installers import PIP as BY_PIP, environment_tool, install_line, python_line
from tf1grad.programs.names.packages import package_of, pinned
from tf1grad.programs.period import installation, layer, parts, sources

LIBRARY, RUN = "the library", "run, verify, import tf1grad.v1"
WORKS, FAILS, OPTIONAL = "works", "fails", "optional"
WITHOUT_TENSORFLOW = "check, upgrade" if sys.version_info >= (3, 8) else "check"
NO_TENSORFLOW = "it needs TensorFlow"
PIP = ["pip", "install"]
EPILOG = """\
With a PATH it prints the packages that `tf1grad run` brings for the program: what the program declares, the release
that is taken, and why. It asks the package index, reads packages in a temporary folder, and keeps nothing. Nothing of
the program or of a package is imported or executed.

Without a PATH it imports the installed TensorFlow, and no other package. If parts of the period layer are missing, it
looks whether the first run can fetch them: for that it asks the package index for a wheel of 10 kB, and keeps nothing.
The line that it prints at the end never changes an installed TensorFlow; if TensorFlow is missing, the line installs
it.

exit code: 0 the library and `run` work (with a PATH: nothing is missing), 1 one of them does not, 2 the PATH does not
exist."""

# Of TensorFlow: (major, minor).
Version = Tuple[int, int]

# The words after `python -m`.
Remedy = List[str]

# Stands for the TensorFlow that pip would install; for Python 3.8 and older that is one before
# Keras 3.
NEWEST = (2, 0) if sys.version_info < (3, 9) else (2, 1000)


class Imported(NamedTuple):
    """Holds the version of the installed TensorFlow,
    or None and the reason why it cannot be imported.
    """

    version: str | None
    why: str = ""


class State(NamedTuple):
    """Says whether a part works, what is missing or follows,
    and what else helps than the line at the end.
    """

    name: str
    works: bool
    remark: str = ""
    advice: str = ""
    is_optional: bool = False

    def word(self) -> str:
        """Returns what a line begins with."""
        if self.works:
            return WORKS
        return OPTIONAL if self.is_optional else FAILS


class OptionalPart(NamedTuple):
    """Describes an optional part, under the name that users know."""

    name: str
    package: str  # that it needs
    since: Version = (1, 15)  # the first TensorFlow beside which it needs the package
    only_reads: bool = False  # True where it works without TensorFlow, and the period layer has the package for 2.x

    def lacks(self, version: Version) -> str | None:
        """Returns what is missing beside a version of TensorFlow, or None."""
        if version < self.since or self.only_reads and version >= (2,):
            return None
        found = is_installed(package_of(self.package).module)
        return None if found else f"{self.package} is not installed"

    def remedy(self, version: Version) -> Remedy:
        """Returns what brings it beside a version of TensorFlow."""
        known = None if version == NEWEST else version
        return [*PIP, *package_of(self.package).options, pinned(self.package, known)]


# For a TensorFlow that `run` does not work beside.
_NEW_ENVIRONMENT = f"""\
Another environment has what `run` needs, and this one stays as it is:
  {sys.executable} -m venv NEW; NEW/bin/pip install tf1grad tensorflow-cpu"""

PARTS = [
    OptionalPart("ScipyOptimizerInterface", "scipy"),
    OptionalPart("check, upgrade, run: Python 2 programs", "fissix", only_reads=True),
    OptionalPart(
        "upgraded programs with tf.layers, tf.keras or cells", "tf_keras", _compat.WITH_KERAS_3
    ),
    OptionalPart(
        "upgraded programs with tf.estimator", "tensorflow-estimator", _compat.WITH_KERAS_3
    ),
    OptionalPart("upgraded programs with layers of tf.contrib", "tf_slim"),
    OptionalPart("verify --plot", "matplotlib"),
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a program: a file, a notebook or a folder"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print an object, for reports and scripts; not with a PATH",
    )


def main(arguments: argparse.Namespace) -> int:
    """Prints each part, or each package of a program, and the remedy of what is missing;
    returns the exit code.
    """
    if arguments.path is not None and arguments.json:
        raise UsageError("--json describes this environment, and takes no PATH")
    if arguments.path is not None:
        return program_packages.show(arguments.path)
    installed = import_tensorflow()
    states, remedies = examine_parts(installed)
    code = 1 if any(state.word() == FAILS for state in states) else 0
    if arguments.json:
        print(json.dumps(_described(installed, states, remedies), indent=2))
        return code
    print(
        f"tf1grad {tf1grad.__version__}, Python {platform.python_version()}, TensorFlow "
        f"{installed.version or 'none'}, NumPy {numpy.__version__}"
    )
    for state in states:
        print(f"  {state.word():8}  {state.name}{state.remark and ': ' + state.remark}")
    for state in states:
        if state.advice:
            print("\n" + state.advice)
    if remedies:
        print("\nTo make the rest work:\n  " + line(remedies))
    return code


def _described(
    installed: Imported, states: Sequence[State], remedies: Sequence[Remedy]
) -> dict[str, Any]:
    return {
        "tf1grad": tf1grad.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "tensorflow": installed.version,
        "numpy": numpy.__version__,
        "parts": [
            {"name": each.name, "state": each.word(), "remark": each.remark, "advice": each.advice}
            for each in states
        ],
        "remedy": line(remedies) if remedies else None,
    }


def import_tensorflow() -> Imported:
    """Imports the installed TensorFlow, silently."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        with _silenced(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tensorflow = importlib.import_module("tensorflow")
    except Exception as error:  # a broken installation can raise anything
        first = str(error).strip().split("\n")[0]
        return Imported(None, f"{type(error).__name__}: {first}")
    return Imported(tensorflow.__version__)


@contextlib.contextmanager
def _silenced() -> Iterator[None]:
    """Discards what TensorFlow writes to stderr while it is imported."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def examine_parts(installed: Imported) -> tuple[list[State], list[Remedy]]:
    """Returns the state of each part, and the remedies of those that do not work."""
    broken = installed.version is None
    cause = f"TensorFlow cannot be imported ({installed.why})" if broken else ""
    version = _version(installed)
    run = State(RUN, False, cause) if broken else _state_of_run(version)
    refusal = cause or _compat.refusal_of_library(version)
    states = [State(WITHOUT_TENSORFLOW, True), State(LIBRARY, not refusal, refusal), run]
    remedies = _tensorflow(installed.why) if broken else []
    for part in PARTS:
        lacks = part.lacks(version)
        without = NO_TENSORFLOW if broken and not part.only_reads else ""
        remark = lacks or without
        states.append(State(part.name, not remark, remark, is_optional=True))
        if lacks:
            remedies.append(part.remedy(version))
    return states, remedies


def _state_of_run(version: Version) -> State:
    """Returns whether `run` works: the installed TensorFlow, and the period layer, which is
    there or can be fetched.
    """
    of_layer = _state_of_layer()
    refusal = _compat.refusal_of_run(version)
    if not refusal:
        return of_layer
    beside = f"Beside such a TensorFlow {of_layer.remark}" if of_layer.remark else ""
    return State(RUN, False, ". ".join(filter(None, [refusal, beside])), _NEW_ENVIRONMENT)


def _state_of_layer() -> State:
    """Returns whether the period layer is there or can be fetched, as the state of `run`."""
    of_numpy = layer.numpy_in_place()
    missing = layer.missing_parts(layer.needed_parts(of_numpy))
    if not missing:
        return State(RUN, True)
    damaged = layer.find_damages(missing)
    try:
        installation.rehearse(missing)
    except sources.Failed as error:
        why, _, advice = str(error).partition("\n")
        if missing == [of_numpy]:
            why += " `run --numpy installed` works"
        return State(RUN, False, "; ".join([*damaged, why]), advice)
    fetch = (
        f"the first run fetches {sum(part.download for part in missing)} MB into "
        f"{installation.find_writable_place()}, which needs {parts.peak(missing)} MB for a moment"
    )
    return State(RUN, True, "; ".join([*damaged, fetch]))


def _version(installed: Imported) -> Version:
    if installed.version is None:
        return _compat.installed_version() or NEWEST
    major, minor = installed.version.split(".")[:2]
    return int(major), int(minor)


def _tensorflow(why: str) -> list[Remedy]:
    if _compat.installed_version() is None:
        return [[*PIP, "tensorflow-cpu"]]
    return [[*PIP, "protobuf<3.21"]] if "Descriptors cannot" in why else []


def line(remedies: Sequence[Remedy]) -> str:
    """Returns the shell line that runs the remedies, plain packages together,
    with the tool of this environment.
    """
    if environment_tool() != BY_PIP:
        return install_line([words[-1] for words in remedies])
    plain = [words[-1] for words in remedies if words[:-1] == PIP]
    together = [[*PIP, *plain]] if plain else []
    return python_line(together + [words for words in remedies if words[:-1] != PIP])
