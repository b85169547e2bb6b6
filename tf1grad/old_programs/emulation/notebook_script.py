"""Converts a notebook to a script: the code of its cells in order, with IPython syntax as calls of `get_ipython`.

`jupyter nbconvert --to script` produces the same, so that an export runs in the same way.
"""

from __future__ import annotations

import re
from typing import List, Optional, Set, Tuple

from tf1grad.old_programs.source import notebooks
from tf1grad.old_programs.source.notebooks import EXECUTED

_WORD = re.compile(r"[ \t]*(?:([\w, ]+?)\s*=\s*)?([!%])\s*(.*)$")
_HELP = re.compile(r"[ \t]*\??[\w.%]+\?{1,2}\s*$|[ \t]*\?\s*[\w.%]+\s*$")
_OPTIONS = re.compile(r"^(-[DTflms] +\S+\s+|-\w+( \d+)?\s+)*")


class NotebookScript:
    """The code cells of a notebook as one script.

    Args:
        text: the text of the file.

    Attributes:
        source: the script, in which every cell begins with a comment, as nbconvert writes it.
        mark: the reason to take it for Python 2, or None.

    Raises:
        ValueError: it is not a notebook.
    """

    def __init__(self, text: str) -> None:
        notebook = notebooks.Notebook(text)
        parts: List[str] = []
        self._starts: List[int] = []
        line = 1
        for number, code in enumerate(notebook.cells, 1):
            self._starts.append(line)
            parts.append(f"# In[{number}]:\n{translated(code)}\n\n")
            line += parts[-1].count("\n")
        self.source = "".join(parts)
        self.mark = "its kernel is Python 2" if notebook.is_python_2 else None

    def place(self, line: int) -> Tuple[int, int]:
        """Returns (cell, line in it) for a line of `source`, both counted from 1."""
        cell = sum(start <= line for start in self._starts)
        return cell, line - self._starts[cell - 1]


def translated(code: str) -> str:
    """Returns the code of a cell as Python, line for line, with magics, shell commands and help requests as calls."""
    if code.lstrip().startswith("%%"):
        return _cell_magic(code.lstrip())
    lines = code.split("\n")
    for number in sorted(_beginnings(code)):
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
    indentation = line[:len(line) - len(line.lstrip(" \t"))]
    if _HELP.match(line):
        return indentation + "pass  # " + line.strip()
    found = _WORD.match(line)
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


def _beginnings(code: str) -> Set[int]:
    """Returns the lines, from 0, at which a statement may begin: outside strings, brackets and continued lines."""
    found: Set[int] = set()
    quote: Optional[str] = None
    line, depth, position, is_free = 0, 0, 0, True
    while position < len(code):
        if is_free and depth == 0 and quote is None:
            found.add(line)
        is_free = False
        character, three = code[position], code[position:position + 3]
        if character == "\n":
            is_free, line = code[position - 1:position] != "\\", line + 1
            quote = quote if quote and len(quote) == 3 else None
        elif character == "\\":
            position += code[position + 1:position + 2] != "\n"
        elif quote:
            if code.startswith(quote, position):
                position, quote = position + len(quote) - 1, None
        elif line in found and re.match(r"[ \t]*[!%]", _this_line(code, position)):
            pass  # quotes and brackets belong to the command
        elif three in ('"""', "'''") or character in "\"'":
            quote = three if three in ('"""', "'''") else character
            position += len(quote) - 1
        elif character == "#":
            position = (code + "\n").index("\n", position) - 1
        else:
            depth = max(0, depth + (character in "([{") - (character in ")]}"))
        position += 1
    return found


def _this_line(code: str, position: int) -> str:
    return code[code.rfind("\n", 0, position) + 1:].split("\n", 1)[0]


def is_export(source: bytes) -> bool:
    """Returns True for source code, as bytes, that uses IPython without importing it, as exports do."""
    return b"get_ipython()" in source
