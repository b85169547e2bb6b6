"""Finds the import statements and assignments that bind modules or names of TensorFlow and `tf.contrib`."""

import ast
import re
from typing import List, Optional, Tuple, Union

from tf1grad.old_programs.names import pre_1_0, provisions
from tf1grad.old_programs.rules.remedies import REMOVED_PARTS
from tf1grad.old_programs.source.name_resolution import ImportStatement, Use
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.scopes import Scope, canonical

ESTIMATORS = "tensorflow.python.estimator."
_INNER = re.compile(r"tensorflow\.(contrib\.\w+\.)?python\.")
_PRIVATE = ("compat", "contrib", "core", "examples", "include", "python", "tools")


class Binding:
    """One name bound by one statement.

    alias: the alias of an import, or None for `slim = tf.contrib.slim`.
    name: the dotted name that it is bound to, from `tensorflow` on.
    kind: "module", "symbol", "star", "root" (TensorFlow itself), or "public" (what compat.v1 still has).
    uses: those of the name that it binds.
    module: the module that replaces the bound one, as `Plan` finds it.
    is_kept: True where the statement stays.
    """

    def __init__(
        self,
        program: Program,
        node: Union[ImportStatement, ast.Assign],
        scope: Optional[Scope],
        alias: Optional[ast.alias],
        local: str,
        name: str,
        kind: str,
    ) -> None:
        self.node, self.scope, self.alias, self.local, self.name, self.kind = (
            node,
            scope,
            alias,
            local,
            name,
            kind,
        )
        self.uses = self._uses(program)
        self.module: Optional[str] = None
        self.is_kept = False
        if (
            alias
            and kind == "module"
            and _INNER.match(name)
            and {use.name for use in self.uses} == {name}
        ):
            self.kind = "symbol"  # a name below `contrib.<module>.python` may be either

    def _uses(self, program: Program) -> List[Use]:
        if self.kind == "star":
            return [
                use
                for use in program.names.uses
                if use.name.startswith(self.name + ".")
                and use.scope.owner_of(use.text.split(".")[0]) is None
            ]
        bound = "tensorflow" if self.kind == "root" and self.local == "tensorflow" else self.name
        return [
            use
            for use in program.names.uses
            if use.text.split(".")[0] == self.local
            and (use.name + ".").startswith(bound + ".")
            and use.scope.owner_of(self.local) is self.scope
        ]


def bindings_in(program: Program) -> List[Binding]:
    """Returns all bindings of TensorFlow and of `tf.contrib` in a program."""
    found: List[Binding] = []
    for statement, scope in program.names.imports:
        for alias in statement.names:
            bound = _bound(statement, alias)
            if bound is not None:
                found.append(Binding(program, statement, scope, alias, *bound))
    for node, scope in program.nodes(ast.Assign):
        target = node.targets[0]
        # It has uses that no name resolution sees.
        is_attribute = isinstance(scope.node, ast.ClassDef)
        if len(node.targets) == 1 and isinstance(target, ast.Name) and not is_attribute:
            name = program.names.resolve(node.value, scope)
            if name and REMOVED_PARTS.match(name) and provisions.is_module(name):
                found.append(
                    Binding(
                        program, node, scope.owner_of(target.id), None, target.id, name, "module"
                    )
                )
    return found


def is_public(name: str) -> bool:
    """Returns True for a name below TensorFlow that version 1 and version 2 have, perhaps with another meaning."""
    parts = name.split(".")
    return (
        parts[0] == "tensorflow"
        and len(parts) > 1
        and parts[1] not in _PRIVATE
        and not REMOVED_PARTS.match(name)
    )


def _bound(node: ImportStatement, alias: ast.alias) -> Optional[Tuple[str, str, str]]:
    """Returns the local name, the dotted name and the kind of what an import binds; None for other packages."""
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
        REMOVED_PARTS.match(name) or provisions.was_made_public(name) or pre_1_0.is_gone(name)
    )
    return (local, name, "symbol") if is_symbol else None
