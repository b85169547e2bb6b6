"""Computes an op with others that are faster, when a session is about to run it."""

from __future__ import annotations

from typing import Callable

from tf1grad._compat import tf
from tf1grad.programs.process import checks_before_runs
from tf1grad.run.seeds import op_counts


def compute_with(operation: tf.Operation, build: Callable[[], tf.Tensor | None]) -> None:
    """Gives the users of an op's only output the tensor that `build` makes;
    in functions, for a GPU, and where it makes None, nothing changes.
    """

    def built() -> tf.Tensor | None:
        with op_counts.uncounted(), tf.control_dependencies(operation.control_inputs):
            return build()

    on_cpu = "CPU" in operation.device or not tf.config.experimental.list_physical_devices("GPU")
    if on_cpu and not operation.graph.building_function:
        checks_before_runs.replace(operation, built)
