"""A softmax is applied twice.

The cross entropies of TensorFlow take logits, and apply the softmax or the sigmoid themselves. With
probabilities they compute another loss, whose gradients are small: training is slow and ends early.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source.program import Program, argument
from tf1grad.programs.source.scopes import Expression, UnpackedElement, call_name
from tf1grad.upgrade.rules import Findings

ID = "TFG319"
SEVERITY = "warning"
SUMMARY = "This cross entropy takes logits, and gets probabilities: the softmax or sigmoid is applied twice."
REMEDY = "Give it the input of the softmax or sigmoid."
EXAMPLE = """
  x = tf.placeholder(tf.float32, [None, 3])
  labels = tf.placeholder(tf.float32, [None, 3])
- y = tf.nn.softmax(x)
- loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=y)
+ loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x)
"""
_SOFTMAX = ("tensorflow.nn.softmax", "tensorflow.softmax")
# They return the numbers of their first argument.
_SAME_VALUES = frozenset(
    "tensorflow." + name
    for name in (
        "squeeze",
        "reshape",
        "identity",
        "expand_dims",
        "transpose",
        "cast",
        "check_numerics",
    )
)
_DEPTH = 5  # of functions in functions
_SIGMOID = ("tensorflow.nn.sigmoid", "tensorflow.sigmoid")
_LOSSES = {
    "tensorflow.nn.softmax_cross_entropy_with_logits": _SOFTMAX,
    "tensorflow.nn.softmax_cross_entropy_with_logits_v2": _SOFTMAX,
    "tensorflow.nn.sparse_softmax_cross_entropy_with_logits": _SOFTMAX,
    "tensorflow.losses.softmax_cross_entropy": _SOFTMAX,
    "tensorflow.losses.sparse_softmax_cross_entropy": _SOFTMAX,
    "tensorflow.nn.sigmoid_cross_entropy_with_logits": _SIGMOID,
    "tensorflow.losses.sigmoid_cross_entropy": _SIGMOID,
}


def findings(program: Program) -> Findings:
    """Yields the logits that a softmax or a sigmoid made, also as the activation of a layer."""
    for call in program.calls:
        functions = _LOSSES.get(call.name or "")
        position = 1 if "losses" in (call.name or "") else None
        logits = argument(call.node, position, "logits") if functions else None
        if functions and logits is not None and _is_made_by(program, logits, functions, _DEPTH):
            yield logits


def _is_made_by(program: Program, node: Expression, functions: tuple[str, ...], depth: int) -> bool:
    """Returns True for the result of one of the functions,
    also of a function of the file that returns it.
    """
    value = program.value_above(node) if isinstance(node, ast.expr) else node
    if isinstance(value, UnpackedElement) and not value.each and isinstance(value.node, ast.Call):
        returned = _returned(program, value.node, value.position)
    elif isinstance(value, ast.Call) and value in program.scopes:
        activation = argument(value, None, "activation") or value.func
        name = program.names.resolve(activation, program.scopes[value])
        if name in functions:
            return True
        returned = value.args[:1] if name in _SAME_VALUES else _returned(program, value, None)
    else:
        return False
    return bool(returned and depth) and all(
        _is_made_by(program, each, functions, depth - 1) for each in returned
    )


def _returned(program: Program, call: ast.Call, position: int | None) -> list[ast.expr]:
    """Returns what the file's functions that a call may mean return,
    or the elements at a position of it.
    """
    values = [
        part.value
        for function in program.functions(call_name(call))
        for part in ast.walk(function)
        if isinstance(part, ast.Return) and part.value is not None
    ]
    if position is None:
        return values
    return [
        value.elts[position]
        for value in values
        if isinstance(value, ast.Tuple) and position < len(value.elts)
    ]
