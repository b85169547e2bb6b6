"""Finds the packages that an upgraded program imports and that are not installed, before `tf1grad
upgrade --by-running` runs anything.

These are the packages that `tf1grad run` brings, for the old program only: well-known ones and
those that the program declares. Without any other module the old program does not run either.
Only imports that every run reaches count: those at the top of the script, and of the files that it
imports there.
"""

from __future__ import annotations

import os
from typing import Iterator, Mapping, Sequence

from tf1grad.programs._installers import install_line
from tf1grad.programs.names import known_modules, packages
from tf1grad.programs.source import files
from tf1grad.programs.source.local_modules import LocalModules
from tf1grad.programs.source.notebooks import Notebook
from tf1grad.programs.source.program import Program
from tf1grad.run.packages import declared, declaring_files, imported, own_tree, plan
from tf1grad.run.packages.imported import MissingModule

# `upgrade` itself decides on tf_keras.
_BROUGHT = imported.BROUGHT | {"tf_keras"}


def script_of(command: Sequence[str]) -> str | None:
    """Returns the file that a command of --by-running starts, `SCRIPT ...` or `-m MODULE ...`;
    None for a module outside of the current folder.
    """
    if command[0] != "-m":
        return command[0]
    place = os.path.join(*command[1].split("."))
    return next(filter(os.path.isfile, (f"{place}.py", os.path.join(place, "__main__.py"))), None)


def find_missing(script: str, texts: Mapping[str, str]) -> MissingModule | None:
    """Returns the first missing module; `texts` has the upgraded files by their paths."""
    folder = os.path.dirname(os.path.realpath(script))
    declared_packages: dict[str, str] | None = None
    for module, path, line in _absent_modules(script, texts):
        if declared_packages is None:
            declared_packages = _declared_packages(script)
        package = declared_packages.get(module) or known_modules.package_of_module(module)
        if package and own_tree.place_of(module, folder) is None:
            return MissingModule(module, path, line, package)
    return None


def advise(missing: MissingModule) -> str:
    """Says what to do about a missing module."""
    return (
        f"the upgraded program imports {missing.module} ({missing.place()}), which is not installed. "
        f"Install this first: {install_line([missing.package or missing.module])}"
    )


def _absent_modules(script: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str, int]]:
    """Yields each imported module that is not installed, and the file and the line that name it."""
    upgraded = {os.path.realpath(path): text for path, text in texts.items()}
    modules = LocalModules(())
    todo = [os.path.realpath(script)]
    for path in todo:  # it grows
        program = _read(path, upgraded.get(path))
        if program is None:
            continue
        for statement, module in imported.modules_of_imports(program.source.tree.body):
            if module not in _BROUGHT and not imported.is_found(module):
                yield module, path, program.source.place(statement.lineno)[1]
        top = set(program.source.tree.body)
        own = (os.path.realpath(file) for node, file in modules.others(program) if node in top)
        todo += [file for file in dict.fromkeys(own) if file not in todo]


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


def _declared_packages(script: str) -> dict[str, str]:
    """Returns the packages that a program declares, by the modules that they bring."""
    needs = declared.read(declaring_files.find_declaring_files(script))
    names = [requirement.name for requirement in plan.own_requirements(needs)]
    return {packages.package_of(name).module: name for name in names}
