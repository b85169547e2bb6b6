"""Rewrites import statements, and assignments such as `slim = tf.contrib.slim`."""

from __future__ import annotations

import ast
from typing import Dict, List, Optional, Sequence, Union

from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.rules.module_bindings import Binding, is_public, uses_of
from tf1grad.old_programs.rules.remedies import COMPAT, CONTRIB, importable, module_of
from tf1grad.old_programs.source import entry_points
from tf1grad.old_programs.source.edits import is_block_emptied, with_alias
from tf1grad.old_programs.source.name_resolution import ImportStatement

PLAIN = "tensorflow"
_Statement = Union[ImportStatement, ast.Assign]


def rewrite_statements(plan: Plan) -> None:
    """Plans the lines that replace the statements by which a program imports moved names."""
    by_node: Dict[_Statement, List[Binding]] = {}
    for binding in plan.bindings:
        by_node.setdefault(binding.node, []).append(binding)
    for node, found in by_node.items():
        if plan.kept.intersection(map(id, found)) or entry_points.supports_both_versions(plan.program, node):
            continue
        lines = _rewritten(plan, node, found)
        if lines is not None:
            plan.statements[node] = lines
    write_statements(plan)
    plan.import_legacy()


def write_statements(plan: Plan) -> None:
    """Plans the text of the statements that are replaced."""
    removed = {statement for statement, lines in plan.statements.items() if not lines}
    for statement, lines in plan.statements.items():
        plan.text.rewrite_statement(statement, lines, is_block_emptied(plan.program, statement, removed))


def _rewritten(plan: Plan, node: _Statement, bindings: Sequence[Binding]) -> Optional[List[str]]:
    """Returns the lines to write for a statement that binds `bindings`; None to leave it unchanged."""
    if isinstance(node, ast.Assign):
        return _assigned(plan, bindings[0], plan.modules[id(bindings[0])])
    lines: List[str] = []
    kept: List[str] = []
    changed = False
    by_alias = {id(binding.alias): binding for binding in bindings}
    for alias in node.names:
        binding = by_alias.get(id(alias))
        new = None if binding is None else _line(plan, binding, alias, plan.modules[id(binding)])
        if new is None:
            kept.append(with_alias(alias.name, alias.asname))
        else:
            changed = True
            lines += new
    if not changed:
        return None
    if kept:
        start = "import " if isinstance(node, ast.Import) else f"from {node.module} import "
        lines.insert(0, start + ", ".join(kept))
    return _joined(lines)


def _assigned(plan: Plan, binding: Binding, module: Optional[str]) -> List[str]:
    if module is None:
        return []
    plan.add_import("import " + module_of(module))
    plan.needs.add(module)
    return [f"{binding.local} = {module}"]


def _line(plan: Plan, binding: Binding, alias: ast.alias, module: Optional[str]) -> Optional[List[str]]:
    """Returns the lines for one name of an import statement; None to leave it unchanged."""
    if binding.kind == "root":
        return _root(plan, binding, alias)
    if binding.kind == "module":
        return _module(plan, binding, module)
    if binding.kind == "public":
        return _public(plan, binding)
    return _symbol(plan, binding) if binding.kind == "symbol" else _star(plan, binding)


def _root(plan: Plan, binding: Binding, alias: ast.alias) -> Optional[List[str]]:
    if isinstance(binding.node, ast.ImportFrom):
        return [f"from {COMPAT} import {with_alias(alias.name, alias.asname)}"]
    uses = uses_of(binding, plan.program)
    others = [use for use in uses if not CONTRIB.match(use.name)]
    if plan.has_only_gone(binding):
        return None
    gone = [use for use in uses if CONTRIB.match(use.name) and plan.target(use.name) is None]
    if binding.local != PLAIN:
        return [f"import {COMPAT} as {binding.local}"]
    if alias.name != PLAIN and not others and not gone:
        return []
    return [f"import {COMPAT} as {PLAIN}"]


def _module(plan: Plan, binding: Binding, module: Optional[str]) -> List[str]:
    if module is None:
        return []
    plan.needs.add(module)
    parent, _, last = module.rpartition(".")
    if parent:
        return [f"from {importable(parent)} import {with_alias(last, binding.local)}"]
    return ["import " + with_alias(module, binding.local)]


def _symbol(plan: Plan, binding: Binding) -> Optional[List[str]]:
    new = plan.target(binding.name)
    if new is None:
        return None
    if new.startswith(COMPAT + ".") and not _stays_bound(plan, binding):
        return []
    plan.needs.add(new)
    parent, _, last = new.rpartition(".")
    return [f"from {importable(parent)} import {with_alias(last, binding.local)}"]


def _stays_bound(plan: Plan, binding: Binding) -> bool:
    """Returns True if uses of the bound name stay as they are: in other files, or since another statement binds it."""
    if binding.scope is plan.program.names.module and {binding.local, "*"}.intersection(plan.program.taken):
        return True
    return any(not use.name and use.text.split(".")[0] == binding.local and
               use.scope.owner_of(binding.local) is binding.scope for use in plan.program.names.uses)


def _public(plan: Plan, binding: Binding) -> Optional[List[str]]:
    new = plan.target(binding.name)
    if new is None:
        return None
    if new != COMPAT + binding.name[len(PLAIN):] and not _stays_bound(plan, binding):
        return []  # a pre-1.0 name, whose uses are rewritten
    plan.needs.add(new)
    parent, _, last = new.rpartition(".")
    return [f"from {parent} import {with_alias(last, binding.local)}"]


def _star(plan: Plan, binding: Binding) -> Optional[List[str]]:
    if binding.name == PLAIN or is_public(binding.name):
        return [f"from {COMPAT}{binding.name[len(PLAIN):]} import *"]
    names = sorted({use.name for use in uses_of(binding, plan.program)})
    if not names:  # for other files, which import the names from here
        module = plan.target(binding.name)
        if module is None:
            return None
        plan.needs.add(module)
        return [f"from {importable(module)} import *"]
    new = [target for target in map(plan.target, names) if target is not None]
    if len(new) < len(names):
        return None
    plan.needs.update(new)
    new = sorted({name for name in new if not name.startswith(COMPAT + ".")})
    return [f"from {importable(name.rpartition('.')[0])} import {name.rpartition('.')[2]}" for name in new]


def _joined(lines: Sequence[str]) -> List[str]:
    """Merges the lines that import from one module into one line each."""
    merged: List[str] = []
    for line in lines:
        start, found, names = line.partition(" import ")
        for index, other in enumerate(merged):
            if found and start.startswith("from ") and other.startswith(start + " import "):
                merged[index] = f"{other}, {names}"
                break
        else:
            merged.append(line)
    return merged
