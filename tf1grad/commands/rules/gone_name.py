"""A name is gone, and nothing provides it.

No package that is kept has it, and TensorFlow 1.15 had it no more, or its kernels were part of TensorFlow 1.
"""

import ast

from tf1grad.commands import symbols
from tf1grad.commands.programs import copies
from tf1grad.commands.rules import NameUse, Verdict
from tf1grad.commands.symbols import before_1_0, replacements

ID = "TFG102"
SEVERITY = "error"
SUMMARY = "A name is gone from TensorFlow, and nothing provides it."
BAD = """
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
model = tf.contrib.gan.gan_model(None, None, None, None)
"""
GOOD = """
import tensorflow.compat.v1 as tf
import tensorflow_gan

tf.disable_v2_behavior()
model = tensorflow_gan.gan_model(None, None, None, None)
"""


def judge(use: NameUse) -> Verdict:
    """What became of a name that nothing provides."""
    found = replacements.of_use(use)
    if not use.name.startswith("tensorflow.") or before_1_0.is_gone(use.name) or \
            found is not None and found.kind != "gone":
        return None
    if replacements.is_removed(use):
        if found is None and symbols.is_module(use.name):
            return None  # a package: what is used of it is judged
        message = f"{use.name} is gone from TensorFlow."
        if copies.has(use.program, use.name):  # what imports it is judged, and not each use
            return None if isinstance(use.node, (ast.Name, ast.Attribute)) else (message, _own(use))
        return message, found.advice if found else "Nothing provides it."
    if found is not None and use.program.is_tf1 and use.program.installed.has(use.name) is None:
        return f"{use.name} is gone from TensorFlow.", found.advice
    return None


def _own(use: NameUse) -> str:
    return f"The program has its own copy: {copies.statement(use.program, use.name) or 'import that'}."
