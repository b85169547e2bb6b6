"""A layer is never told that the program trains.

The argument `training` of `tf.layers.dropout` and `tf.layers.batch_normalization` is False unless
it is given, and so it is for the objects of `tf.layers.Dropout` and `tf.layers.BatchNormalization`.
Dropout then drops nothing, and the normalization uses a mean of 0 and a variance of 1.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from tf1grad.programs.source.program import Placed, Program, argument, is_open
from tf1grad.programs.source.training_steps import called_layer

ID = "TFG318"
SEVERITY = "warning"
SUMMARY = "Without the argument `training`, this layer does as in evaluation, also while the program trains."
REMEDY = "Give training=True, or a placeholder, where the program trains."
EXAMPLE = """
  x = tf.placeholder(tf.float32, [None, 3])
+ is_training = tf.placeholder_with_default(False, [])
- y = tf.layers.dropout(x, 0.5)
+ y = tf.layers.dropout(x, 0.5, training=is_training)
  train = tf.train.AdamOptimizer().minimize(tf.reduce_sum(tf.layers.dense(y, 2)))
"""
# The positions of the argument.
_OF_FUNCTIONS = {
    "tensorflow.layers.dropout": 4,
    "tensorflow.layers.batch_normalization": 14,
}
_OF_OBJECTS = {"tensorflow.layers.Dropout": 1, "tensorflow.layers.BatchNormalization": 1}
_STEPS = ("minimize", "apply_gradients")


def findings_across(programs: Sequence[Program]) -> Iterator[tuple[Program, Placed]]:
    """Yields the calls in files of a process that trains."""
    for process in programs[0].together.processes if programs else ():
        calls = [(program, call) for program in process for call in program.calls]
        if any(call.method in _STEPS for _, call in calls):
            for program, call in calls:
                name = call.name or called_layer(program, call.node)
                positions = _OF_FUNCTIONS if call.name else _OF_OBJECTS
                if name in positions and not is_open(call.node):
                    if argument(call.node, positions[name], "training") is None:
                        yield program, call.node
