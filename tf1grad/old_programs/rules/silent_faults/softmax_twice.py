"""A softmax is applied twice.

The cross entropies of TensorFlow take logits, and apply the softmax or the sigmoid themselves. With probabilities they
compute another loss, whose gradients are small: training is slow and ends early.
"""

import ast

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Program, argument

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
        value = program.value(logits) if logits is not None else None
        if logits is not None and functions and isinstance(value, ast.Call):
            activation = argument(value, None, "activation") or value.func
            scope = program.scopes.get(value)
            if scope is not None and program.names.resolve(activation, scope) in functions:
                yield logits
