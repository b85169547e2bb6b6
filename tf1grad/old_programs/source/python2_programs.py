"""Tells which files of a program divide as in Python 2, which rounds whole numbers down."""

import ast
import os
from typing import List, Sequence, Tuple, Union

from tf1grad.old_programs.source import entry_points
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.python2_marks import python2_mark
from tf1grad.old_programs.source.scopes import Scope

Division = Union[ast.BinOp, ast.AugAssign]


def mark(programs: Sequence[Program]) -> None:
    """Sets `divides_whole` of Python 2 files, and of the files that a started Python 2 file imports."""
    dividing = [program for program in programs if not program.source.divides_truly and divisions(program)]
    written = [program for program in programs if dividing and is_python_2(program)]
    paths = {program.source.path for program in written}
    if len(programs) > len(written) > 0:
        known = {os.path.realpath(program.source.path): program.source.path for program in programs}
        imports = {program.source.path: entry_points.local_imports(program, known) for program in programs}
        paths.update(path for program in written if entry_points.is_started(program)
                     for path in entry_points.reached(program.source.path, imports))
    for program in dividing:
        program.divides_whole = program.source.path in paths


def is_python_2(program: Program) -> bool:
    """Says whether a file is Python 2: Python 3 cannot parse it, or it uses names that only Python 2 has."""
    return program.source.python2 is not None or python2_mark(program.source.tree) is not None


def divisions(program: Program) -> List[Division]:
    """Returns the divisions by `/` and `/=` in a file."""
    nodes: Sequence[Tuple[Division, Scope]] = program.nodes(ast.BinOp, ast.AugAssign)
    return [node for node, _ in nodes if isinstance(node.op, ast.Div)]
