"""Reads the code cells of an `.ipynb` as one Python text, and writes a changed text back into its cells.

In the text a comment precedes each cell, and IPython syntax (`%matplotlib inline`, `!pip install`, `tf.nn?`)
becomes a `pass` with a comment. Outputs, other cells and the layout of the file are kept.
"""

import json
import re
from typing import List, Optional, Sequence, Set, Tuple, Union

SUFFIX = ".ipynb"
# The arguments of these line and cell magics are Python code, which is executed.
EXECUTED = ("time", "timeit", "prun", "capture", "memit", "mprun", "lprun")
CELL = "# --- cell %d"
_CELL = re.compile(r"^# --- cell (\d+)$", re.M)
_MAGIC = "pass  # IPython: "
_KEPT = re.compile(rf"^([ \t]*){re.escape(_MAGIC)}(.*)$", re.M)
# Requests for help, such as `tf.*conv*?`, and commands, of which `opt.n = !nproc` keeps what they print.
HELP = re.compile(r"[ \t]*(?:\?+[ \t]*[\w.*%]+\?{0,2}|%{0,2}[\w.*]+\?{1,2})[ \t]*$")
COMMAND = re.compile(r"[ \t]*(?:([\w., ]+?)[ \t]*=[ \t]*(?=!|%(?![ \t])))?([!%])[ \t]*(.*)$")
# A command's quotes and brackets are its own; other code is read by strings, comments, brackets and ends of lines.
_COMMAND_LINE = re.compile(r"[ \t]*[!%](?:\\\n|[^\n])*")
_PIECE = re.compile(
    r"""(\"{3}|'{3})(?:\\.|[^\\])*?(?:\1|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|#[^\n]*|\\.|"""
    r"""[^"'#\\()\[\]{}\n]+|.""",
    re.S,
)
_PYTHON_CELLS = re.compile(rf"%%({'|'.join(EXECUTED)})\b")


class Notebook:
    """A notebook file of version 2, 3 or 4; changes are written in the version that was read. `cells` has the code."""

    def __init__(self, data: str) -> None:
        self._data = data
        self._content = json.loads(data)
        try:
            sheets = self._content.get("worksheets") or [self._content]  # before version 4
            cells = [
                cell for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code"
            ]
            self._cells = [(cell, "source" if "source" in cell else "input") for cell in cells]
            self.cells = ["".join(cell[key]) for cell, key in self._cells]
            metadata = self._content.get("metadata", {})
            version = str(metadata.get("language_info", {}).get("version", ""))
            self.is_python_2 = (
                version.startswith("2") or metadata.get("kernelspec", {}).get("name") == "python2"
            )
        except (AttributeError, KeyError, TypeError):
            raise ValueError("it has no cells") from None

    def text(self) -> str:
        """Returns the code as Python."""
        lines: List[str] = []
        for number, code in enumerate(self.cells, 1):
            lines += [CELL % number] + _as_python(code)
        return "\n".join(lines) + "\n"

    def written(self, text: str) -> str:
        """Returns the text of the file with the code of `text` in its cells."""
        parts = _CELL.split(text)
        if [int(number) for number in parts[1::2]] != list(range(1, len(self._cells) + 1)):
            raise ValueError("the boundaries of the cells are lost")
        if parts[0].strip():  # lines that were added before everything belong to the first cell
            parts[2] = "\n" + parts[0].rstrip("\n") + parts[2]
        old = [cell[key] for cell, key in self._cells]
        try:
            for (cell, key), code in zip(self._cells, parts[2::2]):
                source = _KEPT.sub(r"\1\2", code[1:-1] if code.endswith("\n") else code[1:])
                cell[key] = source.splitlines(True) if isinstance(cell[key], list) else source
            return self._dumped()
        finally:
            for (cell, key), source in zip(self._cells, old):
                cell[key] = source

    def _dumped(self) -> str:
        indent: Union[None, int, str] = None
        match = re.match(r"\s*\{\r?\n([ \t]+)", self._data)
        if match:
            indent = match.group(1) if "\t" in match.group(1) else len(match.group(1))
        end = self._data[len(self._data.rstrip()) :]
        escaped = "\\u" in self._data and all(ord(letter) < 128 for letter in self._data)
        return json.dumps(self._content, indent=indent, ensure_ascii=escaped) + end


def cell_and_line(lines: Sequence[str], line: int) -> Tuple[int, int]:
    """Returns the number of the cell, and the line in it, for a line of the text; both count from 1."""
    for before in range(min(line, len(lines)) - 1, -1, -1):
        match = _CELL.match(lines[before])
        if match:
            return int(match.group(1)), line - before - 1
    return 1, line


def beginnings(code: str) -> Set[int]:
    """Returns the lines, from 0, at which a statement may begin: outside strings, brackets and continued lines."""
    found = {0}
    line, depth, position = 0, 0, 0
    while position < len(code):
        is_first = line in found and code[position - 1 : position] in ("", "\n")
        match = is_first and _COMMAND_LINE.match(code, position) or _PIECE.match(code, position)
        piece = match.group() if match else ""
        depth = max(0, depth + (piece in ("(", "[", "{")) - (piece in (")", "]", "}")))
        position, line = position + len(piece), line + piece.count("\n")
        if piece == "\n" and depth == 0:
            found.add(line)
    return found


def _as_python(source: str) -> List[str]:
    lines = []
    first: Optional[str] = None  # the indentation of a magic that continues on the next line
    whole = source.startswith("%%") and not _PYTHON_CELLS.match(source)
    first_lines = beginnings(source)
    for number, line in enumerate(source.split("\n")):
        indentation = "" if first is None else first
        if first is None and not whole:
            indentation = line[: len(line) - len(line.lstrip(" \t"))]
        is_magic = number in first_lines and (HELP.match(line) or COMMAND.match(line))
        if first is not None or is_magic or whole and line:
            lines.append(
                indentation
                + _MAGIC
                + (line[len(indentation) :] if line.startswith(indentation) else line)
            )
            first = indentation if line.endswith("\\") and not whole else None
        else:
            lines.append(line)
    return lines
