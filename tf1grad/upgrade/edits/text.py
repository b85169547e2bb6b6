"""Edits a file's text by spans of characters; the rest of the text stays unchanged.

It takes the ends of expressions from the tree, which Python 3.7 does not tell.
"""

from __future__ import annotations

import ast
import bisect
import collections
import io
import re
import tokenize
from typing import Any, Container, Iterable, Iterator, List, NamedTuple, Sequence, Tuple, Union

from tf1grad.programs.source.lazy import lazy
from tf1grad.programs.source.name_resolution import ImportStatement
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import index_of

# First and last position, in characters from the beginning of the text.
Span = Tuple[int, int]
Piece = Union[str, Span]
# Text, a span, or several spans that are written as one list.
Value = Union[Piece, List[Span]]
Node = Union[ast.expr, ast.stmt]


class Token(NamedTuple):
    """A token of the text, and its span."""

    string: str
    start: int
    end: int


class Argument(NamedTuple):
    """An argument of a call: its keyword or None, its whole span, and that of its value."""

    keyword: str | None
    span: Span
    value: Span


class TextChange(NamedTuple):
    """A span, and the `pieces` that replace it:
    strings, and spans of the old text with their own changes made.
    """

    start: int
    end: int
    pieces: Sequence[Piece]


LINE_END = re.compile("\r\n|\r|\n")
_SKIPPED = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)


class Text:
    """The text of a `Program`, to be changed. Anything that is not found at its place in
    the tree stays unchanged.
    """

    def __init__(self, program: Program) -> None:
        self._source = program.source
        self._statements: list[Any] = [node for node, _ in program.nodes(ast.stmt)]
        self.text = program.source.text
        self._comments: list[tuple[int, str]] = []
        self._starts = [0] + [match.end() for match in LINE_END.finditer(self.text)]
        self._tokens = list(self._tokenized())
        self._at = {token.start: index for index, token in enumerate(self._tokens)}
        self._ending = {
            token.end: index for index, token in enumerate(self._tokens) if token.string
        }
        self._changes: list[TextChange] = []
        self._commented: set[tuple[int, str]] = set()

    def _tokenized(self) -> Iterator[Token]:
        read = io.StringIO(self.text, newline=None).readline
        for kind, string, (first, start), (last, end), _ in tokenize.generate_tokens(read):
            if kind == tokenize.COMMENT:
                self._comments.append((self._offset(first, start), string))
            if kind not in _SKIPPED:
                yield Token(string, self._offset(first, start), self._offset(last, end))

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column if line <= len(self._starts) else len(self.text)

    def _span(self, node: Any) -> Span:
        return self._position(node.lineno, node.col_offset), self._position(
            node.end_lineno, node.end_col_offset
        )

    def _position(self, line: int, column: int) -> int:
        """Returns the position of a column that counts bytes."""
        return self._offset(line, self._source.column(line, column))

    def _tokens_of(self, node: Node) -> tuple[int, int] | None:
        """Returns the indices of the first and last token of a node;
        None for one inside an f-string.
        """
        start, end = self._span(node)
        return (
            (self._at[start], self._ending[end])
            if start in self._at and end in self._ending
            else None
        )

    def changed(self) -> str:
        """Returns the new text."""
        changes = sorted(self._changes, key=_place)
        return _Rendering(self.text, changes).rendered(0, len(self.text))

    def _change(self, span: Span, *pieces: Piece) -> None:
        self._changes.append(TextChange(*span, pieces))

    def replace(self, node: ast.expr, new: str) -> None:
        """Replaces an expression by other text."""
        if self._tokens_of(node):
            self._change(self._span(node), new)

    def rewrite(self, node: Node, template: str, part: str = "whole") -> None:
        """Replaces a part of a node by a text such as "f({left}, {right})",
        in which the parts keep their own changes.

        A call has the parts `owner` and `method`, `inside` of its parentheses, and `0`, `1` ... for
        its arguments; an operation or an assignment `left`, `operator` and `right`, and of an item
        `owner` and `index`; `frame[column][rows]` these three.
        """
        parts = self._parts(node)
        if part in parts:
            pieces: list[Piece] = [*re.split(r"\{(\w+)\}", template)]
            pieces[1::2] = [parts[str(name)] for name in pieces[1::2]]
            self._change(parts[part], *pieces)

    def _parts(self, node: Node) -> dict[str, Span]:
        """Returns the spans of the parts of a node by their names;
        none if they cannot be located.
        """
        if self._tokens_of(node) is None:
            return {}
        start, end = self._span(node)
        parts = {"whole": (start, end)}
        around = self._parentheses(node) if isinstance(node, ast.Call) else None
        if around and isinstance(node, ast.Call):
            name = self._tokens[around[0] - 1]
            parts.update(
                owner=(start, self._tokens[around[0] - 3].end),
                method=(name.start, name.end),
                inside=(self._tokens[around[0]].end, end - 1),
            )
            parts.update(
                (str(index), each.value) for index, each in enumerate(self.arguments(node) or ())
            )
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
            parts.update(
                frame=self._span(node.value.value),
                column=self._span(index_of(node.value)),
                rows=self._span(index_of(node)),
            )
        elif isinstance(node, (ast.BinOp, ast.AugAssign, ast.Assign)):
            index = self._operator(node)
            left, operator, right = self._tokens[index - 1 : index + 2]
            parts.update(
                left=(start, left.end),
                operator=(operator.start, operator.end),
                right=(right.start, end),
            )
            target = getattr(node, "target", None)
            if isinstance(target, ast.Subscript):
                around, item = self._span(index_of(target)), self._span(target.value)
                parts.update(owner=(start, item[1]), index=around)
        return parts

    def arguments(self, call: ast.Call) -> list[Argument] | None:
        """Returns the `Argument`s of a call as they are written; None if they cannot be located."""
        around = self._parentheses(call)
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        ends = sorted(self._span(value)[1] for value in values)
        if around is None:
            return None
        first, closing = around[0] + 1, around[1]
        found: list[Argument] = []
        for end in ends:
            index = self._ending[end]
            while index < closing and self._tokens[index].string != ",":
                index += 1
            found.append(self._argument(first, self._tokens[index - 1].end))
            first = index + 1
        return found

    def _argument(self, first: int, end: int) -> Argument:
        name, following, value = self._tokens[first : first + 3]
        if following.string == "=":
            return Argument(name.string, (name.start, end), (value.start, end))
        return Argument(None, (name.start, end), (name.start, end))

    def rearrange(self, call: ast.Call, new: Sequence[tuple[str | None, Value]]) -> None:
        """Replaces the arguments of a call by at most as many others,
        each (keyword or None, value).
        """
        slots = [argument.span for argument in self.arguments(call) or ()]
        if not slots:
            return
        pieces: list[Piece] = []
        start, end = self._parts(call)["inside"]
        position = start
        for slot, (keyword, value) in zip(slots, new):
            pieces += [self.text[position : slot[0]], keyword + "=" if keyword else ""] + _written(
                value
            )
            position = slot[1]
        rest = slots[-1][1] if len(new) < len(slots) else position
        self._change((start, end), *pieces, self.text[rest:end])

    def rename_keyword(self, call: ast.Call, old: str, new: str) -> None:
        """Renames the keyword of an argument."""
        for argument in self.arguments(call) or ():
            if argument.keyword == old:
                self._change((argument.span[0], argument.span[0] + len(old)), new)

    def add_argument(self, call: ast.Call, written: str) -> None:
        """Adds an argument at the end of a call that has at least one."""
        given = self.arguments(call)
        if given:
            self._change((given[-1].span[1], given[-1].span[1]), ", " + written)

    def drop_argument(self, call: ast.Call, keyword: str) -> None:
        """Removes an argument from a call."""
        given = self.arguments(call) or ()
        self.rearrange(
            call, [(each.keyword, each.value) for each in given if each.keyword != keyword]
        )

    def drop_parentheses(self, call: ast.Call) -> None:
        """Replaces `f((x))` by `f(x)`."""
        around = self._parentheses(call)
        if around is not None and self._span(call.args[0])[0] > self._tokens[around[0] + 1].start:
            for index in (around[0] + 1, around[1] - 1):
                self._change((self._tokens[index].start, self._tokens[index].end))

    def comment_above(self, line: int, comment: str) -> int | None:
        """Writes a comment above the innermost statement that contains a line,
        and begins one; returns that line.

        It returns None for a comment that it has written there already.
        """
        line = self._beginnings.get(line, line)
        start, text = self._starts[line - 1], self._source.lines[line - 1]
        # Two findings of one line have the same comment.
        if (start, comment) in self._commented:
            return None
        self._commented.add((start, comment))
        indentation = text[: len(text) - len(text.lstrip(" \t\f"))]
        self._change((start, start), indentation + comment + self._newline)
        return line

    @lazy
    def _beginnings(self) -> dict[int, int]:
        """The line on which the innermost statement around a line begins, for each line."""
        found: dict[int, int] = {}
        for node in self._statements:
            if not self._source.lines[node.lineno - 1][: node.col_offset].strip():
                first = first_line(node)
                for line in range(first, node.end_lineno + 1):
                    found[line] = max(first, found.get(line, first))
        return found

    @lazy
    def _newline(self) -> str:
        return newline_of(self.text)

    def _operator(self, node: ast.BinOp | ast.AugAssign | ast.Assign) -> int:
        """Returns the index of the operator before the right operand or value."""
        start, _ = self._span(node.right if isinstance(node, ast.BinOp) else node.value)
        index = self._at[start] - 1
        while self._tokens[index].string == "(":
            index -= 1
        return index

    def make_relative(self, node: ast.ImportFrom) -> None:
        """Replaces `from a import b` by `from .a import b`."""
        start = self._tokens[self._at[self._span(node)[0]] + 1].start
        self._change((start, start), ".")

    def rewrite_statement(self, node: ast.stmt, lines: list[str], is_needed: bool) -> None:
        """Replaces a simple statement by lines; by `pass` if there are none and the block
        needs one (`is_needed`).
        """
        start, end = self._span(node)
        following = self._tokens[self._ending[end] + 1]
        line = self._starts[node.lineno - 1]
        alone = not self.text[line:start].strip() and following.string != ";"
        # A block without a statement is no Python.
        if is_needed and alone and not lines:
            lines = ["pass  # its names are written where they are used"]
        comments = [comment for place, comment in self._comments if start < place < end]
        # Lines cannot take the place of one of several statements on a line: they are joined by
        # semicolons.
        if not alone:
            indentation = self.text[line : len(self.text) - len(self.text[line:].lstrip(" \t\f"))]
            above = [indentation + comment + self._newline for comment in comments]
            self._change((line, end), *above, (line, start), "; ".join(lines or ["pass"]))
        elif lines or comments:
            separator = self._newline + self.text[line:start]
            self._change((start, end), separator.join(comments + lines))
        else:
            # The whole line goes, but a comment behind the statement stays.
            after = [place for place, _ in self._comments if end <= place < following.start]
            self._change((start, after[0]) if after else (line, following.end))

    def _parentheses(self, call: ast.Call) -> tuple[int, int] | None:
        """Returns the indices of the tokens around the arguments of a call;
        None if they cannot be located.
        """
        function, whole = self._tokens_of(call.func), self._tokens_of(call)
        if function is None or whole is None or self._tokens[function[1] + 1].string != "(":
            return None
        return function[1] + 1, whole[1]


class _Rendering:
    """A text in which `changes` are made, sorted by `_place`."""

    def __init__(self, text: str, changes: Sequence[TextChange]) -> None:
        self._text, self._changes = text, changes
        self._starts = [change.start for change in changes]

    def rendered(self, start: int, end: int, around: tuple[TextChange, ...] = ()) -> str:
        """Returns the new text of a span; the changes `around` it contain the span,
        and are made already.
        """
        first, last = bisect.bisect_left(self._starts, start), bisect.bisect(self._starts, end)
        parts: list[str] = []
        position = start
        for change in self._changes[first:last]:
            # Of two changes that overlap, the first one is made: the other has lost its text.
            if change.end <= end and change.start >= position and change not in around:
                parts.append(self._text[position : change.start])
                parts += [
                    piece if isinstance(piece, str) else self.rendered(*piece, (*around, change))
                    for piece in change.pieces
                ]
                position = change.end
        return "".join(parts) + self._text[position:end]


def _place(change: TextChange) -> tuple[int, int, bool]:
    """Sorts changes: the outer ones before those inside,
    and text put around a span before a change of all of it.
    """
    return change.start, -change.end, (change.start, change.end) not in change.pieces


def _written(value: Value) -> list[Piece]:
    """Returns the pieces for a value: text or a span, or the list of several spans."""
    if not isinstance(value, list):
        return [value]
    pieces: list[Piece] = [piece for span in value for piece in (", ", span)]
    return ["["] + pieces[1:] + ["]"]


def with_alias(name: str, local: str | None) -> str:
    """Returns `name as local`, as an import writes it;
    the name alone if `local` is the same, or None.
    """
    return name if local in (None, name) else f"{name} as {local}"


def import_with(node: ImportStatement, aliases: Iterable[ast.alias]) -> str:
    """Returns the import statement `node` with these names alone."""
    start = "import " if isinstance(node, ast.Import) else f"from {node.module} import "
    return start + ", ".join(with_alias(alias.name, alias.asname) for alias in aliases)


def import_of(name: str, local: str) -> str:
    """Returns the line that imports a dotted name as `local`."""
    parent, _, last = name.rpartition(".")
    return (f"from {parent} " if parent else "") + "import " + with_alias(last, local)


def join_imports(lines: Iterable[str]) -> list[str]:
    """Merges the lines that import from one module into one line each."""
    merged: dict[str, str] = {}
    for line in lines:
        start, _, names = line.partition(" import ")
        key = start if line.startswith("from ") else line
        merged[key] = f"{merged[key]}, {names}" if key in merged and key != line else line
    return list(merged.values())


def first_line(statement: ast.stmt) -> int:
    """Returns the line on which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def newline_of(text: str) -> str:
    """Returns the line end that most lines of a text have."""
    ends = collections.Counter(LINE_END.findall(text))
    return ends.most_common(1)[0][0] if ends else "\n"


def is_block_emptied(program: Program, node: ast.stmt, removed: Container[ast.stmt]) -> bool:
    """Returns True for the first statement of a block that is left empty if all of `removed` go."""
    parent = program.parents[node]
    if isinstance(parent, ast.Module):
        return False
    block = next(
        block for _, block in ast.iter_fields(parent) if isinstance(block, list) and node in block
    )
    return block[0] is node and all(other in removed for other in block)
