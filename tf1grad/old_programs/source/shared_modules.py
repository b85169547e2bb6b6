"""Finds the modules that a file takes from another file of the program: `tf` after `from common import *`."""

import ast
import os
from typing import Dict, List, Mapping, Sequence

from tf1grad.old_programs.names import provisions
from tf1grad.old_programs.source import entry_points
from tf1grad.old_programs.source.program import Program

_ROUNDS = 3  # a file may pass on what it takes from another


def shared(programs: Sequence[Program]) -> List[Program]:
    """Returns programs that belong together; those that take modules from others are read with their meanings."""
    known = {os.path.realpath(program.source.path): program.source.path for program in programs}
    for _ in range(_ROUNDS):
        by_path = {program.source.path: program for program in programs}
        read = [_read(program, _taken(program, by_path, known)) for program in programs]
        if read == programs:
            break
        programs = read
    return list(programs)


def _read(program: Program, modules: Mapping[str, str]) -> Program:
    modules = {**modules, **program.shown.modules}
    return program if modules == program.shown.modules else \
        Program(program.source, program.shown._replace(modules=modules))


def _taken(program: Program, by_path: Mapping[str, Program], known: Mapping[str, str]) -> Dict[str, str]:
    """Returns the modules that a file imports from others, by their names here, or as `common.tf`."""
    found: Dict[str, str] = {}
    for node, _ in program.names.imports:
        if not isinstance(node, ast.ImportFrom):
            continue
        module = "." * node.level + (node.module or "")
        for file in entry_points.files_of(program, node.module or "", node.level, known):
            given = _modules(by_path[file])
            for alias in node.names:
                if alias.name == "*":
                    found.update(given)
                elif alias.name in given:
                    found[f"{module}.{alias.name}"] = given[alias.name]
    return found


def _modules(program: Program) -> Dict[str, str]:
    """Returns the modules that names at the top of a file mean."""
    names = program.names
    imported = {alias.name for node, _ in names.imports if isinstance(node, ast.Import) for alias in node.names}
    meanings = {name: names.resolve(ast.Name(name, ast.Load()), names.module) for name in names.module.bindings}
    given = {name: meaning for name, meaning in meanings.items()
             if meaning and (meaning in imported or meaning == "tensorflow" or provisions.is_module(meaning))}
    return {**{name: module for name, module in program.shown.modules.items() if "." not in name}, **given}
