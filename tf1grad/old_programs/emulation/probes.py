"""Recognizes user code that asks whether TensorFlow has a name, and that has an alternative where it has not.

    try:                                             if hasattr(tf, "image_summary"):
        image_summary = tf.image_summary                 ...
    except AttributeError:                           getattr(tf, "pack", None)
        image_summary = tf.summary.image

Such code must see what TensorFlow 1.15 had. A `try` with a bare `except`, or `except Exception`, counts only if it
holds plain statements and if its handler uses the same module: other such statements guard a whole training.
"""

from __future__ import annotations

import ast
import functools
import linecache
from typing import Iterator, Optional, Sequence, Set

from tf1grad.old_programs.process import ownership

_MISSING = {"AttributeError", "ImportError", "ModuleNotFoundError"}
_PLAIN = (ast.Assign, ast.Expr, ast.Import, ast.ImportFrom)


def is_probe(name: str) -> bool:
    """Says whether the code that asks tf1grad for `name` is user code of this kind."""
    place = ownership.place_of_asker()
    if place is None:
        return False
    tree, line = _tree(place[0]), place[1]
    around = [node for node in ast.walk(tree) if _holds([node], line)] if tree else []
    return any(_asks_for(node, name) or isinstance(node, ast.Try) and _holds(node.body, line) and _has_alternative(node)
               for node in around)


@functools.lru_cache(maxsize=None)
def _tree(file: str) -> Optional[ast.Module]:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None  # written for Python 2


def _holds(nodes: Sequence[ast.AST], line: int) -> bool:
    first, last = getattr(nodes[0], "lineno", None), getattr(nodes[-1], "end_lineno", None)
    return first is not None and last is not None and first <= line <= last


def _asks_for(node: ast.AST, name: str) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            and (node.func.id, len(node.args)) in (("hasattr", 2), ("getattr", 3))):
        return False
    asked = node.args[1]
    return not isinstance(asked, ast.Constant) or asked.value == name


def _has_alternative(node: ast.Try) -> bool:
    for handler in node.handlers:
        caught = {each.id for each in ast.walk(handler.type) if isinstance(each, ast.Name)} if handler.type else set()
        if caught & _MISSING:
            return True
        if not caught or "Exception" in caught:
            return (all(isinstance(each, _PLAIN) for each in [*node.body, *handler.body])
                    and bool(_roots(node.body) & _roots(handler.body)))
    return False


def _roots(body: Sequence[ast.stmt]) -> Set[str]:
    """Returns the names of which `body` takes attributes."""
    return {each.value.id for each in _nodes(body) if isinstance(each, ast.Attribute)
            and isinstance(each.value, ast.Name)}


def _nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    return (each for statement in body for each in ast.walk(statement))
