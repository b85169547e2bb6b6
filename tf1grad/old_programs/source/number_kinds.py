"""Tells from the text whether an expression is a whole number, by the rules of Python 2.

`"whole"` and `"other"` are certain: everything that the expression may be is of that kind. `"other"` is everything that
`/` divides alike in Python 2 and 3: floats, strings, tensors of floats.
"""

import ast
import re
from typing import Any, Dict, Optional, Set, Union

from tf1grad.old_programs.source.name_resolution import Seen
from tf1grad.old_programs.source.program import Program, argument
from tf1grad.old_programs.source.scopes import Part, Scope, Update, call_name, constant, dotted

WHOLE, OTHER = "whole", "other"
_Kinds = Set[Optional[str]]

_BUILTINS = dict(
    dict.fromkeys(("len", "int", "ord", "hash", "id"), WHOLE), float=OTHER, round=OTHER, str=OTHER
)
_MATH = re.compile(
    r"math\.(?!factorial)\w+$|numpy\.(pi|e)$|random\.(random|uniform|gauss)$|time\.(time|clock)$"
)
_FLOATS = re.compile(
    r"numpy\.(mean|std|var|sqrt|exp|log|log2|log10|log1p|sin|cos|tan|tanh|linspace|float\d+)$|"
    r"numpy\.random\.(rand|randn|random|random_sample|uniform|normal)$|"
    r"tensorflow\.(sqrt|exp|log|sin|cos|tanh|sigmoid|to_float|truncated_normal|random_normal)$|"
    r"tensorflow\.nn\.(sigmoid|tanh|softmax|log_softmax|elu|softplus|dropout|l2_loss|\w*cross_entropy\w*)$"
)
# Functions -> the position of their dtype.
_CONVERSIONS = {
    "tensorflow.cast": 1,
    "tensorflow.placeholder": 0,
    "numpy.array": 1,
    "numpy.asarray": 1,
}
_SAME_KIND = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


class Numbers:
    """Answers `kind(node, scope)` for one `Program`."""

    def __init__(self, program: Program) -> None:
        self._names = program.names
        self._flags: Dict[str, _Kinds] = {}
        for call in program.calls:
            name = constant(call.node.args[0]) if call.node.args else None
            if isinstance(name, str) and re.match("DEFINE_|add_argument$", call.method or ""):
                self._flags.setdefault(name.lstrip("-").replace("-", "_"), set()).add(
                    self._kind_of_flag(call.node)
                )

    def kind(self, node: ast.expr, scope: Scope) -> Optional[str]:
        """Returns `WHOLE` or `OTHER` if the text shows it, else None."""
        kinds = self._kinds(node, scope, frozenset())
        return kinds.pop() if len(kinds) == 1 else None

    def _kind_of_flag(self, call: ast.Call) -> Optional[str]:
        method = call_name(call)
        if method != "add_argument":
            return {"DEFINE_integer": WHOLE, "DEFINE_float": OTHER}.get(method or "")
        kind = argument(call, None, "type")
        return _BUILTINS.get(kind.id) if isinstance(kind, ast.Name) else None

    def _kinds(self, node: Any, scope: Scope, seen: Seen) -> _Kinds:
        """Returns the kinds of everything that the expression may be; None among them for an unknown one."""
        value = constant(node)
        if value is not None:
            return {
                WHOLE
                if isinstance(value, int)
                else OTHER
                if isinstance(value, (float, complex, str))
                else None
            }
        if isinstance(node, Update):  # `n += 1` keeps the kind of n
            kinds = self._kinds(node.node.value, scope, seen)
            return kinds - {WHOLE} if isinstance(node.node.op, _SAME_KIND) else {None}
        if isinstance(node, Part):
            return {self._of_part(node, scope)}
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._of_name(node, scope, seen)
        if isinstance(node, ast.BinOp):
            return self._of_operation(node, scope, seen)
        if isinstance(node, ast.UnaryOp):
            return self._kinds(node.operand, scope, seen)
        if isinstance(node, ast.IfExp):
            return self._kinds(node.body, scope, seen) | self._kinds(node.orelse, scope, seen)
        if isinstance(node, ast.Call):
            return self._of_call(node, scope, seen)
        if isinstance(node, ast.Subscript):
            return {WHOLE if self._is_size(node, scope) else None}
        return {None}

    def _of_name(self, node: Union[ast.Name, ast.Attribute], scope: Scope, seen: Seen) -> _Kinds:
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "value"
            and isinstance(node.value, ast.Subscript)
        ):
            return {WHOLE if self._is_size(node.value, scope) else None}
        if dotted(node) is None:
            return {None}
        if _MATH.match(self._names.resolve(node, scope) or ""):
            return {OTHER}
        if isinstance(node, ast.Attribute) and self._is_parsed(node.value, scope):
            return self._flags.get(node.attr, {None})
        return self._names.kinds_of(node, scope, seen, self._kinds)

    def _is_parsed(self, node: ast.expr, scope: Scope) -> bool:
        """Returns True for `FLAGS` and for the result of `parse_args()`."""
        if (dotted(node) or "").rpartition(".")[2] == "FLAGS":
            return True
        owner = scope.owner_of(node.id) if isinstance(node, ast.Name) else None
        values = owner.bindings[node.id] if owner and isinstance(node, ast.Name) else []
        return bool(values) and all(call_name(value) == "parse_args" for value in values)

    def _of_operation(self, node: ast.BinOp, scope: Scope, seen: Seen) -> _Kinds:
        left, right = self._kinds(node.left, scope, seen), self._kinds(node.right, scope, seen)
        if isinstance(node.op, ast.Mod) and isinstance(constant(node.left), str):
            return {OTHER}
        if isinstance(node.op, ast.Pow):
            negative = constant(node.right, -1)
            whole = left == {WHOLE} and isinstance(negative, int) and negative >= 0
            return (
                {WHOLE}
                if whole
                else {OTHER}
                if OTHER in (*left, *right) and len(left | right) == 1
                else {None}
            )
        if not isinstance(node.op, _SAME_KIND):
            return {None}
        if left == {OTHER} or right == {OTHER}:
            return {OTHER}
        return left | right

    def _of_call(self, node: ast.Call, scope: Scope, seen: Seen) -> _Kinds:
        name = self._names.resolve(node.func, scope) or ""
        if isinstance(node.func, ast.Name) and scope.owner_of(node.func.id) is None:
            if node.func.id in ("abs", "max", "min") and (
                len(node.args) > 1 or node.func.id == "abs"
            ):
                return {kind for each in node.args for kind in self._kinds(each, scope, seen)}
            return {_BUILTINS.get(node.func.id)}
        if _MATH.match(name) or _FLOATS.match(name):
            return {OTHER}
        if name in _CONVERSIONS:
            kind = argument(node, _CONVERSIONS[name], "dtype")
            return {None if kind is None else self._of_dtype(kind, scope)}
        if isinstance(node.func, ast.Attribute) and node.func.attr == "astype" and node.args:
            return {self._of_dtype(node.args[0], scope)}
        return {None}

    def _of_dtype(self, node: ast.expr, scope: Scope) -> Optional[str]:
        """Returns `OTHER` for a dtype of floats, which all arrays and tensors of this dtype are."""
        name = self._names.resolve(node, scope) or dotted(node) or constant(node)
        return OTHER if re.match(r"((numpy|tensorflow)\.)?(float|complex)\d*$", str(name)) else None

    def _of_part(self, part: Part, scope: Scope) -> Optional[str]:
        """Returns the kind of the variable of a loop over `range(...)` or `enumerate(...)`, or of a part of a shape."""
        node = part.node
        if not part.each:
            return WHOLE if self._is_shape(node, scope) else None
        function = (
            node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        )
        if scope.owner_of(function) is not None:
            return None
        return (
            WHOLE
            if function in ("range", "xrange") or function == "enumerate" and part.position == 0
            else None
        )

    def _is_size(self, node: ast.Subscript, scope: Scope) -> bool:
        """Returns True for `x.shape[0]`, `x.get_shape()[0]` and `x.get_shape().as_list()[0]`."""
        return not isinstance(node.slice, ast.Slice) and self._is_shape(node.value, scope)

    def _is_shape(self, node: ast.expr, scope: Scope) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr == "shape"
        return isinstance(node, ast.Call) and (
            call_name(node) in ("get_shape", "as_list")
            or self._names.resolve(node.func, scope) == "tensorflow.shape"
        )
