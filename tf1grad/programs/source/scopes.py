"""Records the bindings of names in the scopes of a program, and reads simple expressions."""

from __future__ import annotations

import ast
import collections
import enum
import functools
from typing import Any, Iterator, NamedTuple, Sequence, Union


class UnpackedElement(NamedTuple):
    """One element of an unpacked `node`: the element at `position`;
    with `each`, that of each of its elements.
    """

    node: ast.expr
    position: int | None
    each: bool


class Update(NamedTuple):
    """The value of a name or attribute after `n += 1`."""

    node: ast.AugAssign


class Special(enum.Enum):
    """Bindings that are not expressions."""

    UNKNOWN = "unknown"
    NOTHING = "nothing"  # `slim = None` in an `except ImportError:`


Expression = Union[ast.expr, UnpackedElement]
# The value that a name is bound to; a string is a dotted name.
Bound = Union[str, Expression, Update, Special]


class Scope:
    """A module, class, function or comprehension, and the bindings of its names."""

    def __init__(self, node: ast.AST, parent: Scope | None = None) -> None:
        self.node = node
        self.parent = parent
        self.bindings: collections.defaultdict[str, list[Bound]] = collections.defaultdict(list)
        self._assigned_parts: dict[tuple[str, str], bool] = {}
        self.declared: dict[str, Scope] = {}  # names declared global or nonlocal

    def bind(self, name: str, value: Bound = Special.UNKNOWN) -> None:
        """Adds a binding of `name`."""
        self.declared.get(name, self).bindings[name].append(value)

    def is_assigned_part(self, name: str, part: str) -> bool:
        """Returns True if a dotted name that `name` is assigned has a part;
        all bindings must be known.
        """
        if (name, part) not in self._assigned_parts:
            written = map(dotted, self.bindings.get(name, ()))
            self._assigned_parts[name, part] = any(part in (text or "") for text in written)
        return self._assigned_parts[name, part]

    def owner_of(self, name: str) -> Scope | None:
        """Returns the scope that binds `name` as seen from here, or None."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.declared:
                return scope.declared[name]
            if name in scope.bindings and (
                scope is self or not isinstance(scope.node, ast.ClassDef)
            ):
                return scope
            scope = scope.parent
        return None

    @property
    def module(self) -> Scope:
        """Returns the outermost scope."""
        return self if self.parent is None else self.parent.module


def canonical(name: str) -> str:
    """Returns `name` below `tensorflow`, where `compat.v1` or `tf1grad.v1` stand for it."""
    for root in ("tensorflow.compat.v1", "tf1grad.v1"):
        if (name + ".").startswith(root + "."):
            return "tensorflow" + name[len(root) :]
    return name


def dotted(node: object) -> str | None:
    """Returns `a.b.c` as written, or None for anything else."""
    attributes = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return ".".join([node.id] + attributes[::-1]) if isinstance(node, ast.Name) else None


@functools.lru_cache(maxsize=1)
def nodes_of(tree: ast.Module) -> Sequence[ast.AST]:
    """Returns all nodes of a module, as `ast.walk` yields them:
    several questions about one module need one walk.
    """
    return tuple(ast.walk(tree))


def statements_of(tree: ast.Module) -> Iterator[ast.AST]:
    """Yields the statements of a module in the order of `ast.walk`,
    with other nodes that are no expressions.
    """
    waiting: collections.deque[ast.AST] = collections.deque([tree])
    while waiting:
        node = waiting.popleft()
        yield node
        waiting.extend(
            child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)
        )


def bound_names(tree: ast.Module) -> set[str]:
    """Returns every name that a module gives a value anywhere; "*" for a star import."""
    names: set[str] = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.split(".")[0])
    return names


def constant(node: Any, default: Any = None) -> Any:
    """Returns the value of a literal, `default` for anything else."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return default


def index_of(node: ast.Subscript) -> Any:
    """Returns the index in the brackets, or the slice."""
    index: Any = node.slice
    return index.value if type(index).__name__ == "Index" else index  # before Python 3.9


def call_name(node: object) -> str | None:
    """Returns `f` for `f(...)` and for `a.f(...)`; None for anything else."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def assigned(node: ast.expr) -> Bound:
    """Returns the binding of a name that is assigned the expression `node`."""
    return Special.NOTHING if constant(node, node) is None else node


def part_of(value: Bound, index: int) -> Bound:
    """Returns what the target at `index` of a tuple gets from `value`,
    an expression or an `UnpackedElement`.
    """
    if not isinstance(value, UnpackedElement):
        if isinstance(value, (ast.Tuple, ast.List)) and index < len(value.elts):
            return value.elts[index]
        return (
            UnpackedElement(value, index, False) if isinstance(value, ast.AST) else Special.UNKNOWN
        )
    node = value.node
    if not value.each or value.position is not None:
        return Special.UNKNOWN
    if isinstance(node, ast.Call) and call_name(node) == "enumerate" and index == 1 and node.args:
        return UnpackedElement(node.args[0], None, True)
    if isinstance(node, ast.Call) and call_name(node) == "zip" and index < len(node.args):
        return UnpackedElement(node.args[index], None, True)
    return UnpackedElement(node, index, True)
