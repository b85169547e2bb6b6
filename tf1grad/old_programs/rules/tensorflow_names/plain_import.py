"""`import tensorflow` means TensorFlow 2 today.

The names of TensorFlow 1 are in `tensorflow.compat.v1`, on TensorFlow 1.13 and later as on every TensorFlow 2, and
`tf.disable_v2_behavior()`, called once in the program, makes them behave as they did.
"""

import ast
from typing import Iterator

from tf1grad.old_programs.names import provisions
from tf1grad.old_programs.source import entry_points
from tf1grad.old_programs.source.name_resolution import ImportStatement
from tf1grad.old_programs.source.program import Program

ID = "TFG103"
SEVERITY = "error"
SUMMARY = "`import tensorflow` means TensorFlow 2 today."
REMEDY = "import tensorflow.compat.v1 as tf, and tf.disable_v2_behavior() in the program; `tf1grad upgrade` does it."
BAD = """
import tensorflow as tf

x = tf.placeholder(tf.float32)
"""
GOOD = """
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32)
"""


def find(program: Program) -> Iterator[ImportStatement]:
    """The imports of a plain `tensorflow` in a program of TensorFlow 1."""
    for node, _ in program.names.imports if program.is_tf1 else ():
        if isinstance(node, ast.Import) and any(alias.name == "tensorflow" for alias in node.names) or \
                isinstance(node, ast.ImportFrom) and node.module == "tensorflow":
            if not entry_points.chooses(program, node) and not _only_gone(program, node):
                yield node


def _only_gone(program: Program, node: ImportStatement) -> bool:
    """True for `import tensorflow` of a program that has no other use for it than what is gone from contrib."""
    local = node.names[0].asname or node.names[0].name
    names = [use.name for use in program.names.uses
             if use.text.split(".")[0] == local and (use.name or "").startswith("tensorflow")]
    found = [provisions.provision_of(name) for name in names if name]
    return bool(found) and all(provision is not None and provision.kind == "gone" for provision in found)
