"""Mends the external optimizers of 1.15's `contrib.opt` where resource variables or current SciPy need it.

The ops that they build are 1.15's. Only what happens between two runs of the session is changed.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from tf1grad._compat import is_resource_variable
from tf1grad.old_programs.process import messages, ownership, patches

_REPORT = ("%s:%d: the optimizer assigns each point to the variables before it evaluates the loss there. TensorFlow "
           "1.15 feeds points to variables, which has no effect on resource variables. For 1.15's own result use "
           "ref variables: tf.get_variable(..., use_resource=False).")
# SciPy's methods that now take float64 only.
_FLOAT64_METHODS = ("slsqp", "tnc")


def mend(original: types.ModuleType) -> None:
    """Changes the methods of the two classes in the loaded original."""
    classes = vars(original)
    patches.wrap(classes["ExternalOptimizerInterface"], "_make_eval_func", _assigning, reason="")
    patches.wrap(classes["ScipyOptimizerInterface"], "_minimize", _in_float64, reason="")


def _assigning(make_eval_func: Any, self: Any, tensors: Any, session: Any, *others: Any, **options: Any) -> Any:
    """Makes an evaluation assign its point to the variables, if a feed would not reach some of them."""
    evaluate = make_eval_func(self, tensors, session, *others, **options)
    if not any(map(is_resource_variable, self._vars)):
        return evaluate
    place = ownership.place_of_user_code()
    if place:
        messages.say_once("external searches", _REPORT % place)

    def eval_func(point: Any) -> Any:
        values = [point[part] for part in self._packing_slices]
        session.run(self._var_updates, dict(zip(self._update_placeholders, values)))
        return evaluate(point)
    return eval_func


def _in_float64(search: Any, self: Any, initial_val: Any, *arguments: Any, **options: Any) -> Any:
    """Makes a search of float32 variables start from a float64 vector, if SciPy's method rejects float32."""
    method = self.optimizer_kwargs.get("method", self._DEFAULT_METHOD)
    if isinstance(method, str) and method.lower() in _FLOAT64_METHODS:
        initial_val = np.asarray(initial_val, np.float64)
    return search(self, initial_val, *arguments, **options)
