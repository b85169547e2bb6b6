"""Holds the surroundings of 1.15's op modules: names that the installed TensorFlow lacks or has changed."""

from __future__ import annotations

import functools
import types
import weakref
from typing import Any, Callable, List, Optional

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import loader, moved_modules, our_substitutes, stand_ins
from tf1grad.old_programs.originals.op_layer import checkpoints, dispatched_ops, installed
from tf1grad.old_programs.originals.op_layer.installed import (
    cardinalities,
    datasets,
    distributed_datasets,
    graph_state,
    prefetching,
    saved_models,
)

_HERE = "tf1grad.old_programs.originals.op_layer."
_OPS = "python.framework.ops."

REPLACED_NAMES = {
    _OPS + "NoGradient": _HERE + "gradient_functions.not_differentiable",
    _OPS + "NotDifferentiable": _HERE + "gradient_functions.not_differentiable",
    _OPS + "no_gradient": _HERE + "gradient_functions.not_differentiable",
    _OPS + "RegisterGradient": _HERE + "gradient_functions.RegisterGradient",
    _OPS + "RegisterStatistics": moved_modules.STAND_INS + "NotExported",
    _OPS + "register_tensor_conversion_function": _HERE + "surroundings.register_tensor_conversion_function",
    _OPS + "_create_c_op": _HERE + "installed.op_building.create_grouped_op",
    _OPS + "_eval_using_default_session": "tensorflow.python.framework.tensor._eval_using_default_session",
    _OPS + "_override_helper": "tensorflow.python.framework.tensor._override_helper",
    _OPS + "_set_call_cpp_shape_fn": moved_modules.STAND_INS + "ignored",
    _OPS + "register_proto_function": moved_modules.STAND_INS + "ignored",
    "python.distribute.distribute_lib.get_loss_reduction": _HERE + "surroundings.get_loss_reduction",
    "python.eager.context.list_devices": _HERE + "surroundings.list_devices",
    "python.eager.context.shared_name": _HERE + "surroundings.shared_name",
    "python.eager.core._NotOkStatusException": "tensorflow.python.framework.errors_impl.OpError",
    "python.eager.def_function.RUN_FUNCTIONS_EAGERLY": _HERE + "surroundings.RUN_FUNCTIONS_EAGERLY",
    "python.eager.function.common_shape": _HERE + "surroundings.common_shape",
    "python.eager.function.register": _HERE + "surroundings.register_function",
    "python.eager.function.ConcreteFunction": _HERE + "installed.concrete_function",
    "python.framework.type_spec._type_spec_from_value": _HERE + "surroundings.type_spec_from_value",
    "python.framework.tensor_util.maybe_set_static_shape":
        "tensorflow.python.ops.shape_util.maybe_set_static_shape",
    "python.framework.tensor_util.shape_tensor": "tensorflow.python.ops.shape_util.shape_tensor",
    "python.ops.gen_array_ops.strided_slice": _HERE + "static_shapes.strided_slice",
    "python.ops.gen_array_ops.unpack": _HERE + "static_shapes.unpack",
    "python.ops.gen_nn_ops.conv2d_backprop_input": _HERE + "static_shapes.conv2d_backprop_input",
    "python.ops.math_ops.bessel_i0e": "tensorflow.python.ops.gen_special_math_ops.bessel_i0e",
    "python.ops.math_ops.bessel_i1e": "tensorflow.python.ops.gen_special_math_ops.bessel_i1e",
    "python.platform.build_info.is_rocm_build": _HERE + "surroundings.IS_ROCM_BUILD",
    "python.pywrap_tensorflow.AssertSameStructureForData":
        "tensorflow.python.util._pywrap_utils.AssertSameStructureForData",
    "python.pywrap_tensorflow.FlattenForData": "tensorflow.python.util._pywrap_utils.FlattenForData",
    "python.pywrap_tensorflow.IsSequenceForData": "tensorflow.python.util._pywrap_utils.IsNestedForData",
    "python.pywrap_tensorflow.RegisterType": moved_modules.STAND_INS + "ignored",
    "python.pywrap_tensorflow.TF_TryEvaluateConstant_wrapper": _HERE + "installed.evaluate_constant",
    "python.saved_model.load.Loader": _HERE + "installed.saved_models.Loader",
    "python.saved_model.load.load_internal": _HERE + "installed.saved_models.load_internal",
    "python.training.tracking.tracking.cached_per_instance": _HERE + "surroundings.cached_per_instance",
    "python.training.tracking.tracking.delete_tracking": _HERE + "surroundings.delete_tracking",
    "python.util.dispatch.OpDispatcher": _HERE + "installed.dispatch.OpDispatcher",
    "python.util.dispatch.add_dispatch_list": _HERE + "installed.dispatch.add_dispatch_list",
    "python.util.dispatch.add_dispatch_support": _HERE + "installed.dispatch.add_dispatch_support",
    "python.util.dispatch.dispatch_for_types": _HERE + "installed.dispatch.dispatch_for_types",
    "python.util.nest._sorted": "builtins.sorted",
    "python.util.tf_export.API_ATTRS": _HERE + "surroundings.API_ATTRS",
    "python.util.tf_export.get_canonical_name_for_symbol": _HERE + "surroundings.canonical_name",
}


REPLACED_NAMES.update({f"python.ops.{module}.{name}": _HERE + "dispatched_ops." + name
                for module, names in dispatched_ops.NAMES.items() for name in names.split()})

# Classes of the installed TensorFlow that 1.15's modules get too, since libraries create and recognize their objects.
INSTALLED_CLASSES = {
    "python.ops.parsing_ops": (
        "tensorflow.python.ops.parsing_config",
        "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature",
        "Feature columns of libraries describe with them what to parse."),
    "python.ops.ragged.ragged_tensor_value": (
        "tensorflow.python.ops.ragged.ragged_tensor_value", "RaggedTensorValue",
        "Runs return it, and `tf.test.TestCase` compares it."),
}
MOVED_MODULES = {
    "python.pywrap_tensorflow": "tensorflow.python.pywrap_tensorflow tensorflow.python.pywrap_tfe "
                                "tensorflow.python.client.pywrap_tf_session",
    "python.ops.gen_dataset_ops": "tensorflow.python.ops.gen_optional_ops",
    "python.ops.gen_math_ops": "tensorflow.python.ops.gen_math_ops tensorflow.python.ops.gen_special_math_ops",
    "python.ops.gen_experimental_dataset_ops": "tensorflow.python.ops.gen_dataset_ops",
}


def install() -> None:
    """Adds these to the tables of the loader."""
    moved_modules.REPLACED_FOR_ORIGINALS.update(REPLACED_NAMES)
    moved_modules.MOVED_MODULES.update(MOVED_MODULES)
    our_substitutes.SUBSTITUTES.update(INSTALLED_CLASSES)
    loader.changes["python.ops.ragged.ragged_tensor"] = [installed.take_ragged_tensors]
    loader.changes["python.data.ops.dataset_ops"] = [
        datasets.recognize, datasets.interleave_by_processors, distributed_datasets.serve_arrays,
        prefetching.compute_on_demand]
    loader.changes["python.data.ops.iterator_ops"] = [
        datasets.keep_iterators_at_exit, datasets.convert_loops, prefetching.initialize_on_demand]
    loader.changes["python.data.experimental.ops.cardinality"] = [cardinalities.count_after_maps]
    loader.changes["python.ops.linalg.linear_operator_algebra"] = [register_linear_operators]
    loader.changes["python.keras.mixed_precision.experimental.autocast_variable"] = [complete_distributed_variables]
    loader.changes["python.keras.backend"] = [installed.save_in_sessions_of, keep_variables_whole]
    checkpoints.install()
    datasets.convert_components()
    distributed_datasets.connect()
    graph_state.complete_graphs()
    saved_models.install()


def complete() -> None:
    """Sets, in a loaded original, the class that another module registered there."""
    vars(loader.module("python.ops.math_ops"))["_resource_variable_type"] = _compat.resolve(
        "tensorflow.python.ops.resource_variable_ops.BaseResourceVariable")


def complete_distributed_variables(original: Any) -> None:
    """Gives variables that strategies keep, and that are cast when read, the graph element of the variable itself."""
    original.AutoCastDistributedVariable._as_graph_element = lambda self: self._variable._as_graph_element()


def keep_variables_whole(original: Any) -> None:
    """Makes a module that looks for the parts of composite tensors not look for those of variables.

    Resource variables are composite tensors in the installed TensorFlow, and each is its own only part.
    """
    original.composite_tensor = types.SimpleNamespace(CompositeTensor=stand_ins.CompositeTensor)


def register_linear_operators(algebra: loader.Original) -> None:
    """Makes lookups of functions for pairs of linear operators load the modules that register such functions."""
    look_up = algebra._registered_function

    def registered_function(*arguments: Any) -> Any:
        loader.module("python.ops.linalg.linalg")
        return look_up(*arguments)
    setattr(algebra, "_registered_function", registered_function)


def register_tensor_conversion_function(base_type: Any, conversion_func: Callable[..., Any],
                                        priority: int = 100) -> None:
    """Registers conversions of 1.15's own classes to tensors; TensorFlow itself converts lists and variables."""
    bases = base_type if isinstance(base_type, tuple) else (base_type,)
    own = tuple(each for each in bases if isinstance(each, type) and loader.is_original(each.__module__))
    if own:
        tf.register_tensor_conversion_function(own, conversion_func, priority)


def get_loss_reduction() -> Any:
    """Returns SUM, the way replicas combine their losses: `tf.losses` has divided by their number."""
    return _compat.resolve("tensorflow.python.distribute.reduce_util.ReduceOp").SUM


def cached_per_instance(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Makes a property's function run once for each object; its attribute `cache` holds the values."""
    cache: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    @functools.wraps(function)
    def cached(instance: Any) -> Any:
        if instance not in cache:
            cache[instance] = function(instance)
        return cache[instance]

    setattr(cached, "cache", cache)
    return cached


def list_devices() -> List[str]:
    """Returns the names of the devices."""
    context = _compat.resolve("tensorflow.python.eager.context")
    context.ensure_initialized()
    return list(context.context().devices())


def shared_name(name: Optional[str] = None) -> str:
    """Returns the name of a resource, which is anonymous under eager execution unless `name` is given."""
    if name or not tf.executing_eagerly():
        return name or ""
    return str(_compat.resolve("tensorflow.python.eager.context").anonymous_name())


def common_shape(first: Any, second: Any) -> Optional[tf.TensorShape]:
    """Returns a shape that is compatible with both shapes; None where both are None.

    Raises:
        RuntimeError: only one of the two is a shape.
    """
    if (first is None) != (second is None):
        raise RuntimeError(f"Cannot find a common shape when only one of the two is known: {first} vs. {second}")
    return None if first is None else tf.TensorShape(first).most_specific_compatible_shape(second)


def register_function(function: Any, *arguments: Any, **options: Any) -> Any:
    """Adds the function for these arguments, and its gradient, to the graph, without calling it."""
    concrete = function.get_concrete_function(*arguments, **options)
    concrete.add_to_graph()
    concrete.add_gradient_functions_to_graph()
    return concrete


def type_spec_from_value(value: Any) -> Any:
    """Returns the type of a tensor or of its parts; None for None, and for variables, which datasets convert."""
    if value is None or isinstance(value, tf.Variable):
        return None
    return _compat.resolve("tensorflow.python.framework.type_spec._type_spec_from_value")(value)


IS_ROCM_BUILD = tf.test.is_built_with_rocm()


def delete_tracking(trackable: Any, name: str) -> None:
    """Makes `trackable` forget that it depends on its attribute `name`."""
    trackable._delete_tracking(name)


RUN_FUNCTIONS_EAGERLY = False


class _EverySymbol:
    names = "__name__"  # an attribute of every symbol: 1.15 checks for this attribute to see what is public


API_ATTRS = {"tensorflow": _EverySymbol}


def canonical_name(symbol: Any, *unused_arguments: Any, **unused_options: Any) -> str:
    """Returns the name of `symbol` in the documentation."""
    return str(symbol.__name__)
