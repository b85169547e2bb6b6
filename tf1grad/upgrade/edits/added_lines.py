"""Adds the lines that an upgraded file needs."""

from __future__ import annotations

import ast
import re
from typing import Iterable

from tf1grad.programs.source import entry_points, python2_syntax
from tf1grad.programs.source.scopes import constant
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.text import LINE_END, first_line, newline_of


def add_lines(plan: Plan) -> str:
    """Returns the changed text with lines added before the first import, after TensorFlow's,
    and after all imports.
    """
    text = plan.text.changed()
    if not (plan.first or plan.imports or plan.calls):
        return text
    body = _Body(text)
    first = body.position_of_first()
    imports = next(
        (
            index + 1
            for index, node in enumerate(body.nodes)
            if entry_points.is_import(node) and _imports(node, "tensorflow")
        ),
        body.start,
    )
    calls = max(body.position_of_calls(), imports)
    body = _Body(body.with_line_ends({first, imports, calls}))
    body.insert(first, plan.first)
    added = sorted(
        plan.imports,
        key=lambda line: (
            not line.startswith("import tensorflow"),
            line.startswith("import tf1grad"),
        ),
    )
    if added and plan.calls and imports == calls:
        body.insert(imports, [*added, "", *plan.calls])
    else:
        body.insert(imports, added)
        body.insert(calls, plan.calls, blank=True)
    return body.text()


class _Body:
    """The statements of a module, and `start`:
    the index after the docstring and the imports from `__future__`.
    """

    def __init__(self, text: str) -> None:
        self._newline = newline_of(text)
        # Lines may be added below a last line without an end, which `text` takes away again.
        self._missing_end = "" if LINE_END.search(text[-1:]) else self._newline
        self._lines = LINE_END.split(text + self._missing_end)
        self._ends = LINE_END.findall(text + self._missing_end)
        self.nodes = python2_syntax.parse_python3(text, "<unknown>").body
        self.start = 0
        self._added: dict[int, list[str]] = {}  # by the number of lines before them
        for index, node in enumerate(self.nodes):
            is_docstring = (
                index == 0 and isinstance(node, ast.Expr) and isinstance(constant(node.value), str)
            )
            if is_docstring or _imports(node, "__future__"):
                self.start = index + 1
            elif not entry_points.is_import(node):
                break

    def position_of_first(self) -> int:
        """Returns the index of the first import, after environment variables that are set
        before TensorFlow loads.
        """
        after = self.start
        for index, node in enumerate(self.nodes[self.start :], self.start):
            if _ENVIRONMENT.match(self._lines[node.lineno - 1]):
                after = index + 1
            elif not _imports(node, "os"):
                break
        return after

    def position_of_calls(self) -> int:
        """Returns the index after the imports at the top:
        the last one before anything that calls TensorFlow.
        """
        after = self.start
        for index, node in enumerate(self.nodes[self.start :], self.start + 1):
            if self._uses(node):
                break
            if entry_points.is_import(node):
                after = index
        return after

    def with_line_ends(self, indices: Iterable[int]) -> str:
        """Returns the text with an end of line before each statement at one of
        `indices` that shares its line.
        """
        lines = list(self._lines)
        for index in sorted(indices, reverse=True):
            if 0 < index < len(self.nodes):
                before, node = self.nodes[index - 1], self.nodes[index]
                if before.end_lineno == node.lineno:
                    line = self._lines[node.lineno - 1].encode("utf-8")
                    rest = lines[node.lineno - 1].encode("utf-8")[node.col_offset :]
                    start = line[: before.end_col_offset].decode("utf-8")
                    lines[node.lineno - 1] = start + self._newline + rest.decode("utf-8")
        return _joined(lines, self._ends, self._missing_end)

    def insert(self, index: int, lines: list[str], blank: bool = False) -> None:
        """Adds lines before the statement at `index`, after an empty line if `blank`."""
        if not lines:
            return
        place = self.nodes[index - 1].end_lineno or 0 if index else 0
        following = first_line(self.nodes[index]) - 1 if index < len(self.nodes) else None
        if following == place and index and not entry_points.is_import(self.nodes[index]):
            lines = lines + [""]
        elif following is not None and index == self.start and not blank:
            place = following
        self._added.setdefault(place, []).extend(([""] if blank and index else []) + lines)

    def text(self) -> str:
        """Returns the text with all added lines."""
        lines = [
            "".join(added + self._newline for added in self._added.get(index, ())) + line
            for index, line in enumerate(self._lines)
        ]
        return _joined(lines, self._ends, self._missing_end)

    def _uses(self, node: ast.stmt) -> bool:
        """Returns True for a statement that calls something and so needs the
        switch to graphs before it.
        """
        return (
            not entry_points.is_import(node)
            and not isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and any(isinstance(inner, ast.Call) for inner in ast.walk(node))
            and not _HARMLESS.match(self._lines[node.lineno - 1])
        )


def _joined(lines: list[str], ends: list[str], missing_end: str) -> str:
    """Returns a text of lines, without the last end if the program has none."""
    written = "".join(line + end for line, end in zip(lines, [*ends, ""]))
    return written[: len(written) - len(missing_end)]


_ENVIRONMENT = re.compile(r"os\.(environ|putenv)\b|pass  # IPython: ")
_HARMLESS = re.compile(r"\s*(sys\.path|os\.environ|warnings|matplotlib|mpl|logging|print)\b")


def _imports(node: ast.stmt, package: str) -> bool:
    """Returns True for a statement that imports the package or something in it."""
    return any(
        name.split(".")[0] == package
        for inner in ast.walk(node)
        for name in entry_points.imported_names(inner)
    )
