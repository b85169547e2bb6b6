"""A private name of TensorFlow is used.

Names below `tensorflow.python` and `tensorflow.core` are not part of TensorFlow's public API, and
moved more than once. `tf1grad run` finds most of them at their present place.
"""

import re

from tf1grad.upgrade.edits.remedies import NameUse
from tf1grad.upgrade.rules import Verdict

ID = "TFG105"
SEVERITY = "warning"
OF_TENSORFLOW_2 = True
SUMMARY = "A private name of TensorFlow is used, which may move at any release."
REMEDY = "Use the public name, or `tf1grad run`."
EXAMPLE = """
- import tensorflow.compat.v1 as tf
- from tensorflow.python.framework import ops
-
- tf.disable_v2_behavior()
- x = ops.convert_to_tensor(tf.get_variable("x", [3]))
+ x = tf.convert_to_tensor(tf.get_variable("x", [3]))
"""
_PRIVATE = re.compile(r"tensorflow\.(python|core)\b")


def judge(use: NameUse) -> Verdict:
    if (
        use.program.is_tf1
        and _PRIVATE.match(use.name)
        and use.is_import
        and use.program.installed.has(use.name) is not False
    ):
        # Not its name: a file has one finding, with the number of its imports.
        return (
            SUMMARY,
            REMEDY,
        )
    return None
