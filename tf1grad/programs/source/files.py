"""Finds, decodes and parses Python files and notebooks; fissix translates those in Python 2."""

from __future__ import annotations

import ast
import codecs
import difflib
import fnmatch
import functools
import os
import pathlib
import re
import subprocess
from typing import Iterable, Iterator, Mapping, Sequence, TypeVar

from tf1grad.programs._errors import UsageError
from tf1grad.programs._suggestions import meant_file
from tf1grad.programs.source import python2_marks, python2_syntax
from tf1grad.programs.source.lazy import lazy
from tf1grad.programs.source.notebooks import (
    CELL,
    SUFFIX as NOTEBOOK,
    Notebook,
    as_python,
    cell_and_line,
)
from tf1grad.programs.source.scopes import statements_of

MOST_CHARACTERS = 4_000_000  # of the code in a file: 100,000 lines
SKIPPED_FOLDERS = ("__pycache__", "build", "node_modules", "site-packages")
SUFFIXES = (".py", ".pyw", NOTEBOOK)
# The import after which a Python 2 file divides as in Python 3; the translation by fissix leaves it
# out.
TRUE_DIVISION = re.compile(
    r"^[ \t]*from\s+__future__\s+import\s+(?:\([^)]*|(?:[^\n\\(#]|\\\r?\n)*)\bdivision\b", re.M
)
NEEDS_FISSIX = (
    "It is Python 2, which needs fissix to be read: tf1grad period install, or pip install fissix"
)


Content = TypeVar("Content")


class SourceError(Exception):
    """Raised for a file that cannot be read as Python;
    `line` is the place, 1 for the whole file.
    """

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class Source:
    """A Python file: its `original` text, and as Python 3 its `text`,
    `lines` as the parser counts them, and `tree`.

    Of a notebook `text` is the code; `unread` has an error for each cell that is not Python, which
    stays as it is. `python2` is the first error of Python 3, if the text had to be translated, or
    `mark` if that is given: what shows that a text which Python 3 can parse is Python 2. `keyword`
    is the error over a name that is a keyword now, if Python 3.6 read the text.
    """

    def __init__(
        self,
        path: str,
        text: str,
        encoding: str = "utf-8",
        notebook: Notebook | None = None,
        mark: SyntaxError | None = None,
    ) -> None:
        self.path = path
        self.encoding = encoding
        self.notebook = notebook
        self.unread: list[SyntaxError] = []
        self.original = self.text = self._code = text
        self.python2: SyntaxError | None = None
        self.divides_truly = TRUE_DIVISION.search(text) is not None
        self.keyword: SyntaxError | None = None
        tree = mark or _parsed(text)
        if isinstance(tree, SyntaxError) and mark is None:
            renamed = python2_syntax.replace_keywords(text, python2_syntax.RENAMED)
            parsed = _parsed(renamed) if renamed != text else tree
            if isinstance(parsed, ast.Module):
                self.text, self.keyword, tree = renamed, tree, parsed
        if isinstance(tree, SyntaxError):
            self.python2 = tree
            self.text, tree = _from_python2(path, text, tree)
        self.tree = tree
        self.lines = re.split("\r\n?|\n", self.text)
        self._imported: list[tuple[str, int]] | None = None

    @property
    def imported(self) -> list[tuple[str, int]]:
        """Returns the dotted names that import statements may import,
        each with its level; they are read once.
        """
        if self._imported is None:
            self._imported = [
                name for node in statements_of(self.tree) for name in imported_by(node)
            ]
        return self._imported

    @lazy
    def python2_mark(self) -> str | None:
        """The first name that shows that the text is written for Python 2, or None."""
        is_possible = python2_marks.WORDS.search(self.text)  # reads a text faster than a tree
        return python2_marks.find_python2_mark(self.tree) if is_possible else None

    def as_python_2(self, mark: str) -> Source:
        """Returns the same file, translated from Python 2, for a reason such as "line 3: xrange".

        It is the file itself where fissix cannot translate it.
        """
        place = mark.partition(":")[0]
        line = 1 if "," in place else int(place.rpartition(" ")[2])  # 1 where another file shows it
        error = SyntaxError(mark, (self.path, line, 1, ""))
        try:
            source = Source(self.path, self.text, self.encoding, self.notebook, error)
        except SourceError:
            return self
        source.original, source.unread = self.original, self.unread
        return source

    def with_text(self, text: str) -> Source:
        """Returns the same file with another text; `original` stays."""
        source = Source(self.path, text, self.encoding, self.notebook)
        source.original = self.original
        return source

    def column(self, line: int, offset: int) -> int:
        """Returns the column in characters, from 0,
        of a place whose `offset` counts bytes, as in `ast`.
        """
        text = "".join(self.lines[line - 1 : line])
        columns = _columns(text)
        return columns[max(0, min(offset, len(columns) - 1))]

    def moved_lines(self, by_line: Mapping[int, Content]) -> dict[int, Content]:
        """Returns what belongs to lines of the stored file by the lines of `text`;
        nothing for a notebook.
        """
        if self.notebook is not None:
            return {}
        moved: dict[int, Content] = {}
        for _, start, end, _, new_end in _moves(self.original, self.lines):
            for line in by_line.keys() & range(start + 1, end + 1):
                moved[line + new_end - end] = by_line[line]
        return moved

    def place(self, line: int) -> tuple[int | None, int]:
        """Returns the cell of a notebook, or None, and the line there or in the file,
        for a line of `text`.
        """
        line = self._code_lines[line - 1] if line <= len(self._code_lines) else line
        if self.notebook is None:
            return None, line
        return cell_and_line(re.split("\r\n?|\n", self._code), line)

    def text_line(self, error: SyntaxError) -> int:
        """Returns the first line of `text` that stands for the line of an error in the
        code before its translation.
        """
        line = error.lineno or 1
        return next((new for new, old in enumerate(self._code_lines, 1) if old >= line), line)

    @lazy
    def _code_lines(self) -> Sequence[int]:
        """The lines of the code before its translation, for each line of `text`."""
        if self.python2 is None or self._code.count("\n") == self.text.count("\n"):
            return range(1, len(self.lines) + 1)
        found = [0] * len(self.lines)
        for _, start, end, new_start, new_end in _moves(self._code, self.lines):
            for line in range(new_start, new_end):
                found[line] = max(start, line + end - new_end) + 1
        return found

    def written(self, text: str) -> str:
        """Returns the content of the file for which its code is `text`."""
        if self.notebook is None:
            return text
        return self.original if text == self.notebook.text() else self.notebook.written(text)


def read(path: str) -> Source:
    """Returns the `Source` at `path`."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise SourceError("it is not a regular file, and is not read. Save the program in one")
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise SourceError(f"it cannot be read: {error.strerror}") from error
    is_notebook, encoding = path.endswith(NOTEBOOK), "utf-8"
    remedy = "Save the notebook as UTF-8" if is_notebook else python2_syntax.WRITE_ENCODING
    try:
        if not is_notebook:
            encoding = python2_syntax.encoding_of(data)
        elif data.startswith(codecs.BOM_UTF8):
            encoding = "utf-8-sig"
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        reason = f"it is not {encoding} (byte 0x{data[error.start]:02x}). {remedy}"
        line = data[: error.start].count(b"\n") + 1
        other = python2_syntax.reason_of_bytes(data)
        raise SourceError(*((other, 1) if other else (reason, line))) from error
    except (SyntaxError, LookupError, ValueError) as error:
        # `# coding: hex` names a codec, but not a text encoding.
        reason = f"it cannot be decoded: {getattr(error, 'msg', error)}. {remedy}"
        raise SourceError(python2_syntax.reason_of_bytes(data) or reason) from error
    return _source(path, text, encoding, is_notebook)


def _source(path: str, text: str, encoding: str, is_notebook: bool) -> Source:
    try:
        notebook = Notebook(text) if is_notebook else None
        code = notebook.text() if notebook else text
        if len(code) > MOST_CHARACTERS:
            raise SourceError(
                f"it has more than {MOST_CHARACTERS:,} characters of code, and is not read"
            )
        source = _of_notebook(path, notebook) if notebook else Source(path, code)
    except (RecursionError, MemoryError) as error:
        raise SourceError("it is nested too deeply to be parsed") from error
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(f"it cannot be read as a notebook: {error}") from error
    source.original, source.encoding = text, encoding
    return source


def _of_notebook(path: str, notebook: Notebook) -> Source:
    """Returns the code of a notebook without the cells that are not Python, such as prose."""
    try:
        return Source(path, notebook.text(), notebook=notebook)
    except SourceError as error:
        if str(error).startswith(NEEDS_FISSIX):
            raise
        errors = {number: _error_of(code) for number, code in enumerate(notebook.cells, 1)}
        unread = {number: each for number, each in errors.items() if each is not None}
        if not unread or all(
            each or not notebook.cells[n - 1].strip() for n, each in errors.items()
        ):
            raise
        notebook.left_out.update(unread)
    source = Source(path, notebook.text(), notebook=notebook)
    lines = notebook.text().split("\n")
    for number, each in unread.items():
        place = (path, lines.index(CELL % number) + 1 + each.line, 1, "")
        source.unread.append(SyntaxError(f"{each}, so this cell is not read", place))
    return source


def _error_of(code: str) -> SourceError | None:
    """Returns the error of a cell that neither Python reads, or None."""
    try:
        Source("", "\n".join(as_python(code)) + "\n")
    except SourceError as error:
        return error
    return None


def python_files(paths: Iterable[str], exclude: Sequence[str] = ()) -> list[str]:
    """Returns the Python files that `paths` name:
    files, and all Python files below folders, each once.

    Hidden folders, virtual environments, installed packages, built files and links inside a folder
    are skipped, and what git ignores there. So is what a pattern of `exclude` matches: its name, or
    its path below the folder.
    """
    found: dict[str, str] = {}
    for path in paths:
        if not os.path.exists(path):
            raise UsageError(f"{path}: no such file or folder.{meant_file(path)}")
        files = _unignored(path, list(_below(path, exclude))) if os.path.isdir(path) else [path]
        if not files:
            left_out = " but what --exclude leaves out" if exclude and any(_below(path, ())) else ""
            raise UsageError(f"{path}: no Python file in this folder{left_out}")
        for file in files:
            found.setdefault(os.path.realpath(file), file)
    return list(found.values())


def _below(folder: str, exclude: Sequence[str]) -> Iterator[str]:
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in SKIPPED_FOLDERS
            and not _is_excluded(os.path.join(path, name), folder, exclude)
            and not os.path.exists(os.path.join(path, name, "pyvenv.cfg"))
        )
        for name in sorted(names):
            file = os.path.join(path, name)
            is_hidden = name.startswith(".") or os.path.islink(file)
            if name.endswith(SUFFIXES) and not is_hidden:
                if not _is_excluded(file, folder, exclude):
                    yield file


def _is_excluded(path: str, folder: str, exclude: Sequence[str]) -> bool:
    below = os.path.relpath(path, folder).replace(os.sep, "/")
    names = (os.path.basename(path), below)
    return any(fnmatch.fnmatch(name, pattern.rstrip("/")) for pattern in exclude for name in names)


def _unignored(folder: str, paths: list[str]) -> list[str]:
    """Returns the paths that git does not ignore;
    all of them without git, and in a folder that is ignored itself.
    """
    relative = [os.curdir, *(os.path.relpath(path, folder) for path in paths)]
    try:
        git = subprocess.run(
            ["git", "-C", folder, "check-ignore", "-z", "--stdin"],
            input=b"\0".join(map(os.fsencode, relative)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return paths
    ignored = set(map(os.fsdecode, git.stdout.split(b"\0")))
    if os.curdir in ignored:  # who names such a folder means it
        return paths
    return [path for path, name in zip(paths, relative[1:]) if name not in ignored]


@functools.lru_cache(maxsize=1)
def _columns(line: str) -> Sequence[int]:
    """Returns the column in characters of each byte of a line, and of its end;
    mostly the next call asks again.
    """
    if line.isascii():
        return range(len(line) + 1)
    columns = [place for place, letter in enumerate(line) for _ in letter.encode("utf-8")]
    return [*columns, len(line)]


def _moves(text: str, lines: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Returns the blocks of lines of a text, and where they are in `lines`,
    as `difflib` describes them.
    """
    old = re.split("\r\n?|\n", text)
    return difflib.SequenceMatcher(None, old, lines, False).get_opcodes()


def imported_by(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Yields the dotted names that an import statement may import, each with its level."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, 0
    elif isinstance(node, ast.ImportFrom):
        if node.module:
            yield node.module, node.level
        for alias in node.names:
            yield ".".join(filter(None, [node.module, alias.name])), node.level


def _parsed(text: str) -> ast.Module | SyntaxError:
    """Returns the tree of `text`, or the SyntaxError."""
    try:
        return python2_syntax.parse_python3(text, "<unknown>")
    except SyntaxError as error:
        return error
    except ValueError as error:  # null bytes, before Python 3.12
        return SyntaxError(str(error))


def _from_python2(path: str, text: str, error: SyntaxError) -> tuple[str, ast.Module]:
    """Returns the translated text and its tree, for text that Python 3 refuses with `error`."""
    for translated in _translations(path, text, isinstance(_parsed(text), SyntaxError)):
        tree = _parsed(translated)
        if isinstance(tree, ast.Module):
            return translated, tree
    if not python2_syntax.has_fissix() and re.search(
        r"^\s*(print|exec|raise|except)\b", error.text or "", re.M
    ):
        raise SourceError(f"{NEEDS_FISSIX}. ({error.msg})", error.lineno or 1)
    raise SourceError(f"it is not valid Python: {error.msg}", error.lineno or 1)


def _translations(path: str, text: str, may_have_tabs: bool) -> Iterator[str]:
    """Yields what may be `text` as Python 3, with its newlines:
    Python 2 mixed tabs and spaces, or had other syntax.
    """
    if may_have_tabs:
        yield python2_syntax.expand_tabs(text)
    translated = python2_syntax.apply_fixers(re.sub("\r\n?", "\n", text), path)
    if translated is not None:
        translated = translated.replace("\n", "\r\n" if "\r\n" in text else "\n")
        yield from (translated, python2_syntax.expand_tabs(translated))
