"""Makes 1.15's modules and the installed TensorFlow know the methods of each other's classes.

Installed classes get methods of 1.15 that they lack. Classes that derive from `Trackable` get the signatures with
which the installed TensorFlow calls their methods, wherever they are defined: in 1.15's modules or in user code.
"""

from __future__ import annotations

import functools
import inspect
from types import FrameType
from typing import Any, Callable, Dict, Optional

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.op_layer import graph_owners
from tf1grad.old_programs.op_layer.installed import saved_models
from tf1grad.old_programs.process import ownership, patches


def _of_summaries(name: str) -> property:
    def state() -> Any:
        return _compat.resolve("tensorflow.python.ops.summary_ops_v2._summary_state")

    return property(
        lambda context: getattr(state(), name), lambda context, value: setattr(state(), name, value)
    )


class _OfHandle:
    """Reads the attribute that a variable's handle has now; a variable may still be given its own."""

    def __get__(self, variable: Any, owner: Any = None) -> Any:
        return self if variable is None else variable.handle._distributed_container


def _broadcasts_of(graph: Any) -> Dict[Any, Any]:
    if not hasattr(graph, "_op_layer_broadcasts"):
        graph._op_layer_broadcasts = {}
    found: Dict[Any, Any] = graph._op_layer_broadcasts
    return found


# Installed class -> the methods and properties of 1.15 that it lacks.
LOST: Dict[str, Dict[str, Any]] = {
    "python.distribute.distribute_lib.StrategyBase": {
        "experimental_run_v2": lambda self, fn, args=(), kwargs=None: self.run(fn, args, kwargs),
        "_in_multi_worker_mode": lambda self: self.extended._in_multi_worker_mode(),
    },
    "python.distribute.values.DistributedValues": {
        "get": lambda self, device=None: self._get(),
    },
    "python.eager.context.Context": {  # `tf.summary` keeps the same now
        **{
            "summary_" + name: _of_summaries(there)
            for name, there in (
                ("writer", "writer"),
                ("step", "step"),
                ("recording", "is_recording"),
                ("recording_distribution_strategy", "is_recording_distribution_strategy"),
            )
        },
        "get_virtual_device_configuration": lambda self, dev: self.get_logical_device_configuration(
            dev
        ),
        "set_virtual_device_configuration": lambda self, dev, virtual_devices: (
            self.set_logical_device_configuration(dev, virtual_devices)
        ),
    },
    "python.eager.polymorphic_function.polymorphic_function.Function": {
        "_get_concrete_function_internal": lambda self, *arguments, **options: (
            self.get_concrete_function(*arguments, **options)
        ),
    },
    "python.ops.resource_variable_ops.BaseResourceVariable": {
        "_distributed_container": _OfHandle(),  # `Optimizer.get_slot` finds slots of replicas by it
    },
    "python.trackable.base.CheckpointInitialValue": {  # it was a tensor
        "get_shape": lambda self: self.wrapped_value.get_shape(),
        "shape": property(lambda self: self.wrapped_value.shape),
        "dtype": property(lambda self: self.wrapped_value.dtype),
    },
    "python.training.saving.saveable_object.SaveableObject": {
        "optional_restore": False,  # whether a checkpoint may lack it
    },
    "python.framework.composite_tensor.CompositeTensor": {
        "_is_graph_tensor": property(
            lambda self: any(
                getattr(each, "graph", None) is not None
                for each in tf.nest.flatten(self, expand_composites=True)
            )
        ),
    },
    "python.framework.ops.Graph": {
        "_bcast_grad_args_cache": property(_broadcasts_of),
        "_auto_cast_variable_read_dtype": None,  # that of the layer which is built now, in whatever graph
        "_enable_auto_casting_variables": lambda graph, dtype: patches.temporarily(
            tf.Graph, "_auto_cast_variable_read_dtype", dtype and tf.as_dtype(dtype)
        ),
    },
    "python.framework.ops.Operation": {  # libraries read these lists
        "_inputs": property(lambda self: list(self.inputs)),
        "_outputs": property(lambda self: list(self.outputs)),
    },
    **saved_models.lost_methods(
        "python.trackable.autotrackable.AutoTrackable",
        "python.trackable.resource.CapturableResource",
    ),
}
# They call numpy.array: the second one for user code, the third one for tests.
_NUMPY = (
    "numpy.",
    "tf1grad.old_programs.dropped_names.numpy_calls",
    "tensorflow.python.framework.test_util",
)
_TRACKABLE = "tensorflow.python.trackable.base.Trackable"


def install() -> None:
    """Completes the installed classes, and the classes that derive from `Trackable` from now on."""
    for name, methods in LOST.items():
        holder = _compat.resolve("tensorflow." + name)
        for method, function in methods.items():
            if method not in vars(holder):
                setattr(holder, method, function)
    patches.note("classes of TensorFlow", "have the methods that they had in 1.15")
    patches.patch(
        tf.Tensor,
        "__array__",
        _array_method(vars(tf.Tensor)["__array__"]),
        reason="for NumPy, tensors of graphs in a list are objects, as in 1.15",
    )
    variables = _compat.resolve("tensorflow.python.ops.resource_variable_ops.BaseResourceVariable")
    for name in ("__complex__", "__float__", "__int__"):
        patches.wrap(
            variables,
            name,
            _unless_of_graph,
            reason="variables of graphs are not numbers, as in 1.15" if name == "__float__" else "",
        )
    base = _compat.resolve(_TRACKABLE)

    def __init_subclass__(cls: Any, **options: Any) -> None:
        super(base, cls).__init_subclass__(**options)
        look_up = vars(cls).get("_lookup_dependency")
        if callable(look_up) and len(inspect.signature(look_up).parameters) == 2:
            setattr(cls, "_lookup_dependency", _accepting_known(look_up))
        if "_checkpoint_dependencies" in vars(cls) and "_trackable_children" not in vars(cls):
            cls._trackable_children = base._trackable_children  # which asks for the dependencies
        if saved_models.defines_children(cls):
            cls._trackable_children = saved_models.children

    patches.patch(
        base,
        "__init_subclass__",
        classmethod(__init_subclass__),  # type: ignore[arg-type]
        reason="checkpoints restore objects with methods as in 1.15",
    )


def _unless_of_graph(convert: Callable[[Any], Any], variable: Any) -> Any:
    """Raises a TypeError for variables of graphs, which programs catch, not an error about `numpy`."""
    if not tf.executing_eagerly():
        raise TypeError(
            f"a number is required, not {type(variable).__name__} {variable.name!r} of a graph; "
            "session.run returns its value"
        )
    return convert(variable)


def _array_method(refuse: Any) -> property:
    """Returns `Tensor.__array__`, which raises an error; NumPy sees none in tensors of the user's graphs in a list."""

    def look_up(tensor: tf.Tensor) -> Any:
        frame = ownership.calling_frame()
        if (
            frame.f_code.co_name == "__getattr__" and frame.f_back
        ):  # of the tensor: Python asks it after an error
            frame = frame.f_back
        if graph_owners.is_users(tensor.graph) and _is_in_list(tensor, frame):
            raise AttributeError("__array__")
        return refuse.__get__(tensor)

    return property(look_up)


def _is_in_list(tensor: tf.Tensor, frame: FrameType) -> bool:
    """Says whether `frame` is of a function of NumPy that converts a list which holds `tensor`, not `tensor` itself."""
    if not frame.f_globals.get("__name__", "").startswith(_NUMPY):
        return False
    given = frame.f_locals
    return not any(value is tensor for value in (*given.values(), *given.get("args", ())[:1]))


def _accepting_known(look_up: Callable[[Any, str], Any]) -> Callable[..., Any]:
    @functools.wraps(look_up)
    def _lookup_dependency(
        trackable: Any, name: str, cached_dependencies: Optional[Dict[str, Any]] = None
    ) -> Any:
        found = (cached_dependencies or {}).get(name)
        return look_up(trackable, name) if found is None else found

    return _lookup_dependency
