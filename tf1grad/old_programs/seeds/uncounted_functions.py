"""Marks graphs as uncertain where functions build ops that were not measured or that differ in number from TF 1.15.

Every public function is watched for the life of the process, unless `measured_functions` lists it as equal. After a
watched function made ops, the count of its graph is uncertain, and the next random op without its own seed warns.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Dict, Optional, Set, Tuple

from tf1grad._compat import is_resource_variable, tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.seeds import measured_functions, op_counts
from tf1grad.old_programs.seeds.op_counts import Call, Rule

# The public modules of TensorFlow that build ops. Names that are not modules are checked one by one.
MODULES = ("audio", "data", "distributions", "feature_column", "image", "initializers", "io", "linalg", "losses",
           "math", "metrics", "nest", "quantization", "queue", "ragged", "random", "sets", "signal", "sparse",
           "strings", "summary", "train")
# Returns 0 where a call makes the ops of TF 1.15, else None.
Condition = Callable[[Call], Optional[int]]

# They make no ops. Counting gets the default graph, after which eager execution can't be enabled.
_SWITCHES = ("enable_", "disable_")

_watched: Dict[Callable[..., Any], Callable[..., Any]] = {}  # function -> its replacement under all its names


def watched(path: str, name: str, value: Any) -> Any:
    """Returns `value`, or a wrapper that watches it.

    Args:
        path: the public module, "nn", or "contrib.layers"; "" for `tf` itself.
        name: the name of `value` in that module.
        value: any value of TensorFlow.
    """
    public = ".".join(filter(None, [path, name]))
    public = public[len("compat.v1."):] if public.startswith("compat.v1.") else public
    if not isinstance(value, types.FunctionType) or getattr(value, "__wrapped__", None) in _watched:
        return value
    if value not in _watched and _is_known(public, value):
        _watched[value] = value
    elif value not in _watched or _watched[value] is value and public in measured_functions.DIFFERENT:
        shown = f"tf.{public}" if public in measured_functions.DIFFERENT else f"tf.{public} (which was never measured)"
        _watched[value] = op_counts.wrap(value, shown, 0, CONDITIONS.get(public, _built))
    return _watched[value]


def _is_known(public: str, value: Callable[..., Any]) -> bool:
    """Says whether a function was measured as equal, under any of its public names, or is a switch of TensorFlow's."""
    if public in measured_functions.EQUAL or public.startswith(_SWITCHES):
        return True
    if public in measured_functions.DIFFERENT or public.startswith("contrib."):
        return False
    others = measured_functions.BY_NAME.get(public.rpartition(".")[2], ())
    return any(_place(_compat.public_value(other)) == _place(value) for other in others)


def _place(function: Any) -> Tuple[Optional[str], Optional[str]]:
    """Returns the place of a function's definition: TensorFlow may wrap a function once for each public name."""
    return getattr(function, "__module__", None), getattr(function, "__name__", None)


def _built(call: Call) -> Optional[int]:
    return None if call.made_ops() else 0


def _where(condition: Callable[[Call], bool]) -> Condition:
    return lambda call: None if condition(call) else 0


def _is_no_matrix(call: Call) -> bool:
    return bool(tf.TensorShape(getattr(call.arguments["inputs"], "shape", None)).rank != 2)


def _has_axis_or_is_read(call: Call) -> bool:
    return call.arguments["axis"] not in (None, 0) or is_resource_variable(call.arguments["params"])


def _are_several(call: Call) -> bool:
    return isinstance(call.arguments["params"], (list, tuple)) and len(call.arguments["params"]) > 1


# DIFFERENT functions that are called often, with the condition under which they differ.
CONDITIONS: Dict[str, Condition] = {
    "clip_by_global_norm": lambda call: call.first(op_counts.UNLIKE_GRADIENT) * 0,  # only its gradient
    "gather": _where(_has_axis_or_is_read),
    "gradients": _where(lambda call: not call.first("tf.gradients")),  # gradients of gradients
    "layers.dense": _where(_is_no_matrix),
    "nn.embedding_lookup": _where(_are_several),
}


def _of_class(kinds: Set[str]) -> Rule:
    """Returns the rule of a method that makes the count uncertain unless the class is one of `kinds` or user code."""
    def rule(call: Call) -> Optional[int]:
        kind = type(call.arguments["self"])
        is_users = kind.__module__.split(".")[0] not in (
            "keras", "tensorflow", "tf1grad", "tf_keras", "tf_slim")
        return 0 if is_users or kind.__name__ in kinds or not call.made_ops() else None
    return 0, rule


def _by_tensors(call: Call) -> Optional[int]:
    """Makes the count uncertain for a slice with a tensor as bound: TF 1.15 makes other constants of it."""
    key = call.arguments["slice_spec"]
    parts = key if isinstance(key, (list, tuple)) else [key]
    bounds = [bound for part in parts if isinstance(part, slice) for bound in (part.start, part.stop, part.step)]
    return None if any(isinstance(bound, tf.Tensor) for bound in bounds) else 0


CLASSES = ({name.rpartition(".")[2] for name in measured_functions.EQUAL}
           - {name.rpartition(".")[2] for name in measured_functions.DIFFERENT})
FUNCTIONS: Dict[str, Rule] = {
    "KERAS.src.engine.base_layer:Layer.__call__": _of_class(CLASSES),
    "KERAS.src.engine.base_layer_v1:Layer.__call__": _of_class(CLASSES),
    # Keras 3, which is `tf.keras` where tf_keras is not installed; the ops of its backend were not measured.
    "keras.src.layers.layer:Layer.__call__": (0, _built),
    "keras.src.backend.tensorflow.core:cast": (0, _built),
    "keras.src.backend.tensorflow.core:convert_to_tensor": (0, _built),
    "tensorflow.python.framework.tensor:Tensor.__getitem__": (0, _by_tensors),
    "tensorflow.python.training.optimizer:Optimizer.apply_gradients": _of_class(CLASSES),
}


def gradients() -> Dict[str, Rule]:
    """Returns the rules for gradients that were not measured, or that have another number of ops."""
    unknown = _compat.registered_gradients() - measured_functions.GRADIENTS
    return {op_type: (0, _built) for op_type in unknown}
