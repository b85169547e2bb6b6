"""Notebooks as Python: the code cells of an `.ipynb` as one text, and a changed text back in its cells.

In the text a comment stands before each cell, and what only IPython understands (`%matplotlib inline`, `!pip install`,
`tf.nn?`) is a `pass` with a comment. Outputs, other cells and the layout of the file stay as they are.
"""

import json
import re
from typing import List, Optional, Sequence, Tuple, Union

SUFFIX = ".ipynb"
# What these magics of lines and cells are given is Python, and is executed.
EXECUTED = ("time", "timeit", "prun", "capture", "memit", "mprun", "lprun")
CELL = "# --- cell %d"
_CELL = re.compile(r"^# --- cell (\d+)$", re.M)
_MAGIC = "pass  # IPython: "
_KEPT = re.compile(rf"^([ \t]*){re.escape(_MAGIC)}(.*)$", re.M)
_IS_MAGIC = re.compile(r"[ \t]*([%!?]|[\w.*]+\?{1,2}[ \t]*$|[\w., ]+=[ \t]*(!|%(?![ \t])))")
_PYTHON_CELLS = re.compile(rf"%%({'|'.join(EXECUTED)})\b")


class Notebook:
    """The file behind a text.

    Args:
        data: the text of the file.

    Raises:
        ValueError: it is no notebook.
    """

    def __init__(self, data: str) -> None:
        self._data = data
        self._content = json.loads(data)
        if not isinstance(self._content, dict) or not isinstance(self._content.get("cells"), list):
            raise ValueError("it is no notebook of version 4")
        self._cells = [cell for cell in self._content["cells"] if cell.get("cell_type") == "code"]

    def text(self) -> str:
        """The code as Python."""
        lines: List[str] = []
        for number, cell in enumerate(self._cells, 1):
            lines += [CELL % number] + _as_python("".join(cell["source"]))
        return "\n".join(lines) + "\n"

    def written(self, text: str) -> str:
        """The text of the file with the code of `text` in its cells."""
        parts = _CELL.split(text)
        if [int(number) for number in parts[1::2]] != list(range(1, len(self._cells) + 1)):
            raise ValueError("the cells cannot be told apart any more")
        if parts[0].strip():  # lines that were added before everything belong to the first cell
            parts[2] = "\n" + parts[0].rstrip("\n") + parts[2]
        old = [cell["source"] for cell in self._cells]
        try:
            for cell, code in zip(self._cells, parts[2::2]):
                source = _KEPT.sub(r"\1\2", code[1:-1] if code.endswith("\n") else code[1:])
                cell["source"] = source.splitlines(True) if isinstance(cell["source"], list) else source
            return self._dumped()
        finally:
            for cell, source in zip(self._cells, old):
                cell["source"] = source

    def _dumped(self) -> str:
        indent: Union[None, int, str] = None
        match = re.match(r"\s*\{\r?\n([ \t]+)", self._data)
        if match:
            indent = match.group(1) if "\t" in match.group(1) else len(match.group(1))
        end = self._data[len(self._data.rstrip()):]
        escaped = "\\u" in self._data and all(ord(letter) < 128 for letter in self._data)
        return json.dumps(self._content, indent=indent, ensure_ascii=escaped) + end


def cell_and_line(lines: Sequence[str], line: int) -> Tuple[int, int]:
    """The number of the cell, and the line in it, of a line of the text; both count from 1."""
    for before in range(min(line, len(lines)) - 1, -1, -1):
        match = _CELL.match(lines[before])
        if match:
            return int(match.group(1)), line - before - 1
    return 1, line


def _as_python(source: str) -> List[str]:
    lines = []
    first: Optional[str] = None  # the indentation of the magic that goes on in the next line
    whole = source.startswith("%%") and not _PYTHON_CELLS.match(source)
    for line in source.split("\n"):
        indentation = "" if whole else line[:len(line) - len(line.lstrip(" \t"))] if first is None else first
        if first is not None or _IS_MAGIC.match(line) or whole and line:
            lines.append(indentation + _MAGIC + (line[len(indentation):] if line.startswith(indentation) else line))
            first = indentation if line.endswith("\\") and not whole else None
        else:
            lines.append(line)
    return lines
