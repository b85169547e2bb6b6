"""A loss of one part trains all variables.

Without `var_list`, `minimize` and `compute_gradients` take every trainable variable that the loss
depends on. A generator's step then also moves the discriminator, and a loss against a target
network also moves the target network. Reported are the steps of two players where the other one has
a `var_list`, and losses that are made of variables in a scope named after a network that is held
fixed (target, teacher, frozen, fixed, pretrained).
"""

from __future__ import annotations

import ast
import re

from tf1grad.programs.source.program import Call, Program, argument, is_open
from tf1grad.programs.source.scopes import call_name, constant, dotted
from tf1grad.upgrade.rules import Findings

ID = "TFG323"
SEVERITY = "warning"
SUMMARY = "Without var_list, this step also trains the variables of the other part."
REMEDY = (
    "Give var_list=tf1grad.trainable_in(scope), or put tf.stop_gradient around what is held fixed."
)
EXAMPLE = """
  with tf.variable_scope("target"):
      target = tf.get_variable("w", [3])
  with tf.variable_scope("online"):
      online = tf.get_variable("w", [3])
  loss = tf.reduce_sum((target - online) ** 2)
- train = tf.train.AdamOptimizer().minimize(loss)
+ train = tf.train.AdamOptimizer().minimize(loss, var_list=tf1grad.trainable_in("online"))
"""
_POSITIONS = {"minimize": 2, "compute_gradients": 1}  # of `var_list`
_PLAYER = re.compile(r"(^|_)(d|g|dis\w*|gen\w*|critic|actor|adv\w*)_?(loss|cost|$)", re.I)
_FIXED = re.compile(r"(^|_)(target|teacher|frozen|fixed|pretrained)(_|$)", re.I)


def findings(program: Program) -> Findings:
    steps = [call for method in _POSITIONS for call in program.calls_of(method)]
    steps = [call for call in steps if call.node.args and not is_open(call.node)]
    listed = [_loss(call) for call in steps if _has_list(call)]
    for call in steps:
        if _has_list(call):
            continue
        is_player = _PLAYER.search(_loss(call)) is not None
        others = [loss for loss in listed if loss != _loss(call) and _PLAYER.search(loss)]
        if is_player and others or _depends_on_fixed(program, call.node.args[0]):
            yield call.node


def _has_list(call: Call) -> bool:
    given = argument(call.node, _POSITIONS[call.method or ""], "var_list")
    return given is not None and constant(given, 0) is not None


def _loss(call: Call) -> str:
    return (dotted(call.node.args[0]) or "").rpartition(".")[2]


def _depends_on_fixed(program: Program, loss: ast.expr) -> bool:
    """Returns True for a loss of what a scope with such a name makes,
    where nothing stops its gradient.
    """
    parts = list(program.made_of(loss))
    if any(call_name(part) == "stop_gradient" for part in parts):
        return False
    scopes = {
        outer
        for part in parts
        if isinstance(part, ast.Call)
        for outer in program.above(part)
        if isinstance(outer, ast.With)
    }
    return any(
        _FIXED.search(_scope_name(item.context_expr)) and not _says_untrained(scope)
        for scope in scopes
        for item in scope.items
    )


def _scope_name(node: ast.expr) -> str:
    is_scope = isinstance(node, ast.Call) and call_name(node) == "variable_scope"
    name = argument(node, 0, "name_or_scope") if is_scope else None  # type: ignore[arg-type]
    return str(constant(name, ""))


def _says_untrained(scope: ast.With) -> bool:
    return any(
        isinstance(part, ast.keyword) and part.arg == "trainable" for part in ast.walk(scope)
    )
