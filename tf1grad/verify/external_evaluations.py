"""Records optimizers outside TensorFlow: each evaluation of loss and gradient is a step."""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad.programs.process import patches
from tf1grad.programs.process.replaced_functions import replace_functions
from tf1grad.verify.recorder import TrainingRecorder

# Ours, and TensorFlow 1.15's own, which a script imports through contrib.
INTERFACES = (
    "tf1grad.recipes.external.interface",
    "tensorflow.contrib.opt.python.training.external_optimizer",
)


def start(recorder: TrainingRecorder) -> None:
    """Records each `minimize` from now on."""
    wrap = functools.partial(patches.wrapped, around=functools.partial(_minimize, recorder))
    replace_functions(
        {module + ":ExternalOptimizerInterface.minimize": wrap for module in INTERFACES},
        "verify records the steps of external optimizers",
    )


def _minimize(
    recorder: TrainingRecorder,
    original: patches.Function,
    optimizer: Any,  # an ExternalOptimizerInterface
    session: tf.Session | None = None,
    *args: object,
    **kwargs: object,
) -> Any:
    search = optimizer._minimize
    # Ours, or the list that TensorFlow's has.
    variables = optimizer._flat.variables if hasattr(optimizer, "_flat") else optimizer._vars

    def recorded_search(
        initial_val: object, loss_grad_func: Callable[[Any], Any], **arguments: object
    ) -> Any:
        def evaluate(vector: np.ndarray) -> list[Any]:
            point = _cut(vector, variables)
            with recorder.paused():
                loss, gradient = loss_grad_func(vector)
            if recorder.is_recording:
                recorder.end_step(_cut(gradient, variables), point, [np.sum(loss)], "evaluation")
            return [loss, gradient]

        return search(initial_val=initial_val, loss_grad_func=evaluate, **arguments)

    used_session = session or tf.get_default_session()
    if used_session is not None:  # else the optimizer says so
        recorder.begin_step(used_session)
    with patches.temporarily(optimizer, "_minimize", recorded_search):
        return original(optimizer, session, *args, **kwargs)


def _cut(vector: np.ndarray, variables: Sequence[tf.Variable]) -> dict[str, np.ndarray]:
    """Returns the parts of a vector, by the names of variables."""
    ends: np.ndarray = np.cumsum([variable.shape.num_elements() for variable in variables])
    return {
        variable.name: part.reshape(variable.shape.as_list()).astype(variable.dtype.as_numpy_dtype)
        for variable, part in zip(variables, np.split(np.asarray(vector), ends[:-1]))
    }
