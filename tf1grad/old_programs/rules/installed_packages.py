"""Looks names up in the installed packages. Each package is imported at the first question about it."""

import contextlib
import importlib
import os
import sys
import types
import warnings
from typing import Any, Dict, Iterator, List, Optional

from tf1grad.old_programs.originals import legacy_packages
from tf1grad.old_programs.originals.missing_objects import Missing
from tf1grad.old_programs.source.program import KnownNames

NOTHING = object()  # not None: tf.newaxis exists and is None
PRIVATE = ("tensorflow.python.", "tensorflow.core.")


class Installed(KnownNames):
    """Answers `has(name)`; `version` is None if TensorFlow cannot be imported, and `why` gives the reason."""

    def __init__(self, ask: bool = True) -> None:
        self.why = None if ask else "--no-tensorflow"
        self._asks = ask
        self._known: Dict[str, Optional[bool]] = {}
        self._packages: Dict[str, Optional[types.ModuleType]] = {}

    def has(self, name: str) -> Optional[bool]:
        """Says whether a dotted name exists, as TensorFlow 1 programs see it; None if that is not known."""
        if name not in self._known:
            self._known[name] = self._find(name) if self._asks else None
        return self._known[name]

    def _find(self, name: str) -> Optional[bool]:
        root, _, rest = name.partition(".")
        if root == "tensorflow" and not name.startswith(PRIVATE):
            rest = rest[len("compat.v1.") :] if (rest + ".").startswith("compat.v1.") else rest
            root = "tensorflow.compat.v1"
        package = self._package(root)
        return None if package is None else _walk(package, list(filter(None, rest.split("."))))

    def _package(self, name: str) -> Optional[types.ModuleType]:
        if name in self._packages:
            return self._packages[name]
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        self._packages[name] = None
        try:
            with _silence():
                legacy_packages.prepare()
                package = self._packages[name] = importlib.import_module(name)
            if name == "tensorflow.compat.v1":
                self.version = package.__version__
        except Exception as error:  # a broken installation can raise anything
            if name.startswith("tensorflow"):
                first = str(error).strip().split("\n")[0]
                self.why = f"{type(error).__name__}: {first}"
        return self._packages[name]


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Discards the output of packages to stderr while they are imported."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _walk(found: Any, parts: List[str]) -> bool:
    """Returns True if a module has the attribute or submodule; stops at the first object that is not a module."""
    for part in parts:
        if not isinstance(found, types.ModuleType):
            return True
        found = _attribute(found, part)
        if found is NOTHING or isinstance(found, Missing):
            return False
    return True


def _attribute(owner: types.ModuleType, name: str) -> Any:
    try:
        return getattr(owner, name)
    except Exception:  # modules that load lazily raise ImportError and others here
        pass
    try:  # by the owner's __name__: another name would load its package a second time and break the first
        return (
            importlib.import_module(f"{owner.__name__}.{name}")
            if "__path__" in vars(owner)
            else NOTHING
        )
    except Exception:
        return NOTHING
