"""Makes 1.15's modules and the installed TensorFlow know the methods of each other's classes.

Installed classes get methods of 1.15 that they lack. Classes that derive from `Trackable` get the
signatures with which the installed TensorFlow calls their methods, wherever they are defined: in
1.15's modules or in user code.
"""

from __future__ import annotations

import functools
import inspect
from types import FrameType
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import ownership, patches
from tf1grad.run.op_layer import graph_owners
from tf1grad.run.op_layer.installed import saved_models

# What 1.15's `tf.Variable` takes by position after `initial_value` and `trainable`.
_OF_VARIABLE = (
    "collections",
    "validate_shape",
    "caching_device",
    "name",
    "variable_def",
    "dtype",
    "expected_shape",
    "import_scope",
    "constraint",
    "use_resource",
    "synchronization",
    "aggregation",
    "shape",
)


class _Strategy:
    def experimental_run_v2(self: Any, fn: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.run(fn, args, kwargs)

    def _in_multi_worker_mode(self: Any) -> Any:
        return self.extended._in_multi_worker_mode()


class _DistributedValues:
    def get(self: Any, device: Any = None) -> Any:
        return self._get()


def _of_summaries(name: str) -> property:
    """Returns a property of the eager context, whose value `tf.summary` keeps now."""

    def state() -> Any:
        return _compat.resolve("tensorflow.python.ops.summary_ops_v2._summary_state")

    def read(unused_context: object) -> Any:
        return getattr(state(), name)

    def write(unused_context: object, value: object) -> None:
        setattr(state(), name, value)

    return property(read, write)


class _Context:
    summary_writer = _of_summaries("writer")
    summary_step = _of_summaries("step")
    summary_recording = _of_summaries("is_recording")
    summary_recording_distribution_strategy = _of_summaries("is_recording_distribution_strategy")


class _Function:
    def _get_concrete_function_internal(self: Any, *arguments: Any, **options: Any) -> Any:
        return self.get_concrete_function(*arguments, **options)


class _OfHandle:
    """Reads the attribute that a variable's handle has now;
    a variable may still be given its own.
    """

    def __get__(self, variable: tf.Variable, owner: object = None) -> Any:
        return self if variable is None else variable.handle._distributed_container


class _ResourceVariable:
    _distributed_container = _OfHandle()  # `Optimizer.get_slot` finds slots of replicas by it


class _InitialValue:
    """Makes an initial value from a checkpoint look like the tensor that it was."""

    def get_shape(self: Any) -> tf.TensorShape:
        return self.wrapped_value.get_shape()

    @property
    def shape(self: Any) -> tf.TensorShape:
        return self.wrapped_value.shape

    @property
    def dtype(self: Any) -> tf.DType:
        return self.wrapped_value.dtype


class _Saveable:
    optional_restore = False  # whether a checkpoint may lack it


class _CompositeTensor:
    @property
    def _is_graph_tensor(self: object) -> bool:
        parts = tf.nest.flatten(self, expand_composites=True)
        return any(getattr(part, "graph", None) is not None for part in parts)


def _broadcasts_of(graph: tf.Graph) -> dict[Any, Any]:
    if not hasattr(graph, "_op_layer_broadcasts"):
        graph._op_layer_broadcasts = {}
    found: dict[Any, Any] = graph._op_layer_broadcasts
    return found


class _Graph:
    _auto_cast_variable_read_dtype = None  # that of the layer which is built now, in any graph

    _bcast_grad_args_cache = property(_broadcasts_of)

    def _enable_auto_casting_variables(self, dtype: object) -> Any:
        read_dtype = dtype and tf.as_dtype(dtype)
        return patches.temporarily(tf.Graph, "_auto_cast_variable_read_dtype", read_dtype)


class _Operation:
    """Has the lists that libraries read."""

    @property
    def _inputs(self: Any) -> list[Any]:
        return list(self.inputs)

    @property
    def _outputs(self: Any) -> list[Any]:
        return list(self.outputs)


# Installed class -> the class with the methods and properties of 1.15 that it lacks.
LOST: dict[str, type] = {
    "python.distribute.distribute_lib.StrategyBase": _Strategy,
    "python.distribute.values.DistributedValues": _DistributedValues,
    "python.eager.context.Context": _Context,
    "python.eager.polymorphic_function.polymorphic_function.Function": _Function,
    "python.framework.composite_tensor.CompositeTensor": _CompositeTensor,
    "python.framework.ops.Graph": _Graph,
    "python.framework.ops.Operation": _Operation,
    "python.ops.resource_variable_ops.BaseResourceVariable": _ResourceVariable,
    "python.trackable.autotrackable.AutoTrackable": saved_models.AutoTrackable,
    "python.trackable.base.CheckpointInitialValue": _InitialValue,
    "python.trackable.resource.CapturableResource": saved_models.CapturableResource,
    "python.training.saving.saveable_object.SaveableObject": _Saveable,
}
# They call numpy.array: the second one for user code, the third one for tests.
_NUMPY = (
    "numpy.",
    "tf1grad.run.dropped_names.numpy_calls",
    "tensorflow.python.framework.test_util",
)
_TRACKABLE = "tensorflow.python.trackable.base.Trackable"


def install() -> None:
    """Completes the installed classes, and the classes that derive from `Trackable` from now on."""
    for name, lost in LOST.items():
        holder = _compat.resolve("tensorflow." + name)
        for method, function in vars(lost).items():
            if not method.startswith("__") and method not in vars(holder):
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
    patches.wrap(
        type(tf.Variable),
        "__call__",
        _in_order_of_1_15,
        reason="tf.Variable takes its arguments by position in the order of 1.15",
    )
    patches.wrap(
        tf.train.CheckpointSaverHook,
        "__init__",
        _for_one_step_a_run,
        reason="asks for the global step where it may save only, as in 1.15",
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


def _in_order_of_1_15(make: Callable[..., Any], cls: Any, *args: Any, **options: Any) -> Any:
    """Makes a variable, of which `collections` is the third argument.

    TensorFlow 2.15 has it near the end, so a list of collections would be `validate_shape`.
    """
    if cls is tf.Variable:
        args, options = args[:2], {**dict(zip(_OF_VARIABLE, args[2:])), **options}
    return make(cls, *args, **options)


def _for_one_step_a_run(make: Callable[..., None], hook: Any, *args: Any, **options: Any) -> None:
    """Makes a hook that expects one step a run;
    TensorFlow 2 expects a million, and asks with a run after each run.
    """
    make(hook, *args, **options)
    hook._steps_per_run = 1


def _unless_of_graph(convert: Callable[[Any], Any], variable: tf.Variable) -> Any:
    """Raises a TypeError for variables of graphs, which programs catch,
    not an error about `numpy`.
    """
    if not tf.executing_eagerly():
        raise TypeError(
            f"a number is required, not {type(variable).__name__} {variable.name!r} of a graph; "
            "session.run returns its value"
        )
    return convert(variable)


def _array_method(refuse: Any) -> property:
    """Returns `Tensor.__array__`, which raises an error; NumPy sees none in tensors of the
    user's graphs in a list.
    """

    def look_up(tensor: tf.Tensor) -> Any:
        frame = ownership.calling_frame()
        if frame.f_code.co_name == "__getattr__" and frame.f_back:
            # The tensor's own: Python asks it after an error.
            frame = frame.f_back
        if graph_owners.is_users(tensor.graph) and _is_in_list(tensor, frame):
            raise AttributeError("__array__")
        return refuse.__get__(tensor)

    return property(look_up)


def _is_in_list(tensor: tf.Tensor, frame: FrameType) -> bool:
    """Says whether `frame` is of a function of NumPy that converts a list which holds `tensor`,
    not `tensor` itself.
    """
    if not frame.f_globals.get("__name__", "").startswith(_NUMPY):
        return False
    given = frame.f_locals
    return not any(value is tensor for value in (*given.values(), *given.get("args", ())[:1]))


def _accepting_known(look_up: Callable[[Any, str], Any]) -> patches.Function:
    @functools.wraps(look_up)
    def _lookup_dependency(
        trackable: object, name: str, cached_dependencies: dict[str, Any] | None = None
    ) -> Any:
        found = (cached_dependencies or {}).get(name)
        return look_up(trackable, name) if found is None else found

    return _lookup_dependency
