"""A file does not have a name that another file imports from it.

The import fails, unless the file binds the name as it runs. Files with a star import, `globals()`,
`exec` or a module's `__getattr__` are not judged, and neither are imports that a `try` guards.
"""

from __future__ import annotations

import ast
import os
from typing import Iterator

from tf1grad.programs.source.guards import is_guarded
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import bound_names, call_name
from tf1grad.upgrade.rules import Findings

ID = "TFG004"
SEVERITY = "error"
REPORTED_BY_UPGRADE = True
REMEDY = "Bind the name there, or import it from where it is."
EXAMPLE = """
  # program.py, which imports itself
- from program import sizes as rows
+ from program import shapes as rows

  shapes = []
"""
_BINDERS = ("globals", "vars", "exec", "setattr")


def findings(program: Program) -> Findings:
    """Yields the imports of names from files of the program whose text does not bind them."""
    for node, other in program.together.modules.named_imports(program):
        if not is_guarded(program, node) and not _binds_as_it_runs(other):
            for name in _missing(node, other):
                yield node, f"{os.path.basename(other.source.path)} does not bind {name}."


def _missing(node: ast.ImportFrom, other: Program) -> Iterator[str]:
    """Yields the names that a file does not bind,
    and that are no modules beside it if it is a package.
    """
    bound = bound_names(other.source.tree)
    folder, file = os.path.split(os.path.realpath(other.source.path))
    beside = os.listdir(folder) if file == "__init__.py" else []
    modules = {name.split(".")[0] for name in beside}
    for alias in node.names:
        if alias.name not in bound | modules and alias.name != "*":
            yield alias.name


def _binds_as_it_runs(program: Program) -> bool:
    return (
        bool(program.names.stars)
        or any(call_name(call.node) in _BINDERS for call in program.calls)
        or "__getattr__" in bound_names(program.source.tree)
    )
