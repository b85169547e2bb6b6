"""Runs programs written for Python 2: detects them, translates their syntax, and keeps its meaning.

fissix translates syntax that Python 3 rejects, line for line (`source/python2_syntax.py`). Other
differences are not rewritten by name: modules of such a program get Python 2's built-in functions
(`builtin_functions.py`), and divisions and methods of dicts behave as in Python 2 (`meaning.py`).
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import glob
import os
from types import CodeType
from typing import Callable, Iterable

from tf1grad.programs import names, source as programs_source
from tf1grad.programs.period import folder, kept_code
from tf1grad.programs.process import messages, ownership
from tf1grad.programs.source import program_version, python2_marks, python2_syntax, python3_signs
from tf1grad.programs.source.scopes import nodes_of
from tf1grad.run import dropped_names
from tf1grad.run.dropped_names.rewritten_expressions import Code
from tf1grad.run.python2 import (
    builtin_functions,
    meaning,
    own_modules,
    print_statements,
    text_or_bytes,
)

TOLD = (
    "{} is Python 2 ({}): translated in memory, with Python 2's division of whole numbers, map and dicts. --python 3 "
    "reads it as Python 3."
)


class Compiler:
    """Compiles modules, also those for Python 2; `plain` compiles those for Python 3.

    `version` is 2 or 3 for all modules; None to decide it for the program
    (`source/program_version.py`).
    """

    def __init__(self, plain: Callable[[Code, str], CodeType], version: int | None = None) -> None:
        self.plain, self._version = plain, version
        self._is_decided = False  # by the program, and not by an option
        self._codes: dict[str, CodeType] = {}

    def main(self, source: str | bytes, filename: str) -> CodeType:
        """Compiles the main program; if it is Python 2, so are the modules that it imports."""
        tree, mark = self._read(source, filename)
        code = self._code(tree, mark, source, filename)
        if mark is None:
            return code
        self._say_of_file(f"{filename} with its own modules", mark)
        self._is_decided = self._is_decided or self._version is None
        self._version = 2
        own_modules.keep_standard_library(os.path.dirname(os.path.abspath(filename)))
        return self._framed(code, filename)

    def __call__(
        self,
        source: str | bytes,
        filename: str,
        change: Callable[[ast.Module], object] | None = None,
    ) -> CodeType:
        """Compiles a module; a SyntaxError if it is neither Python 3 nor Python 2,
        or if fissix is missing.

        `change` changes the tree of a module that is Python 2, before it gets the meaning of Python
        2.
        """
        tree, mark = self._read(source, filename)
        if tree is not None and mark is not None and change is not None:
            change(tree)
        return self._told(mark, self._code(tree, mark, source, filename), filename)

    def of_file(self, filename: str, read: Callable[[str], bytes]) -> CodeType:
        """Compiles the module in a file, whose content `read` returns;
        that of a brought package is kept.
        """
        place = folder.part_of(filename)
        if place is None:
            return self(read(filename), filename)
        entry = self._entry(place, filename)
        mark, code = entry.read() or self._kept(entry, read(filename), filename)
        ownership.remember_file(filename)
        return self._told(mark, code, filename)

    def _entry(self, place: str, filename: str) -> kept_code.Entry:
        rewriter = self.plain.__module__.rpartition(".")[2]
        name = f"{os.path.relpath(filename, place)}.{rewriter}.{self._version or 'undecided'}."
        return kept_code.entry(place, name, filename, _rewriting())

    def _kept(
        self, entry: kept_code.Entry, source: bytes, filename: str
    ) -> tuple[str | None, CodeType]:
        """Returns the mark of Python 2, or None, and the code;
        keeps both where they will be the same.
        """
        tree, mark = self._read(source, filename)
        is_lasting = tree is None or not _asks_path(tree, mark, filename)
        found = mark, self._code(tree, mark, source, filename)
        if is_lasting:
            entry.keep(found)
        return found

    def _code(
        self, tree: ast.Module | None, mark: str | None, source: str | bytes, filename: str
    ) -> CodeType:
        """Returns the code of a module that was read;
        with a mark, `_framed` has to give it its functions.
        """
        if tree is None or mark is None:
            return self._plainly(source, tree, filename)
        return self.plain(meaning.give_meaning(tree, filename), filename)

    def _told(self, mark: str | None, code: CodeType, filename: str) -> CodeType:
        if mark is None:
            return code
        self._say_of_file(filename, mark)
        return self._framed(code, filename)

    def _say_of_file(self, file: str, mark: str) -> None:
        if self._version is None:
            messages.say(TOLD.format(file, mark))

    def _plainly(self, source: str | bytes, tree: ast.Module | None, filename: str) -> CodeType:
        """Compiles a module of Python 3; of `tree` if it has names that are keywords now."""
        try:
            return self.plain(source, filename)
        except SyntaxError:
            if tree is None:
                # Its error names the line and the remedy.
                python2_syntax.decode_module(source, filename)
                raise
            return self.plain(tree, filename)

    def reads_as_python_2(self, source: bytes, filename: str) -> bool:
        """Says whether a module, given as `source` and `filename`, is compiled as Python 2."""
        tree, mark = self._read(source, filename)
        return tree is not None and mark is not None

    def begin_cells(self, texts: Iterable[str], title: str, known: str | None) -> None:
        """Decides whether the cells of a notebook are Python 2:
        one of them shows it, or it is `known`.
        """
        if self._version is not None:
            return
        for text in texts:
            tree, mark = self._read(text, "<cell>")
            known = known or (mark if tree is not None else None)
        if known is not None:
            self._say_of_cells(title, known)

    def cell(self, text: str) -> str:
        """Returns the text of a notebook cell; a cell that only Python 2 reads is translated."""
        with contextlib.suppress(SyntaxError):
            python2_syntax.parse_python3(text, "<cell>")
            return text
        translation = None if self._version == 3 else python2_syntax.translate_text(text)
        if translation is None:
            return text
        self._say_of_cells("the notebook, from here on,", "a cell is")
        return translation

    def cell_meaning(self, tree: ast.Module, namespace: dict[str, object]) -> ast.Module:
        """Rewrites the tree of a cell to its meaning in Python 2,
        where it or an earlier cell is Python 2.

        The notebook's `namespace` gets the functions of Python 2.
        """
        mark = python2_marks.find_python2_mark(tree) if self._version is None else None
        if mark is not None:
            self._say_of_cells("the notebook, from here on,", mark)
        if self._version != 2:
            return tree
        setattr(builtins, meaning.HELPER, self)
        if not isinstance(namespace.get("__builtins__"), dict):
            self._with_functions(namespace)
        return meaning.give_meaning(tree, "", namespace)

    def _say_of_cells(self, cells: str, mark: str) -> None:
        if self._version is None:
            messages.say(TOLD.format(cells, mark))
        self._version = 2

    def _read(self, source: str | bytes, filename: str) -> tuple[ast.Module | None, str | None]:
        """Returns the tree of a module and the mark of Python 2;
        None without a mark or a translation.
        """
        if self._version == 3:
            return None, None
        try:
            tree = python2_syntax.parse_with_old_names(source, filename)
            mark = self._mark(tree, filename)
            if mark is not None:
                print_statements.read(tree)
            return tree, mark
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            return python2_syntax.parse_python2(
                source, filename
            ), f"line {line}: {getattr(error, 'msg', error)}"

    def _mark(self, tree: ast.Module, filename: str) -> str | None:
        """Returns why a module that Python 3 can parse is Python 2, or None."""
        is_file = os.path.isfile(filename)
        if self._version == 2:
            may_be_3 = self._is_decided or ownership.package_of(filename) is not None
            is_3 = is_file and may_be_3 and program_version.is_only_3(filename)
            return None if is_3 else "--python 2"
        return (
            program_version.mark_of_file(filename)
            if is_file
            else python2_marks.find_python2_mark(tree)
        )

    def _framed(self, code: CodeType, filename: str) -> CodeType:
        """Compiles a module that executes `code` with the built-in functions of Python 2."""
        self._codes[filename] = code
        setattr(builtins, meaning.HELPER, self)
        ownership.remember_file(filename, is_python_2=True)
        return compile(
            f"{meaning.HELPER}.execute({filename!r}, globals())",
            __file__,
            "exec",
            dont_inherit=True,
        )

    def execute(self, filename: str, namespace: dict[str, object]) -> None:
        """Executes the module of `filename` in its `namespace`."""
        exec(self._codes[filename], self._with_functions(namespace))

    def _with_functions(self, namespace: dict[str, object]) -> dict[str, object]:
        namespace["__builtins__"] = {**vars(builtins), **builtin_functions.FUNCTIONS}
        return namespace

    as_text = staticmethod(text_or_bytes.as_text)
    as_text_within = staticmethod(text_or_bytes.as_text_within)
    compared = staticmethod(meaning.compared)
    divided = staticmethod(meaning.divided)
    Place = meaning.Place
    slice = slice
    divided_in_place = staticmethod(meaning.divided_in_place)
    method = staticmethod(meaning.method)


@functools.lru_cache(maxsize=None)
def _rewriting() -> int:
    """Returns the checksum of the rooms that read and rewrite modules:
    another one compiles kept code again.
    """
    rooms = [next(iter(room.__path__)) for room in (names, programs_source, dropped_names)]
    rooms.append(os.path.dirname(__file__))
    return kept_code.checksum(
        file
        for room in rooms
        for file in sorted(glob.glob(os.path.join(glob.escape(room), "*.py")))
    )


def _asks_path(tree: ast.Module, mark: str | None, filename: str) -> bool:
    """Says whether modules elsewhere on the path may decide how a module of a
    package is read, or rewritten.

    They may where it names a module of Python 2, or one beside it. A `try` decides nothing in a
    module without a mark.
    """
    beside = program_version.ModulesIn(os.path.dirname(os.path.abspath(filename)))
    known = (
        python2_marks.MODULES if mark is None else own_modules.NAMES.union(python2_marks.MODULES)
    )
    guarded = python3_signs.ids_within(tree, ast.Try) if mark is None else set()
    imported = {
        name
        for node in nodes_of(tree)
        if id(node) not in guarded
        for name in python3_signs.find_imported(node)
    }
    return any(name in known or name.split(".")[0] in beside for name in imported)
