"""The version of TensorFlow is tested.

The code after such a test was written before version 2 existed, such as a check that the major version is 1. If
versions are compared as strings, "1.12" is less than "1.4". A test that has the same result for version 1.15 and for
version 2, such as `tf.__version__ < "1.0"`, is not reported.
"""

import ast
import operator
import re
from typing import Any, Callable, Dict, Iterator, Union

from tf1grad.old_programs.source.name_resolution import Use
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.scopes import call_name, dotted

ID = "TFG106"
NAME = "version-test"
SEVERITY = "warning"
SUMMARY = "The version of TensorFlow is tested, by code that expects version 1."
REMEDY = "Keep the branch of version 1.15."
REPORTED_BY_UPGRADE = True
BAD = """
x = tf.placeholder(tf.float32)
if tf.__version__.startswith("1."):
    initialize = tf.global_variables_initializer()
else:
    initialize = tf.initialize_all_variables()
"""
GOOD = """
x = tf.placeholder(tf.float32)
initialize = tf.global_variables_initializer()
"""
_VERSIONS = ("tensorflow.__version__", "tensorflow.VERSION", "tensorflow.version.VERSION")
OLD = "1.15.5"
_COMPARISONS: Dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, other: one in other, ast.NotIn: lambda one, other: one not in other}
_TESTS = (ast.Compare, ast.If, ast.IfExp, ast.Assert)


def findings(program: Program) -> Iterator[Union[ast.Name, ast.Attribute]]:
    """Yields the uses of the version in a comparison, a condition or an assertion with another result than in 1.15."""
    for use in program.names.uses if program.is_tf1 else ():
        if use.name and (use.name + ".").startswith(tuple(name + "." for name in _VERSIONS)):
            if any(isinstance(outer, _TESTS) for outer in program.above(use.node)) and not _is_harmless(program, use):
                yield use.node


def _is_harmless(program: Program, use: Use) -> bool:
    """Returns True if a comparison has the same result for version 1.15 and for later ones."""
    test = next((outer for outer in program.above(use.node) if isinstance(outer, ast.Compare) or isinstance(
        outer, ast.Call) and call_name(outer) == "startswith"), None)
    dot = use.name.rpartition(".")
    node = use.node.value if dot[0] in _VERSIONS and isinstance(use.node, ast.Attribute) else use.node
    versions = [OLD, program.installed.version or "2.4.0", "2.21.0"]
    try:
        return test is not None and len({bool(_value(test, node, version)) for version in versions}) == 1
    except Exception:  # the program's own expression may raise anything for one of the versions
        return False


def _value(node: Any, version_node: ast.expr, version: str) -> Any:
    """Returns the value of an expression in which one node is the version.

    Raises:
        ValueError: the expression is not one of those that test versions.
    """
    def value(inner: Any) -> Any:
        return _value(inner, version_node, version)
    if node is version_node:
        return version
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(map(value, node.elts))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        return _COMPARISONS[type(node.ops[0])](value(node.left), value(node.comparators[0]))
    if isinstance(node, ast.Subscript):
        index: Any = node.slice
        if isinstance(index, ast.Slice):
            return value(node.value)[slice(*(part and value(part) for part in (index.lower, index.upper)))]
        return value(node.value)[value(getattr(index, "value", index) if type(index).__name__ == "Index" else index)]
    if isinstance(node, ast.Call) and not node.keywords:
        return _called(node, value)
    return ast.literal_eval(node)


def _called(call: ast.Call, value: Callable[[Any], Any]) -> Any:
    name = call_name(call) or ""
    if name in ("split", "startswith") and isinstance(call.func, ast.Attribute):
        return getattr(value(call.func.value), name)(*map(value, call.args))
    if name in ("LooseVersion", "StrictVersion", "Version", "parse", "parse_version"):
        return tuple(map(int, re.findall(r"\d+", value(call.args[0]))))
    if name == "map" and dotted(call.args[0]) == "int":
        return tuple(map(int, value(call.args[1])))
    if name in ("int", "float", "list", "tuple", "str"):
        converted = value(call.args[0])
        return {"int": int, "float": float, "str": str}.get(name, tuple)(converted)
    raise ValueError(f"{name} is unknown")
