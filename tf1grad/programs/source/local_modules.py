"""Finds which files of a program import each other, and the modules that one takes from another.

After `from common import *` the name `tf` means what it does in `common.py`.
"""

from __future__ import annotations

import ast
import os
import pathlib
from typing import Callable, Iterable, Iterator, Mapping, Sequence

from tf1grad.programs.names import provisions
from tf1grad.programs.source import entry_points
from tf1grad.programs.source.files import imported_by
from tf1grad.programs.source.name_resolution import ImportStatement
from tf1grad.programs.source.program import Program

_ROUNDS = 3  # a file may pass on what it takes from another


class LocalModules:
    """Finds the files of a program by their names in its own imports, as the interpreter would."""

    def __init__(self, programs: Iterable[Program]) -> None:
        self._known = {os.path.realpath(program.source.path): program for program in programs}
        self._imports: dict[Program, list[tuple[str, Program]]] = {}
        self._named: dict[Program, list[Program]] = {}
        self._by_stem: dict[str, list[Program]] = {}
        for path, program in self._known.items():
            self._by_stem.setdefault(pathlib.Path(path).stem, []).append(program)

    def named(self, program: Program, name: str, level: int) -> list[Program]:
        """Returns the files of a module that a file imports: the first ones that are found."""
        here = pathlib.Path(os.path.realpath(program.source.path)).parent
        folders = [here, *here.parents]
        for folder in folders[level - 1 : level] if level else folders:
            match = list(filter(None, map(self._known.get, _files(folder, name))))
            if match:
                return match
        return []

    def others(self, program: Program) -> Iterator[tuple[ImportStatement, str]]:
        """Yields each import statement that finds a file outside of the program,
        in its folder or package, with it.
        """
        here = pathlib.Path(os.path.realpath(program.source.path)).parent
        folders = [here]
        while (folders[-1] / "__init__.py").exists():
            folders.append(folders[-1].parent)
        for node, _ in program.names.imports:
            for name, level in imported_by(node):
                for folder in folders[level - 1 : level] if level else folders:
                    found = next(filter(os.path.isfile, _files(folder, name)), None)
                    if found:
                        if found not in self._known:
                            yield node, found
                        break

    def imports(self, program: Program) -> list[tuple[str, Program]]:
        """Returns each name that a file imports and for which there is a file of the
        program, with this file.
        """
        if program not in self._imports:
            self._imports[program] = [
                (name, other)
                for name, level in sorted(set(program.source.imported))
                for other in self.named(program, name, level)
            ]
        return self._imports[program]

    def reached(
        self, program: Program, follows: Callable[[str, Program], bool] = lambda *_: True
    ) -> list[Program]:
        """Returns the other files that a file imports, directly or indirectly,
        by the imports that `follows` takes.
        """
        found = [program]
        for each in found:  # it grows
            found += dict.fromkeys(
                other
                for name, other in self.imports(each)
                if other not in found and follows(name, other)
            )
        return found[1:]

    def reached_by_name(self, program: Program) -> list[Program]:
        """Returns the files that a file imports, directly or indirectly, wherever they are.

        A name that is found nowhere may be that of any file, since programs change `sys.path`.
        """
        found = {program: None}
        waiting = [program]
        while waiting:
            new = [each for each in self._by_name(waiting.pop()) if each not in found]
            found.update(dict.fromkeys(new))
            waiting += new
        return list(found)[1:]

    def _by_name(self, program: Program) -> list[Program]:
        if program not in self._named:
            names = {name for name, level in program.source.imported if not level}
            known = {name for name, _ in self.imports(program)}
            elsewhere = [
                other
                for name in names
                if not any(_is_around(name, each) or _is_around(each, name) for each in known)
                for other in self._by_stem.get(name.rpartition(".")[2], ())
            ]
            direct = [other for _, other in self.imports(program)]
            self._named[program] = list(dict.fromkeys(direct + elsewhere))
        return self._named[program]

    def named_imports(self, program: Program) -> Iterator[tuple[ast.ImportFrom, Program]]:
        """Yields each statement by which a file imports names of another one, with that one."""
        for node, _ in program.names.imports:
            if isinstance(node, ast.ImportFrom):
                yield from (
                    (node, other) for other in self.named(program, node.module or "", node.level)
                )

    def calls_imported(self, program: Program) -> bool:
        """Returns True if importing a file calls what it imports from
        other files of the program.
        """
        roots = {name.split(".")[0] for name, _ in self.imports(program)}
        return any(
            call.name.split(".")[0] in roots and entry_points.is_at_top(program, call.node)
            for call in program.calls
            if call.name
        )


def _files(folder: pathlib.Path, name: str) -> tuple[str, str]:
    """Returns the paths that a module may have in a folder."""
    place = os.path.join(str(folder), *name.split("."))
    return place + ".py", os.path.join(place, "__init__.py")


def _is_around(name: str, inner: str) -> bool:
    return (inner + ".").startswith(name + ".")


def share_meanings(programs: Sequence[Program]) -> list[Program]:
    """Returns programs that belong together; those that take modules from others are
    read with their meanings.
    """
    for _ in range(_ROUNDS):
        files = LocalModules(programs)
        read = [_read(program, _taken(program, files)) for program in programs]
        if read == programs:
            break
        programs = read
    return list(programs)


def _read(program: Program, modules: Mapping[str, str]) -> Program:
    modules = {**modules, **program.shown.modules}
    return (
        program
        if modules == program.shown.modules
        else Program(program.source, program.shown._replace(modules=modules))
    )


def _taken(program: Program, files: LocalModules) -> dict[str, str]:
    """Returns the modules that a file imports from others,
    by their names here, or as `common.tf`.
    """
    found: dict[str, str] = {}
    for node, other in files.named_imports(program):
        given = _modules(other)
        for alias in node.names:
            if alias.name == "*":
                found.update(given)
            elif alias.name in given:
                found["." * node.level + f"{node.module or ''}.{alias.name}"] = given[alias.name]
    return found


def _modules(program: Program) -> dict[str, str]:
    """Returns the modules that names at the top of a file mean."""
    names = program.names
    imported = {
        alias.name
        for node, _ in names.imports
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    given = {name: module for name, module in program.shown.modules.items() if "." not in name}
    for name in names.module.bindings:
        meaning = names.resolve(ast.Name(name, ast.Load()), names.module)
        is_module = meaning in imported or meaning == "tensorflow"
        if meaning and (is_module or provisions.is_module(meaning)):
            given[name] = meaning
    return given
