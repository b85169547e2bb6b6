"""A scope is matched as a prefix.

`tf.get_collection(key, scope)` matches the scope as a regular expression at the start of the name: "layer1" also
matches everything in "layer10", and a dot matches any character. `"D" in variable.name` matches every name that
contains that letter.
"""

import ast
import builtins
import operator
import re
from typing import Callable, Iterator, List, Set, Tuple

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Call, Program, argument, literal
from tf1grad.old_programs.source.scopes import call_name, constant

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
_SCOPES = ("name_scope", "op_scope", "variable_op_scope", "variable_scope")
_NAMED = ("get_variable", *_SCOPES)
# Makers of variables in TensorFlow; other functions and methods that make none, or none that trains.
_MAKERS = re.compile(r"tensorflow\.(get_variable|Variable|layers|contrib|keras|nn\.\w*rnn)\b")
_OTHERS = {"append", "apply_gradients", "as_list", "compute_gradients", "get_shape", "minimize"}
_OTHERS.update(vars(builtins))
DEPTH = 5
_NUMBER = re.compile(r"%[ds]|\{\w*\}")


def findings(program: Program) -> Findings:
    """Yields the scopes, and the strings that names are tested for, that match another name of the program too."""
    paths = {path for file in program.reached for path in _names(file)}
    parts = {path.rpartition("/")[2] for path in paths}
    for node, given, matches in _tests(program):
        text = literal(program, given)
        names = parts if matches is operator.contains else paths
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
    texts = []
    for call in program.calls:
        given = argument(call.node, 0 if call.method in _NAMED else None, "name")
        given = given or argument(call.node, None, "scope")
        text = _name_text(program, given) if given and _names_variables(program, call) else ""
        if text:
            scopes = [*_scopes_around(program, call.node), *_scopes_of_callers(program, call.node)]
            texts.append("/".join([*reversed(scopes), text]))
    return {_NUMBER.sub(number, text) for text in texts for number in ("1", "10")}


def _names_variables(program: Program, call: Call) -> bool:
    """Returns False where a name is not one of variables: of another op, or of a scope that makes none in its body."""
    if call.method not in _SCOPES:
        return not (call.name or "").startswith("tensorflow.") or _makes_variable(call)
    if call.method == "name_scope" and "Variable" not in (each.method for each in program.calls):
        return False
    scope = next((outer for outer in program.above(call.node) if isinstance(outer, ast.With)), None)
    inside = [each for each in program.calls if scope and scope in program.above(each.node)]
    return not inside or any(
        each.method not in _SCOPES and _makes_variable(each) for each in inside
    )


def _makes_variable(call: Call) -> bool:
    """Returns True for functions of layers and variables, and for those that are not TensorFlow's."""
    name = call.name or ""
    is_own = call.method not in _OTHERS and not name.startswith("tensorflow.")
    return is_own or _MAKERS.match(name) is not None


def _scopes_around(program: Program, node: ast.AST) -> Iterator[str]:
    """Yields the scopes in whose `with` statement a call is, from the inner one; "?" for an unknown one."""
    for outer in program.above(node):
        for item in outer.items if isinstance(outer, ast.With) else ():
            call = item.context_expr
            if call is not node and isinstance(call, ast.Call) and call.args:
                if call_name(call) == "variable_scope":
                    yield _name_text(program, call.args[0]) or "?"


def _scopes_of_callers(program: Program, node: ast.AST) -> List[str]:
    """Returns ["?"] for a call in a function of the file that is called in a scope."""
    around = [outer.name for outer in program.above(node) if isinstance(outer, ast.FunctionDef)]
    callers = [call.node for call in program.calls if call.method in around]
    return ["?"] if any(list(_scopes_around(program, caller)) for caller in callers) else []


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
