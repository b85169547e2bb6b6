"""Holds what 1.15's op modules need around them:
names that the installed TensorFlow lacks or has changed.
"""

from __future__ import annotations

import types
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.run.originals import loader, name_map, shims


@name_map.changes("python.keras.mixed_precision.experimental.autocast_variable")
def complete_distributed_variables(original: loader.Original) -> None:
    """Gives variables that strategies keep, and that are cast when read,
    the graph element of the variable itself.
    """
    original.AutoCastDistributedVariable._as_graph_element = lambda self: (
        self._variable._as_graph_element()
    )


@name_map.changes("python.keras.backend")
def keep_variables_whole(original: Any) -> None:
    """Makes a module that looks for the parts of composite tensors not look for those of variables.

    Resource variables are composite tensors in the installed TensorFlow, and each is its own only
    part.
    """
    original.composite_tensor = types.SimpleNamespace(CompositeTensor=shims.CompositeTensor)


@name_map.changes("python.ops.linalg.linear_operator_algebra")
def register_linear_operators(algebra: loader.Original) -> None:
    """Loads the modules that register functions for pairs of linear operators,
    at the first lookup.
    """
    look_up = algebra._registered_function

    def registered_function(*arguments: object) -> Any:
        loader.module("python.ops.linalg.linalg")
        return look_up(*arguments)

    setattr(algebra, "_registered_function", registered_function)


@name_map.stands_in_for("python.framework.ops.register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: object, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers conversions of 1.15's own classes to tensors;
    TensorFlow itself converts lists and variables.
    """
    bases = base_type if isinstance(base_type, tuple) else (base_type,)
    own = tuple(
        each for each in bases if isinstance(each, type) and loader.is_original(each.__module__)
    )
    if own:
        tf.register_tensor_conversion_function(own, conversion_func, priority)


@name_map.stands_in_for("python.eager.context.list_devices")
def list_devices() -> list[str]:
    """Returns the names of the devices."""
    context = _compat.resolve("tensorflow.python.eager.context")
    context.ensure_initialized()
    return list(context.context().devices())


@name_map.stands_in_for("python.eager.context.shared_name")
def shared_name(name: str | None = None) -> str:
    """Returns the name of a resource, which is anonymous under eager
    execution unless `name` is given.
    """
    if name or not tf.executing_eagerly():
        return name or ""
    return str(_compat.resolve("tensorflow.python.eager.context").anonymous_name())


@name_map.stands_in_for("python.eager.function.common_shape")
def common_shape(first: object, second: object) -> tf.TensorShape | None:
    """Returns a shape that is compatible with both, None where both are None;
    one None alone is a RuntimeError.
    """
    if (first is None) != (second is None):
        raise RuntimeError(
            f"Cannot find a common shape when only one of the two is known: {first} vs. {second}"
        )
    return None if first is None else tf.TensorShape(first).most_specific_compatible_shape(second)


@name_map.stands_in_for("python.eager.function.register")
def register_function(function: Any, *arguments: Any, **options: Any) -> Any:
    """Adds the function for these arguments, and its gradient, to the graph, without calling it."""
    concrete = function.get_concrete_function(*arguments, **options)
    concrete.add_to_graph()
    concrete.add_gradient_functions_to_graph()
    return concrete


@name_map.stands_in_for("python.framework.type_spec._type_spec_from_value")
def type_spec_from_value(value: object) -> Any:
    """Returns the type of a tensor or of its parts;
    None for None, and for variables, which datasets convert.
    """
    if value is None or isinstance(value, tf.Variable):
        return None
    return _compat.resolve("tensorflow.python.framework.type_spec._type_spec_from_value")(value)


IS_ROCM_BUILD = tf.test.is_built_with_rocm()
name_map.declare("python.platform.build_info.is_rocm_build", __name__, "IS_ROCM_BUILD")


RUN_FUNCTIONS_EAGERLY = False
name_map.declare(
    "python.eager.def_function.RUN_FUNCTIONS_EAGERLY", __name__, "RUN_FUNCTIONS_EAGERLY"
)


class _EverySymbol:
    names = "__name__"  # an attribute of every symbol: 1.15 checks for this attribute to see what is public


API_ATTRS = {"tensorflow": _EverySymbol}
name_map.declare("python.util.tf_export.API_ATTRS", __name__, "API_ATTRS")


@name_map.stands_in_for("python.util.tf_export.get_canonical_name_for_symbol")
def canonical_name(symbol: Any, *unused_arguments: Any, **unused_options: Any) -> str:
    """Returns the name of `symbol` in the documentation."""
    return str(symbol.__name__)
