"""Lists where the names of TensorFlow 1.15's private modules are now, one row per name, and what changes in originals.

All keys are dotted names below `tensorflow`. The docstring of `loader` has the order in which names are looked up.
"""

from __future__ import annotations

from tf1grad.programs.names.dotted_names import split

# The row of a function that stays 1.15's own, in a module that is otherwise the installed one.
ORIGINAL = "TensorFlow 1.15's own"

# Name in 1.15 -> where its value is now.
NOW: dict[str, str] = {
    "python.distribute.distribute_lib.get_loss_reduction": "tensorflow.python.distribute.distribute_utils.get_loss_reduction",
    "python.distribute.parameter_server_strategy.ParameterServerStrategy": "tensorflow.python.distribute.parameter_server_strategy.ParameterServerStrategyV1",
    "python.eager.backprop.aggregate_indexed_slices_gradients": "tensorflow.python.eager.backprop_util.AggregateIndexedSlicesGradients",
    "python.eager.context.VirtualDeviceConfiguration": "tensorflow.python.eager.context.LogicalDeviceConfiguration",
    "python.eager.context.list_devices": "tf1grad.run.op_layer.shims.list_devices",
    "python.eager.context.shared_name": "tf1grad.run.op_layer.shims.shared_name",
    "python.eager.core._NotOkStatusException": "tensorflow.python.framework.errors_impl.OpError",
    "python.eager.def_function.RUN_FUNCTIONS_EAGERLY": "tf1grad.run.op_layer.shims.RUN_FUNCTIONS_EAGERLY",
    "python.eager.execute.record_gradient": "tf1grad.run.originals.shims.record_gradient",
    "python.eager.function.ConcreteFunction": "tf1grad.run.op_layer.installed.concrete_function",
    "python.eager.function.Function": "tensorflow.python.eager.polymorphic_function.polymorphic_function.Function",
    "python.eager.function.common_shape": "tf1grad.run.op_layer.shims.common_shape",
    "python.eager.function.defun": "tf1grad.run.op_layer.installed.defun.defun",
    "python.eager.function.defun_with_attributes": "tf1grad.run.op_layer.installed.defun.defun_with_attributes",
    "python.eager.function.register": "tf1grad.run.op_layer.shims.register_function",
    # The original calls the tensor's `_rank()`, which returns -1 now where the rank is unknown.
    "python.framework.common_shapes.rank": "tf1grad.run.originals.shims.rank",
    "python.framework.config.get_virtual_device_configuration": "tensorflow.python.framework.config.get_logical_device_configuration",
    "python.framework.config.set_virtual_device_configuration": "tensorflow.python.framework.config.set_logical_device_configuration",
    "python.framework.device.DeviceSpec": "tensorflow.python.framework.device_spec.DeviceSpecV1",
    "python.framework.load_library.load_op_library": "tf1grad.run.originals.shims.Library",
    "python.framework.op_def_registry.get_registered_ops": "tf1grad.run.originals.shims.get_registered_ops",
    "python.framework.ops.NoGradient": "tf1grad.run.op_layer.gradient_functions.not_differentiable",
    "python.framework.ops.NotDifferentiable": "tf1grad.run.op_layer.gradient_functions.not_differentiable",
    "python.framework.ops.RegisterGradient": "tf1grad.run.op_layer.gradient_functions.RegisterGradient",
    "python.framework.ops.RegisterShape": "tf1grad.run.originals.shims.NotRegistered",
    "python.framework.ops.RegisterStatistics": "tf1grad.run.originals.shims.NotRegistered",
    "python.framework.ops._TensorLike": "tf1grad.run.originals.shims.TensorLike",
    "python.framework.ops._create_c_op": "tf1grad.run.op_layer.installed.op_building.create_grouped_op",
    "python.framework.ops._default_session_stack": "tensorflow.python.framework.stack._default_session_stack",
    "python.framework.ops._eval_using_default_session": "tensorflow.python.framework.tensor._eval_using_default_session",
    "python.framework.ops._override_helper": "tensorflow.python.framework.tensor._override_helper",
    "python.framework.ops._set_call_cpp_shape_fn": "tf1grad.run.originals.shims.ignored",
    "python.framework.ops.internal_convert_to_tensor": "tensorflow.python.framework.ops.convert_to_tensor",
    "python.framework.ops.name_scope": "tensorflow.python.framework.ops.name_scope_v1",
    "python.framework.ops.no_gradient": "tf1grad.run.op_layer.gradient_functions.not_differentiable",
    "python.framework.ops.register_dense_tensor_like_type": "tf1grad.run.originals.shims.register_dense_tensor_like_type",
    "python.framework.ops.register_proto_function": "tf1grad.run.originals.shims.ignored",
    "python.framework.ops.register_tensor_conversion_function": "tf1grad.run.op_layer.shims.register_tensor_conversion_function",
    "python.framework.tensor_shape.matrix": "tf1grad.run.originals.shims.matrix",
    "python.framework.tensor_shape.scalar": "tf1grad.run.originals.shims.scalar",
    "python.framework.tensor_shape.vector": "tf1grad.run.originals.shims.vector",
    # TensorFlow 2 evaluates Identity, StopGradient, Unpack and Split, and then leaves out ops.
    "python.framework.tensor_util.constant_value": ORIGINAL,
    "python.framework.tensor_util.constant_value_as_shape": ORIGINAL,
    "python.framework.tensor_util.is_tensor": "tf1grad.run.originals.shims.is_tensor",
    "python.framework.tensor_util.maybe_set_static_shape": "tensorflow.python.ops.shape_util.maybe_set_static_shape",
    "python.framework.tensor_util.shape_tensor": "tensorflow.python.ops.shape_util.shape_tensor",
    "python.framework.test_util.run_in_graph_and_eager_modes": "tf1grad.run.originals.shims.run_in_graph_and_eager_modes",
    "python.framework.test_util.use_deterministic_cudnn": "tf1grad.run.originals.shims.undecorated",
    "python.framework.type_spec._type_spec_from_value": "tf1grad.run.op_layer.shims.type_spec_from_value",
    "python.ops.custom_gradient.get_dependent_variables": "tensorflow.python.ops.custom_gradient._get_dependent_variables",
    "python.ops.gen_array_ops.strided_slice": "tf1grad.run.op_layer.static_shapes.strided_slice",
    "python.ops.gen_array_ops.unpack": "tf1grad.run.op_layer.static_shapes.unpack",
    "python.ops.gen_candidate_sampling_ops.fixed_unigram_candidate_sampler": "tf1grad.run.op_layer.candidate_samplers.fixed_unigram_candidate_sampler",
    "python.ops.gen_linalg_ops.cholesky": "tf1grad.run.op_layer.singular_matrices.cholesky",
    "python.ops.gen_linalg_ops.matrix_triangular_solve": "tf1grad.run.op_layer.singular_matrices.matrix_triangular_solve",
    "python.ops.gen_nn_ops.conv2d_backprop_input": "tf1grad.run.op_layer.static_shapes.conv2d_backprop_input",
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
    "python.ops.script_ops.numpy_function": "tf1grad.run.originals.shims.numpy_function",
    "python.ops.variable_scope.variable": "tf1grad.run.originals.shims.variable",
    # 1.15 reads resource variables twice for their rank.
    "python.ops.variables.assert_variables_initialized": ORIGINAL,
    "python.platform.build_info.is_rocm_build": "tf1grad.run.op_layer.shims.IS_ROCM_BUILD",
    "python.pywrap_tensorflow.AssertSameStructureForData": "tensorflow.python.util._pywrap_utils.AssertSameStructureForData",
    "python.pywrap_tensorflow.EventsWriter": "tensorflow.python.client._pywrap_events_writer.EventsWriter",
    "python.pywrap_tensorflow.FlattenForData": "tensorflow.python.util._pywrap_utils.FlattenForData",
    "python.pywrap_tensorflow.IsSequenceForData": "tensorflow.python.util._pywrap_utils.IsNestedForData",
    "python.pywrap_tensorflow.NewCheckpointReader": "tensorflow.python.training.py_checkpoint_reader.NewCheckpointReader",
    "python.pywrap_tensorflow.RegisterType": "tf1grad.run.originals.shims.ignored",
    "python.pywrap_tensorflow.TF_TryEvaluateConstant_wrapper": "tf1grad.run.op_layer.installed.evaluate_constant",
    "python.pywrap_tensorflow.TF_bfloat16_type": "tf1grad.run.originals.shims.bfloat16_type",
    "python.saved_model.load.Loader": "tf1grad.run.op_layer.installed.saved_models.Loader",
    "python.saved_model.load.load_internal": "tf1grad.run.op_layer.installed.saved_models.load_internal",
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
    "python.util.all_util.remove_undocumented": "tf1grad.run.originals.shims.remove_undocumented",
    "python.util.dispatch.OpDispatcher": "tf1grad.run.op_layer.installed.dispatch.OpDispatcher",
    "python.util.dispatch.add_dispatch_list": "tf1grad.run.op_layer.installed.dispatch.add_dispatch_list",
    "python.util.dispatch.add_dispatch_support": "tf1grad.run.op_layer.installed.dispatch.add_dispatch_support",
    "python.util.dispatch.dispatch_for_types": "tf1grad.run.op_layer.installed.dispatch.dispatch_for_types",
    "python.util.lazy_loader.LazyLoader": "tf1grad.run.originals.shims.LazyLoader",
    "python.util.nest._sorted": "builtins.sorted",
    "python.util.nest.is_sequence": "tensorflow.python.util.nest.is_nested",
    "python.util.tf_export.API_ATTRS": "tf1grad.run.op_layer.shims.API_ATTRS",
    "python.util.tf_export.estimator_export": "tf1grad.run.originals.shims.NotRegistered",
    "python.util.tf_export.get_canonical_name_for_symbol": "tf1grad.run.op_layer.shims.canonical_name",
    "python.util.tf_export.keras_export": "tf1grad.run.originals.shims.NotRegistered",
    "python.util.tf_export.tf_export": "tf1grad.run.originals.shims.NotRegistered",
}
# Of these, the names that the installed TensorFlow gives another meaning: user code gets the row as well. The other
# rows are for user code where the installed TensorFlow lacks the name.
CHANGED = {
    "python.eager.execute.record_gradient",
    "python.framework.device.DeviceSpec",
    "python.framework.ops.name_scope",
    "python.framework.test_util.run_in_graph_and_eager_modes",
    "python.ops.parallel_for.pfor",
    "python.ops.script_ops.numpy_function",
}

# Module -> the modules that have its names now, in lookup order; the module itself comes last. The row of a package
# also says where the modules below it are.
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
    "tools.graph_transforms": ["tf1grad.migrate.provided.graph_transforms"],
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

# Names without a row, which private modules no longer have, are looked up in these modules, in this order.
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
CHANGES: dict[str, list[str]] = {
    "contrib.layers.python.layers.optimizers": [
        "tf1grad.run.originals.changed_contrib.report_sparse_norms"
    ],
    "contrib.opt.python.training.external_optimizer": [
        "tf1grad.run.originals.changed_contrib.mend_searches"
    ],
    "contrib.slim.python.slim.learning": [
        "tf1grad.run.originals.changed_contrib.report_sparse_norms"
    ],
    "contrib.training.python.training.training": [
        "tf1grad.run.originals.changed_contrib.report_sparse_norms"
    ],
    "python.data.ops.dataset_ops": [
        "tf1grad.run.op_layer.installed.datasets.recognize",
        "tf1grad.run.op_layer.installed.datasets.interleave_by_processors",
        "tf1grad.run.op_layer.installed.distributed_datasets.serve_arrays",
        "tf1grad.run.op_layer.installed.prefetching.compute_on_demand",
    ],
    "python.data.ops.iterator_ops": [
        "tf1grad.run.op_layer.installed.datasets.keep_iterators_at_exit",
        "tf1grad.run.op_layer.installed.datasets.convert_loops",
        "tf1grad.run.op_layer.installed.prefetching.initialize_on_demand",
    ],
    "python.keras.backend": [
        "tf1grad.run.op_layer.installed.save_in_sessions_of",
        "tf1grad.run.op_layer.shims.keep_variables_whole",
    ],
    "python.keras.mixed_precision.experimental.autocast_variable": [
        "tf1grad.run.op_layer.shims.complete_distributed_variables"
    ],
    "python.keras.utils.tf_utils": ["tf1grad.run.originals.shims.inspect_composite_tensors"],
    "python.ops.linalg.linear_operator_algebra": [
        "tf1grad.run.op_layer.shims.register_linear_operators"
    ],
    "python.training.tracking.base": ["tf1grad.run.op_layer.checkpoints.join_base"],
    "python.training.tracking.data_structures": [
        "tf1grad.run.op_layer.checkpoints.wrap_attributes"
    ],
    "python.training.tracking.graph_view": ["tf1grad.run.op_layer.checkpoints.list_children"],
}


def find(path: str, for_users: bool = False) -> str | None:
    """Returns where the name at `path` is now, or None where that is the installed module.

    User code keeps a value of the installed module that originals do not get, unless it has another meaning.
    """
    now = NOW.get(path)
    if for_users and now != ORIGINAL and path not in CHANGED:
        return None
    return now


def names_in(path: str) -> list[str]:
    """Returns the names of the module at `path` that have a row."""
    return [name for module, name in map(split, NOW) if module == path]
