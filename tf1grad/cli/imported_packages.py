"""Finds the packages that an upgraded program imports and that are not installed, before `tf1grad
upgrade --by-running` runs anything.

These are the packages that `tf1grad run` brings, for the old program only: well-known ones and
those that the program declares. Without any other module the old program does not run either.
Only imports that every run reaches count: those at the top of the script, and of the files that it
imports there.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Mapping, NamedTuple, Sequence

from tf1grad.programs._installers import install_line
from tf1grad.programs.names import known_modules, packages
from tf1grad.programs.source import files
from tf1grad.programs.source.local_modules import LocalModules
from tf1grad.programs.source.notebooks import Notebook
from tf1grad.programs.source.program import Program
from tf1grad.run.packages import declared, declaring_files, own_tree, plan
from tf1grad.run.packages.imported import modules_of_imports

# What TensorFlow, its legacy Keras, tf1grad and the period layer bring; `upgrade` decides on it.
_BROUGHT = frozenset(
    {
        "google",
        "tensorflow",
        "tf1grad",
        "tf_keras",
        *(package.replace("-", "_") for package in packages.IN_LAYER),
    }
)


class MissingImport(NamedTuple):
    """Describes a module that is not installed, the line that imports it, and its package."""

    module: str
    path: str
    line: int
    package: str

    def sentence(self) -> str:
        """Says what to do."""
        return (
            f"the upgraded program imports {self.module} ({os.path.relpath(self.path)}, line {self.line}), which is "
            f"not installed. Install this first: {install_line([self.package])}"
        )


def script_of(command: Sequence[str]) -> str | None:
    """Returns the file that a command of --by-running starts, `SCRIPT ...` or `-m MODULE ...`;
    None for a module outside of the current folder.
    """
    if command[0] != "-m":
        return command[0]
    place = os.path.join(*command[1].split("."))
    return next(filter(os.path.isfile, (f"{place}.py", os.path.join(place, "__main__.py"))), None)


def find_missing(script: str, texts: Mapping[str, str]) -> MissingImport | None:
    """Returns the first missing module; `texts` has the upgraded files by their paths."""
    upgraded = {os.path.realpath(path): text for path, text in texts.items()}
    modules = LocalModules(())
    todo = [os.path.realpath(script)]
    folder = os.path.dirname(todo[0])
    for path in todo:  # it grows
        program = _read(path, upgraded.get(path))
        if program is None:
            continue
        for statement, module in modules_of_imports(program.source.tree.body):
            package = None if _is_there(module) else _package_of(module, script)
            if package and own_tree.place_of(module, folder) is None:
                line = program.source.place(statement.lineno)[1]
                return MissingImport(module, path, line, package)
        top = set(program.source.tree.body)
        own = (os.path.realpath(file) for node, file in modules.others(program) if node in top)
        todo += [file for file in dict.fromkeys(own) if file not in todo]
    return None


def _read(path: str, text: str | None) -> Program | None:
    """Returns the program in a file, with its upgraded text if there is one;
    None where it cannot be read.
    """
    try:
        source = files.read(path)
        if text is not None:
            code = text if source.notebook is None else Notebook(text).text()
            source = source.with_text(code)
        return Program(source)
    except (files.SourceError, ValueError, RecursionError):
        return None


def _package_of(module: str, script: str) -> str | None:
    """Returns the package that `run` brings for a module; None if there is none."""
    needs = declared.read(declaring_files.find_declaring_files(script))
    names = [requirement.name for requirement in plan.own_requirements(needs)]
    found = {packages.package_of(name).module: name for name in names}
    return found.get(module) or known_modules.package_of_module(module)


def _is_there(module: str) -> bool:
    """Says whether an import would find a module, without importing it.

    Finders of editable installs are asked, too.
    """
    is_known = module in _BROUGHT or module in sys.modules
    return is_known or importlib.util.find_spec(module) is not None
