"""Changes functions of 1.15's contrib where resource variables or current SciPy need it,
or where users should know.

The ops that they build are 1.15's. The external optimizers of `contrib.opt` do other things between
two runs of the session. The clipping functions of `layers`, `slim` and `training` report, once,
that they count the repeated rows of a sparse gradient separately in its norm. tf1grad's sum such
rows first.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from tf1grad._compat import is_resource_variable, tf
from tf1grad.programs.process import messages, ownership, patches
from tf1grad.run.originals import name_map

# SciPy's methods that now take float64 only.
_FLOAT64_METHODS = ("slsqp", "tnc")


@name_map.changes("contrib.opt.python.training.external_optimizer")
def mend_searches(original: types.ModuleType) -> None:
    """Changes the methods of the two classes in the loaded original."""
    patches.wrap(original.ExternalOptimizerInterface, "_make_eval_func", _assigning, reason="")
    patches.wrap(original.ScipyOptimizerInterface, "_minimize", _in_float64, reason="")


def _assigning(
    make_eval_func: Any, self: Any, tensors: Any, session: tf.Session, *others: Any, **options: Any
) -> Any:
    """Makes an evaluation assign its point to the variables,
    if a feed would not reach some of them.
    """
    evaluate = make_eval_func(self, tensors, session, *others, **options)
    if not any(map(is_resource_variable, self._vars)):
        return evaluate
    place = ownership.place_of_user_code()
    if place:
        messages.warn_once(
            "external searches",
            f"{place[0]}:{place[1]}: the optimizer assigns each point to the variables before it evaluates the loss "
            "there. TensorFlow 1.15 feeds points to variables, which has no effect on resource variables. For 1.15's "
            "own result use ref variables: tf.get_variable(..., use_resource=False).",
        )

    def eval_func(point: Any) -> Any:
        values = [point[part] for part in self._packing_slices]
        session.run(self._var_updates, dict(zip(self._update_placeholders, values)))
        return evaluate(point)

    return eval_func


def _in_float64(search: Any, self: Any, initial_val: Any, *arguments: Any, **options: Any) -> Any:
    """Makes a search of float32 variables start from a float64 vector,
    if SciPy's method rejects float32.
    """
    method = self.optimizer_kwargs.get("method", self._DEFAULT_METHOD)
    if isinstance(method, str) and method.lower() in _FLOAT64_METHODS:
        initial_val = np.asarray(initial_val, np.float64)
    return search(self, initial_val, *arguments, **options)


@name_map.changes(
    "contrib.layers.python.layers.optimizers",
    "contrib.slim.python.slim.learning",
    "contrib.training.python.training.training",
)
def report_sparse_norms(original: types.ModuleType) -> None:
    """Makes the clipping functions of a loaded original report their first sparse gradient."""

    def telling(
        clip: patches.Function, grads_and_vars: Any, *arguments: Any, **options: Any
    ) -> Any:
        grads_and_vars = list(grads_and_vars)
        is_sparse = any(isinstance(pair[0], tf.IndexedSlices) for pair in grads_and_vars)
        place = ownership.place_of_user_code() if is_sparse else None
        if place:
            messages.warn_once(
                "sparse norms",
                f"{place[0]}:{place[1]}: clips the gradient of an embedding by a norm that counts a repeated row once "
                "for each time it is listed, as in TensorFlow 1.15. To sum such rows first, clip with "
                "tf1grad.clip_by_norm or tf1grad.clip_by_global_norm (tf1grad check --explain TFG313).",
            )
        return clip(grads_and_vars, *arguments, **options)

    def making(make: patches.Function, *arguments: object, **options: object) -> Any:
        return functools.partial(telling, make(*arguments, **options))

    for function, around in (
        ("clip_gradient_norms", telling),
        ("_clip_gradients_by_norm", telling),
        ("adaptive_clipping_fn", making),
    ):
        if function in vars(original):
            patches.wrap(original, function, around, reason="")
