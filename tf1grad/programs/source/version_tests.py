"""Evaluates tests of a version without running the program.

`live_children` leaves out the branches that Python 3 and TensorFlow 1.15 or 2 never execute, such
as those of `if six.PY2`.
"""

from __future__ import annotations

import ast
import copy
import re
import warnings
from typing import Any, Callable, Collection, Iterator

from tf1grad.programs.source.scopes import call_name, dotted

_TENSORFLOW = ("tf.__version__", "tf.VERSION", "tensorflow.__version__")
# What both say is true of each Python 3, with TensorFlow 1.15 and with a later one.
_VERSIONS = (
    (3, 7, 0, "final", 0),
    (3, 14, 0, "final", 0),
)
_FLAG = re.compile(r"(is_?)?(py|python)_?([23])$", re.I)
_EVALUATED = frozenset(
    {
        "Expression",
        "Compare",
        "BoolOp",
        "UnaryOp",
        "Subscript",
        "Index",
        "Slice",
        "Tuple",
        "Constant",
        "Num",
        "Str",
        "NameConstant",
        "And",
        "Or",
        "Not",
        "USub",
        "Eq",
        "NotEq",
        "Lt",
        "LtE",
        "Gt",
        "GtE",
        "Is",
        "IsNot",
        "In",
        "NotIn",
        "Load",
    }
)
_METHODS = ("split", "startswith")  # of a version that is text
# The functions that a test may call, also as attributes of a module.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "list": tuple,
    "tuple": tuple,
    "map": lambda function, values: tuple(map(function, values)),
    **dict.fromkeys(
        ("LooseVersion", "StrictVersion", "Version", "parse", "parse_version"),
        lambda version: tuple(map(int, re.findall(r"\d+", version))),
    ),
}


def live_children(node: ast.AST) -> Iterator[ast.AST]:
    """Returns the children of a node without those that only Python 2 or older
    releases of TensorFlow reach.
    """
    if not isinstance(node, (ast.If, ast.IfExp)):
        return ast.iter_child_nodes(node)
    known = evaluate_test(node.test)
    dead: Any = [] if known is None else node.orelse if known else node.body
    left_out = dead if isinstance(dead, list) else [dead]
    return (
        child
        for child in ast.iter_child_nodes(node)
        if not any(child is other for other in left_out)
    )


def evaluate_test(test: ast.expr, tensorflow: Collection[str] = _TENSORFLOW) -> bool | None:
    """Returns the result of a test of a version that is the same everywhere;
    None for any other test.

    `tensorflow` has the ways in which the program writes TensorFlow's version.
    """
    if all(_fact(part, _VERSIONS[0], tensorflow) is None for part in ast.walk(test)):
        return None
    results = {_evaluated(test, version, tensorflow) for version in _VERSIONS}
    return results.pop() if len(results) == 1 else None


def _evaluated(test: ast.expr, version: Any, tensorflow: Collection[str]) -> bool | None:
    """Returns the result of a test on one version of Python;
    None for one that cannot be evaluated.
    """
    tree = _Facts(version, tensorflow).visit(ast.Expression(copy.deepcopy(test)))
    if not all(map(_is_evaluated, ast.walk(tree))):
        return None
    try:
        with warnings.catch_warnings():
            # The program's own compiler shows the warning about `version_info[0] is 3`.
            warnings.simplefilter("ignore")
            code = compile(ast.fix_missing_locations(tree), "<test>", "eval")
        return bool(eval(code, {"__builtins__": {}, **_FUNCTIONS}))
    except Exception:  # the program's own comparison may raise anything
        return None


def _is_evaluated(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):  # `is_python3()` calls what has become a value
        return isinstance(node.func, (ast.Attribute, ast.Name))
    return (
        type(node).__name__ in _EVALUATED
        or isinstance(node, ast.Attribute)
        and node.attr in _METHODS
        or isinstance(node, ast.Name)
        and node.id in _FUNCTIONS
    )


class _Facts(ast.NodeTransformer):
    """Replaces names by their values, and `module.f` by `f` where it is called."""

    def __init__(self, *facts: Any) -> None:
        self._facts = facts

    def visit(self, node: ast.AST) -> Any:
        value = _fact(node, *self._facts)
        return super().visit(node) if value is None else ast.parse(repr(value), mode="eval").body

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = call_name(node)
        if name in _FUNCTIONS:
            node.func = ast.Name(str(name), ast.Load())
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        return self.generic_visit(ast.Tuple(node.elts, ast.Load()))


def _fact(node: ast.AST, version: Any, tensorflow: Collection[str]) -> Any:
    """Returns the value of `sys.version_info`, `six.PY2`,
    `tf.__version__` and the like; None for others.
    """
    name = dotted(node) or ""
    if name in tensorflow:
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
