"""Records optimizers outside TensorFlow: each evaluation of loss and gradient is a step."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.process.replaced_functions import replace_functions
from tf1grad.old_programs.verify.recorder import Recorder
from tf1grad.old_programs.verify.session_observer import SessionObserver

# Ours, and TensorFlow 1.15's own, which a script imports through contrib.
INTERFACES = ("tf1grad.external.interface", "tensorflow.contrib.opt.python.training.external_optimizer")


def start(recorder: SessionObserver) -> None:
    """Records each `minimize` from now on."""
    replace_functions({module + ":ExternalOptimizerInterface.minimize": functools.partial(_observed, recorder)
                       for module in INTERFACES}, "verify records the steps of external optimizers")


def _observed(recorder: SessionObserver, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def minimize(optimizer: Any, session: Any = None, *args: Any, **kwargs: Any) -> Any:
        search = optimizer._minimize

        def recorded_search(**arguments: Any) -> Any:
            recorder.begin_step(session or tf.get_default_session(), perturb=False)
            evaluate = _Evaluation(recorder, _variables(optimizer), arguments["loss_grad_func"])
            if isinstance(recorder, Recorder) and recorder.must_perturb:
                arguments["initial_val"] = evaluate.perturbed(arguments["initial_val"], recorder)
            return search(**dict(arguments, loss_grad_func=evaluate))

        optimizer._minimize = recorded_search
        try:
            return original(optimizer, session, *args, **kwargs)
        finally:
            vars(optimizer).pop("_minimize", None)

    return minimize


def _variables(optimizer: Any) -> List[tf.Variable]:
    flat = vars(optimizer).get("_flat")  # ours; TensorFlow's has a list instead
    return list(flat.variables if flat else optimizer._vars)


class _Evaluation:
    """A function that computes loss and gradient of a vector, and records them."""

    def __init__(self, recorder: SessionObserver, variables: Sequence[tf.Variable],
                 evaluate: Callable[[Any], Any]) -> None:
        self._recorder = recorder
        self._variables = variables
        self._evaluate = evaluate

    def __call__(self, vector: Any) -> List[Any]:
        point = self._cut(vector)
        with self._recorder.paused():
            loss, gradient = self._evaluate(vector)
        if self._recorder.recording:
            self._recorder.end_step(self._cut(gradient), point, [np.sum(loss)], "evaluation")
        return [loss, gradient]

    def perturbed(self, vector: Any, recorder: Recorder) -> np.ndarray:
        """Returns the starting point, perturbed."""
        parts = self._cut(vector)
        parts.update(recorder.perturbed(parts))
        joined: np.ndarray = np.concatenate([part.reshape(-1) for part in parts.values()])
        return joined.astype(np.asarray(vector).dtype)

    def _cut(self, vector: Any) -> Dict[str, np.ndarray]:
        parts, start = {}, 0
        for variable in self._variables:
            shape = variable.shape.as_list()
            size = int(np.prod(shape, dtype=np.int64))
            parts[variable.name] = np.array(vector[start:start + size], variable.dtype.as_numpy_dtype).reshape(shape)
            start += size
        return parts
