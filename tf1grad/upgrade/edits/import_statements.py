"""Rewrites import statements, and assignments such as `slim = tf.contrib.slim`."""

from __future__ import annotations

import ast
import builtins
from typing import Sequence

from tf1grad.programs.names.provisions import COMPAT
from tf1grad.programs.source import entry_points
from tf1grad.programs.source.name_resolution import ImportStatement
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.module_bindings import Binding, is_public
from tf1grad.upgrade.edits.remedies import REMOVED_PARTS, module_of
from tf1grad.upgrade.edits.text import (
    import_of,
    import_with,
    is_block_emptied,
    join_imports,
)

PLAIN = "tensorflow"
_OF_MODULES = {*vars(builtins), "__file__", "__path__"}  # names that each module has


def rewrite_statements(plan: Plan) -> None:
    """Plans the lines that replace the statements by which a program imports moved names."""
    by_node: dict[ImportStatement | ast.Assign, list[Binding]] = {}
    for binding in plan.bindings:
        by_node.setdefault(binding.node, []).append(binding)
    for node, bindings in by_node.items():
        is_kept = any(binding.is_kept for binding in bindings)
        if is_kept or entry_points.supports_both_versions(plan.program, node):
            continue
        if isinstance(node, ast.Assign):
            plan.statements[node] = _assigned(plan, bindings[0])
        else:
            lines = _imported(plan, node, bindings)
            if lines is not None:
                plan.statements[node] = lines
    write_statements(plan)


def write_statements(plan: Plan) -> None:
    """Plans the text of the statements that are replaced."""
    removed = {statement for statement, lines in plan.statements.items() if not lines}
    for statement, lines in plan.statements.items():
        plan.text.rewrite_statement(
            statement, lines, is_block_emptied(plan.program, statement, removed)
        )


def _assigned(plan: Plan, binding: Binding) -> list[str]:
    if binding.module is None:
        return []
    plan.add_import("import " + module_of(binding.module))
    plan.needs.add(binding.module)
    return [f"{binding.local} = {binding.module}"]


def _imported(plan: Plan, node: ImportStatement, bindings: Sequence[Binding]) -> list[str] | None:
    """Returns the lines to write for a statement that imports `bindings`;
    None to leave it unchanged.
    """
    lines: list[str] = []
    kept: list[ast.alias] = []
    by_alias = {binding.alias: binding for binding in bindings}
    for alias in node.names:
        new = _lines(plan, by_alias[alias]) if alias in by_alias else None
        if new is None:
            kept.append(alias)
        else:
            lines += new
    if len(kept) == len(node.names):
        return None  # its layout and comments stay
    if kept:
        lines.insert(0, import_with(node, kept))
    return join_imports(lines)


def _lines(plan: Plan, binding: Binding) -> list[str] | None:
    """Returns the lines for one name of an import statement; None to leave it unchanged."""
    if binding.kind == "root":
        return _root(plan, binding)
    if binding.kind == "star":
        return _star(plan, binding)
    if binding.kind == "module":
        return [_line(plan, binding.module, binding.local)] if binding.module else []
    new = plan.target(binding.name)
    if new is None:
        return None
    is_written = (
        new.startswith(COMPAT + ".") or _is_written_as_public(plan, binding)
        if binding.kind == "symbol"
        else new != COMPAT + binding.name[len(PLAIN) :]
    )
    if is_written and not _stays_bound(plan, binding):
        return []  # its uses are rewritten
    return [_line(plan, new, binding.local)]


def _is_written_as_public(plan: Plan, binding: Binding) -> bool:
    """Returns True if each use of a bound name, such as a call with these arguments,
    gets a name of compat.v1.
    """
    targets = [plan.target_of(use) or "" for use in binding.uses]
    return bool(targets) and all(target.startswith(COMPAT + ".") for target in targets)


def _line(plan: Plan, name: str, local: str) -> str:
    """Returns the import of a dotted name, which the program then needs."""
    plan.needs.add(name)
    parent, dot, last = name.rpartition(".")
    return import_of(plan.importable(parent) + dot + last, local)


def _root(plan: Plan, binding: Binding) -> list[str]:
    needs_root = any(
        not REMOVED_PARTS.match(use.name) or plan.target(use.name) is None for use in binding.uses
    )
    # `import tensorflow.contrib.slim` binds `tensorflow`, which nothing uses any more.
    if binding.local == PLAIN and binding.name != PLAIN and not needs_root:
        return []
    return [f"import {COMPAT} as {binding.local}"]


def _stays_bound(plan: Plan, binding: Binding) -> bool:
    """Returns True if uses of the bound name stay as they are:
    in other files, or since another statement binds it.
    """
    if binding.scope is plan.program.names.module and {binding.local, "*"}.intersection(
        plan.program.taken
    ):
        return True
    return any(
        not use.name
        and use.root == binding.local
        and use.scope.owner_of(binding.local) is binding.scope
        for use in plan.program.names.uses
    )


def _may_bind_others(program: Program) -> bool:
    """Returns True for a program with names that only a star import can bind,
    and of which no table knows.
    """
    names = program.names
    if not all(star.startswith(PLAIN + ".") for star in names.stars):
        return False  # other modules may bind them
    return any(
        not use.name and use.scope.owner_of(use.root) is None and use.root not in _OF_MODULES
        for use in names.uses
    )


def _star(plan: Plan, binding: Binding) -> list[str] | None:
    if binding.name == PLAIN or is_public(binding.name):
        return [f"from {COMPAT}{binding.name[len(PLAIN) :]} import *"]
    if _may_bind_others(plan.program):
        return None  # without the star import, these names would be lost
    names = sorted({use.name for use in binding.uses})
    if not names:  # for other files, which import the names from here
        module = plan.target(binding.name)
        return None if module is None else [_line(plan, module + ".*", "*")]
    targets = [plan.target(name) for name in names]
    if None in targets:
        return None
    return [
        _line(plan, name, name.rpartition(".")[2])
        for name in sorted(filter(None, set(targets)))
        if not name.startswith(COMPAT + ".")
    ]
