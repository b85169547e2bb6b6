"""Represents a source file with its resolved names and classified expressions,
as every rule reads it.
"""

from __future__ import annotations

import ast
from typing import Any, Collection, Iterator, Mapping, NamedTuple, Sequence, TypeVar, Union

from tf1grad.programs.names import provisions
from tf1grad.programs.source.expression_kinds import Kinds
from tf1grad.programs.source.files import Source
from tf1grad.programs.source.library_values import LibraryValues
from tf1grad.programs.source.name_resolution import Names
from tf1grad.programs.source.scopes import (
    Expression,
    Scope,
    UnpackedElement,
    Update,
    call_name,
    constant,
    dotted,
)
from tf1grad.programs.source.version_tests import live_children

Node = TypeVar("Node", bound=ast.AST)
# Everything that has a position in the text.
Placed = Union[ast.expr, ast.stmt, SyntaxError]


class Call(NamedTuple):
    """A call, with its dotted name and the method that is called."""

    node: ast.Call
    name: str | None
    method: str | None
    scope: Scope

    @property
    def owner(self) -> str | None:
        """Returns the expression that the method is an attribute of, as written;
        None if it is not a plain name.
        """
        return dotted(self.node.func.value) if isinstance(self.node.func, ast.Attribute) else None


class Shown(NamedTuple):
    """Notes of recorded runs on one file."""

    # By line of the file, the repairs that `tf1grad run` made there.
    repairs: Mapping[int, Collection[str]]
    modules: Mapping[str, str]  # the modules that its global names meant


NOTHING_SHOWN = Shown({}, {})


def _is_known(name: str) -> bool:
    """Returns True for a name that a star import from TensorFlow 1 may bind."""
    return provisions.is_provided(name) or provisions.is_module(name)


class KnownNames:
    """Says which names of packages exist; this class knows none,
    `InstalledNames` asks the installed packages.
    """

    version: str | None = None  # of the TensorFlow that was asked

    def has(self, name: str) -> bool | None:
        """Returns whether the dotted name exists; None if that is not known."""
        return None


class _IsIn:
    """An attribute that says whether a file is among those that `Programs` has by a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, program: Program, kind: object) -> bool:
        return program in getattr(program.together, self._name)


class Program:
    """One file: `source`, `names`, `kinds`, `calls`, and what a recorded run has `shown`.

    Code that only Python 2 reaches has no scopes, so no rule sees it.
    `together` is set to the `Programs` that it belongs to: these answer what depends on all files.
    """

    together: Any

    def __init__(self, source: Source, shown: Shown = NOTHING_SHOWN) -> None:
        self.source, self.shown = source, shown
        self._repairs = source.moved_lines(shown.repairs) if shown.repairs else {}
        self.names = Names(source.tree, _is_known, shown.modules)
        self.kinds = Kinds(self.names, self._given)
        self.scopes: dict[ast.AST, Scope] = {}
        self.parents: dict[ast.AST, ast.AST] = {}
        self._by_class: dict[type[ast.AST], list[tuple[Any, Scope]]] = {}
        self._place(source.tree, self.names.module)
        self._functions: dict[str, list[ast.FunctionDef]] = {}
        for function, _ in self.nodes(ast.FunctionDef):
            self._functions.setdefault(function.name, []).append(function)
        self.calls = [
            Call(node, self.names.resolve(node.func, scope), call_name(node), scope)
            for node, scope in self.nodes(ast.Call)
        ]
        self._calls_of: dict[str | None, list[Call]] = {}
        for call in self.calls:
            self._calls_of.setdefault(call.method, []).append(call)

    is_tf1 = _IsIn("tf1")  # the file is of a TensorFlow 1 program, and not itself for TensorFlow 2
    is_tf2 = _IsIn("tf2")  # it is written for TensorFlow 2
    is_compat = _IsIn("compat")  # it takes TensorFlow 1 names from compat.v1
    is_on_1_15 = _IsIn("on_1_15")  # it has TensorFlow 1.15 by a line in a file of the process
    divides_whole = _IsIn("dividing")  # `/` rounds whole numbers down, as in Python 2
    is_in_package = _IsIn("in_package")  # imports in Python 2 may name modules beside it

    @property
    def taken(self) -> Collection[str]:
        """Returns the names that other files import from this one, or "*"."""
        names: Collection[str] = self.together.taken.get(self, ())
        return names

    @property
    def reached(self) -> Sequence[Any]:
        """Returns this file, and the files of the program that it imports."""
        return [self, *self.together.modules.reached(self)]

    @property
    def installed(self) -> KnownNames:
        """Returns which names the installed packages have."""
        installed: KnownNames = self.together.installed
        return installed

    def column(self, node: Placed) -> int:
        """Returns the column of a node, or of a SyntaxError, in characters from 1."""
        if isinstance(node, SyntaxError):
            return node.offset or 1
        return self.source.column(node.lineno, node.col_offset) + 1

    def nodes(self, *kinds: type[Node]) -> list[tuple[Node, Scope]]:
        """Returns the nodes of these classes with their scopes, in source order."""
        if len(kinds) == 1 and kinds[0] in self._by_class:
            return self._by_class[kinds[0]]
        return [(node, scope) for node, scope in self.scopes.items() if isinstance(node, kinds)]

    def kind(self, node: ast.expr) -> str | None:
        """Returns the `what` of the `Kind` of an expression."""
        return self.kinds.of(node, self.scopes[node]).what

    def class_of(self, node: ast.expr) -> str | None:
        """Returns the class of pandas, NumPy, Pillow or Python that an expression is
        an instance of, or None.
        """
        return LibraryValues(self.names).class_of(node, self.scopes[node])

    def value(self, node: ast.expr) -> Expression:
        """Returns the expression that a name was assigned, or the node itself."""
        return self.kinds.value(node, self.scopes[node])[0]

    def value_above(self, node: ast.expr) -> Expression | None:
        """Returns the value that a name was assigned last above a place;
        None if a branch decides, or nothing did.

        Of an attribute it is the one value that it is assigned; any other expression is its own
        value.
        """
        if not isinstance(node, ast.Name):
            return self.value(node)
        around = {node, *self.above(node)}
        _, bindings = self.names.bindings_of(node, self.scopes[node])
        for value, _ in reversed(bindings):
            place = value.node if isinstance(value, (UnpackedElement, Update)) else value
            if not isinstance(place, ast.AST) or not isinstance(value, (ast.expr, UnpackedElement)):
                return None
            if place in around or place.lineno > node.lineno:
                continue
            statements = (each for each in self.above(place) if isinstance(each, ast.stmt))
            return value if self.parents.get(next(statements, place)) in around else None
        return None

    def made_of(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the parts of an expression, of all values of the names in it, and of the
        functions that it calls.
        """
        todo = [node]
        seen: set[ast.AST] = set()
        while todo:
            for part in ast.walk(todo.pop()):
                if part in seen or part not in self.scopes:
                    continue
                seen.add(part)
                yield part
                if isinstance(part, (ast.Name, ast.Attribute)):
                    _, bindings = self.names.bindings_of(part, self.scopes[part])
                    values = [getattr(value, "node", value) for value, _ in bindings]
                    todo += [value for value in values if isinstance(value, ast.AST)]
                    todo += self.functions(getattr(part, "attr", None) or dotted(part))

    def functions(self, name: str | None) -> list[ast.FunctionDef]:
        """Returns the functions and methods of the file that have a name."""
        return self._functions.get(name or "", [])

    def calls_of(self, name: str | None) -> list[Call]:
        """Returns the calls of the functions and methods that have a name."""
        return self._calls_of.get(name, [])

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the nodes around a node, from the nearest."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def was_repaired(self, node: ast.expr | ast.stmt, *repairs: str) -> bool:
        """Returns True if a recorded run made one of the repairs on the lines of a node."""
        end = getattr(node, "end_lineno", None) or node.lineno
        made = [self._repairs.get(line, ()) for line in range(node.lineno, end + 1)]
        return any(repair in each for each in made for repair in repairs)

    def _given(self, owner: Scope, name: str) -> list[tuple[ast.expr, Scope]]:
        """Returns the arguments that calls in the file give for a parameter of the function
        that `owner` belongs to.
        """
        function = owner.node
        if not isinstance(function, ast.FunctionDef):
            return []
        names = [parameter.arg for parameter in function.args.args]
        if name not in names or name == "self":
            return []
        position = names.index(name) - (names[0] == "self")
        arguments = [
            (argument(call.node, position, name), call.scope)
            for call in self.calls_of(function.name)
        ]
        return [(node, scope) for node, scope in arguments if node is not None]

    def _place(self, root: ast.AST, module: Scope) -> None:
        todo = [(root, module)]
        while todo:
            node, scope = todo.pop()
            self.scopes[node] = scope
            self._by_class.setdefault(type(node), []).append((node, scope))
            inner = self.names.inner_scopes.get(node, scope)
            for child in reversed(list(live_children(node))):
                self.parents[child] = node
                todo.append((child, inner))


def argument(call: ast.Call, position: int | None, keyword: str) -> ast.expr | None:
    """Returns the argument of a call, by position or keyword; None if it is not given."""
    for given in call.keywords:
        if given.arg == keyword:
            return given.value
    if (
        position is not None
        and position < len(call.args)
        and not isinstance(call.args[position], ast.Starred)
    ):
        return call.args[position]
    return None


def is_open(call: ast.Call) -> bool:
    """Returns True for a call with `*arguments` or `**keywords`."""
    return any(isinstance(given, ast.Starred) for given in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )


def literal(program: Program, node: ast.expr) -> Any:
    """Returns the value of a literal, or of a name that was assigned one;
    None for anything else.
    """
    return constant(program.value(node))
