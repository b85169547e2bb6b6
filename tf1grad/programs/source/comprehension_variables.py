"""Lets a variable of a list comprehension stay after it, as in Python 2,
where the module reads it elsewhere.

[x * 2 for x in values]     [x * 2 for tf1grad_x in values if [x := tf1grad_x]]

Python 3 cannot do so in the body of a class, nor in what a comprehension iterates over; Python 3.7
nowhere.
"""

from __future__ import annotations

import ast
from typing import Any, Iterator, List, Tuple

_NAMED: Any = getattr(ast, "NamedExpr", None)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


# A name in front of a variable of the comprehension itself.
PREFIX = "tf1grad_"
# The part of a comprehension after one `for`, and the names that it binds and that stay.
Kept = Tuple[ast.comprehension, List[ast.Name]]


def keep(tree: ast.Module) -> None:
    """Rewrites list comprehensions in place, in a module and its functions."""
    for generator, names in list(find_kept(tree)) if _NAMED else ():
        _keep(generator, names)


def find_kept(tree: ast.Module) -> Iterator[Kept]:
    """Yields the parts of list comprehensions whose variables are read elsewhere,
    in a module and its functions.
    """
    for scope in ast.walk(tree):
        if isinstance(scope, (ast.Module, ast.FunctionDef)):
            found = list(_comprehensions(scope))
            read = set(_read_names(scope, frozenset())) if found else set()
            for comprehension in found:
                for generator in comprehension.generators:
                    targets = ast.walk(generator.target)
                    names = [each for each in targets if isinstance(each, ast.Name)]
                    stay = [each for each in names if each.id in read and _is_stored(each)]
                    if stay:
                        yield generator, stay


def _comprehensions(scope: ast.AST) -> Iterator[ast.ListComp]:
    """Yields the list comprehensions that run in a scope itself."""
    todo = list(getattr(scope, "body", ()))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.ListComp):
            yield node
            todo += [node.elt, *(each for part in node.generators for each in part.ifs)]
        elif not isinstance(node, (*_COMPREHENSIONS, *_FUNCTIONS, ast.ClassDef)):
            todo += ast.iter_child_nodes(node)


def _read_names(node: ast.AST, bound: frozenset[str]) -> Iterator[str]:
    """Yields the names that are read, except those that the comprehension around them binds."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node.id
        return
    if isinstance(node, _COMPREHENSIONS):
        bound = bound.union(*map(_targets, node.generators))
    for child in ast.iter_child_nodes(node):
        yield from _read_names(child, bound)


def _targets(generator: ast.comprehension) -> set[str]:
    return {node.id for node in ast.walk(generator.target) if isinstance(node, ast.Name)}


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _keep(generator: ast.comprehension, names: list[ast.Name]) -> None:
    values = []
    for name in names:
        target = ast.copy_location(ast.Name(id=name.id, ctx=ast.Store()), name)
        name.id = PREFIX + name.id
        value = ast.copy_location(ast.Name(id=name.id, ctx=ast.Load()), name)
        values.append(ast.copy_location(_NAMED(target=target, value=value), name))
    together = ast.List(elts=values, ctx=ast.Load())
    generator.ifs.insert(0, ast.copy_location(together, generator.target))
