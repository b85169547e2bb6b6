"""A scope is matched as a prefix.

`tf.get_collection(key, scope)` matches the scope as a regular expression at the start of the name:
"layer1" also matches everything in "layer10", and a dot matches any character. `"D" in
variable.name` matches every name that contains that letter.
"""

from __future__ import annotations

import ast
import re
from typing import Iterator

from tf1grad.programs.source.program import Call, Program, argument, literal
from tf1grad.programs.source.scopes import call_name, constant
from tf1grad.upgrade.rules import Findings

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
_MAKERS = re.compile(
    r"tf_slim\.|tensorflow\.(get_variable|Variable|layers|contrib|keras|nn\.\w*rnn)\b"
)
DEPTH = 5  # of names that are made of names
_NUMBER = re.compile(r"%[ds]|\{\w*\}")


def findings(program: Program) -> Findings:
    """Yields the scopes, and the tests of names, that match the name of a scope and the
    beginning of another one.
    """
    tests = list(_tests(program))
    names = {name for file in program.reached for name in _names(file)} if tests else set()
    for node, given in tests:
        text = literal(program, given)
        if isinstance(text, str) and text in names:
            longer = re.compile(re.escape(text) + "[^/]")
            if any(map(longer.match, names)):
                yield node


def _tests(program: Program) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yields expressions and the texts that they look for.

    They are the scopes by which collections are read, `"D" in variable.name`, and
    `variable.name.startswith("D")`.
    """
    for call in program.calls:
        scope = (
            argument(call.node, _POSITIONS[call.name], "scope") if call.name in _POSITIONS else None
        )
        if scope is not None:
            yield scope, scope
        if call.method == "startswith" and isinstance(call.node.func, ast.Attribute):
            if call.node.args and _is_variable_name(program, call.node.func.value):
                yield call.node, call.node.args[0]
    for node, _ in program.nodes(ast.Compare):
        if isinstance(node.ops[0], ast.In) and _is_variable_name(program, node.comparators[0]):
            yield node, node.left


def _names(program: Program) -> set[str]:
    """Returns the names of variables and scopes that a file shows;
    a number in a name counts as 1 and as 10.
    """
    texts = []
    for call in program.calls:
        if call.method not in ("get_variable", "variable_scope"):
            continue
        text = _name_text(program, argument(call.node, 0, "name"))
        if text and _makes_variables(program, call) and not _is_called_in_scope(program, call):
            texts.append("/".join([*reversed(list(_scopes_around(program, call.node))), text]))
    return {_NUMBER.sub(number, text) for text in texts for number in ("1", "10")}


def _makes_variables(program: Program, call: Call) -> bool:
    """Returns False for a scope in whose body neither TensorFlow nor a function of the
    program makes variables.
    """
    scope = program.parents[program.parents[call.node]]  # beyond the item of the statement
    if not isinstance(scope, ast.With):
        return True
    for part in ast.walk(scope):
        if isinstance(part, ast.Call) and part in program.scopes and part is not call.node:
            name = program.names.resolve(part.func, program.scopes[part])
            if _MAKERS.match(name or ""):
                return True
            if any(file.functions(call_name(part)) for file in program.reached):
                return True
    return False


def _is_called_in_scope(program: Program, call: Call) -> bool:
    """Returns True for a call in a function of the file that is called in a scope,
    which begins its names.
    """
    around = program.above(call.node)
    functions = [outer.name for outer in around if isinstance(outer, ast.FunctionDef)]
    return any(
        list(_scopes_around(program, caller.node))
        for function in functions
        for caller in program.calls_of(function)
    )


def _scopes_around(program: Program, node: ast.AST) -> Iterator[str]:
    """Yields the scopes in whose `with` statement a call is, from the inner one;
    "?" for an unknown one.
    """
    for outer in program.above(node):
        for item in outer.items if isinstance(outer, ast.With) else ():
            call = item.context_expr
            if call is not node and isinstance(call, ast.Call) and call.args:
                if call_name(call) == "variable_scope":
                    yield _name_text(program, call.args[0]) or "?"


def _name_text(program: Program, node: ast.expr | None, depth: int = 0) -> str:
    """Returns the text of a name, with the places for its numbers; "" for an unknown one."""
    value = node and program.value(node)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        if depth > DEPTH:  # name = name + "_w"
            return ""
        start = _name_text(program, value.left, depth + 1)
        return start and start + (_name_text(program, value.right, depth + 1) or "%s")
    if isinstance(value, ast.BinOp):
        value = program.value(value.left)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value  # of `format`
    text = constant(value)
    return text if isinstance(text, str) else ""


def _is_variable_name(program: Program, node: ast.expr) -> bool:
    """Returns True for `v.name` and `v.op.name` of a variable."""
    if not (isinstance(node, ast.Attribute) and node.attr == "name"):
        return False
    owner = node.value
    if isinstance(owner, ast.Attribute) and owner.attr == "op":
        owner = owner.value
    return program.kind(owner) == "variable"
