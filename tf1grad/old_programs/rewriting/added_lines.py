"""Adds the lines that an upgraded file needs."""

from __future__ import annotations

import ast
import re
from typing import Any, Dict, List

from tf1grad.old_programs.rules.edit_plan import LEGACY, Plan
from tf1grad.old_programs.source import entry_points
from tf1grad.old_programs.source.edits import LINE_END, newline_of
from tf1grad.old_programs.source.scopes import constant


def upgraded(plan: Plan) -> str:
    """Returns the changed text with lines added before the first import, after TensorFlow's, and after all imports."""
    text = plan.text.changed()
    if not (plan.needs_legacy or plan.imports or plan.calls):
        return text
    body = _Body(_with_imports_alone(text))
    start = body.after_docstring()
    calls = body.position_of_calls(start)
    imports = next((index + 1 for index, node in enumerate(body.nodes)
                    if _is_import(node) and _imports(node, "tensorflow")), start)
    body.insert(start, [f"import {LEGACY}  # before TensorFlow"] * plan.needs_legacy)
    body.insert(imports, sorted(plan.imports, key=lambda line: (
        not line.startswith("import tensorflow"), line.startswith("import tf1grad"))))
    body.insert(max(calls, imports), plan.calls, blank=True)
    return body.text()


def _with_imports_alone(text: str) -> str:
    """Returns the text with a line break after each import of TensorFlow at the top that shares its line."""
    lines, ends = LINE_END.split(text), LINE_END.findall(text) + [""]
    nodes = ast.parse(text).body
    for node, following in reversed(list(zip(nodes, nodes[1:]))):
        line = following.lineno - 1
        if _is_import(node) and _imports(node, "tensorflow") and node.lineno == following.lineno:
            column = len(lines[line].encode("utf-8")[:following.col_offset].decode("utf-8"))
            before = lines[line][:column].rstrip()
            lines[line] = before[:-1].rstrip() + newline_of(text) + lines[line][column:]
    return "".join(line + end for line, end in zip(lines, ends))


class _Body:
    """The statements of a module, and the lines on which they begin and end, counted from 0."""

    def __init__(self, text: str) -> None:
        self._newline = newline_of(text)
        self._lines = LINE_END.split(text)
        self._ends = LINE_END.findall(text)
        self.nodes = ast.parse(text).body
        self._first = [min([node.lineno] + [other.lineno for other in getattr(node, "decorator_list", [])]) - 1
                       for node in self.nodes]
        self._added: Dict[int, List[str]] = {}

    def after_docstring(self) -> int:
        """Returns the index after the docstring and the imports from `__future__`."""
        index = 0
        for place, node in enumerate(self.nodes):
            is_docstring = place == 0 and isinstance(node, ast.Expr) and isinstance(constant(node.value), str)
            if is_docstring or _imports(node, "__future__"):
                index = place + 1
            elif not _is_import(node):
                break
        return index

    def position_of_calls(self, start: int) -> int:
        """Returns the index after the imports at the top: the last one before anything that calls TensorFlow."""
        stop = next((index for index, node in enumerate(self.nodes) if index >= start and self._uses(node)),
                    len(self.nodes))
        return max([index + 1 for index, node in enumerate(self.nodes[:stop]) if _is_import(node)] + [start])

    def insert(self, index: int, lines: List[str], blank: bool = False) -> None:
        """Adds lines before the statement at `index`, after an empty line if `blank`."""
        if not lines:
            return
        following = index < len(self.nodes)
        before_import = following and _is_import(self.nodes[index])
        before: Any = self.nodes[index - 1] if index else None
        place = before.end_lineno if before else 0
        closely = following and self._first[index] == place
        if following and (index == 0 or not blank and before_import and index == self.after_docstring() or
                          not blank and not before_import and not (before and _is_import(before))):
            place = self._first[index]
        elif following and not before_import and closely:
            lines = lines + [""]
        self._added.setdefault(place, []).extend(([""] if blank and index else []) + lines)

    def text(self) -> str:
        """Returns the text with all added lines."""
        lines, ends = self._lines, self._ends + [""]
        parts: List[str] = []
        for index in range(len(lines)):
            parts += [line + self._newline for line in self._added.get(index, ())]
            parts.append(lines[index] + ends[index])
        last = [line for index in sorted(self._added) if index >= len(lines) for line in self._added[index]]
        return "".join(parts) + ("" if not last else self._newline + self._newline.join(last))

    def _uses(self, node: ast.stmt) -> bool:
        """Returns True for a statement that calls something and so needs the switch to graphs before it."""
        return not _is_import(node) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)) and \
            any(isinstance(inner, ast.Call) for inner in ast.walk(node)) and \
            not _HARMLESS.match(self._lines[node.lineno - 1])


_HARMLESS = re.compile(r"\s*(sys\.path|os\.environ|warnings|matplotlib|mpl|logging|print)\b")


def _imports(node: ast.stmt, package: str) -> bool:
    """Returns True for a statement that imports the package or something in it."""
    return any(name.split(".")[0] == package for inner in ast.walk(node)
               if isinstance(inner, (ast.Import, ast.ImportFrom)) for name in entry_points.imported_names(inner))


def _is_import(node: ast.stmt) -> bool:
    """Returns True for an import statement, and for a `try` or `if` that contains one."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return True
    inside = list(ast.walk(node))
    return isinstance(node, (ast.Try, ast.If, ast.With)) and not entry_points.is_main_part(node) and \
        any(isinstance(inner, (ast.Import, ast.ImportFrom)) for inner in inside) and \
        not any(isinstance(inner, (ast.FunctionDef, ast.ClassDef)) for inner in inside)
