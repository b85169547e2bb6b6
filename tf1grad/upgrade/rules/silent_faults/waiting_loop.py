"""The gradients of a loop wait for the end of the loop.

`minimize` below `with tf.control_dependencies(update_ops):` takes the gradients there too. In the
gradient of a `tf.while_loop`, `tf.scan` or `tf.nn.dynamic_rnn`, the counter of the loop then waits
for the update ops. If a batch normalization comes behind the loop, its update ops wait for the
loop. After `parallel_iterations` turns (10, or 32 in `dynamic_rnn`) nothing can go on: TensorFlow
ends the run without an error, and no variable has moved. Shorter loops train. So do programs with
`tf.enable_control_flow_v2()`.
"""

from __future__ import annotations

import ast
from typing import Iterator, Sequence

from tf1grad.programs.source.program import Placed, Program, argument
from tf1grad.programs.source.scopes import constant
from tf1grad.programs.source.training_steps import control_dependencies

ID = "TFG321"
SEVERITY = "warning"
SUMMARY = (
    "The gradients of a loop wait for update ops that wait for the loop. If it takes more turns than its "
    "parallel_iterations, nothing trains."
)
REMEDY = (
    "Call compute_gradients before the block of control_dependencies, and apply_gradients in it."
)
EXAMPLE = """
  cell = tf.nn.rnn_cell.GRUCell(4)
  outputs, state = tf.nn.dynamic_rnn(cell, tf.placeholder(tf.float32, [None, 50, 3]), dtype=tf.float32)
  y = tf.layers.batch_normalization(outputs[:, -1], training=True)
  optimizer = tf.train.AdamOptimizer()
+ pairs = optimizer.compute_gradients(tf.reduce_sum(y ** 2))
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
-     train = optimizer.minimize(tf.reduce_sum(y ** 2))
+     train = optimizer.apply_gradients(pairs)
"""
_GRADIENTS = ("minimize", "compute_gradients", "gradients")
_LOOPS = (
    "tensorflow.while_loop",
    "tensorflow.scan",
    "tensorflow.map_fn",
    "tensorflow.foldl",
    "tensorflow.foldr",
    "tensorflow.nn.dynamic_rnn",
    "tensorflow.nn.bidirectional_dynamic_rnn",
    "tensorflow.nn.raw_rnn",
)
_NORMALIZATIONS = (
    "tensorflow.layers.batch_normalization",
    "tensorflow.layers.BatchNormalization",
    "tensorflow.contrib.layers.batch_norm",
    "tensorflow.contrib.slim.batch_norm",
)


def findings_across(programs: Sequence[Program]) -> Iterator[tuple[Program, Placed]]:
    """Yields the calls that take gradients in such a block,
    in a process with a normalization behind a loop.
    """
    for process in programs[0].together.processes if programs else ():
        if any(map(_normalizes_behind_a_loop, process)):
            for program in process:
                for call in program.calls:
                    if call.method in _GRADIENTS and _waits_for_updates(program, call.node):
                        yield program, call.node


def _waits_for_updates(program: Program, node: ast.AST) -> bool:
    return any(
        "update_ops" in (getattr(part, "attr", "").lower(), constant(part, None))
        for around in control_dependencies(program, node)
        for part in program.made_of(around)
    )


def _normalizes_behind_a_loop(program: Program) -> bool:
    loops = {call.node for call in program.calls if call.name in _LOOPS}
    inputs = [
        argument(call.node, 0, "inputs") for call in program.calls if call.name in _NORMALIZATIONS
    ]
    return bool(loops) and any(
        not loops.isdisjoint(program.made_of(given)) for given in inputs if given is not None
    )
