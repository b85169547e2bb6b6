"""A scope is matched as a prefix.

`tf.get_collection(key, scope)` matches the scope as a regular expression at the start of the name: "layer1" also
matches everything in "layer10", and a dot matches any character. `"D" in variable.name` matches every name that
contains that letter.
"""

import ast
import operator
import re
from typing import Callable, Iterator, Set, Tuple

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Program, argument, literal
from tf1grad.old_programs.source.scopes import constant

ID = "TFG303"
SEVERITY = "warning"
SUMMARY = "A scope is matched as a prefix, or anywhere in the name, so variables of other scopes match too."
REMEDY = "Use tf1grad.trainable_in(scope), or end the scope with a slash."
EXAMPLE = """
  for number in (1, 10):
      with tf.variable_scope("layer%d" % number):
          tf.get_variable("w", [3])
- first = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="layer1")
+ first = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="layer1/")
"""
_COLLECTIONS = ("tensorflow.get_collection", "tensorflow.get_collection_ref")
# An expression, the text that it compares names with, and whether a name matches this text.
_Test = Tuple[ast.expr, str, Callable[[str, str], bool]]
_POSITIONS = dict.fromkeys(_COLLECTIONS, 1)
_POSITIONS.update(dict.fromkeys(
    ("tensorflow.trainable_variables", "tensorflow.global_variables", "tensorflow.local_variables"), 0))


_NAMED = ("get_variable", "name_scope", "op_scope", "variable_op_scope", "variable_scope")
_NUMBER = re.compile(r"%[ds]|\{\w*\}")


def findings(program: Program) -> Findings:
    """Yields the scopes, and the strings that names are tested for, that match another name of the program too."""
    names = _names(program)
    for node, text, takes in [*_scopes(program), *_name_tests(program)]:
        if any(takes(name, text) and not _is_meant(name, text, names) for name in names):
            yield node


def _names(program: Program) -> Set[str]:
    """Returns the names of variables and scopes that the text shows; a number in a name counts as 1 and as 10."""
    given = [each for call in program.calls for each in (
        argument(call.node, 0 if call.method in _NAMED else None, "name"), argument(call.node, None, "scope")) if each]
    texts = [_name_text(program, node) for node in given]
    return {_NUMBER.sub(number, text) for text in texts for number in ("1", "10")}


def _name_text(program: Program, node: ast.expr) -> str:
    """Returns the text of a name, with the places for its numbers; "" for an unknown one."""
    value = program.value(node)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod):
        value = value.left
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format":
        value = value.func.value
    text = constant(value)
    return text if isinstance(text, str) else ""


def _is_meant(name: str, text: str, names: Set[str]) -> bool:
    """Returns True for a name in the scope `text`, and for a name that begins with it where no scope has that name."""
    return name == text or name.startswith(text + "/") or text not in names and name.startswith(text)


def _scopes(program: Program) -> Iterator[_Test]:
    """Yields the scopes by which collections are read: (node, text, how it matches)."""
    for call in program.calls:
        scope = argument(call.node, _POSITIONS[call.name], "scope") if call.name in _POSITIONS else None
        text = literal(program, scope) if scope is not None else None
        if scope is not None and isinstance(text, str) and text and not text.endswith("/"):
            yield scope, text, str.startswith


def _name_tests(program: Program) -> Iterator[_Test]:
    """Yields `"D" in variable.name` and `variable.name.startswith("D")`."""
    for node, _ in program.nodes(ast.Compare):
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In) and _is_variable_name(program, node.comparators[0]):
            text = literal(program, node.left)
            if isinstance(text, str) and not text.endswith("/"):
                yield node, text, operator.contains
    for call in program.calls:
        if call.method == "startswith" and isinstance(call.node.func, ast.Attribute) and call.node.args and \
                _is_variable_name(program, call.node.func.value):
            text = literal(program, call.node.args[0])
            if isinstance(text, str) and not text.endswith("/"):
                yield call.node, text, str.startswith


def _is_variable_name(program: Program, node: ast.expr) -> bool:
    """Returns True for `v.name` and `v.op.name` of a variable."""
    if not (isinstance(node, ast.Attribute) and node.attr == "name"):
        return False
    owner = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "op" else node.value
    return program.kind(owner) == "variable"
