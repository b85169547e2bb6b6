"""Converts a notebook to a script: the code of its cells in order, with IPython syntax as calls of `get_ipython`.

`jupyter nbconvert --to script` produces the same, so that an export runs in the same way.
"""

from __future__ import annotations

import re

from tf1grad.old_programs.source import notebooks
from tf1grad.old_programs.source.notebooks import EXECUTED

_FUTURE = re.compile(
    r"^from[ \t]+__future__[ \t]+import[ \t]+(\([\w\s,]*\)|[\w \t,]+)(?:[ \t]*#.*)?$", re.M
)
_OPTIONS = re.compile(r"^(-[DTflms] +\S+\s+|-\w+( \d+)?\s+)*")


class NotebookScript:
    """The code cells of a notebook as one script, `source`; a ValueError for a text that is not a notebook.

    Every cell begins with a comment, as nbconvert writes it. `mark` is the reason to take it for Python 2, or None.
    """

    def __init__(self, text: str) -> None:
        notebook = notebooks.Notebook(text)
        parts: list[str] = []
        self._starts: list[int] = []
        line = 1
        for number, code in enumerate(notebook.cells, 1):
            self._starts.append(line)
            parts.append(f"# In[{number}]:\n{translated(code)}\n\n")
            line += parts[-1].count("\n")
        self.source = _with_future_first("".join(parts))
        self.mark = "its kernel is Python 2" if notebook.is_python_2 else None

    def place(self, line: int) -> tuple[int, int]:
        """Returns (cell, line in it) for a line of `source`, both counted from 1."""
        cell = sum(start <= line for start in self._starts)
        return cell, line - self._starts[cell - 1]


def _with_future_first(source: str) -> str:
    """Returns the script with its imports from `__future__` on the first line, before the calls that magics became."""
    features = [
        name for found in _FUTURE.finditer(source) for name in re.findall(r"\w+", found.group(1))
    ]
    if not features:
        return source
    kept = _FUTURE.sub(lambda found: "pass" + "\n" * found.group().count("\n"), source)
    return f"from __future__ import {', '.join(dict.fromkeys(features))}  {kept}"


def translated(code: str) -> str:
    """Returns the code of a cell as Python, line for line, with magics, shell commands and help requests as calls."""
    if code.lstrip().startswith("%%"):
        return _cell_magic(code.lstrip())
    lines = code.split("\n")
    for number in sorted(notebooks.beginnings(code)):
        lines[number] = _line(lines[number])
    return "\n".join(lines)


def _cell_magic(code: str) -> str:
    first, _, body = code.partition("\n")
    name, _, arguments = first[2:].partition(" ")
    if name in EXECUTED:
        return f"#{first}\n{translated(body)}"
    call = f"get_ipython().run_cell_magic({name!r}, {arguments.strip()!r}, {body!r})"
    return call + "\n" * body.count("\n")


def _line(line: str) -> str:
    indentation = line[: len(line) - len(line.lstrip(" \t"))]
    if notebooks.HELP.match(line):
        return indentation + "pass  # " + line.strip()
    found = notebooks.COMMAND.match(line)
    if not found:
        return line
    target, sign, rest = found.groups()
    if sign == "!":
        call = f"get_ipython().{'getoutput' if target else 'system'}({rest.lstrip('!')!r})"
    else:
        name, _, arguments = rest.partition(" ")
        if name in EXECUTED and not target:
            return indentation + (without_options(arguments.strip()) or "pass")
        call = f"get_ipython().run_line_magic({name!r}, {arguments.strip()!r})"
    return indentation + (f"{target} = {call}" if target else call)


def without_options(arguments: str) -> str:
    """Returns the statement in the arguments of a magic such as `%timeit -n 10 f()`."""
    return _OPTIONS.sub("", arguments)
