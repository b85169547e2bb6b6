"""Mends the external optimizers of 1.15's `contrib.opt` where resource variables or current SciPy need it.

The ops that they build are 1.15's. Only what happens between two runs of the session is changed.
"""

from __future__ import annotations

import functools
import types
from typing import Any, Callable

import numpy as np

from tf1grad._compat import is_resource_variable
from tf1grad.old_programs.process import messages, ownership

_REPORT = ("%s:%d: the optimizer assigns each point to the variables before it evaluates the loss there. TensorFlow "
           "1.15 feeds points to variables, which has no effect on resource variables. For 1.15's own result use "
           "ref variables: tf.get_variable(..., use_resource=False).")
# SciPy's methods that now take float64 only.
_FLOAT64_METHODS = ("slsqp", "tnc")


def mend(original: types.ModuleType) -> None:
    """Changes the methods of the two classes in the loaded original."""
    interface, scipy_interface = vars(original)["ExternalOptimizerInterface"], vars(original)["ScipyOptimizerInterface"]
    interface._make_eval_func = _assigning(interface._make_eval_func)
    scipy_interface._minimize = _in_float64(scipy_interface._minimize)


def _assigning(make_eval_func: Callable[..., Any]) -> Callable[..., Any]:
    """Makes an evaluation assign its point to the variables, if a feed would not reach some of them."""
    @functools.wraps(make_eval_func)
    def wrapper(self: Any, tensors: Any, session: Any, feed_dict: Any, fetches: Any, callback: Any = None) -> Any:
        evaluate = make_eval_func(self, tensors, session, feed_dict, fetches, callback)
        if not any(map(is_resource_variable, self._vars)):
            return evaluate
        _tell()

        def eval_func(point: Any) -> Any:
            values = [point[part] for part in self._packing_slices]
            session.run(self._var_updates, dict(zip(self._update_placeholders, values)))
            return evaluate(point)
        return eval_func
    return wrapper


def _in_float64(search: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a search of float32 variables start from a float64 vector, if SciPy's method rejects float32."""
    @functools.wraps(search)
    def wrapper(self: Any, initial_val: Any, *arguments: Any, **options: Any) -> Any:
        method = self.optimizer_kwargs.get("method", self._DEFAULT_METHOD)
        if isinstance(method, str) and method.lower() in _FLOAT64_METHODS:
            initial_val = np.asarray(initial_val, np.float64)
        return search(self, initial_val, *arguments, **options)
    return wrapper


def _tell() -> None:
    place = ownership.place_of_user_code()
    if place:
        messages.say_once("external searches", _REPORT % place)
