"""Finds calls of `np.array` that may get rows of different lengths: the text does not show that the lengths are equal.

Rows are uneven if they are pairs of `zip`, samples of a replay memory, lists made by an inner comprehension over the
item of an outer one, or lists and tuples that were appended. A function may get them from a call in another file.
"""

import ast
import collections
from typing import Any, DefaultDict, Iterator, List, Optional, Sequence, Set, Tuple, Union

from tf1grad.old_programs.source.program import Call, Program
from tf1grad.old_programs.source.scopes import Scope, call_name, constant

MAKERS = ("numpy.array", "numpy.asarray")
_COPIES = ("list", "sorted", "tuple")
_DEPTH = 5  # of names that are assigned names
_Parameter = Tuple[str, Union[int, str]]


def mark(programs: Sequence[Program]) -> None:
    """Sets `uneven_parameters` of programs that belong together."""
    found: Set[_Parameter] = set()
    for program in programs:
        program.uneven_parameters = found
        found.update(_Rows(program).passed())


def arrays(program: Program) -> List[Call]:
    """Returns the calls that make an array of uneven rows, without a dtype or another argument."""
    rows = _Rows(program)
    return [
        call
        for call in program.calls
        if call.name in MAKERS
        and len(call.node.args) == 1
        and not call.node.keywords
        and (rows.are_uneven(call.node.args[0]) or _is_one_row(program, call.node))
    ]


class _Rows:
    """The rows in one file."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._appended: DefaultDict[Any, List[ast.expr]] = collections.defaultdict(list)
        for call in program.calls:
            if call.method == "append" and len(call.node.args) == 1 and call.owner:
                key, _ = program.names.bindings_of(call.node.func.value, call.scope)  # type: ignore[attr-defined]
                self._appended[key].append(call.node.args[0])

    def passed(self) -> Iterator[_Parameter]:
        """Yields the parameters that get uneven rows from calls in this file."""
        for call in self._program.calls:
            if call.method and call.name not in MAKERS:
                given: List[Tuple[Any, ast.expr]] = [*enumerate(call.node.args)]
                given += [(keyword.arg, keyword.value) for keyword in call.node.keywords]
                yield from (
                    (call.method, place) for place, value in given if self.are_uneven(value)
                )

    def are_uneven(self, node: ast.expr, depth: int = 0) -> bool:
        """Returns True for an expression whose elements may have different lengths."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return depth < _DEPTH and self._name_is_uneven(node, depth + 1)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return _has_varying_length(
                node.elt,
                {
                    name.id
                    for generator in node.generators
                    for name in ast.walk(generator.target)
                    if isinstance(name, ast.Name)
                },
            )
        if not isinstance(node, ast.Call) or not node.args:
            return False
        name, first = call_name(node), node.args[0]
        if name == "sample":
            return (
                call_name(first) not in ("range", "xrange")
                and self._program.names.resolve(node.func, self._program.scopes[node])
                == "random.sample"
            )
        is_builtin = isinstance(node.func, ast.Name)
        return is_builtin and (
            name == "zip"
            and len(node.args) > 1
            or name in _COPIES
            and self.are_uneven(first, depth)
        )

    def _name_is_uneven(self, node: Union[ast.Name, ast.Attribute], depth: int) -> bool:
        scope = self._program.scopes[node]
        key, values = self._program.names.bindings_of(node, scope)
        if any(self._is_row(each, depth) for each in self._appended.get(key, ())):
            return True
        return isinstance(node, ast.Name) and (
            any(
                isinstance(value, ast.expr) and self.are_uneven(value, depth) for value, _ in values
            )
            or any(
                each in self._program.uneven_parameters
                for each in _parameters(scope.owner_of(node.id), node.id)
            )
        )

    def _is_row(self, node: ast.expr, depth: int) -> bool:
        """Returns True for an appended list or tuple with a length or elements that may differ between rows."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return len(node.elts) > 2 and any(constant(each) is None for each in node.elts)
        if isinstance(node, ast.Name) and depth < _DEPTH:
            key, values = self._program.names.bindings_of(node, self._program.scopes[node])
            return bool(self._appended.get(key)) or any(
                isinstance(value, ast.expr) and self._is_row(value, depth + 1)
                for value, _ in values
            )
        return (
            isinstance(node, ast.ListComp)
            and any(generator.ifs for generator in node.generators)
            or isinstance(node, ast.Call)
            and call_name(node) == "split"
            and isinstance(node.func, ast.Attribute)
        )


def _is_one_row(program: Program, array: ast.Call) -> bool:
    """Returns True for the array of `np.reshape(np.array([s, a, r]), [1, 3])`: each of its elements is one."""
    row, around = array.args[0], program.parents.get(array)
    return (
        isinstance(row, ast.List)
        and isinstance(around, ast.Call)
        and call_name(around) == "reshape"
        and len(around.args) == 2
        and constant(around.args[1]) in ([1, len(row.elts)], (1, len(row.elts)))
    )


def _has_varying_length(row: ast.expr, items: Set[str]) -> bool:
    """Returns True for a row that is made of an outer item, such as `[f(word) for word in item]`."""
    if isinstance(row, ast.Call) and call_name(row) in _COPIES and row.args:
        return _has_varying_length(row.args[0], items)
    if (
        isinstance(row, ast.Call)
        and isinstance(row.func, ast.Name)
        and row.func.id == "map"
        and len(row.args) == 2
    ):
        return _names(row.args[1]) & items != set()
    if (
        isinstance(row, ast.Call)
        and call_name(row) == "split"
        and isinstance(row.func, ast.Attribute)
    ):
        return _names(row.func.value) & items != set()
    return (
        isinstance(row, (ast.ListComp, ast.GeneratorExp))
        and _names(row.generators[0].iter) & items != set()
    )


def _names(node: ast.expr) -> Set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def _parameters(owner: Optional[Scope], name: str) -> List[_Parameter]:
    """Returns how calls give the parameter `name` of the function with the scope `owner`, if it is one."""
    function = owner and owner.node
    names = (
        [each.arg for each in function.args.args] if isinstance(function, ast.FunctionDef) else []
    )
    if name not in names or not isinstance(function, ast.FunctionDef):
        return []
    outer = owner and owner.parent and owner.parent.node
    is_method = isinstance(outer, ast.ClassDef)
    called = (
        outer.name
        if isinstance(outer, ast.ClassDef) and function.name == "__init__"
        else function.name
    )
    return [(called, names.index(name) - is_method), (called, name)]
