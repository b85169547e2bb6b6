"""The Keras of TensorFlow 1 is not switched on.

From TensorFlow 2.16 on, `tf.layers` and `tf.nn.rnn_cell` of compat.v1 need the package tf_keras and
the environment variable TF_USE_LEGACY_KERAS, set before TensorFlow is imported. Installing tf_keras
alone changes nothing: `tf.layers.dense` raises "not available with Keras 3". `import
tf1grad.migrate.legacy` sets the variable where it is needed.
"""

from __future__ import annotations

import re
from typing import Iterator, Sequence

from tf1grad.programs.source.guards import is_guarded
from tf1grad.programs.source.program import Placed, Program
from tf1grad.upgrade.edits import edit_plan

ID = "TFG111"
SEVERITY = "error"
OF_TENSORFLOW_2 = True
SUMMARY = "tf.layers and tf.nn.rnn_cell need TF_USE_LEGACY_KERAS=1 from TensorFlow 2.16 on."
REMEDY = "import tf1grad.migrate.legacy before TensorFlow; `tf1grad upgrade` writes it."
EXAMPLE = """
+ import tf1grad.migrate.legacy  # before TensorFlow
  import tensorflow.compat.v1 as tf

  tf.disable_v2_behavior()
  y = tf.layers.dense(tf.placeholder(tf.float32, [None, 3]), 2)
"""
_OF_KERAS = re.compile(r"tensorflow\.(layers|nn\.rnn_cell)\.")
BEFORE_KERAS_3 = re.compile(r"1\.|2\.\d\.|2\.1[0-5]\.")


def findings_across(programs: Sequence[Program]) -> Iterator[tuple[Program, Placed]]:
    """Yields the first use in each file that takes its names from compat.v1,
    if no file has the switch.
    """
    if any(_is_switched(program) for program in programs):
        return
    for program in programs:
        if program.is_compat and not BEFORE_KERAS_3.match(program.installed.version or ""):
            uses = [
                use.node
                for use in program.names.uses
                if _OF_KERAS.match(use.name)
                and program.installed.has(use.name) is not False
                and not is_guarded(program, use.node)
            ]
            yield from ((program, node) for node in uses[:1])


def _is_switched(program: Program) -> bool:
    return "TF_USE_LEGACY_KERAS" in program.source.text or edit_plan.LEGACY in program.source.text
