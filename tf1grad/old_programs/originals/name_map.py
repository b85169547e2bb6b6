"""Lists where the names and modules that originals and user code import are now: one row per name; `loader` reads this.

All paths are dotted and below `tensorflow`.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional

SHIMS = "tf1grad.old_programs.originals.shims."
OP_LAYER = "tf1grad.old_programs.op_layer."


class Row(NamedTuple):
    """Describes where a name of TensorFlow 1.15 is now.

    Attributes:
        now: the full name of its value.
        for_users: False where user code gets it only if nothing else has the name.
        only_if_missing: whether the installed module's own value is kept where there is one.
    """

    now: str
    for_users: bool = False
    only_if_missing: bool = False


# Module -> the modules that have its names now, in lookup order; the module itself comes last. The row of a package
# also says where the modules below it are.
MODULES = {
    "python.autograph": "tensorflow.python.autograph tensorflow.python.autograph.core.converter "
    "tensorflow.python.autograph.impl.api tensorflow.python.autograph.lang.directives "
    "tensorflow.python.autograph.lang.special_functions",
    "python.eager.profiler": "tf1grad.old_programs.originals.eager_profiler",
    "python.estimator": "tensorflow_estimator.python.estimator",
    "python.training.tracking": "tensorflow.python.trackable",
    "python.training.tracking.tracking": "tensorflow.python.trackable.autotrackable "
    "tensorflow.python.trackable.resource tensorflow.python.trackable.asset",
    "python.distribute.distribution_strategy_context": "tensorflow.python.distribute.distribute_lib",
    "python.training.gen_training_ops": "tensorflow.python.ops.gen_training_ops",
    "tools.graph_transforms": "tf1grad.migrate.provided.graph_transforms",
    "python.pywrap_tensorflow": "tensorflow.python.pywrap_tensorflow tensorflow.python.pywrap_tfe "
    "tensorflow.python.client.pywrap_tf_session",
    "python.ops.gen_dataset_ops": "tensorflow.python.ops.gen_optional_ops",
    "python.ops.gen_math_ops": "tensorflow.python.ops.gen_math_ops tensorflow.python.ops.gen_special_math_ops",
    "python.ops.gen_experimental_dataset_ops": "tensorflow.python.ops.gen_dataset_ops",
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

# Names that private modules no longer have are looked up in these modules below `tensorflow.python`, in this order.
MOVED_TO = """
    framework.tensor framework.indexed_slices framework.tensor_conversion framework.tensor_conversion_registry
    ops.array_ops_stack ops.cond ops.while_loop ops.control_flow_case ops.control_flow_switch_case
    ops.control_flow_assert ops.variable_v1 ops.ref_variable ops.random_crop_ops ops.resource_variables_toggle ops.rnn
    ops.control_flow_ops checkpoint.checkpoint_management framework.convert_to_constants""".split()

# A value that ends in a dot is the module that has the name now; one that begins with a dot is in the same module.
# Names that originals never take from the installed module of that path.
_FOR_ORIGINALS = {
    "python.framework.load_library.load_op_library": SHIMS + "Library",
    "python.framework.tensor_util.is_tensor": SHIMS,
    "python.ops.summary_ops_v2.flush": ".legacy_raw_flush",
    "python.ops.summary_ops_v2.graph": ".graph_v1",
    "python.ops.summary_ops_v2.should_record_summaries": "._legacy_contrib_should_record_summaries",
    # 1.15 had this inside another function; tensorflow-estimator imports it.
    "python.feature_column.feature_column_v2._sanitize_column_name_for_variable_scope": ".",
    "python.util.tf_export.estimator_export": SHIMS + "NotRegistered",
    "python.util.tf_export.keras_export": SHIMS + "NotRegistered",
    "python.util.tf_export.tf_export": SHIMS + "NotRegistered",
    "python.util.lazy_loader.LazyLoader": SHIMS,
    "python.util.all_util.remove_undocumented": SHIMS,
}
# Names with other arguments now, or in a submodule; for user code as well.
_FOR_ALL = {
    "python.eager.execute.record_gradient": SHIMS,
    "python.framework.device.DeviceSpec": "tensorflow.python.framework.device_spec.DeviceSpecV1",
    "python.framework.ops.name_scope": ".name_scope_v1",
    "python.framework.test_util.run_in_graph_and_eager_modes": SHIMS,
    "python.ops.parallel_for.batch_jacobian": "tensorflow.python.ops.parallel_for.gradients.",
    "python.ops.parallel_for.for_loop": "tensorflow.python.ops.parallel_for.control_flow_ops.",
    "python.ops.parallel_for.jacobian": "tensorflow.python.ops.parallel_for.gradients.",
    "python.ops.parallel_for.pfor": "tensorflow.python.ops.parallel_for.control_flow_ops.",
    "python.ops.script_ops.numpy_function": SHIMS,
}
# Names that are looked up here only where the installed module lacks them.
_IF_MISSING = {
    "python.data.util.nest.is_sequence": ".is_nested",
    "python.eager.backprop.aggregate_indexed_slices_gradients": "tensorflow.python.eager.backprop_util.AggregateIndexedSlicesGradients",
    "python.eager.context.VirtualDeviceConfiguration": ".LogicalDeviceConfiguration",
    "python.eager.function.Function": "tensorflow.python.eager.polymorphic_function.polymorphic_function.",
    "python.eager.function.defun": OP_LAYER + "installed.defun.",
    "python.eager.function.defun_with_attributes": OP_LAYER + "installed.defun.",
    "python.framework.config.get_virtual_device_configuration": ".get_logical_device_configuration",
    "python.framework.config.set_virtual_device_configuration": ".set_logical_device_configuration",
    "python.framework.common_shapes.call_cpp_shape_fn": SHIMS + "ignored",
    "python.distribute.parameter_server_strategy.ParameterServerStrategy": ".ParameterServerStrategyV1",
    "python.framework.ops._default_session_stack": "tensorflow.python.framework.stack.",
    "python.framework.tensor_shape.matrix": SHIMS,
    "python.framework.tensor_shape.scalar": SHIMS,
    "python.framework.tensor_shape.vector": SHIMS,
    "python.ops.custom_gradient.get_dependent_variables": "._get_dependent_variables",
    "python.pywrap_tensorflow.EventsWriter": "tensorflow.python.client._pywrap_events_writer.",
    "python.pywrap_tensorflow.NewCheckpointReader": "tensorflow.python.training.py_checkpoint_reader.",
    "python.util.nest.is_sequence": ".is_nested",
    "python.framework.op_def_registry.get_registered_ops": SHIMS,
    "python.framework.ops.RegisterShape": SHIMS + "NotRegistered",
    "python.framework.ops._TensorLike": SHIMS + "TensorLike",
    "python.framework.ops.is_dense_tensor_like": SHIMS,
    "python.framework.ops.register_dense_tensor_like_type": SHIMS,
    "python.framework.ops.internal_convert_to_tensor": ".convert_to_tensor",
    "python.framework.test_util.use_deterministic_cudnn": SHIMS + "undecorated",
    "python.pywrap_tensorflow.TF_bfloat16_type": SHIMS + "bfloat16_type",
    "python.saved_model.loader_impl._parse_saved_model": ".parse_saved_model",
    "python.ops.resource_variable_ops._from_proto_fn": "tensorflow.python.ops.ref_variable.",
    "python.ops.resource_variable_ops._to_proto_fn": "tensorflow.python.ops.ref_variable.",
    "python.tpu.tpu._TPU_REPLICATE_ATTR": "tensorflow.python.tpu.tpu_replication.",
    "python.tpu.tpu_strategy_util.initialize_tpu_system": "tensorflow.python.distribute.cluster_resolver.tpu.tpu_cluster_resolver.",
    "python.tpu.tpu_system_metadata._TPUSystemMetadata": ".TPUSystemMetadata",
    "python.training.tracking.tracking.NotTrackable": OP_LAYER + "checkpoints.",
    "python.training.tracking.tracking.TrackableAsset": "tensorflow.python.trackable.asset.Asset",
    "python.ops.variable_scope.variable": SHIMS,
    "tools.docs.doc_controls": SHIMS,
}
# Names that 1.15's op modules ask for, and that the installed TensorFlow lacks or has changed.
_OF_OP_LAYER = {
    "python.framework.ops.NoGradient": OP_LAYER + "gradient_functions.not_differentiable",
    "python.framework.ops.NotDifferentiable": OP_LAYER + "gradient_functions.not_differentiable",
    "python.framework.ops.RegisterGradient": OP_LAYER + "gradient_functions.",
    "python.framework.ops.no_gradient": OP_LAYER + "gradient_functions.not_differentiable",
    "python.framework.ops.RegisterStatistics": SHIMS + "NotRegistered",
    "python.framework.ops.register_tensor_conversion_function": OP_LAYER + "shims.",
    "python.framework.ops._create_c_op": OP_LAYER + "installed.op_building.create_grouped_op",
    "python.framework.ops._eval_using_default_session": "tensorflow.python.framework.tensor.",
    "python.framework.ops._override_helper": "tensorflow.python.framework.tensor.",
    "python.framework.ops._set_call_cpp_shape_fn": SHIMS + "ignored",
    "python.framework.ops.register_proto_function": SHIMS + "ignored",
    "python.distribute.distribute_lib.get_loss_reduction": "tensorflow.python.distribute.distribute_utils.",
    "python.eager.context.list_devices": OP_LAYER + "shims.",
    "python.eager.context.shared_name": OP_LAYER + "shims.",
    "python.eager.core._NotOkStatusException": "tensorflow.python.framework.errors_impl.OpError",
    "python.eager.def_function.RUN_FUNCTIONS_EAGERLY": OP_LAYER + "shims.",
    "python.eager.function.common_shape": OP_LAYER + "shims.",
    "python.eager.function.register": OP_LAYER + "shims.register_function",
    "python.eager.function.ConcreteFunction": OP_LAYER + "installed.concrete_function",
    "python.framework.type_spec._type_spec_from_value": OP_LAYER + "shims.type_spec_from_value",
    "python.framework.tensor_util.maybe_set_static_shape": "tensorflow.python.ops.shape_util.",
    "python.framework.tensor_util.shape_tensor": "tensorflow.python.ops.shape_util.",
    "python.ops.gen_array_ops.strided_slice": OP_LAYER + "static_shapes.",
    "python.ops.gen_array_ops.unpack": OP_LAYER + "static_shapes.",
    "python.ops.gen_candidate_sampling_ops.fixed_unigram_candidate_sampler": OP_LAYER
    + "candidate_samplers.",
    "python.ops.gen_candidate_sampling_ops.uniform_candidate_sampler": OP_LAYER
    + "candidate_samplers.",
    "python.ops.gen_linalg_ops.cholesky": OP_LAYER + "singular_matrices.",
    "python.ops.gen_linalg_ops.matrix_triangular_solve": OP_LAYER + "singular_matrices.",
    "python.ops.gen_linalg_ops.tridiagonal_solve": OP_LAYER + "singular_matrices.",
    "python.ops.gen_nn_ops.conv2d_backprop_input": OP_LAYER + "static_shapes.",
    "python.platform.build_info.is_rocm_build": OP_LAYER + "shims.IS_ROCM_BUILD",
    "python.pywrap_tensorflow.AssertSameStructureForData": "tensorflow.python.util._pywrap_utils.",
    "python.pywrap_tensorflow.FlattenForData": "tensorflow.python.util._pywrap_utils.",
    "python.pywrap_tensorflow.IsSequenceForData": "tensorflow.python.util._pywrap_utils.IsNestedForData",
    "python.pywrap_tensorflow.RegisterType": SHIMS + "ignored",
    "python.pywrap_tensorflow.TF_TryEvaluateConstant_wrapper": OP_LAYER
    + "installed.evaluate_constant",
    "python.saved_model.load.Loader": OP_LAYER + "installed.saved_models.",
    "python.saved_model.load.load_internal": OP_LAYER + "installed.saved_models.",
    "python.util.dispatch.OpDispatcher": OP_LAYER + "installed.dispatch.",
    "python.util.dispatch.add_dispatch_list": OP_LAYER + "installed.dispatch.",
    "python.util.dispatch.add_dispatch_support": OP_LAYER + "installed.dispatch.",
    "python.util.dispatch.dispatch_for_types": OP_LAYER + "installed.dispatch.",
    "python.util.nest._sorted": "builtins.sorted",
    "python.util.tf_export.API_ATTRS": OP_LAYER + "shims.",
    "python.util.tf_export.get_canonical_name_for_symbol": OP_LAYER + "shims.canonical_name",
}
# Generated functions that dispatch to 1.15's classes, by their modules in `python.ops`.
DISPATCHED = {
    "gen_math_ops": "acos add ceil exp floor rsqrt sign sqrt",
    "gen_string_ops": "string_join",
}
_OF_OP_LAYER.update(
    {
        f"python.ops.{module}.{name}": OP_LAYER + "installed.dispatch."
        for module, names in DISPATCHED.items()
        for name in names.split()
    }
)


def _full(path: str, now: str) -> str:
    module, _, name = path.rpartition(".")
    now = f"tensorflow.{module}{now}" if now.startswith(".") else now
    return now + name if now.endswith(".") else now


ROWS: Dict[str, Row] = {
    **{
        path: Row(_full(path, now))
        for group in (_FOR_ORIGINALS, _OF_OP_LAYER)
        for path, now in group.items()
    },
    **{path: Row(_full(path, now), for_users=True) for path, now in _FOR_ALL.items()},
    **{
        path: Row(_full(path, now), for_users=True, only_if_missing=True)
        for path, now in _IF_MISSING.items()
    },
}

# Original -> its changes when it has been executed, and before any import from it: `name=value` sets a name, anything
# else is a function that is called with the module.
_HERE = "tf1grad.old_programs.originals."
CHANGES = {
    "contrib.layers.python.layers.optimizers": [_HERE + "changed_contrib.report_sparse_norms"],
    "contrib.opt.python.training.external_optimizer": [_HERE + "changed_contrib.mend_searches"],
    "contrib.slim.python.slim.learning": [_HERE + "changed_contrib.report_sparse_norms"],
    "contrib.training.python.training.training": [_HERE + "changed_contrib.report_sparse_norms"],
    "python.data.ops.dataset_ops": [
        OP_LAYER + "installed.datasets.recognize",
        OP_LAYER + "installed.datasets.interleave_by_processors",
        OP_LAYER + "installed.distributed_datasets.serve_arrays",
        OP_LAYER + "installed.prefetching.compute_on_demand",
    ],
    "python.data.ops.iterator_ops": [
        OP_LAYER + "installed.datasets.keep_iterators_at_exit",
        OP_LAYER + "installed.datasets.convert_loops",
        OP_LAYER + "installed.prefetching.initialize_on_demand",
    ],
    # The original calls the tensor's `_rank()`, which returns -1 now where the rank is unknown.
    "python.framework.common_shapes": [f"rank={SHIMS}rank"],
    "python.keras.backend": [
        OP_LAYER + "installed.save_in_sessions_of",
        OP_LAYER + "shims.keep_variables_whole",
    ],
    "python.keras.mixed_precision.experimental.autocast_variable": [
        OP_LAYER + "shims.complete_distributed_variables"
    ],
    "python.keras.utils.tf_utils": [SHIMS + "inspect_composite_tensors"],
    "python.ops.math_ops": [
        "_resource_variable_type=tensorflow.python.ops.resource_variable_ops.BaseResourceVariable"
    ],
    "python.ops.linalg.linear_operator_algebra": [OP_LAYER + "shims.register_linear_operators"],
    # Feature columns of libraries describe with these classes what to parse.
    "python.ops.parsing_ops": [
        f"{name}=tensorflow.python.ops.parsing_config.{name}"
        for name in ("FixedLenFeature", "FixedLenSequenceFeature", "SparseFeature", "VarLenFeature")
    ],
    # Runs return it, and `tf.test.TestCase` compares it.
    "python.ops.ragged.ragged_tensor_value": [
        "RaggedTensorValue=tensorflow.python.ops.ragged.ragged_tensor_value.RaggedTensorValue"
    ],
    "python.ops.ragged.ragged_tensor": [OP_LAYER + "installed.take_ragged_tensors"],
    "python.training.tracking.base": [OP_LAYER + "checkpoints.join_base"],
    "python.training.tracking.data_structures": [
        # The installed `AutoTrackable` makes instances of it.
        "NoDependency=tensorflow.python.trackable.data_structures.NoDependency",
        OP_LAYER + "checkpoints.wrap_attributes",
    ],
    "python.training.tracking.graph_view": [OP_LAYER + "checkpoints.list_children"],
    "python.training.tracking.util": [OP_LAYER + "checkpoints.serve_as_saver"],
}


def find(path: str, for_users: bool = False, is_missing: bool = False) -> Optional[str]:
    """Returns the full name of what stands for a name of TensorFlow 1.15; None where the installed one does.

    User code and originals get different rows, and so do names that the installed module lacks.
    """
    row = ROWS.get(path)
    if row is None or row.only_if_missing != is_missing or for_users and not row.for_users:
        return None
    return row.now


def names_in(path: str, for_users: bool) -> List[str]:
    """Returns the names that the rows give to the module at `path`."""
    found = (
        full for full in ROWS if find(full, for_users) or find(full, for_users, is_missing=True)
    )
    return [name for module, _, name in (full.rpartition(".") for full in found) if module == path]
