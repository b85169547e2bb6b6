"""Where a name of `tf.contrib` goes in a program that is to run on TensorFlow 1.15 and 2.x alike."""

import ast
import os
import re

import tf1grad
from tf1grad.commands import symbols
from tf1grad.commands.symbols import table

CONTRIB = re.compile(r"tensorflow\.(contrib|estimator|examples)\b")
COMPAT = "tensorflow.compat.v1"
LEGACY_KERAS = re.compile(r"(tf_slim|tensorflow_estimator|"
                          r"tf1grad\.migrate\.provided\.(estimator|layers|legacy_seq2seq|metrics|rnn|seq2seq)|"
                          r"tensorflow\.compat\.v1\.(layers|keras|nn\.rnn_cell))\b")
ESTIMATOR = "tensorflow_estimator.estimator"  # an attribute of the package; the module itself has a longer name
STEPS = "create_global_step get_global_step get_or_create_global_step assert_global_step".split()
XAVIER = ["tensorflow.contrib.layers.xavier_initializer", "tensorflow.contrib.layers.xavier_initializer_conv2d",
          "tensorflow.contrib.slim.xavier_initializer"]

# What TensorFlow itself has on both needs no other package, which the table's answer would.
NEARER = {"tensorflow.contrib.%s.%s" % (module, name): "%s.train.%s" % (COMPAT, name)
          for module in ("framework", "slim") for name in STEPS}


def target(name, call=None):
    """The dotted name that replaces `name`; None when nothing does.

    Args:
        name: a dotted name, from `tensorflow` on.
        call: the `ast.Call` that calls it, if one does.
    """
    if name in XAVIER and call is not None and _is_glorot(call):
        return COMPAT + ".initializers.glorot_uniform"  # draws the same numbers
    if name in NEARER:
        return NEARER[name]
    provision = symbols.find(name)
    return provision and provision.target and provision.target.replace(table.ESTIMATOR, ESTIMATOR)


def importable(module):
    """The name by which an import statement finds `module`."""
    return module.replace(ESTIMATOR, table.ESTIMATOR)


def _is_glorot(call):
    return not call.args and all(keyword.arg in ("seed", "dtype") for keyword in call.keywords)


def module_of(name):
    """The module to import for the dotted name of something in tf1grad or in a library."""
    parts = name.split(".")
    if parts[0] != "tf1grad":
        return parts[0]
    folder = os.path.dirname(os.path.dirname(os.path.abspath(tf1grad.__file__)))
    for length in range(len(parts), 1, -1):
        place = os.path.join(folder, *parts[:length])
        if os.path.isdir(place) or os.path.exists(place + ".py"):
            return ".".join(parts[:length])
    return parts[0]


def caller(program, node):
    """The call that `node` is the function of, or None."""
    parent = program.parents.get(node)
    return parent if isinstance(parent, ast.Call) and parent.func is node else None
