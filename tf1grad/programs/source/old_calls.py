"""Finds calls whose order of arguments is that of releases before 1.0."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from tf1grad.programs.names import pre_1_0
from tf1grad.programs.names.pre_1_0 import Old
from tf1grad.programs.source.program import Call, Program, is_open, literal
from tf1grad.programs.source.scopes import dotted


def calls_in_old_order(program: Program) -> Iterator[tuple[Call, Old]]:
    """Yields the calls of names that still exist,
    with the arguments in the order from before TensorFlow 1.0.
    """
    reading = pre_1_0.Reading(lambda node: type(literal(program, node)) is int, _items, _is_labels)
    for call in program.calls:
        old = pre_1_0.find_kept(call.name or "")
        if old is not None and not is_open(call.node):
            keywords = [keyword.arg for keyword in call.node.keywords]
            if pre_1_0.is_old_call(old, call.node.args, keywords, reading):
                yield call, old


def _is_labels(node: ast.expr) -> bool:
    return bool(re.search("label|target", (dotted(node) or "").rpartition(".")[2].lower()))


def _items(node: ast.expr) -> list[ast.expr] | None:
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts
    return [node] if isinstance(node, ast.ListComp) else None
