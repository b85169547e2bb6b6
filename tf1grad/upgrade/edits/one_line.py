"""Writes `import tf1grad.v1 as tf` into the files of a program that has names
of TensorFlow 1.15 alone.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source import entry_points
from tf1grad.programs.source.name_resolution import ImportStatement
from tf1grad.programs.source.scopes import canonical
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.text import import_with, with_alias


def write_line(plan: Plan) -> None:
    """Plans the line as the first import of a file that imports TensorFlow,
    in the place of `import tensorflow as tf`.

    Imports of names and modules below TensorFlow stay: after the line they are those of 1.15.
    """
    program = plan.program
    if entry_points.has_line(program) or not entry_points.framework_imports(program):
        return
    imports = _imports(program.source.tree)
    local = next(
        filter(None, (_bound(node, alias) for node in imports for alias in node.names)), None
    )
    if local is None:
        plan.import_first(entry_points.LINE)
        return
    line = "import " + with_alias(entry_points.LINE, local)
    for node in imports:
        kept = [alias for alias in node.names if _bound(node, alias) != local]
        if len(kept) < len(node.names):
            plan.statements[node] = [import_with(node, kept)] if kept else []
    if plan.statements.get(imports[0]) == []:
        plan.statements[imports[0]] = [line]
    else:
        plan.first = [line]


def _imports(tree: ast.Module) -> list[ImportStatement]:
    """Returns the import statements at the margin, without those from `__future__`."""
    return [
        node
        for node in tree.body
        if isinstance(node, ast.Import)
        or isinstance(node, ast.ImportFrom)
        and node.module != "__future__"
    ]


def _bound(node: ImportStatement, alias: ast.alias) -> str | None:
    """Returns the name under which an import binds TensorFlow as a whole, or None."""
    name = alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
    is_bound = alias.asname or isinstance(node, ast.ImportFrom) or name == "tensorflow"
    return (alias.asname or alias.name) if canonical(name) == "tensorflow" and is_bound else None
