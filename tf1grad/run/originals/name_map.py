"""Lists where the names of TensorFlow 1.15's private modules are now, one row per name,
and what changes in originals.

All keys are dotted names below `tensorflow`. The docstring of `loader` has the order in which names
are looked up.

The tables have the names that TensorFlow still has elsewhere. What stands in for a name, or changes
an original, says so where it is defined, with `stands_in_for`, `declare` and `changes`;
`declare_in` names a package of such modules, which are imported when a name is first looked up.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from typing import Callable, TypeVar

from tf1grad.programs.names.dotted_names import split

_Declared = TypeVar("_Declared", bound=Callable[..., object])

# The row of a function that stays 1.15's own, in a module that is otherwise the installed one.
ORIGINAL = "TensorFlow 1.15's own"

# Name in 1.15 -> where its value is now.
NOW: dict[str, str] = {
    "python.distribute.distribute_lib.get_loss_reduction": "tensorflow.python.distribute.distribute_utils.get_loss_reduction",
    "python.distribute.parameter_server_strategy.ParameterServerStrategy": "tensorflow.python.distribute.parameter_server_strategy.ParameterServerStrategyV1",
    "python.eager.backprop.aggregate_indexed_slices_gradients": "tensorflow.python.eager.backprop_util.AggregateIndexedSlicesGradients",
    "python.eager.context.VirtualDeviceConfiguration": "tensorflow.python.eager.context.LogicalDeviceConfiguration",
    "python.eager.core._NotOkStatusException": "tensorflow.python.framework.errors_impl.OpError",
    "python.eager.function.Function": "tensorflow.python.eager.polymorphic_function.polymorphic_function.Function",
    # The original calls the tensor's `_rank()`, which returns -1 now where the rank is unknown.
    "python.framework.config.get_virtual_device_configuration": "tensorflow.python.framework.config.get_logical_device_configuration",
    "python.framework.config.set_virtual_device_configuration": "tensorflow.python.framework.config.set_logical_device_configuration",
    "python.framework.device.DeviceSpec": "tensorflow.python.framework.device_spec.DeviceSpecV1",
    "python.framework.ops._default_session_stack": "tensorflow.python.framework.stack._default_session_stack",
    "python.framework.ops._eval_using_default_session": "tensorflow.python.framework.tensor._eval_using_default_session",
    "python.framework.ops._override_helper": "tensorflow.python.framework.tensor._override_helper",
    "python.framework.ops.internal_convert_to_tensor": "tensorflow.python.framework.ops.convert_to_tensor",
    "python.framework.ops.name_scope": "tensorflow.python.framework.ops.name_scope_v1",
    # TensorFlow 2 evaluates Identity, StopGradient, Unpack and Split, and then leaves out ops.
    "python.framework.tensor_util.constant_value": ORIGINAL,
    "python.framework.tensor_util.constant_value_as_shape": ORIGINAL,
    "python.framework.tensor_util.maybe_set_static_shape": "tensorflow.python.ops.shape_util.maybe_set_static_shape",
    "python.framework.tensor_util.shape_tensor": "tensorflow.python.ops.shape_util.shape_tensor",
    "python.ops.custom_gradient.get_dependent_variables": "tensorflow.python.ops.custom_gradient._get_dependent_variables",
    "python.ops.math_ops._resource_variable_type": "tensorflow.python.ops.resource_variable_ops.BaseResourceVariable",
    "python.ops.parallel_for.batch_jacobian": "tensorflow.python.ops.parallel_for.gradients.batch_jacobian",
    "python.ops.parallel_for.for_loop": "tensorflow.python.ops.parallel_for.control_flow_ops.for_loop",
    "python.ops.parallel_for.jacobian": "tensorflow.python.ops.parallel_for.gradients.jacobian",
    "python.ops.parallel_for.pfor": "tensorflow.python.ops.parallel_for.control_flow_ops.pfor",
    # Feature columns of libraries describe with these classes what to parse.
    "python.ops.parsing_ops.FixedLenFeature": "tensorflow.python.ops.parsing_config.FixedLenFeature",
    "python.ops.parsing_ops.FixedLenSequenceFeature": "tensorflow.python.ops.parsing_config.FixedLenSequenceFeature",
    "python.ops.parsing_ops.SparseFeature": "tensorflow.python.ops.parsing_config.SparseFeature",
    "python.ops.parsing_ops.VarLenFeature": "tensorflow.python.ops.parsing_config.VarLenFeature",
    # Runs return it, and `tf.test.TestCase` compares it.
    "python.ops.ragged.ragged_tensor_value.RaggedTensorValue": "tensorflow.python.ops.ragged.ragged_tensor_value.RaggedTensorValue",
    "python.ops.resource_variable_ops._from_proto_fn": "tensorflow.python.ops.ref_variable._from_proto_fn",
    "python.ops.resource_variable_ops._to_proto_fn": "tensorflow.python.ops.ref_variable._to_proto_fn",
    # 1.15 reads resource variables twice for their rank.
    "python.ops.variables.assert_variables_initialized": ORIGINAL,
    "python.pywrap_tensorflow.AssertSameStructureForData": "tensorflow.python.util._pywrap_utils.AssertSameStructureForData",
    "python.pywrap_tensorflow.EventsWriter": "tensorflow.python.client._pywrap_events_writer.EventsWriter",
    "python.pywrap_tensorflow.FlattenForData": "tensorflow.python.util._pywrap_utils.FlattenForData",
    "python.pywrap_tensorflow.IsSequenceForData": "tensorflow.python.util._pywrap_utils.IsNestedForData",
    "python.pywrap_tensorflow.NewCheckpointReader": "tensorflow.python.training.py_checkpoint_reader.NewCheckpointReader",
    "python.saved_model.loader_impl._parse_saved_model": "tensorflow.python.saved_model.loader_impl.parse_saved_model",
    "python.tpu.tpu._TPU_REPLICATE_ATTR": "tensorflow.python.tpu.tpu_replication._TPU_REPLICATE_ATTR",
    "python.tpu.tpu_strategy_util.initialize_tpu_system": "tensorflow.python.distribute.cluster_resolver.tpu.tpu_cluster_resolver.initialize_tpu_system",
    "python.tpu.tpu_system_metadata._TPUSystemMetadata": "tensorflow.python.tpu.tpu_system_metadata.TPUSystemMetadata",
    # The installed `AutoTrackable` makes instances of it.
    "python.training.tracking.data_structures.NoDependency": "tensorflow.python.trackable.data_structures.NoDependency",
    "python.training.tracking.tracking.NotTrackable": ORIGINAL,
    "python.training.tracking.tracking.TrackableAsset": "tensorflow.python.trackable.asset.Asset",
    "python.training.tracking.tracking.cached_per_instance": ORIGINAL,
    "python.training.tracking.tracking.delete_tracking": ORIGINAL,
    # NumPy no longer converts an array of one number to a number, which a step may be.
    "python.training.training_util.global_step": ORIGINAL,
    "python.util.nest._sorted": "builtins.sorted",
    "python.util.nest.is_sequence": "tensorflow.python.util.nest.is_nested",
}
# The names that the installed TensorFlow gives another meaning: user code gets the row as well. The
# other rows are for user code where the installed TensorFlow lacks the name.
CHANGED = {
    "python.framework.device.DeviceSpec",
    "python.framework.ops.name_scope",
    "python.ops.parallel_for.pfor",
}

# Module -> the modules that have its names now, in lookup order; the module itself comes last. The
# row of a package also says where the modules below it are.
MODULES: dict[str, list[str]] = {
    "python.autograph": [
        "tensorflow.python.autograph",
        "tensorflow.python.autograph.core.converter",
        "tensorflow.python.autograph.impl.api",
        "tensorflow.python.autograph.lang.directives",
        "tensorflow.python.autograph.lang.special_functions",
    ],
    "python.distribute.distribution_strategy_context": [
        "tensorflow.python.distribute.distribute_lib"
    ],
    "python.eager.profiler": ["tf1grad.run.originals.eager_profiler"],
    "python.estimator": ["tensorflow_estimator.python.estimator"],
    "python.ops.gen_dataset_ops": ["tensorflow.python.ops.gen_optional_ops"],
    "python.ops.gen_experimental_dataset_ops": ["tensorflow.python.ops.gen_dataset_ops"],
    "python.ops.gen_math_ops": [
        "tensorflow.python.ops.gen_math_ops",
        "tensorflow.python.ops.gen_special_math_ops",
    ],
    "python.pywrap_tensorflow": [
        "tensorflow.python.pywrap_tensorflow",
        "tensorflow.python.pywrap_tfe",
        "tensorflow.python.client.pywrap_tf_session",
    ],
    "python.pywrap_tensorflow_internal": [
        "tensorflow.python.pywrap_tensorflow",
        "tensorflow.python.pywrap_tfe",
        "tensorflow.python.client.pywrap_tf_session",
    ],
    "python.training.gen_training_ops": ["tensorflow.python.ops.gen_training_ops"],
    "python.training.tracking": ["tensorflow.python.trackable"],
    "python.training.tracking.tracking": [
        "tensorflow.python.trackable.autotrackable",
        "tensorflow.python.trackable.resource",
        "tensorflow.python.trackable.asset",
    ],
    "tools.graph_transforms": ["tf1grad.run.originals.graph_transforms"],
}
# Packages of contrib -> the inner module whose names they re-export, as in `tf.contrib`.
REEXPORTED_MODULES = {
    "contrib.autograph": "python.autograph",
    "contrib.eager": "contrib.eager.python.tfe",
    "contrib.optimizer_v2": "contrib.optimizer_v2.optimizer_v2_symbols",
    "contrib.receptive_field": "contrib.receptive_field.receptive_field_api",
    "contrib.recurrent": "contrib.recurrent.python.recurrent_api",
    "contrib.remote_fused_graph": "contrib.remote_fused_graph.pylib",
    "contrib.specs": "contrib.specs.python",
    "contrib.summary": "contrib.summary.summary",
}

# Names without a row, which private modules no longer have, are looked up in these modules, in this
# order.
MOVED_TO = [
    "tensorflow.python.framework.tensor",
    "tensorflow.python.framework.indexed_slices",
    "tensorflow.python.framework.tensor_conversion",
    "tensorflow.python.framework.tensor_conversion_registry",
    "tensorflow.python.ops.array_ops_stack",
    "tensorflow.python.ops.cond",
    "tensorflow.python.ops.while_loop",
    "tensorflow.python.ops.control_flow_case",
    "tensorflow.python.ops.control_flow_switch_case",
    "tensorflow.python.ops.control_flow_assert",
    "tensorflow.python.ops.variable_v1",
    "tensorflow.python.ops.ref_variable",
    "tensorflow.python.ops.random_crop_ops",
    "tensorflow.python.ops.resource_variables_toggle",
    "tensorflow.python.ops.rnn",
    "tensorflow.python.ops.control_flow_ops",
    "tensorflow.python.checkpoint.checkpoint_management",
    "tensorflow.python.framework.convert_to_constants",
]

# Original -> the functions that change it, when it has been executed and before any import from it.
CHANGES: dict[str, list[str]] = {}

_lock = threading.RLock()
_uncollected = [__name__.rpartition(".")[0]]


def stands_in_for(*paths: str, for_users: bool = False) -> Callable[[_Declared], _Declared]:
    """Makes a function or class the value of these names;
    `for_users` if their meaning has changed for user code.
    """

    def declared(function: _Declared) -> _Declared:
        for path in paths:
            declare(path, function.__module__, function.__name__, for_users)
        return function

    return declared


def declare(path: str, module: str, name: str, for_users: bool = False) -> None:
    """Makes the value `name` of one of our modules that of the name at `path`."""
    NOW[path] = f"{module}.{name}"
    if for_users:
        CHANGED.add(path)


def changes(*paths: str) -> Callable[[_Declared], _Declared]:
    """Makes a function change these originals.
    Of several functions, those that are imported first come first.
    """

    def declared(function: _Declared) -> _Declared:
        for path in paths:
            CHANGES.setdefault(path, []).append(f"{function.__module__}.{function.__name__}")
        return function

    return declared


def declare_in(package: str) -> None:
    """Takes what the modules of a package declare, from the next look-up on."""
    _uncollected.append(package)


def _collect() -> None:
    with _lock:
        while _uncollected:
            package = importlib.import_module(_uncollected[-1])
            for _, name, _ in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
                importlib.import_module(name)
            _uncollected.remove(package.__name__)


def rows() -> dict[str, str]:
    """Returns where each name is now, with the stand-ins."""
    _collect()
    return NOW


def changes_of(path: str) -> list[str]:
    """Returns the functions that change the original at `path`."""
    _collect()
    return CHANGES.get(path, [])


def find(path: str, for_users: bool = False) -> str | None:
    """Returns where the name at `path` is now, or None where that is the installed module.

    User code keeps a value of the installed module that originals do not get, unless it has another
    meaning.
    """
    now = rows().get(path)
    if for_users and now != ORIGINAL and path not in CHANGED:
        return None
    return now


def names_in(path: str) -> list[str]:
    """Returns the names of the module at `path` that have a row."""
    return [name for module, name in map(split, rows()) if module == path]
