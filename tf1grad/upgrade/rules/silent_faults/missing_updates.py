"""Batch normalization never updates its statistics.

With `training=True`, `tf.layers.batch_normalization` puts the updates of its moving mean and
variance in the collection UPDATE_OPS. `batch_norm` of contrib does so unless `is_training` is
False. Nothing runs them unless the program does. The model then trains well, and evaluates with a
mean of 0 and a variance of 1.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from tf1grad.programs.source.program import Placed, Program, argument
from tf1grad.programs.source.scopes import constant
from tf1grad.programs.source.training_steps import called_layer

ID = "TFG317"
SEVERITY = "warning"
SUMMARY = "No train op runs the updates of this batch normalization, so its moving statistics stay as they began."
REMEDY = "Put the train op below `with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):`."
EXAMPLE = """
  x = tf.placeholder(tf.float32, [None, 3])
  y = tf.layers.batch_normalization(tf.layers.dense(x, 2), training=True)
  loss = tf.reduce_sum(y ** 2)
- train = tf.train.AdamOptimizer().minimize(loss)
+ with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
+     train = tf.train.AdamOptimizer().minimize(loss)
"""
# Texts of programs that run the updates, or let a library or Keras do so.
_UPDATES = ("UPDATE_OPS", "update_ops", "create_train_op", "optimize_loss", ".updates")
_LAYER, _OBJECT = "tensorflow.layers.batch_normalization", "tensorflow.layers.BatchNormalization"
# They train unless `is_training` is False. `updates_collections=None` updates the statistics in
# place.
_OF_CONTRIB = ("tensorflow.contrib.layers.batch_norm", "tensorflow.contrib.slim.batch_norm")
_STEPS = ("minimize", "apply_gradients")


def findings_across(programs: Sequence[Program]) -> Iterator[tuple[Program, Placed]]:
    """Yields the calls in files of a process that trains and does not mention the updates."""
    for process in programs[0].together.processes if programs else ():
        texts = [program.source.text for program in process]
        methods = {call.method for program in process for call in program.calls}
        if methods.intersection(_STEPS) and not any(
            word in text for word in _UPDATES for text in texts
        ):
            yield from ((program, node) for program in process for node in _normalizations(program))


def _normalizations(program: Program) -> Iterator[Placed]:
    for call in program.calls:
        if call.name in _OF_CONTRIB:
            training = argument(call.node, None, "is_training")
            updates = argument(call.node, None, "updates_collections")
            if updates is None and constant(training, True) is not False:
                yield call.node
        elif call.name == _LAYER or called_layer(program, call.node) == _OBJECT:
            position = 1 if call.name is None else None
            training = argument(call.node, position, "training")
            if training is not None and constant(training, True) is not False:
                yield call.node
