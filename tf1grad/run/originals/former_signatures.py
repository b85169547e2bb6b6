"""Removes the annotations of functions of the installed TensorFlow:
those of TensorFlow 1.15 had none.
"""

import inspect
import types
from typing import Any


def of(value: object) -> Any:
    """Returns `value`, without annotations if it is a function of the installed TensorFlow."""
    if isinstance(value, types.FunctionType) and value.__module__.startswith(
        ("tensorflow.", "tf1grad.")
    ):
        remove_annotations(value)
    return value


def remove_annotations(function: Any) -> None:
    """Removes the annotations of a function and of those that it wraps."""
    while function is not None:
        getattr(function, "__annotations__", {}).clear()
        if "__signature__" in vars(function):
            parameters = function.__signature__.parameters.values()
            function.__signature__ = inspect.Signature(
                [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
            )
        function = getattr(function, "__wrapped__", None)
