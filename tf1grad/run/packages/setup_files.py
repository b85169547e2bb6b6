"""Reads the lists of texts that a setup.py gives as `install_requires`.
Nothing of it is executed or computed.

A list may be given itself, under a name that is bound once, or as a sum of lists. Everything else
is named, not read.
"""

from __future__ import annotations

import ast
import re
from typing import Iterator

from tf1grad.run.packages.requirement_lines import RequirementLine

NOT_READ = "setup.py is not executed, and only texts in the lists of its install_requires are read"
_KEYWORD = "install_requires"
_CHANGES = ("append", "extend", "insert", "remove", "pop", "clear")
_LIKE_REQUIREMENTS = re.compile(r"require|depend", re.I)
_PINNED = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w,. -]+\])?\s*(==|>=|<=|~=)\s*\d")
_LONGEST = 60  # characters of an expression in a message


def read(text: str) -> Iterator[RequirementLine]:
    """Yields the texts of `install_requires` as lines,
    and lines with a `problem` for what is not read.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        yield RequirementLine("", problem=f"it cannot be parsed: {type(error).__name__}")
        return
    try:
        yield from _lines(tree, text)
    except RecursionError:
        yield RequirementLine("", problem="it is nested too deeply")


def _lines(tree: ast.Module, text: str) -> Iterator[RequirementLine]:
    found = _Setup()
    found.visit(tree)
    unread: list[ast.AST] = list(found.behind_conditions)
    used: set[str] = set()
    for value in found.values:
        for each in found.texts(value, used):
            if isinstance(each, str):
                yield from (
                    RequirementLine(line.strip()) for line in each.splitlines() if line.strip()
                )
            else:
                unread.append(each)
    named = [(_source(node, text), getattr(node, "lineno", 0)) for node in unread]
    named += found.other_lists(used)
    if named:
        yield RequirementLine(
            ", ".join(f"{name} (line {line})" for name, line in named), problem=NOT_READ
        )


def _source(node: ast.AST, text: str) -> str:
    """Returns an expression as it is written, in one line."""
    source = " ".join((ast.get_source_segment(text, node) or _KEYWORD).split())
    return source if len(source) <= _LONGEST else source[:_LONGEST] + " ..."


class _Setup(ast.NodeVisitor):
    """Collects what a file gives as `install_requires`, and what its names are bound to."""

    def __init__(self) -> None:
        self.values: list[ast.expr] = []
        self.behind_conditions: list[ast.expr] = []
        self._bound: dict[str, list[ast.expr | None]] = {}  # None: by anything but one assignment
        self._is_conditional = False

    def texts(
        self, node: ast.expr, used: set[str], is_element: bool = False
    ) -> Iterator[str | ast.expr]:
        """Yields the texts in a value, and the nodes that are none;
        adds the names that it goes through to `used`.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif is_element:
            yield node
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            for element in node.elts:
                yield from self.texts(element, used, is_element=True)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _adds_lists(node):
            yield from self.texts(node.left, used)
            yield from self.texts(node.right, used)
        elif isinstance(node, ast.Name) and node.id not in used:
            used.add(node.id)
            bound = self._bound.get(node.id, [])
            value = bound[0] if len(bound) == 1 else None
            if value is None:
                yield node
            else:
                yield from self.texts(value, used)
        elif not isinstance(node, ast.Name):
            yield node

    def other_lists(self, used: set[str]) -> Iterator[tuple[str, int]]:
        """Yields the names of lists that look like requirements and are no
        part of `install_requires`.
        """
        for name, values in self._bound.items():
            value = values[0]
            if name in used or not isinstance(value, (ast.List, ast.Tuple)):
                continue
            texts = [each.value for each in value.elts if isinstance(each, ast.Constant)]
            is_pinned = any(isinstance(each, str) and _PINNED.match(each) for each in texts)
            if is_pinned or (texts and _LIKE_REQUIREMENTS.search(name)):
                yield name, value.lineno

    def _take(self, value: ast.expr) -> None:
        (self.behind_conditions if self._is_conditional else self.values).append(value)

    def _visit_conditional(self, node: ast.AST) -> None:
        before, self._is_conditional = self._is_conditional, True
        self.generic_visit(node)
        self._is_conditional = before

    visit_For = visit_While = visit_Try = visit_IfExp = _visit_conditional  # noqa: N815

    def visit_If(self, node: ast.If) -> None:  # noqa: N802
        is_main = "__name__" in ast.dump(node.test)
        self.generic_visit(node) if is_main else self._visit_conditional(node)

    def visit_Assign(self, node: ast.Assign) -> None:  # noqa: N802
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name):
            value = None if self._is_conditional else node.value
            self._bound.setdefault(target.id, []).append(value)
            self.visit(node.value)
            return
        if isinstance(target, ast.Subscript) and _KEYWORD in ast.dump(target.slice):
            self._take(node.value)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:  # noqa: N802
        if not isinstance(node.ctx, ast.Load):
            self._change(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> None:  # noqa: N802
        if not isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            self._change(node.value.id)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:  # noqa: N802
        for keyword in node.keywords:
            if keyword.arg == _KEYWORD:
                self._take(keyword.value)
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if function.attr in _CHANGES:
                self._change(function.value.id)
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:  # noqa: N802
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant) and key.value == _KEYWORD:
                self._take(value)
        self.generic_visit(node)

    def _change(self, name: str) -> None:
        self._bound.setdefault(name, []).append(None)


def _adds_lists(node: ast.BinOp) -> bool:
    """Says whether a sum adds lists or names of lists, and no texts."""
    return not any(
        isinstance(each, (ast.Constant, ast.JoinedStr)) for each in (node.left, node.right)
    )
