"""Towers are averaged with the indices of the first.

The gradient of an embedding is sparse: each tower has the rows that its own batch looked up. A mean
of the towers' `values` with the `indices` of one of them adds the rows of the others to wrong
places, without an error if their numbers are equal.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source.program import Program, argument
from tf1grad.programs.source.scopes import call_name, constant, index_of
from tf1grad.upgrade.rules import Findings

ID = "TFG322"
SEVERITY = "warning"
SUMMARY = "The values of several sparse gradients get the indices of the first one."
REMEDY = "Concatenate values and indices of all, and divide the values by the number of towers."
EXAMPLE = """
  table = tf.get_variable("table", [10, 3])
  rows = [tf.nn.embedding_lookup(table, ids) for ids in ([1, 2], [2, 3])]
  grads = [tf.gradients(tf.reduce_sum(each), table)[0] for each in rows]
- values = tf.add_n([g.values for g in grads]) / 2.0
- mean = tf.IndexedSlices(values, grads[0].indices)
+ values = tf.concat([g.values for g in grads], 0) / 2.0
+ mean = tf.IndexedSlices(values, tf.concat([g.indices for g in grads], 0))
"""
_SEVERAL = ("accumulate_n", "add_n", "concat", "reduce_mean", "reduce_sum", "stack", "sum")


def findings(program: Program) -> Findings:
    """Yields the sparse gradients of several values and the indices of a first element."""
    for call in program.calls_of("IndexedSlices"):
        values, indices = argument(call.node, 0, "values"), argument(call.node, 1, "indices")
        if values is None or not isinstance(indices, ast.Attribute) or indices.attr != "indices":
            continue
        owner, made = program.value(indices.value), program.value(values)
        is_first = isinstance(owner, ast.Subscript) and constant(index_of(owner)) == 0
        if is_first and isinstance(made, ast.AST):
            if any(call_name(part) in _SEVERAL for part in ast.walk(made)):
                yield call.node
