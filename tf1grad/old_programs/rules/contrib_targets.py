"""Finds the replacement of a `tf.contrib` name in a program that must run on both TensorFlow 1.15 and 2.x."""

import ast
import os
import re
from typing import Optional

import tf1grad
from tf1grad.old_programs.names import tensorflow_rows
from tf1grad.old_programs.rules import remedies
from tf1grad.old_programs.source.program import KnownNames

CONTRIB = remedies.REMOVED
COMPAT = "tensorflow.compat.v1"
LEGACY_KERAS = re.compile(r"(tf_slim|tensorflow_estimator|"
                          r"tf1grad\.migrate\.provided\.estimator|"
                          r"tensorflow\.compat\.v1\.(layers|keras|nn\.rnn_cell))\b")
ESTIMATOR = "tensorflow_estimator.estimator"  # an attribute of the package; the module has a longer name


def target(name: str, call: Optional[ast.Call] = None, installed: Optional[KnownNames] = None) -> Optional[str]:
    """Returns the dotted name that replaces `name`, which `call` may call, or None."""
    found = remedies.replacement(name, call, installed)
    if found is None or found.target is None:
        return None
    return found.target.replace(tensorflow_rows.ESTIMATOR, ESTIMATOR)


def importable(module: str) -> str:
    """Returns the name by which an import statement finds `module`."""
    return module.replace(ESTIMATOR, tensorflow_rows.ESTIMATOR)


def module_of(name: str) -> str:
    """Returns the module to import for a dotted name in tf1grad or in a library."""
    parts = name.split(".")
    if parts[0] != "tf1grad":
        return parts[0]
    folder = os.path.dirname(os.path.dirname(os.path.abspath(tf1grad.__file__)))
    for length in range(len(parts), 1, -1):
        place = os.path.join(folder, *parts[:length])
        if os.path.isdir(place) or os.path.exists(place + ".py"):
            return ".".join(parts[:length])
    return parts[0]
