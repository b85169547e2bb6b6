"""Tells which files of a program are Python 2, which of them divide as there,
and which imports name their neighbours.

Python 2 rounds divisions of whole numbers down, and finds modules beside a file in its package,
where Python 3 needs relative imports. A file that is started has its folder in `sys.path`: its
imports, and those of the files that it imports from this folder, stay absolute.
"""

from __future__ import annotations

import ast
import os
from typing import Sequence, Union

from tf1grad.programs.source import entry_points, program_version
from tf1grad.programs.source.local_modules import LocalModules
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import Scope

Division = Union[ast.BinOp, ast.AugAssign]


def translate_programs(programs: Sequence[Program]) -> list[Program]:
    """Returns the files, with those translated that Python 3 can parse and
    whose program is Python 2.
    """
    modules = LocalModules(programs)
    beside: dict[str, list[Program]] = {}
    for program in programs:
        beside.setdefault(os.path.dirname(program.source.path), []).append(program)
    signs = {program: _sign(program) for program in programs}

    def mark_of(program: Program) -> str | None:
        return program_version.mark_of(
            program,
            signs.__getitem__,
            lambda each: [other for _, other in modules.imports(each)],
            lambda each: beside[os.path.dirname(each.source.path)],
        )

    marks = {program: mark_of(program) for program in programs}
    for program in filter(entry_points.is_started, programs):
        if marks[program] is not None:
            for other in modules.reached(program):
                if not signs[other].is_only_3:
                    marks[other] = (
                        marks[other] or f"{program_version.name_of(program)}, {marks[program]}"
                    )
    return [_as_python_2(program, marks[program]) for program in programs]


def _sign(program: Program) -> program_version.Sign:
    error = program.source.python2
    if error is not None:
        return program_version.sign_of_error(error)
    return program_version.read_sign(program.source.tree, program.source.path)


def _as_python_2(program: Program, mark: str | None) -> Program:
    if mark is None or program.source.python2 is not None:
        return program
    source = program.source.as_python_2(mark)
    return program if source is program.source else Program(source, program.shown)


def find_dividing(programs: Sequence[Program], modules: LocalModules) -> set[Program]:
    """Returns the Python 2 files whose `/` rounds down,
    and such files that a started Python 2 file imports.
    """
    found = set(filter(is_python_2, programs))
    for program in list(found):
        if entry_points.is_started(program):
            found.update(modules.reached(program))
    return {
        program for program in found if not program.source.divides_truly and find_divisions(program)
    }


def is_python_2(program: Program) -> bool:
    """Says whether a file is Python 2: Python 3 cannot parse it,
    or it uses names that only Python 2 has.
    """
    return program.source.python2 is not None or program.source.python2_mark is not None


def find_divisions(program: Program) -> list[Division]:
    """Returns the divisions by `/` and `/=` in a file."""
    nodes: Sequence[tuple[Division, Scope]] = program.nodes(ast.BinOp, ast.AugAssign)
    return [node for node, _ in nodes if isinstance(node.op, ast.Div)]


def in_package(programs: Sequence[Program], modules: LocalModules) -> set[Program]:
    """Returns the Python 2 files in a folder with an `__init__.py` that are
    not run from this folder.
    """
    written = {
        program
        for program in filter(is_python_2, programs)
        if os.path.exists(os.path.join(os.path.dirname(program.source.path), "__init__.py"))
    }
    return written - _run_from_their_folder(programs, modules)


def is_beside(program: Program, module: str) -> bool:
    """Returns True for the dotted name of a module or package in the folder of a file."""
    place = os.path.join(
        os.path.dirname(os.path.realpath(program.source.path)), module.split(".")[0]
    )
    return os.path.isfile(place + ".py") or os.path.isfile(os.path.join(place, "__init__.py"))


def _run_from_their_folder(programs: Sequence[Program], modules: LocalModules) -> set[Program]:
    """Returns the files that are started or imported by their bare names from such a file."""
    by_package = {
        other for program in programs for name, other in modules.imports(program) if "." in name
    }
    found = set(filter(entry_points.is_started, programs)) - by_package
    for program in list(found):
        found.update(modules.reached(program, _is_bare))
    return found - by_package


def _is_bare(name: str, module: Program) -> bool:
    return "." not in name and os.path.basename(module.source.path) != "__init__.py"
