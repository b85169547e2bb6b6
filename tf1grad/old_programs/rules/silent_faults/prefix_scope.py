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
_POSITIONS = {
    "tensorflow.get_collection": 1,
    "tensorflow.get_collection_ref": 1,
    "tensorflow.trainable_variables": 0,
    "tensorflow.global_variables": 0,
    "tensorflow.local_variables": 0,
}
_NAMED = ("get_variable", "name_scope", "op_scope", "variable_op_scope", "variable_scope")
DEPTH = 5
_NUMBER = re.compile(r"%[ds]|\{\w*\}")


def findings(program: Program) -> Findings:
    """Yields the scopes, and the strings that names are tested for, that match another name of the program too."""
    names = {name for file in program.reached for name in _names(file)}
    for node, given, matches in _tests(program):
        text = literal(program, given)
        if (
            isinstance(text, str)
            and text
            and not text.endswith("/")
            and any(matches(name, text) and not _is_meant(name, text, names) for name in names)
        ):
            yield node


def _tests(program: Program) -> Iterator[Tuple[ast.expr, ast.expr, Callable[[str, str], bool]]]:
    """Yields expressions, the texts that they compare names with, and whether a name matches a text.

    They are the scopes by which collections are read, `"D" in variable.name`, and `variable.name.startswith("D")`.
    """
    for call in program.calls:
        scope = (
            argument(call.node, _POSITIONS[call.name], "scope") if call.name in _POSITIONS else None
        )
        if scope is not None:
            yield scope, scope, str.startswith
        if (
            call.method == "startswith"
            and isinstance(call.node.func, ast.Attribute)
            and call.node.args
            and _is_variable_name(program, call.node.func.value)
        ):
            yield call.node, call.node.args[0], str.startswith
    for node, _ in program.nodes(ast.Compare):
        if (
            len(node.ops) == 1
            and isinstance(node.ops[0], ast.In)
            and _is_variable_name(program, node.comparators[0])
        ):
            yield node, node.left, operator.contains


def _names(program: Program) -> Set[str]:
    """Returns the names of variables and scopes that a file shows; a number in a name counts as 1 and as 10."""
    given = [
        each
        for call in program.calls
        for each in (
            argument(call.node, 0 if call.method in _NAMED else None, "name"),
            argument(call.node, None, "scope"),
        )
        if each
    ]
    texts = [_name_text(program, node) for node in given]
    return {_NUMBER.sub(number, text) for text in texts for number in ("1", "10")}


def _name_text(program: Program, node: ast.expr, depth: int = 0) -> str:
    """Returns the text of a name, with the places for its numbers; "" for an unknown one."""
    value = program.value(node)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod):
        value = value.left
    elif (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "format"
    ):
        value = value.func.value
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        if depth > DEPTH:  # name = name + "_w"
            return ""
        start = _name_text(program, value.left, depth + 1)
        return start and start + (_name_text(program, value.right, depth + 1) or "%s")
    text = constant(value)
    return text if isinstance(text, str) else ""


def _is_meant(name: str, text: str, names: Set[str]) -> bool:
    """Returns True for a name in the scope `text`, and for a name that begins with it where no scope has that name."""
    return (
        name == text or name.startswith(text + "/") or text not in names and name.startswith(text)
    )


def _is_variable_name(program: Program, node: ast.expr) -> bool:
    """Returns True for `v.name` and `v.op.name` of a variable."""
    if not (isinstance(node, ast.Attribute) and node.attr == "name"):
        return False
    owner = (
        node.value.value
        if isinstance(node.value, ast.Attribute) and node.value.attr == "op"
        else node.value
    )
    return program.kind(owner) == "variable"
