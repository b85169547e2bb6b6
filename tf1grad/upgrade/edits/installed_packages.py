"""Looks names up in the files of the installed packages. TensorFlow is not imported.

NumPy makes some of its names as it runs: it alone is imported, at the first question about one of
them.
"""

from __future__ import annotations

import importlib
from typing import Sequence

from tf1grad.programs import _compat
from tf1grad.programs.names.tensorflow_rows import ESTIMATOR_MODULE
from tf1grad.programs.source.module_names import ModuleNames
from tf1grad.programs.source.program import KnownNames

PRIVATE = ("tensorflow.python.", "tensorflow.core.")
PUBLIC = ("tensorflow._api.v2.compat.v1", "tensorflow._api.v1.compat.v1")
PUBLIC_IN_1_15 = ("tensorflow._api.v1.v1",)
KERAS = (
    "tf_keras.api._v1.keras",
    "keras.api._v1.keras",
    "tensorflow.python.keras.api._v1.keras",
    "keras._tf_keras.keras",
)
# What a public module loads late, if it binds the name.
LATE = {"contrib": "tensorflow.contrib", "estimator": ESTIMATOR_MODULE}
# What public modules of TensorFlow 2 load late, and where Keras has it.
OF_KERAS = {
    "keras": "",
    "layers": ".__internal__.legacy.layers",
    "nn.rnn_cell": ".__internal__.legacy.rnn_cell",
}


class TensorFlowNames(ModuleNames):
    """Answers `has(name)` as TensorFlow 1 programs write names;
    the first module of `public` that exists holds them.
    """

    def __init__(self, path: Sequence[str] | None = None, public: Sequence[str] = PUBLIC) -> None:
        super().__init__(path)
        self._public = public

    def has(self, name: str) -> bool | None:
        root, _, rest = name.partition(".")
        if root != "tensorflow" or name.startswith(PRIVATE):
            return super().has(name)
        parts = [part for part in rest.split(".") if part]
        if parts[:2] == ["compat", "v1"]:
            parts = parts[2:]
        home = self._first(self._public)
        return None if home is None else super().has(".".join(self._place(home, parts)))

    def _place(self, home: str, parts: list[str]) -> list[str]:
        """Returns the parts of the dotted name at which TensorFlow's files have
        the public name `parts`.
        """
        if parts[:2] == ["app", "flags"]:
            return [home, *parts[1:]]
        if parts and parts[0] in LATE and parts[0] in self.bindings_of(home).names:
            return [LATE[parts[0]], *parts[1:]]
        keras = self._first(KERAS)
        if ".v2." in home and keras is not None:
            for name, place in OF_KERAS.items():
                length = name.count(".") + 1
                if ".".join(parts[:length]) == name:
                    return [keras + place, *parts[length:]]
        return [home, *parts]

    def _first(self, modules: Sequence[str]) -> str | None:
        return next((module for module in modules if self.file_of(module) is not None), None)


class InstalledNames(KnownNames):
    """Answers `has(name)`; `version` is that of TensorFlow,
    None where none is installed or `ask` is False.
    """

    def __init__(self, ask: bool = True) -> None:
        self._names = TensorFlowNames() if ask else None
        self._answers: dict[str, bool | None] = {}
        self.version = _compat.installed_version_text() if ask else None

    def has(self, name: str) -> bool | None:
        """Says whether a dotted name exists, as TensorFlow 1 programs see it;
        None if that is not known.
        """
        if self._names is None:
            return None
        if name not in self._answers:
            found = self._names.has(name)
            is_late = found is None and name.startswith("numpy.")
            self._answers[name] = _has_when_imported(name) if is_late else found
        return self._answers[name]


def _has_when_imported(name: str) -> bool:
    owner, *parts = name.split(".")
    found = importlib.import_module(owner)
    for part in parts:
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True
