"""Tells which imports of a Python 2 file name a module beside it in its package: Python 3 needs these to be relative.

A file that is started has its folder in `sys.path`. Its imports, and those of the files that it imports from this
folder, stay absolute.
"""

import os
from typing import Mapping, Sequence, Set

from tf1grad.old_programs.source import entry_points, python2_programs
from tf1grad.old_programs.source.program import Program


def mark(programs: Sequence[Program]) -> None:
    """Sets `is_in_package` of Python 2 files in a folder with an `__init__.py` that are not run from this folder."""
    written = [program for program in programs if python2_programs.is_python_2(program)
               and os.path.exists(os.path.join(os.path.dirname(program.source.path), "__init__.py"))]
    if written:
        known = {os.path.realpath(program.source.path): program.source.path for program in programs}
        outside = _run_from_their_folder(programs, known)
        for program in written:
            program.is_in_package = program.source.path not in outside


def is_beside(program: Program, module: str) -> bool:
    """Returns True for the dotted name of a module or package in the folder of a file."""
    place = os.path.join(os.path.dirname(os.path.realpath(program.source.path)), module.split(".")[0])
    return os.path.isfile(place + ".py") or os.path.isfile(os.path.join(place, "__init__.py"))


def _run_from_their_folder(programs: Sequence[Program], known: Mapping[str, str]) -> Set[str]:
    """Returns the paths of the files that are started or imported by their bare names from such a file."""
    imports = {program.source.path: entry_points.found_imports(program, known) for program in programs}
    by_package = {path for found in imports.values() for name, path in found if "." in name}
    bare = {path: [other for name, other in found if "." not in name and os.path.basename(other) != "__init__.py"]
            for path, found in imports.items()}
    started = [program.source.path for program in programs
               if entry_points.is_started(program) and program.source.path not in by_package]
    return {*started, *(other for path in started for other in entry_points.reached(path, bare))} - by_package
