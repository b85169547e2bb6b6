"""A scope is matched as a prefix.

`tf.get_collection(key, scope)` matches the scope as a regular expression at the start of the name: "layer1" also
matches everything in "layer10", and a dot matches any character. `"D" in variable.name` matches every name that
contains that letter.
"""

import ast
import re
from typing import Iterator

from tf1grad.old_programs.source.program import Program, argument, literal
from tf1grad.old_programs.source.scopes import constant

ID = "TFG303"
SEVERITY = "warning"
SUMMARY = "A scope is matched as a prefix, or anywhere in the name, so variables of other scopes match too."
REMEDY = "Use tf1grad.trainable_in(scope), or end the scope with a slash."
BAD = """
first = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="layer1")
"""
GOOD = """
first = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="layer1/")
"""
_COLLECTIONS = ("tensorflow.get_collection", "tensorflow.get_collection_ref")
_POSITIONS = dict.fromkeys(_COLLECTIONS, 1)
_POSITIONS.update(dict.fromkeys(
    ("tensorflow.trainable_variables", "tensorflow.global_variables", "tensorflow.local_variables"), 0))


def findings(program: Program) -> Iterator[ast.expr]:
    """Yields the scopes, and the strings that names are tested for, that end without a slash."""
    for call in program.calls:
        scope = argument(call.node, _POSITIONS[call.name], "scope") if call.name in _POSITIONS else None
        key = argument(call.node, 0, "key") if call.name in _COLLECTIONS else None
        if key is not None and not re.search("variables|^$", _text(program, key), re.I):
            continue  # losses, summaries, updates
        if scope is not None and _takes_others(program, scope):
            yield scope
    yield from _name_tests(program)


def _text(program: Program, key: ast.expr) -> str:
    """Returns the key of a collection as text, such as "GraphKeys.LOSSES"; "" for an unknown one."""
    name = program.names.resolve(key, program.scopes[key])
    return str(literal(program, key) or (name if name and "GraphKeys." in name else ""))


def _takes_others(program: Program, scope: ast.expr) -> bool:
    """Returns True unless the scope is None, or visibly ends with a slash."""
    node = program.value(scope)
    if isinstance(node, ast.BinOp):
        node = node.right if isinstance(node.op, ast.Add) else node.left
    elif isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[-1]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        node = node.func.value
    text = constant(node, "unknown")
    return text is not None and not re.search(r"/(\.\*)?\$?$", str(text))


def _name_tests(program: Program) -> Iterator[ast.expr]:
    """Yields `"D" in variable.name` and `variable.name.startswith("D")`."""
    for node, _ in program.nodes(ast.Compare):
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In) and _is_variable_name(program, node.comparators[0]) \
                and isinstance(literal(program, node.left), str) and not literal(program, node.left).endswith("/"):
            yield node
    for call in program.calls:
        if call.method == "startswith" and isinstance(call.node.func, ast.Attribute) and call.node.args and \
                _is_variable_name(program, call.node.func.value):
            text = literal(program, call.node.args[0])
            if isinstance(text, str) and not text.endswith("/"):
                yield call.node


def _is_variable_name(program: Program, node: ast.expr) -> bool:
    """Returns True for `v.name` and `v.op.name` of a variable."""
    if not (isinstance(node, ast.Attribute) and node.attr == "name"):
        return False
    owner = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "op" else node.value
    return program.kind(owner) == "variable"
