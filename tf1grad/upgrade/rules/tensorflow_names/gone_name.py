"""A name is gone, and nothing provides it.

No maintained package has it. TensorFlow 1.15 no longer had it either, or its kernels were part of
TensorFlow 1.
"""

from tf1grad.programs.names import pre_1_0, provisions
from tf1grad.upgrade.edits import remedies
from tf1grad.upgrade.edits.remedies import NameUse
from tf1grad.upgrade.rules import Verdict

ID = "TFG102"
SEVERITY = "error"
SUMMARY = "A name is gone from TensorFlow, and nothing provides it."
REPORTED_BY_UPGRADE = True
EXAMPLE = """
- model = tf.contrib.gan.gan_model(None, None, None, None)
+ import tensorflow.compat.v1 as tf
+ import tensorflow_gan
+
+ tf.disable_v2_behavior()
+ model = tensorflow_gan.gan_model(None, None, None, None)
"""
_PARTS = "Import the modules that provide its names, as the findings at their uses say; `tf1grad upgrade` does it."
_WHOLE = f"Write `{provisions.LINE}`, or name its modules where the program uses them."


def judge(use: NameUse) -> Verdict:
    if not use.name.startswith("tensorflow.") or pre_1_0.find_gone(use.name):
        return None
    if use.program.is_on_1_15 and use.name == "tensorflow.contrib":
        return None
    found = remedies.replacement_of(use)
    if found is not None and found.kind != "gone":
        return None
    if remedies.is_removed(use):
        if found is None and provisions.is_module(use.name):
            return None  # a package: each use of its contents is judged
        message = f"{use.name} is gone from TensorFlow."
        if use.name == "tensorflow.contrib":
            return message, _PARTS if use.is_import else _WHOLE
        return message, found.advice if found else "Nothing provides it."
    if found is not None and use.program.is_tf1 and use.program.installed.has(use.name) is None:
        return f"{use.name} is gone from TensorFlow.", found.advice
    return None
