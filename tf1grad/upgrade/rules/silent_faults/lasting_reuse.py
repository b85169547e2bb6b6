"""Variables are reused until the program ends.

`tf.get_variable_scope().reuse_variables()` outside of any `tf.variable_scope` changes the scope of
the whole graph, and nothing changes it back. Each later `tf.get_variable` then shares a variable of
the same name, also where a second network was meant to have its own, or raises. Inside `with
tf.variable_scope(...)` it ends with the block.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import call_name
from tf1grad.upgrade.rules import Findings

ID = "TFG324"
SEVERITY = "warning"
SUMMARY = (
    "All variables that are made after this call are reused ones: nothing switches the reuse off."
)
REMEDY = "Put `with tf.variable_scope(tf.get_variable_scope(), reuse=True):` around what reuses the variables."
EXAMPLE = """
  def layer(x):
      return x * tf.get_variable("w", [3])

  x, y = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3])
  first = layer(x)
- tf.get_variable_scope().reuse_variables()
- second = layer(y)
+ with tf.variable_scope(tf.get_variable_scope(), reuse=True):
+     second = layer(y)
"""
_SCOPES = ("variable_scope", "variable_op_scope")


def findings(program: Program) -> Findings:
    for call in program.calls_of("reuse_variables"):
        owner = getattr(call.node.func, "value", None)
        if call_name(owner) == "get_variable_scope" and _is_outside(program, call.node, set()):
            yield call.node


def _is_outside(program: Program, node: ast.AST, seen: set[str]) -> bool:
    """Returns True for code outside of scopes, in a function also if a call of it is;
    unknown callers have one.
    """
    for outer in program.above(node):
        if isinstance(outer, ast.With):
            if any(call_name(item.context_expr) in _SCOPES for item in outer.items):
                return False
        elif isinstance(outer, (ast.FunctionDef, ast.Lambda)):
            name = getattr(outer, "name", "")
            callers = [] if name in seen else program.calls_of(name)
            return any(_is_outside(program, call.node, {*seen, name}) for call in callers)
    return True
