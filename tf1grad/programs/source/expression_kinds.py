"""Classifies the expressions of a training step:
pairs, gradients, variables, placeholders, and the ops made of them.

The text alone decides: assignments to names, loops over pairs, and the calls that make each kind.
"""

from __future__ import annotations

import ast
from typing import Callable, Iterable, NamedTuple, Sequence, Tuple

from tf1grad.programs.source.name_resolution import Names
from tf1grad.programs.source.scopes import (
    Expression,
    Scope,
    UnpackedElement,
    call_name,
    constant,
    dotted,
    index_of,
)


class Kind(NamedTuple):
    """The kind of an expression, and the call that it comes from."""

    # Of `ELEMENTS`, "unzipped" (`zip(*pairs)`), "clipped", "apply", "accumulate", "reset". Of
    # "swapped" pairs the variable comes first.
    what: str | None
    origin: str | None


NONE = Kind(None, None)

ELEMENTS: dict[str | None, str | None] = {
    "pairs": "pair",
    "gradients": "gradient",
    "variables": "variable",
    "placeholders": "placeholder",
    "swapped": "swapped pair",
    "pair": None,
}
LISTS: dict[str | None, str | None] = {
    element: whole for whole, element in ELEMENTS.items() if element
}
MAKERS = {
    "tensorflow.gradients": "gradients",
    "tensorflow.trainable_variables": "variables",
    "tensorflow.global_variables": "variables",
    "tensorflow.all_variables": "variables",
    "tensorflow.Variable": "variable",
    "tensorflow.get_variable": "variable",
    "tensorflow.train.create_global_step": "variable",
    "tensorflow.train.get_global_step": "variable",
    "tensorflow.train.get_or_create_global_step": "variable",
    "tensorflow.placeholder": "placeholder",
    "tensorflow.placeholder_with_default": "placeholder",
}
COLLECTIONS = ("tensorflow.get_collection", "tensorflow.get_collection_ref")
UPDATES = {"apply_gradients": "apply", "minimize": "apply", "assign_add": "accumulate"}
STEPS = ("apply", "accumulate", "reset")
# The result is of the kind of the first argument.
SAME = (
    "tensorflow.clip_by_value",
    "tensorflow.clip_by_norm",
    "tensorflow.clip_by_average_norm",
    "tensorflow.identity",
    "tensorflow.check_numerics",
    "tensorflow.cast",
    "tensorflow.negative",
    "tensorflow.convert_to_tensor",
)
DEPTH = 20


Arguments = Sequence[Tuple[Expression, Scope]]


class Kinds:
    """Classifies the expressions of the program of `names`;
    `given` returns the arguments for a parameter.
    """

    def __init__(self, names: Names, given: Callable[[Scope, str], Arguments]) -> None:
        self._names, self._given = names, given
        self._known: dict[tuple[int, int], Kind] = {}
        self._depth = 0  # of the calls of `of` inside each other

    def of(self, node: Expression, scope: Scope) -> Kind:
        """Returns the `Kind` of an expression; `NONE` if it is not known."""
        if self._depth > DEPTH:
            return NONE
        key = id(node), id(scope)
        if key not in self._known:
            self._known[key] = NONE  # until it is known: `grads = [clip(g) for g in grads]`
            is_unpacked = isinstance(node, UnpackedElement)
            name = "unpacked" if is_unpacked else type(node).__name__.lower()
            method = getattr(self, f"_of_{name}", None)
            if method:
                self._depth += 1
                self._known[key] = method(node, scope)
                self._depth -= 1
        return self._known[key]

    def value(self, node: Expression, scope: Scope) -> tuple[Expression, Scope]:
        """Returns the one expression that a name or attribute was assigned, with its scope;
        else the node itself.
        """
        for _ in range(DEPTH):
            found = self._assigned(node, scope)
            if len(found) != 1:
                break
            node, scope = found[0]
        return node, scope

    def _assigned(self, node: Expression, scope: Scope) -> list[tuple[Expression, Scope]]:
        _, bindings = self._names.bindings_of(node, scope)
        return [
            (value, where)
            for value, where in bindings
            if isinstance(value, (ast.AST, UnpackedElement)) and not _is_empty(value)
        ]

    def _of_name(self, node: ast.Name | ast.Attribute, scope: Scope) -> Kind:
        values: Arguments = self._assigned(node, scope)
        name = dotted(node) or ""
        owner = None if values else scope.owner_of(name)
        if owner is not None:
            if name == "grads_and_vars":
                return Kind("pairs", name)
            values = self._given(owner, name)
        kinds = [self.of(value, where) for value, where in values]
        return _first_known(sorted(reversed(kinds), key=lambda kind: kind.what != "placeholder"))

    _of_attribute = _of_name

    def _of_unpacked(self, part: UnpackedElement, scope: Scope) -> Kind:
        whole = self.of(part.node, scope)
        what = whole.what
        if part.each:
            what = ELEMENTS.get(what)
        if part.position is not None:
            what = _taken(what, part.position, whole.origin)
        return Kind(what, whole.origin)

    def _of_call(self, node: ast.Call, scope: Scope) -> Kind:
        name, method = self._names.resolve(node.func, scope), call_name(node)
        if name and name.startswith("tensorflow.python."):
            name = f"tensorflow.{method}"
        if name in MAKERS:
            return Kind(MAKERS[name], name)
        if method == "compute_gradients":
            return Kind("pairs", method)
        if name in ("tensorflow.clip_by_global_norm", "tf1grad.clip_by_global_norm"):
            return Kind("clipped", name)
        if name == "tensorflow.group":
            return self._first(node.args, scope)
        first = node.args[0] if node.args else None
        if first and name in COLLECTIONS and "variables" in self._text(first, scope):
            return Kind("variables", name)
        if first and name in SAME:
            return self.of(first, scope)
        if first and name == "tensorflow.tuple":  # it waits for all of them
            return Kind(self.of(first, scope).what, name)
        if first and name == "tensorflow.zeros_like" and self.of(first, scope).what == "gradient":
            return Kind("gradient", "zeros")
        if isinstance(node.func, ast.Name) and not scope.owner_of(node.func.id):
            return self._of_builtin(node, node.func.id, scope)
        return self._of_update(node, method, scope)

    def _text(self, key: ast.expr, scope: Scope) -> str:
        """Returns the key of a collection in lower case, such as "tensorflow.graphkeys.losses"."""
        value = constant(self.value(key, scope)[0]) or self._names.resolve(key, scope)
        return str(value).lower()

    def _of_builtin(self, node: ast.Call, name: str, scope: Scope) -> Kind:
        if name in ("list", "tuple", "sorted", "reversed") and node.args:
            return self.of(node.args[0], scope)
        if name == "zip" and len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
            kind = self.of(node.args[0].value, scope)
            return Kind("unzipped", kind.origin) if kind.what == "pairs" else NONE
        if name == "zip" and len(node.args) == 2:
            return _zipped(*[self.of(argument, scope) for argument in node.args])
        return NONE

    def _of_update(self, node: ast.Call, method: str | None, scope: Scope) -> Kind:
        if method == "assign_add" and not self.gradients_in(node, scope):
            return NONE
        called = map(call_name, ast.walk(node))
        if method == "assign" and not {"zeros", "zeros_like"}.isdisjoint(called):
            return Kind("reset", method)
        return Kind(UPDATES[method], method) if method in UPDATES else NONE

    def gradients_in(self, call: ast.Call, scope: Scope) -> list[str | None]:
        """Returns the origins of the gradients among the arguments of a call."""
        kinds = [
            self.of(part, scope)
            for argument in [*call.args, *call.keywords]
            for part in ast.walk(argument)
            if isinstance(part, (ast.Name, ast.Attribute))
        ]
        return [kind.origin for kind in kinds if kind.what == "gradient"]

    def _of_listcomp(self, node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> Kind:
        return _kind_of_list(self.of(node.elt, self._names.inner_scopes.get(node, scope)))

    _of_generatorexp = _of_listcomp

    def _of_tuple(self, node: ast.Tuple | ast.List, scope: Scope) -> Kind:
        if len(node.elts) == 2:
            pair = _zipped(*[_kind_of_list(self.of(element, scope)) for element in node.elts])
            if pair.what:
                return Kind(ELEMENTS[pair.what], pair.origin)
        return _kind_of_list(self._first(node.elts, scope))

    _of_list = _of_tuple

    def _of_subscript(self, node: ast.Subscript, scope: Scope) -> Kind:
        whole = self.of(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            return whole
        index = constant(index_of(node))
        if isinstance(index, int) and whole.what in ("pair", "swapped pair", "unzipped", "clipped"):
            return Kind(_taken(whole.what, index, whole.origin), whole.origin)
        return Kind(ELEMENTS.get(whole.what), whole.origin)

    def _of_binop(self, node: ast.BinOp, scope: Scope) -> Kind:
        if isinstance(node.op, ast.Add):
            return self._first([node.left, node.right], scope)
        kind = self.of(node.left, scope)
        if kind.what != "gradient":
            kind = self.of(node.right, scope)
        if kind.what != "gradient" or not isinstance(node.op, (ast.Mult, ast.Div)):
            return NONE
        if 0 in (constant(node.left), constant(node.right)):
            return Kind("gradient", "zeros")
        return kind

    def _of_ifexp(self, node: ast.IfExp, scope: Scope) -> Kind:
        return self._first([node.orelse, node.body], scope)

    def _of_boolop(self, node: ast.BoolOp, scope: Scope) -> Kind:
        return self._first(node.values, scope)

    def _of_starred(self, node: ast.Starred, scope: Scope) -> Kind:
        return self.of(node.value, scope)

    def _first(self, nodes: Iterable[Expression], scope: Scope) -> Kind:
        return _first_known([self.of(node, scope) for node in nodes])


def _first_known(kinds: Iterable[Kind]) -> Kind:
    return next((kind for kind in kinds if kind.what), NONE)


def _is_empty(value: Expression) -> bool:
    return isinstance(value, (ast.List, ast.Tuple)) and not value.elts


def _kind_of_list(kind: Kind) -> Kind:
    """Returns the kind of a list of such elements; several steps are a step."""
    return kind if kind.what in STEPS else Kind(LISTS.get(kind.what), kind.origin)


def _zipped(first: Kind, second: Kind) -> Kind:
    if first.what in ("gradients", "placeholders") and second.what in ("variables", None):
        return Kind("pairs", first.origin)
    if first.what == "variables" and second.what == "gradients":
        return Kind("swapped", second.origin)
    return NONE


def _taken(what: str | None, index: int, origin: str | None) -> str | None:
    """Returns the kind of element `index` of a pair, of `zip(*pairs)`,
    or of the result of clip_by_global_norm.
    """
    if what == "pair":
        return {
            0: "placeholder" if "placeholder" in str(origin) else "gradient",
            1: "variable",
        }.get(index)
    if what == "swapped pair":
        return {0: "variable", 1: "gradient"}.get(index)
    if what == "unzipped":
        return {0: "gradients", 1: "variables"}.get(index)
    if what == "clipped" and index == 0:
        return "pairs" if str(origin).startswith("tf1grad.") else "gradients"
    return None
