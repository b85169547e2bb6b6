"""Maps the modules and names that originals import to where the installed TensorFlow has them; `loader` reads this.

All names are dotted paths below `tensorflow`. `{keras}` is the package of the Keras that has `tf.layers`, so that
originals and user code derive from the same layers and cells.
"""

STAND_INS = "tf1grad.old_programs.originals.stand_ins."

# Module -> the modules that have its names now, in lookup order; the module itself comes last.
MOVED_MODULES = {
    "python.autograph": "tensorflow.python.autograph tensorflow.python.autograph.core.converter "
                        "tensorflow.python.autograph.impl.api tensorflow.python.autograph.lang.directives "
                        "tensorflow.python.autograph.lang.special_functions",
    "python.eager.profiler": "tf1grad.old_programs.originals.eager_profiler",
    "python.estimator": "tensorflow_estimator.python.estimator",
    "python.saved_model.utils_impl": "tensorflow.python.saved_model.path_helpers",
    "python.training.tracking": "tensorflow.python.trackable",
    "python.training.tracking.tracking": "tensorflow.python.trackable.autotrackable "
                                         "tensorflow.python.trackable.resource tensorflow.python.trackable.asset",
    "python.training.tracking.util": "tensorflow.python.checkpoint.checkpoint tensorflow.python.checkpoint.util "
                                     "tensorflow.python.checkpoint.graph_view",
    "python.distribute.distribution_strategy_context": "tensorflow.python.distribute.distribute_lib",
    "python.training.experimental.mixed_precision_global_state":
        "tf1grad.old_programs.originals.mixed_precision_state",
    "python.training.training_ops": "tensorflow.python.ops.gen_training_ops",
    "python.training.gen_training_ops": "tensorflow.python.ops.gen_training_ops",
    "python.training.checkpoint_management": "tensorflow.python.checkpoint.checkpoint_management",
    "tools.graph_transforms": "tf1grad.migrate.provided.graph_transforms",
    "python.ops.rnn_cell_impl": "{keras}.layers.rnn.legacy_cells tensorflow.python.ops.rnn_cell_impl "
                                "tensorflow.python.keras.layers.legacy_rnn.rnn_cell_impl",
    "python.ops.rnn_cell": "{keras}.layers.rnn.legacy_cells tensorflow.python.keras.layers.legacy_rnn.rnn_cell_impl",
}
# The same for all modules below a package.
MOVED_PACKAGES = {
    "python.estimator": "tensorflow_estimator.python.estimator",
    "python.training.tracking": "tensorflow.python.trackable",
    "python.layers": "{keras}.legacy_tf_layers",
    "python.keras": "{keras}",
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
# Names that originals never take from the installed module of that path.
REPLACED_FOR_ORIGINALS = {
    "python.framework.load_library.load_op_library": STAND_INS + "load_op_library",
    "python.framework.ops.NoGradient": STAND_INS + "not_differentiable",
    "python.framework.tensor_util.is_tensor": STAND_INS + "is_tensor",
    "python.framework.ops.NotDifferentiable": STAND_INS + "not_differentiable",
    "python.framework.ops.RegisterGradient": STAND_INS + "RegisterGradient",
    "python.ops.summary_ops_v2.flush": "tensorflow.python.ops.summary_ops_v2.legacy_raw_flush",
    "python.ops.summary_ops_v2.graph": "tensorflow.python.ops.summary_ops_v2.graph_v1",
    "python.ops.summary_ops_v2.should_record_summaries":
        "tensorflow.python.ops.summary_ops_v2._legacy_contrib_should_record_summaries",
    # 1.15 had this inside another function; tensorflow-estimator imports it.
    "python.feature_column.feature_column_v2._sanitize_column_name_for_variable_scope":
        "tensorflow.python.feature_column.feature_column_v2._sanitize_column_name_for_variable_scope",
    "python.util.tf_export.estimator_export": STAND_INS + "NotExported",
    "python.util.tf_export.keras_export": STAND_INS + "NotExported",
    "python.util.tf_export.tf_export": STAND_INS + "NotExported",
    "python.util.lazy_loader.LazyLoader": STAND_INS + "LazyLoader",
    "python.util.all_util.remove_undocumented": STAND_INS + "remove_undocumented",
}
# Names with other arguments now, or in a submodule; for user code as well.
REPLACED = {
    "python.eager.execute.record_gradient": STAND_INS + "record_gradient",
    "python.framework.device.DeviceSpec": "tensorflow.python.framework.device_spec.DeviceSpecV1",
    "python.framework.ops.name_scope": "tensorflow.python.framework.ops.name_scope_v1",
    "python.framework.test_util.run_in_graph_and_eager_modes": STAND_INS + "run_in_graph_and_eager_modes",
    "python.ops.parallel_for.batch_jacobian": "tensorflow.python.ops.parallel_for.gradients.batch_jacobian",
    "python.ops.parallel_for.for_loop": "tensorflow.python.ops.parallel_for.control_flow_ops.for_loop",
    "python.ops.parallel_for.jacobian": "tensorflow.python.ops.parallel_for.gradients.jacobian",
    "python.ops.parallel_for.pfor": "tensorflow.python.ops.parallel_for.control_flow_ops.pfor",
}
# Names that are looked up here only where the installed module lacks them.
MOVED_NAMES = {
    "python.eager.backprop.aggregate_indexed_slices_gradients":
        "tensorflow.python.eager.backprop_util.AggregateIndexedSlicesGradients",
    "python.eager.context.VirtualDeviceConfiguration": "tensorflow.python.eager.context.LogicalDeviceConfiguration",
    "python.eager.function.Function": "tensorflow.python.eager.polymorphic_function.polymorphic_function.Function",
    "python.eager.function.defun": "tf1grad.old_programs.originals.op_layer.installed.defun.defun",
    "python.eager.function.defun_with_attributes":
        "tf1grad.old_programs.originals.op_layer.installed.defun.defun_with_attributes",
    "python.framework.config.get_virtual_device_configuration":
        "tensorflow.python.framework.config.get_logical_device_configuration",
    "python.framework.config.set_virtual_device_configuration":
        "tensorflow.python.framework.config.set_logical_device_configuration",
    "python.framework.common_shapes.call_cpp_shape_fn": STAND_INS + "ignored",
    "python.distribute.parameter_server_strategy.ParameterServerStrategy":
        "tensorflow.python.distribute.parameter_server_strategy.ParameterServerStrategyV1",
    "python.framework.op_def_registry.get_registered_ops": STAND_INS + "get_registered_ops",
    "python.framework.ops.RegisterShape": STAND_INS + "RegisterShape",
    "python.framework.ops._TensorLike": STAND_INS + "TensorLike",
    "python.framework.ops.is_dense_tensor_like": STAND_INS + "is_dense_tensor_like",
    "python.framework.ops.register_dense_tensor_like_type": STAND_INS + "register_dense_tensor_like_type",
    "python.framework.ops.internal_convert_to_tensor": "tensorflow.python.framework.ops.convert_to_tensor",
    "python.framework.test_util.use_deterministic_cudnn": STAND_INS + "undecorated",
    "python.pywrap_tensorflow.TF_bfloat16_type": STAND_INS + "bfloat16_type",
    "python.saved_model.loader_impl._parse_saved_model":
        "tensorflow.python.saved_model.loader_impl.parse_saved_model",
    "python.ops.resource_variable_ops._from_proto_fn": "tensorflow.python.ops.ref_variable._from_proto_fn",
    "python.ops.resource_variable_ops._to_proto_fn": "tensorflow.python.ops.ref_variable._to_proto_fn",
    "python.tpu.tpu._TPU_REPLICATE_ATTR": "tensorflow.python.tpu.tpu_replication._TPU_REPLICATE_ATTR",
    "python.tpu.tpu_strategy_util.initialize_tpu_system":
        "tensorflow.python.distribute.cluster_resolver.tpu.tpu_cluster_resolver.initialize_tpu_system",
    "python.tpu.tpu_system_metadata._TPUSystemMetadata": "tensorflow.python.tpu.tpu_system_metadata.TPUSystemMetadata",
    "python.training.tracking.tracking.cached_per_instance":
        "tf1grad.old_programs.originals.op_layer.surroundings.cached_per_instance",
    "python.training.tracking.tracking.NotTrackable":
        "tf1grad.old_programs.originals.op_layer.checkpoints.NotTrackable",
    "python.training.tracking.tracking.TrackableAsset": "tensorflow.python.trackable.asset.Asset",
    "python.ops.variable_scope.variable": STAND_INS + "variable",
    "tools.docs.doc_controls": STAND_INS + "doc_controls",
}
