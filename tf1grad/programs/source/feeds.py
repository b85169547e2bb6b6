"""Finds the keys of every `feed_dict` of a program."""

from __future__ import annotations

import ast
from typing import Iterator

from tf1grad.programs.source.program import Program, argument
from tf1grad.programs.source.scopes import call_name, index_of


def keys_of_feeds(program: Program) -> Iterator[ast.expr]:
    """Yields the key expressions of every `feed_dict`,
    also of those that are added later or by a function.
    """
    seen: set[ast.AST] = set()
    for call in program.calls:
        given = argument(call.node, 1 if call.method == "run" else None, "feed_dict")
        if given is not None:
            yield from _keys(program, given, seen)


def _keys(program: Program, node: ast.expr, seen: set[ast.AST]) -> Iterator[ast.expr]:
    if node in seen or node not in program.scopes:
        return
    seen.add(node)
    parts = []
    if isinstance(node, ast.Dict):
        yield from filter(None, node.keys)
    elif isinstance(node, ast.DictComp):
        yield node.key
    elif isinstance(node, ast.Call) and call_name(node) == "zip":
        yield from node.args[:1]
    elif isinstance(node, ast.Call) and call_name(node) == "dict":
        parts = node.args[:1]
    elif isinstance(node, ast.Call):
        returns = [
            part for function in program.functions(call_name(node)) for part in ast.walk(function)
        ]
        parts = [part.value for part in returns if isinstance(part, ast.Return) and part.value]
    elif isinstance(node, (ast.Name, ast.Attribute)):
        yield from _keys_of_name(program, node, seen)
    for part in parts:
        yield from _keys(program, part, seen)


def _keys_of_name(
    program: Program, node: ast.Name | ast.Attribute, seen: set[ast.AST]
) -> Iterator[ast.expr]:
    """Yields the keys of all values of a name, of `feed[key] = value`, and of
    `feed.update(more)`.
    """
    name, bindings = program.names.bindings_of(node, program.scopes[node])
    if not name[1]:
        return
    for value, _ in bindings:
        if isinstance(value, ast.expr):
            yield from _keys(program, value, seen)
    for target, scope in program.nodes(ast.Subscript):
        is_written = isinstance(target.ctx, ast.Store)
        if is_written and program.names.bindings_of(target.value, scope)[0] == name:
            yield index_of(target)
    for call in program.calls:
        if call.method == "update" and isinstance(call.node.func, ast.Attribute):
            if program.names.bindings_of(call.node.func.value, call.scope)[0] == name:
                for part in call.node.args:
                    yield from _keys(program, part, seen)
