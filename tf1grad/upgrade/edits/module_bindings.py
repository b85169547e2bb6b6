"""Finds the import statements and assignments that bind modules or names of
TensorFlow and `tf.contrib`.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from typing import Mapping

from tf1grad.programs.names import pre_1_0, provisions
from tf1grad.programs.source.name_resolution import ImportStatement, Use
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import Scope, canonical
from tf1grad.upgrade.edits.remedies import REMOVED_PARTS

ESTIMATORS = "tensorflow.python.estimator."
_INNER = re.compile(r"tensorflow\.(contrib\.\w+\.)?python\.")
_PRIVATE = ("compat", "contrib", "core", "examples", "include", "python", "tools")


@dataclasses.dataclass(eq=False)
class Binding:
    """One name bound by one statement."""

    node: ImportStatement | ast.Assign
    scope: Scope | None
    alias: ast.alias | None  # of an import; None for `slim = tf.contrib.slim`
    local: str
    name: str  # the dotted name that it is bound to, from `tensorflow` on
    kind: str  # "module", "symbol", "star", "root" (TensorFlow), or "public" (what compat.v1 still has)
    uses: list[Use]  # those of the name that it binds
    module: str | None = None  # the module that replaces the bound one, as `Plan` finds it
    is_kept: bool = False  # True where the statement stays


def _uses(
    by_root: Mapping[str, list[Use]],
    program: Program,
    scope: Scope | None,
    bound: tuple[str, str, str],
) -> list[Use]:
    local, name, kind = bound
    if kind == "star":
        return [
            use
            for use in program.names.uses
            if use.name.startswith(name + ".") and use.scope.owner_of(use.root) is None
        ]
    if kind == "root" and local == "tensorflow":
        name = "tensorflow"
    return [
        use
        for use in by_root.get(local, ())
        if (use.name + ".").startswith(name + ".") and use.scope.owner_of(local) is scope
    ]


def bindings_in(program: Program) -> list[Binding]:
    """Returns all bindings of TensorFlow and of `tf.contrib` in a program."""
    found: list[Binding] = []
    by_root: dict[str, list[Use]] = {}
    for use in program.names.uses:
        by_root.setdefault(use.root, []).append(use)
    for statement, scope in program.names.imports:
        for alias in statement.names:
            bound = _bound(statement, alias)
            if bound is None:
                continue
            local, name, kind = bound
            uses = _uses(by_root, program, scope, bound)
            if kind == "module" and _INNER.match(name) and {use.name for use in uses} == {name}:
                kind = "symbol"  # a name below `contrib.<module>.python` may be either
            found.append(Binding(statement, scope, alias, local, name, kind, uses))
    for node, scope in program.nodes(ast.Assign):
        target = node.targets[0]
        # It has uses that no name resolution sees.
        is_attribute = isinstance(scope.node, ast.ClassDef)
        if len(node.targets) == 1 and isinstance(target, ast.Name) and not is_attribute:
            value = program.names.resolve(node.value, scope)
            if value and REMOVED_PARTS.match(value) and provisions.is_module(value):
                owner = scope.owner_of(target.id)
                uses = _uses(by_root, program, owner, (target.id, value, "module"))
                found.append(Binding(node, owner, None, target.id, value, "module", uses))
    return found


def is_public(name: str) -> bool:
    """Returns True for a name below TensorFlow that version 1 and version 2 have,
    perhaps with another meaning.
    """
    parts = name.split(".")
    return (
        parts[0] == "tensorflow"
        and len(parts) > 1
        and parts[1] not in _PRIVATE
        and not REMOVED_PARTS.match(name)
    )


def _bound(node: ImportStatement, alias: ast.alias) -> tuple[str, str, str] | None:
    """Returns the local name, the dotted name and the kind of what an import binds;
    None for other packages.
    """
    if isinstance(node, ast.Import):
        name, local = alias.name, alias.asname or alias.name.split(".")[0]
        if (
            name == "tensorflow"
            or not alias.asname
            and (REMOVED_PARTS.match(name) or is_public(name))
        ):
            return local, canonical(name), "root"
    elif node.level or not node.module:
        return None
    elif alias.name == "*":
        star = canonical(node.module)
        known = star == "tensorflow" or REMOVED_PARTS.match(star) or is_public(node.module)
        return ("*", star, "star") if known else None
    else:
        name, local = f"{node.module}.{alias.name}", alias.asname or alias.name
    if is_public(name):
        return local, name, "public"
    if REMOVED_PARTS.match(name) and (provisions.is_module(name) or name.startswith(ESTIMATORS)):
        return local, name, "module"
    is_symbol = (
        REMOVED_PARTS.match(name) or provisions.was_made_public(name) or pre_1_0.find_gone(name)
    )
    return (local, name, "symbol") if is_symbol else None
