"""Reads and runs the code of the specimens in `functions.txt`,
and makes the names that it may use.
"""

import ast
import os
import re

import numpy as np

FUNCTIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.txt")

# Placeholders: the fed values, and how many leading sizes are unknown where the batch is.
FED = {
    "x": (np.linspace(0.2, 2.5, 12).reshape(3, 4).astype(np.float32), 1),
    "y": (
        np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.7, 0.1, 0.1, 0.1]], np.float32),
        1,
    ),
    "s": (np.linspace(0.1, 1.9, 45).reshape(3, 5, 3).astype(np.float32), 1),
    "im": (np.linspace(0.0, 1.0, 384).reshape(2, 8, 8, 3).astype(np.float32), 1),
    "vol": (np.linspace(0.0, 1.0, 384).reshape(2, 4, 4, 4, 3).astype(np.float32), 1),
    "pic": (np.linspace(0.0, 1.0, 192).reshape(8, 8, 3).astype(np.float32), 2),
    "i": (np.array([0, 2, 1], np.int32), 1),
    "b": (np.array([True, False, True]), 1),
    "st": (np.array([b"ab", b"cd"]), 1),
    "text": (np.array(b""), 0),
    "keep": (np.array(0.5, np.float32), 0),
    "n": (np.array(2, np.int32), 0),
}
CONSTANTS = {
    "m": np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]], np.float32),
    "k1": np.linspace(-1.0, 1.0, 18).reshape(3, 3, 2).astype(np.float32),
    "k2": np.linspace(-1.0, 1.0, 81).reshape(3, 3, 3, 3).astype(np.float32),
    "k3": np.linspace(-1.0, 1.0, 72).reshape(2, 2, 2, 3, 3).astype(np.float32),
}
VARIABLES = {
    "v": np.linspace(-1.0, 1.0, 20).reshape(4, 5).astype(np.float32),
    "u": np.linspace(-1.0, 1.0, 5).astype(np.float32),
    "w": np.linspace(0.5, 1.0, 4).astype(np.float32),
    "rows": np.linspace(-1.0, 1.0, 36).reshape(9, 4).astype(np.float32),
    "bias9": np.linspace(-1.0, 1.0, 9).astype(np.float32),
}


def read():
    """Returns the specimens, as pairs of a function's name and code, in the order of the file."""
    with open(FUNCTIONS, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return [tuple(part.strip() for part in line.split("|", 1)) for line in lines]


class Model:
    """Makes the names that a code uses, in the default graph.

    Args:
        tf: TensorFlow 1, as the user's code sees it.
        code: the code.
        unknown: whether the batch's size is unknown.

    Attributes:
        feed_dict: what to feed.
        floats: the placeholders that gradients may be taken of.
    """

    def __init__(self, tf, code, unknown):
        self.feed_dict, self.floats = {}, []
        self.names = {"tf": tf, "np": np, "with_scope": _with_scope, "__name__": "specimen"}
        for name in sorted(set(re.findall(r"\b[a-z]+\d?\b", code))):
            if name in FED:
                value, sizes = FED[name]
                shape = [None] * sizes + list(value.shape)[sizes:] if unknown else list(value.shape)
                dtype = tf.string if value.dtype.kind == "S" else tf.as_dtype(value.dtype)
                self.names[name] = tf.placeholder(dtype, shape, name="fed_" + name)
                self.feed_dict[self.names[name]] = value
                self.floats += [self.names[name]] if dtype.is_floating and shape else []
            elif name in CONSTANTS:
                self.names[name] = tf.constant(CONSTANTS[name])
            elif name in VARIABLES:
                self.names[name] = tf.get_variable(name, initializer=VARIABLES[name])

    def run(self, code):
        """Returns the value of the code's last expression."""
        *statements, last = ast.parse(code).body
        exec(
            compile(
                ast.Module(statements, *[[]] * (len(ast.Module._fields) - 1)), "specimen", "exec"
            ),
            self.names,
        )
        return eval(compile(ast.Expression(last.value), "specimen", "eval"), self.names)


def _with_scope(scope, make):
    with scope:
        return make()
