"""Finds the import statements and assignments that bind modules or names of TensorFlow and `tf.contrib`."""

import ast
import re
from typing import List, NamedTuple, Optional, Union

from tf1grad.old_programs.names import pre_1_0, provisions
from tf1grad.old_programs.rules.remedies import CONTRIB
from tf1grad.old_programs.source.name_resolution import ImportStatement, Use
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.scopes import Scope, canonical

ESTIMATORS = "tensorflow.python.estimator."
_INNER = re.compile(r"tensorflow\.(contrib\.\w+\.)?python\.")
_PRIVATE = ("compat", "contrib", "core", "examples", "include", "python", "tools")


class Binding(NamedTuple):
    """One name bound by one statement."""

    node: Union[ImportStatement, ast.Assign]
    scope: Optional[Scope]
    alias: Optional[ast.alias]  # the alias of an import, or None for `slim = tf.contrib.slim`
    local: str
    name: str  # the dotted name that it is bound to, from `tensorflow` on
    kind: str  # "module", "symbol", "star", "root" (TensorFlow itself), or "public" (what compat.v1 still has)


def bindings_in(program: Program) -> List[Binding]:
    """Returns all bindings of TensorFlow and of `tf.contrib` in a program."""
    imported = [_imported(node, scope, alias) for node, scope in program.names.imports for alias in node.names]
    found = [_as_used(binding, program) for binding in imported if binding is not None]
    for node, scope in program.nodes(ast.Assign):
        target = node.targets[0]
        is_attribute = isinstance(scope.node, ast.ClassDef)  # it has uses that no name resolution sees
        if len(node.targets) == 1 and isinstance(target, ast.Name) and not is_attribute:
            name = program.names.resolve(node.value, scope)
            if name and CONTRIB.match(name) and provisions.is_module(name):
                found.append(Binding(node, scope.owner_of(target.id), None, target.id, name, "module"))
    return found


def is_public(name: str) -> bool:
    """Returns True for a name below TensorFlow that version 1 and version 2 have, perhaps with another meaning."""
    parts = name.split(".")
    return parts[0] == "tensorflow" and len(parts) > 1 and parts[1] not in _PRIVATE and not CONTRIB.match(name)


def _imported(node: ImportStatement, scope: Scope, alias: ast.alias) -> Optional[Binding]:
    if isinstance(node, ast.Import):
        name, local = alias.name, alias.asname or alias.name.split(".")[0]
        if name == "tensorflow" or not alias.asname and (CONTRIB.match(name) or is_public(name)):
            return Binding(node, scope, alias, local, canonical(name), "root")
    elif node.level or not node.module:
        return None
    elif alias.name == "*":
        star = canonical(node.module)
        known = star == "tensorflow" or CONTRIB.match(star) or is_public(node.module)
        return Binding(node, scope, alias, "*", star, "star") if known else None
    else:
        name, local = f"{node.module}.{alias.name}", alias.asname or alias.name
        if node.module == "tensorflow" and is_public(name):
            return Binding(node, scope, alias, local, name, "root")
    if not CONTRIB.match(name):
        if not is_public(name) and not provisions.was_made_public(name) and not pre_1_0.is_gone(name):
            return None
        return Binding(node, scope, alias, local, name, "public" if is_public(name) else "symbol")
    is_module = provisions.is_module(name) or name.startswith(ESTIMATORS)
    return Binding(node, scope, alias, local, name, "module" if is_module else "symbol")


def _as_used(binding: Binding, program: Program) -> Binding:
    """Returns a binding below `contrib.<module>.python` as one of a symbol, if it is never used as a module."""
    if binding.kind != "module" or not _INNER.match(binding.name):
        return binding
    uses = uses_of(binding, program)
    is_symbol = bool(uses) and all(use.name == binding.name for use in uses)
    return binding._replace(kind="symbol") if is_symbol else binding


def uses_of(binding: Binding, program: Program) -> List[Use]:
    """Returns the uses of the name that this binding binds."""
    if binding.kind == "star":
        return [use for use in program.names.uses if use.name and use.name.startswith(binding.name + ".")
                and use.scope.owner_of(use.text.split(".")[0]) is None]
    return [use for use in program.names.uses if use.text.split(".")[0] == binding.local
            and use.scope.owner_of(binding.local) is binding.scope and use.name
            and (use.name + ".").startswith(_bound(binding) + ".")]


def _bound(binding: Binding) -> str:
    return "tensorflow" if binding.kind == "root" and binding.local == "tensorflow" else binding.name
