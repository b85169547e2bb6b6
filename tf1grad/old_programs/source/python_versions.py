"""Finds the branches that Python 3 and TensorFlow 1.15 or 2 never execute, such as those of `if six.PY2`."""

import ast
import copy
import re
from typing import Any, Iterator, Optional, Union

from tf1grad.old_programs.source.scopes import dotted

_TENSORFLOW = ("tf.__version__", "tf.VERSION", "tensorflow.__version__")
_VERSIONS = ((3, 7, 0, "final", 0), (3, 14, 0, "final", 0))  # what both say is true of each Python 3
_FLAG = re.compile(r"(is_?)?(py|python)_?([23])$", re.I)
_EVALUATED = frozenset(
    "Expression Compare BoolOp UnaryOp Subscript Index Slice Tuple Constant Num Str NameConstant And Or Not USub Eq "
    "NotEq Lt LtE Gt GtE Is IsNot In NotIn Load".split())


def live_children(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the children of a node without those that only Python 2 or older releases of TensorFlow reach."""
    result = _result(node.test) if isinstance(node, (ast.If, ast.IfExp)) else None
    dead: Any = [] if result is None else node.orelse if result else node.body  # type: ignore[attr-defined]
    left_out = dead if isinstance(dead, list) else [dead]
    return (child for child in ast.iter_child_nodes(node) if not any(child is other for other in left_out))


def _result(test: ast.expr) -> Optional[bool]:
    """Returns the result of a test of a version that is the same everywhere; None for any other test."""
    if all(_fact(part, _VERSIONS[0]) is None for part in ast.walk(test)):
        return None
    results = {_evaluated(test, version) for version in _VERSIONS}
    return results.pop() if len(results) == 1 else None


def _evaluated(test: ast.expr, version: Any) -> Optional[bool]:
    tree = _Versions(version).visit(ast.Expression(copy.deepcopy(test)))
    if any(type(node).__name__ not in _EVALUATED for node in ast.walk(tree)):
        return None
    try:
        return bool(eval(compile(ast.fix_missing_locations(tree), "<test>", "eval"), {}))
    except Exception:  # the program's own comparison may raise anything
        return None


class _Versions(ast.NodeTransformer):
    """Replaces the names of the version, and of flags for it, by their values."""

    def __init__(self, version: Any) -> None:
        self._version = version

    def visit_Name(self, node: Union[ast.Name, ast.Attribute]) -> ast.AST:
        value = _fact(node, self._version)
        return node if value is None else ast.parse(repr(value), mode="eval").body

    visit_Attribute = visit_Name


def _fact(node: ast.AST, version: Any) -> Any:
    """Returns the value of `sys.version_info`, `six.PY2`, `tf.__version__` and the like; None for others."""
    name = dotted(node) or ""
    if name in _TENSORFLOW:
        return "1.15.5" if version == _VERSIONS[0] else "2.21.0"
    last = name.rpartition(".")[2]
    flag = _FLAG.match(last)
    if flag:
        return flag.group(3) == "3"
    if last == "version_info":
        return version
    if name.endswith("version_info.major"):
        return version[0]
    return f"{version[0]}.{version[1]}.0" if name == "sys.version" else None
