"""Holds the kinds of gradients that recipes are combined with:
dtypes, rows, the ends of half precision.
"""

from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

import models
from numpy_optimizers import RULES


class Gradients(NamedTuple):
    """The model and the data of one kind of gradients;
    each has one that is None, of the variable `unused`.

    Attributes:
        dtype: of the data, and of the variables that `dtypes` does not name.
        tolerance: relative to the greatest element of all variables, or to 1 if that is less and
            `linear` is False.
        sparse: whether the gradient of the table is `tf.IndexedSlices`, with duplicate rows.
        knows_size: whether the graph knows how many samples a batch has.
        linear: whether the loss is linear, and the variables begin at 0: then rounding does not add
            up.
        unit: a number that y is multiplied by.
        limit: the greatest norm or element; `multiplier` the number that multiplies a gradient.
        rules: the optimizers that TensorFlow computes as exactly.
    """

    dtype: Any = tf.float64
    dtypes: dict = {}
    tolerance: float = 1e-7
    sparse: bool = True
    knows_size: bool = False
    linear: bool = False
    unit: float = 1.0
    limit: float = 0.5
    multiplier: float = 2.0
    rules: tuple = tuple(RULES)

    def start(self):
        """Returns the first values of the variables by name."""
        return {
            name: np.zeros_like(value) if self.linear else value
            for name, value in models.START.items()
        }

    def variables(self):
        return {
            name: tf.get_variable(
                name, initializer=tf.constant(value, self.dtypes.get(name, self.dtype))
            )
            for name, value in sorted(self.start().items())
        }

    def batch(self, batch):
        """Returns the batch with numbers that half precision multiplies without rounding,
        where that is needed.
        """
        x, ids, y = batch
        if not self.linear:
            return batch
        return np.round(4 * x) / 4, ids, self.unit * np.round(4 * y) / 4

    def check(self, actual, expected, where):
        """Checks the values of all variables; a failure says where the two part."""
        assert sorted(actual) == sorted(expected)
        for_step = expected["global_step"]
        assert actual["global_step"] == for_step, f"{where}\nglobal_step, expected {for_step}"
        greatest = max(np.max(np.abs(expected[name])) for name in models.START)
        limit = self.tolerance * (greatest if self.linear else max(greatest, 1))
        parted = []
        for name, value in sorted(expected.items()):
            if not np.max(np.abs(actual[name] - value)) <= limit:  # not where one is NaN
                parted.append(f"{name}\nexpected {value!r}\ngot      {actual[name]!r}")
        assert not parted, "\n".join([where] + parted)


HALF = Gradients(tf.float16, tolerance=4e-3, linear=True, rules=("sgd", "momentum", "nesterov"))
GRADIENTS = {
    "float64": Gradients(),
    "float32": Gradients(tf.float32, tolerance=1e-4),
    "mixed dtypes": Gradients(dtypes={"table": tf.float32, "bias": tf.float32}, tolerance=1e-4),
    "dense": Gradients(sparse=False),
    "known batch size": Gradients(knows_size=True),
    "float16": HALF,
    # Clipped, they are multiplied by less than the least positive number; the small ones by more
    # than the greatest.
    "large float16": HALF._replace(unit=2.0**10, limit=2.0**-10),
    "small float16": HALF._replace(unit=2.0**-12, multiplier=2.0**17),
}
