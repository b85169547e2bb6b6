"""Edits a file's text by spans of characters; the rest of the text stays unchanged."""

import ast
import collections
import io
import itertools
import re
import tokenize
from typing import Any, Container, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.scopes import dotted

# First and last position, in characters from the beginning of the text.
Span = Tuple[int, int]
Piece = Union[str, Span]
# Text, a span, or several spans that are written as one list.
Value = Union[Piece, List[Span]]
Node = Union[ast.expr, ast.stmt]


class Token(NamedTuple):
    """A token of the text, and its span."""

    kind: int
    string: str
    start: int
    end: int


class Argument(NamedTuple):
    """An argument of a call: its keyword or None, its whole span, and that of its value."""

    keyword: Optional[str]
    span: Span
    value: Span


class Change(NamedTuple):
    """A span, and the `pieces` that replace it: strings, and spans of the old text with their own changes made."""

    start: int
    end: int
    pieces: Sequence[Piece]


LINE_END = re.compile("\r\n|\r|\n")
_SKIPPED = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_F_STRING_START, _F_STRING_TEXT, _F_STRING_END = (
    vars(tokenize).get(f"FSTRING_{part}") for part in ("START", "MIDDLE", "END"))  # since Python 3.12


class Text:
    """The text of a `Program`, to be changed. Anything that is not found at its place in the tree stays unchanged."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.text = program.source.text
        self._comments: List[Tuple[int, str]] = []
        self._starts = [0] + [match.end() for match in LINE_END.finditer(self.text)]
        self._tokens = list(self._tokenized())
        self._at = {token.start: index for index, token in enumerate(self._tokens)}
        self._changes: List[Change] = []

    def _tokenized(self) -> Iterator[Token]:
        lines = io.StringIO(LINE_END.sub("\n", self.text))
        for kind, string, (first, start), (last, end), _ in tokenize.generate_tokens(lines.readline):
            if kind == tokenize.COMMENT:
                self._comments.append((self._offset(first, start), string))
            if kind == _F_STRING_TEXT:
                string = ""  # a bracket or comma in it is neither
            if kind not in _SKIPPED:
                yield Token(kind, string, self._offset(first, start), self._offset(last, end))

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column if line <= len(self._starts) else len(self.text)

    def start(self, node: Node) -> int:
        """Returns the position at which a node begins."""
        return self._offset(node.lineno, self._program.column(node) - 1)

    def changed(self) -> str:
        """Returns the new text."""
        return self._rendered(0, len(self.text))

    def replace(self, node: ast.expr, new: str) -> None:
        """Replaces a name with its attributes by other text."""
        last = self._end_of_name(node)
        if last is not None:
            self._changes.append(Change(self.start(node), self._tokens[last].end, [new]))

    def replace_literal(self, node: ast.expr, new: str) -> None:
        """Replaces a string or number that is one token."""
        index = self._at.get(self.start(node))
        if index is not None:
            self._changes.append(Change(self._tokens[index].start, self._tokens[index].end, [new]))

    def rename_method(self, call: ast.Call, new: str) -> None:
        """Replaces the name of the method in a call, whatever the object is."""
        function: Any = call.func
        if dotted(function) is not None:
            self.replace(function, f"{dotted(function.value)}.{new}")
        else:
            opening = self._opening(call)
            if opening is not None:
                name = self._tokens[opening - 1]
                self._changes.append(Change(name.start, name.end, [new]))

    def wrap(self, call: ast.Call, before: str, after: str) -> None:
        """Puts `before` and `after` around the arguments of a call, in the place of its function and parentheses."""
        around = self._parentheses(call)
        if around is not None:
            opening, closing = around
            inside = self._tokens[opening].end, self._tokens[closing].start
            self.rebuild(call, [before, inside, after])

    def surround_argument(self, call: ast.Call, position: int, before: str, after: str) -> None:
        """Puts text before and after a positional argument of a call."""
        given = self.arguments(call)
        if given and position < len(given):
            self._surround(given[position].value, before, after)

    def surround_right(self, node: Union[ast.BinOp, ast.Assign], before: str, after: str) -> None:
        """Puts text before and after the right operand of `%`, or the value that a statement assigns."""
        operator = self._operator(node)
        if operator is not None:
            end = self._after_operand(operator + 1) if isinstance(node, ast.BinOp) else self._end_of_statement(operator)
            self._surround((self._tokens[operator + 1].start, self._tokens[end - 1].end), before, after)

    def _surround(self, span: Span, before: str, after: str) -> None:
        self._changes += [Change(span[0], span[1], [before, span, after])]

    def call_function(self, call: ast.Call, function: str) -> None:
        """Replaces `object.method(arguments)` by `function(object, arguments)`."""
        opening = self._opening(call)
        closing = None if opening is None else self._closing(opening)
        if opening is not None and closing is not None:
            comma = ", " if closing > opening + 1 else ""
            owner = self.start(call), self._tokens[opening - 3].end
            inside = self._tokens[opening].end, self._tokens[closing].start
            self._changes.append(Change(owner[0], self._tokens[closing].end,
                                        [f"{function}(", owner, comma, inside, ")"]))

    def write_operator(self, call: ast.Call, operator: str) -> None:
        """Replaces `object.method(argument)` by `(argument operator object)`."""
        opening = self._opening(call)
        closing = None if opening is None else self._closing(opening)
        if opening is not None and closing is not None:
            owner = self.start(call), self._tokens[opening - 3].end
            inside = self._tokens[opening].end, self._tokens[closing].start
            pieces: List[Piece] = ["(", inside, f" {operator} ", owner, ")"]
            self._changes.append(Change(owner[0], self._tokens[closing].end, pieces))

    def _opening(self, call: ast.Call) -> Optional[int]:
        """Returns the index of the parenthesis after the name of a method, on any object; None before Python 3.8."""
        function: Any = call.func
        if not getattr(function, "end_lineno", None):
            around = self._parentheses(call)
            return None if around is None else around[0]
        line = self._program.source.lines[function.end_lineno - 1]
        end = self._offset(function.end_lineno, len(line.encode("utf-8")[:function.end_col_offset].decode("utf-8")))
        last = self._at.get(end - len(function.attr))
        return None if last is None or self._tokens[last + 1].string != "(" else last + 1

    def rebuild(self, call: ast.Call, pieces: Sequence[Piece]) -> None:
        """Replaces a whole call by pieces of text and spans."""
        around = self._parentheses(call)
        if around is not None:
            self._changes.append(Change(self.start(call), self._tokens[around[1]].end, pieces))

    def arguments(self, call: ast.Call) -> Optional[List[Argument]]:
        """Returns the `Argument`s of a call as they are written; None if they cannot be located."""
        around = self._parentheses(call)
        if around is None:
            return None
        opening, closing = around
        found: List[Argument] = []
        first, depth = opening + 1, 0
        for index in range(opening + 1, closing + 1):
            string = self._tokens[index].string
            if index == closing or string == "," and depth == 0:
                found += [self._argument(first, index)] if index > first else []
                first = index + 1
            depth += self._depth(index)
        return found if len(found) == len(call.args) + len(call.keywords) else None

    def _argument(self, first: int, end: int) -> Argument:
        keyword, start = None, self._tokens[first].start
        if end > first + 2 and self._tokens[first + 1].string == "=":
            keyword, first = self._tokens[first].string, first + 2
        last = self._tokens[end - 1].end
        return Argument(keyword, (start, last), (self._tokens[first].start, last))

    def rearrange(self, call: ast.Call, new: Sequence[Tuple[Optional[str], Value]]) -> None:
        """Replaces the arguments of a call by at most as many others, each (keyword or None, value)."""
        around = self._parentheses(call)
        slots = [argument.span for argument in self.arguments(call) or ()]
        if around is None or not slots:
            return
        opening, closing = around
        pieces: List[Piece] = []
        position = self._tokens[opening].start
        for slot, (keyword, value) in zip(slots, new):
            pieces += [self.text[position:slot[0]], keyword + "=" if keyword else ""] + _written(value)
            position = slot[1]
        rest = slots[-1][1] if len(new) < len(slots) else position
        pieces.append(self.text[rest:self._tokens[closing].end])
        self._changes.append(Change(self._tokens[opening].start, self._tokens[closing].end, pieces))

    def rename_keyword(self, call: ast.Call, old: str, new: str) -> None:
        """Renames the keyword of an argument."""
        for argument in self.arguments(call) or ():
            if argument.keyword == old:
                self._changes.append(Change(argument.span[0], argument.span[0] + len(old), [new]))

    def add_argument(self, call: ast.Call, written: str) -> None:
        """Adds an argument at the end of a call that has at least one."""
        given = self.arguments(call)
        if given:
            self._changes.append(Change(given[-1].span[1], given[-1].span[1], [", " + written]))

    def drop_argument(self, call: ast.Call, keyword: str) -> None:
        """Removes an argument from a call."""
        given = self.arguments(call) or []
        self.rearrange(call, [(argument.keyword, argument.value) for argument in given if argument.keyword != keyword])

    def surround(self, display: ast.expr, before: str, after: str) -> None:
        """Puts text before and after a list or tuple that is written in brackets."""
        first = self._at.get(self.start(display))
        last = None if first is None or self._tokens[first].string not in _OPENING else self._closing(first)
        if first is not None and last is not None:
            self._changes.append(Change(self._tokens[first].start, self._tokens[first].start, [before]))
            self._changes.append(Change(self._tokens[last].end, self._tokens[last].end, [after]))

    def drop_parentheses(self, call: ast.Call) -> None:
        """Replaces `f((x))` by `f(x)`."""
        opening, closing = self._parentheses(call) or (0, 0)
        if closing and self._tokens[opening + 1].string == "(" and self._closing(opening + 1) == closing - 1:
            self._changes += [Change(self._tokens[index].start, self._tokens[index].end, [])
                              for index in (opening + 1, closing - 1)]

    def divide_whole(self, node: Union[ast.BinOp, ast.AugAssign]) -> None:
        """Replaces the operator `/` by `//`."""
        operator = self._operator(node)
        if operator is not None:
            self._changes.append(Change(self._tokens[operator].start, self._tokens[operator].start, ["/"]))

    def call_with_operands(self, node: ast.BinOp, function: str) -> None:
        """Replaces `a / b` by `function(a, b)`."""
        operator = self._operator(node)
        first = None if operator is None else self._first_of(node, operator)
        if operator is not None and first is not None:
            last = self._tokens[self._after_operand(operator + 1) - 1].end
            left, right = self._tokens[operator - 1].end, self._tokens[operator + 1].start
            start = self._tokens[first].start
            self._changes.append(Change(start, last, [f"{function}(", (start, left), ", ", (right, last), ")"]))

    def assign_call(self, node: ast.AugAssign, function: str) -> None:
        """Replaces `a /= b` by `a = function(a, b)`."""
        operator, first = self._operator(node), self._at.get(self.start(node))
        if operator is not None and first is not None:
            last = self._tokens[self._end_of_statement(operator) - 1].end
            target = self._tokens[first].start, self._tokens[operator - 1].end
            value = self._tokens[operator + 1].start, last
            self._changes.append(Change(target[0], last, [target, f" = {function}(", target, ", ", value, ")"]))

    def surround_expression(self, node: ast.expr, before: str, after: str) -> None:
        """Puts text before and after an expression. It needs Python 3.8, as `call_with_both` does."""
        self._surround((self.start(node), self._end(node)), before, after)

    def call_with_both(self, node: ast.BinOp, function: str, more: str) -> None:
        """Replaces `a + b`, with any operator, by `function(a, b, more)`."""
        operator = self._at[self.start(node.right)] - 1
        while self._tokens[operator].string == "(":
            operator -= 1
        left, right = self._tokens[operator - 1].end, self._tokens[operator + 1].start
        start, end = self.start(node), self._end(node)
        self._changes.append(Change(start, end, [f"{function}(", (start, left), ", ", (right, end), f", {more})"]))

    def write_comment(self, node: ast.stmt, comment: str) -> None:
        """Writes a line with a comment above a statement that begins a line."""
        start = self.start(node)
        line = max(offset for offset in self._starts if offset <= start)
        self._changes.append(Change(start, start, [comment + newline_of(self.text) + self.text[line:start]]))

    def _end(self, node: ast.expr) -> int:
        line: Any = node.end_lineno
        text = self._program.source.lines[line - 1].encode("utf-8")[:node.end_col_offset]
        return self._offset(line, len(text.decode("utf-8")))

    def _operator(self, node: Union[ast.BinOp, ast.AugAssign, ast.Assign]) -> Optional[int]:
        """Returns the index of the `/`, `%` or `=` before the right operand or value; None if it cannot be located."""
        right = node.right if isinstance(node, ast.BinOp) else node.value
        while isinstance(right, ast.BinOp):  # before Python 3.8 the position of a chain is that of its last operator
            right = right.left
        index = self._at.get(self.start(right), 0) - 1
        while index > 0 and self._tokens[index].string == "(":
            index -= 1
        return index if index > 0 and self._tokens[index].string in ("/", "/=", "%", "=") else None

    def _first_of(self, node: ast.BinOp, operator: int) -> Optional[int]:
        """Returns the index of the first token of an operation, with the parentheses around its left operand."""
        leaf: ast.expr = node
        while isinstance(leaf, ast.BinOp):
            leaf = leaf.left
        first = self._at.get(self.start(leaf))
        unopened = 0 if first is None else -sum(map(self._depth, range(first, operator)))
        return None if first is None else first - unopened

    def _after_operand(self, index: int) -> int:
        """Returns the index after the operand of `/` or `%` that begins at an index."""
        while self._tokens[index].string in ("+", "-", "~", "await"):
            index += 1
        index = self._after_strings(index) or self._after_bracket(index)
        while self._tokens[index].string in (".", "(", "["):
            index = index + 2 if self._tokens[index].string == "." else self._after_bracket(index)
        return self._after_operand(index + 1) if self._tokens[index].string == "**" else index

    def _after_strings(self, index: int) -> Optional[int]:
        """Returns the index after adjacent strings, or None; an f-string may have several tokens."""
        first, depth = index, 0
        while depth or self._tokens[index].kind in (tokenize.STRING, _F_STRING_START):
            depth += (self._tokens[index].kind == _F_STRING_START) - (self._tokens[index].kind == _F_STRING_END)
            index += 1
        return index if index > first else None

    def _after_bracket(self, index: int) -> int:
        closing = self._closing(index) if self._tokens[index].string in _OPENING else index
        return (index if closing is None else closing) + 1

    def _end_of_statement(self, index: int) -> int:
        """Returns the index of the token that ends the simple statement around an index."""
        depth = 0
        while self._tokens[index].kind not in (tokenize.NEWLINE, tokenize.ENDMARKER) and \
                (depth or self._tokens[index].string != ";"):
            depth += self._depth(index)
            index += 1
        return index

    def make_relative(self, node: ast.ImportFrom) -> None:
        """Replaces `from a import b` by `from .a import b`."""
        index = self._at.get(self.start(node))
        if index is not None:
            self._changes.append(Change(self._tokens[index + 1].start, self._tokens[index + 1].start, ["."]))

    def rewrite_statement(self, node: ast.stmt, lines: List[str], is_needed: bool) -> None:
        """Replaces a simple statement by lines; by `pass` if there are none and the block needs one (`is_needed`)."""
        first = self._at.get(self.start(node))
        if first is None:
            return
        last = self._end_of_statement(first)
        start, end = self._tokens[first].start, self._tokens[last - 1].end
        line = max(offset for offset in self._starts if offset <= start)
        alone = not self.text[line:start].strip() and self._tokens[last].string != ";"
        lines = lines or (["pass  # its names are written where they are used"] if is_needed else [])
        if alone and lines:
            lines = [comment for place, comment in self._comments if start < place < end] + lines
        if lines:
            joint = "\n" + self.text[line:start] if alone else "; "
            self._changes.append(Change(start, end, [joint.join(lines)]))
        elif alone:
            self._remove_line(line, start, self._tokens[last])
        elif self._tokens[last].string == ";":
            self._changes.append(Change(start, self._tokens[last + 1].start, []))
        else:
            self._changes.append(Change(self._tokens[first - 1].start, end, []))

    def _remove_line(self, line: int, start: int, newline: Token) -> None:
        comment = re.search(r"#.*", self.text[start:newline.start])
        if comment and comment.end() == newline.start - start:
            self._changes.append(Change(start, start + comment.start(), []))
        else:
            self._changes.append(Change(line, newline.end, []))

    def _end_of_name(self, node: ast.expr) -> Optional[int]:
        """Returns the index of the last token of `a.b.c`; None if it is written in another way."""
        index, name = self._at.get(self.start(node)), dotted(node)
        if index is None or name is None:
            return None
        for number, part in enumerate(name.split(".")):
            if number:
                index += 2
            if self._tokens[index].string != part or number and self._tokens[index - 1].string != ".":
                return None
        return index

    def _parentheses(self, call: ast.Call) -> Optional[Tuple[int, int]]:
        """Returns the indices of the tokens around the arguments of a call; None if they cannot be located."""
        last = self._end_of_name(call.func)
        if last is None or self._tokens[last + 1].string != "(":
            return None
        closing = self._closing(last + 1)
        return None if closing is None else (last + 1, closing)

    def _closing(self, opening: int) -> Optional[int]:
        """Returns the index of the bracket that closes the one at an index."""
        depth = 0
        for index in range(opening, len(self._tokens)):
            depth += self._depth(index)
            if depth == 0:
                return index
        return None

    def _depth(self, index: int) -> int:
        string = self._tokens[index].string
        return (string in _OPENING) - (string in _CLOSING)

    def _rendered(self, start: int, end: int, around: Tuple[Change, ...] = ()) -> str:
        """Returns the new text of a span; the changes `around` it contain the span, and are made already."""
        inside = sorted((change for change in self._changes if change.start >= start and change.end <= end
                         and change not in around), key=_place)
        parts: List[str] = []
        position = start
        for change in inside:
            if change.start >= position:
                parts.append(self.text[position:change.start])
                parts += [piece if isinstance(piece, str) else self._rendered(*piece, (*around, change))
                          for piece in change.pieces]
                position = change.end
        return "".join(parts) + self.text[position:end]


def _place(change: Change) -> Tuple[int, int, bool]:
    """Sorts changes: the outer ones before those inside, and text put around a span before a change of all of it."""
    return change.start, -change.end, (change.start, change.end) not in change.pieces


def _written(value: Value) -> List[Piece]:
    """Returns the pieces for a value: text or a span, or the list of several spans."""
    if not isinstance(value, list):
        return [value]
    pieces: List[Piece] = [piece for span in value for piece in (", ", span)]
    return ["["] + pieces[1:] + ["]"]


def with_alias(name: str, local: Optional[str]) -> str:
    """Returns `name as local`, as an import writes it; the name alone if `local` is the same, or None."""
    return name if local in (None, name) else f"{name} as {local}"


def comments_above(lines: Sequence[str], line: int) -> List[str]:
    """Returns the comments that stand directly above a line, which is counted from 0; the nearest first."""
    above = (text.strip() for text in reversed(lines[:line]))
    return list(itertools.takewhile(lambda text: text.startswith("#"), above))


def newline_of(text: str) -> str:
    """Returns the line end that most lines of a text have."""
    ends = collections.Counter(LINE_END.findall(text))
    return ends.most_common(1)[0][0] if ends else "\n"


def is_block_emptied(program: Program, node: ast.stmt, removed: Container[ast.stmt]) -> bool:
    """Returns True for the first statement of a block that is left empty if all of `removed` go."""
    parent = program.parents[node]
    block = next(block for _, block in ast.iter_fields(parent) if isinstance(block, list) and node in block)
    return not isinstance(parent, ast.Module) and block[0] is node and all(other in removed for other in block)
