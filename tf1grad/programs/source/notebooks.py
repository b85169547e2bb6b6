"""Reads the code cells of an `.ipynb` as one Python text,
and writes a changed text back into its cells.

In the text a comment precedes each cell, and IPython syntax (`%matplotlib inline`, `!pip install`,
`tf.nn?`) becomes a `pass` with a comment. Outputs, other cells and the layout of the file are kept.
"""

from __future__ import annotations

import json
import re
from typing import Any, Sequence

SUFFIX = ".ipynb"
_WRITE_VERSION_4 = "If it is an older notebook: jupyter nbconvert --to notebook --inplace FILE"
# The arguments of these line and cell magics are Python code, which is executed.
EXECUTED = ("time", "timeit", "prun", "capture", "memit", "mprun", "lprun")
CELL = "# --- cell %d"
_PYTHON_3 = {"display_name": "Python 3", "language": "python", "name": "python3"}
_CELL = re.compile(r"^# --- cell (\d+)$", re.M)
_MAGIC = "pass  # IPython: "
_KEPT = re.compile(rf"^([ \t]*){re.escape(_MAGIC)}(.*)$", re.M)
# Requests for help, such as `tf.*conv*?`, and commands, of which `opt.n = !nproc` keeps what they
# print.
HELP = re.compile(r"[ \t]*(?:\?+[ \t]*[\w.*%]+\?{0,2}|%{0,2}[\w.*]+\?{1,2})[ \t]*$")
COMMAND = re.compile(r"[ \t]*(?:([\w., ]+?)[ \t]*=[ \t]*(?=!|%(?![ \t])))?([!%])[ \t]*(.*)$")
# A command's quotes and brackets are its own; other code is read by strings, comments, brackets and
# ends of lines.
_COMMAND_LINE = re.compile(r"[ \t]*[!%](?:\\\n|[^\n])*")
_PIECE = re.compile(
    r"""(\"{3}|'{3})(?:\\.|[^\\])*?(?:\1|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|#[^\n]*|\\.|"""
    r"""[^"'#\\()\[\]{}\n]+|.""",
    re.S,
)
_PYTHON_CELLS = re.compile(rf"%%({'|'.join(EXECUTED)})\b")


class Notebook:
    """A notebook file of version 4. `cells` has the code;
    `python_2_mark` is a reason to take it for Python 2, or None.

    `may_raise` has the numbers of the cells, from 1, in which Jupyter expects an error, by the tag
    raises-exception. A ValueError says why a text is no such notebook of Python.
    """

    def __init__(self, data: str) -> None:
        self._data = data
        content = _loaded(data)
        try:
            self.cells = ["".join(cell["source"]) for cell in _code_cells(content)]
            self.may_raise = {
                number
                for number, cell in enumerate(_code_cells(content), 1)
                if "raises-exception" in cell.get("metadata", {}).get("tags", ())
            }
            metadata = content.get("metadata", {})
            information, kernel = metadata.get("language_info", {}), metadata.get("kernelspec", {})
            language = str(information.get("name") or kernel.get("language") or "python")
            version = str(information.get("version", ""))
            self.left_out: set[int] = set()  # the numbers of cells that are not Python
        except (AttributeError, KeyError, TypeError):
            raise ValueError(f"it has no cells of version 4. {_WRITE_VERSION_4}") from None
        if "python" not in language.lower():
            raise ValueError(f"it is not a Python notebook: its language is {language}")
        is_python_2 = version.startswith("2") or kernel.get("name") == "python2"
        self.python_2_mark = "its kernel is Python 2" if is_python_2 else None

    def python_cells(self) -> list[str]:
        """Returns the code of each cell as Python."""
        return ["\n".join(as_python(code)) for code in self.cells]

    def text(self) -> str:
        """Returns the code as Python."""
        lines: list[str] = []
        for number, code in enumerate(self.cells, 1):
            is_read = number not in self.left_out
            lines += [CELL % number, *(as_python(code) if is_read else _left_out(code))]
        return "\n".join(lines) + "\n"

    def written(self, text: str) -> str:
        """Returns the text of the file with the code of `text` in its cells."""
        parts = _CELL.split(text)
        if [int(number) for number in parts[1::2]] != list(range(1, len(self.cells) + 1)):
            raise ValueError("the boundaries of the cells are lost")
        if parts[0].strip():  # lines that were added before everything belong to the first cell
            parts[2] = "\n" + parts[0].rstrip("\n") + parts[2]
        content = json.loads(self._data)
        for cell, code in zip(_code_cells(content), parts[2::2]):
            source = _KEPT.sub(r"\1\2", code[1:-1] if code.endswith("\n") else code[1:])
            cell["source"] = source.splitlines(True) if isinstance(cell["source"], list) else source
        if self.python_2_mark:  # the text is Python 3
            content["metadata"]["kernelspec"] = dict(_PYTHON_3)
            content["metadata"].pop("language_info", None)  # the kernel writes its own
        indentation = re.match(r"\s*\{\r?\n([ \t]+)", self._data)
        end = self._data[len(self._data.rstrip()) :]
        return (
            json.dumps(content, indent=indentation and indentation.group(1), ensure_ascii=False)
            + end
        )


def _loaded(data: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise ValueError(f"it is not JSON ({error}). Save it again, or copy it again") from None


def _code_cells(content: Any) -> list[dict[str, Any]]:
    return [cell for cell in content["cells"] if cell["cell_type"] == "code"]


def cell_and_line(lines: Sequence[str], line: int) -> tuple[int, int]:
    """Returns the number of the cell, and the line in it,
    for a line of the text; both count from 1.
    """
    for before in range(min(line, len(lines)) - 1, -1, -1):
        match = _CELL.match(lines[before])
        if match:
            return int(match.group(1)), line - before - 1
    return 1, line


def beginnings(code: str) -> set[int]:
    """Returns the lines, from 0, at which a statement may begin:
    outside strings, brackets and continued lines.
    """
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


def _left_out(source: str) -> list[str]:
    """Returns the lines of a cell that is not Python."""
    return [_MAGIC + line if line else "" for line in source.split("\n")]


def as_python(source: str) -> list[str]:
    """Returns the lines of a cell as Python."""
    lines = source.split("\n")
    if source.startswith("%%") and not _PYTHON_CELLS.match(source):
        return _left_out(source)
    first_lines = beginnings(source)
    indentation, continues = "", False
    for number, line in enumerate(lines):
        is_magic = number in first_lines and (HELP.match(line) or COMMAND.match(line))
        if is_magic and not continues:
            indentation = line[: len(line) - len(line.lstrip(" \t"))]
        if is_magic or continues:
            continues = line.endswith("\\")
            rest = line[len(indentation) :] if line.startswith(indentation) else line
            lines[number] = indentation + _MAGIC + rest
    return lines
