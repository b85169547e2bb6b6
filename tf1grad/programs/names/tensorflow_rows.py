"""Holds the table of where each TensorFlow 1 name is today, for `provisions`."""

from __future__ import annotations

from typing import Mapping, NamedTuple


class Successor(NamedTuple):
    """Describes a module of today that has names of a module of TensorFlow 1.

    Attributes:
        module: its dotted name, as it is imported.
        names: those that it has under the same name.
        renamed: {name in TensorFlow 1: name below `module`}.
        has_others: says whether it has all names that no place of the module lists.
    """

    module: str
    names: tuple[str, ...] = ()
    renamed: Mapping[str, str] = {}
    has_others: bool = False


CELLS = (
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "GRUCell",
    "LSTMCell",
    "LSTMStateTuple",
    "MultiRNNCell",
    "RNNCell",
    "ResidualWrapper",
)

LAYERS = (
    "GDN",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_add",
    "conv1d",
    "conv2d",
    "conv2d_in_plane",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "convolution",
    "convolution1d",
    "convolution2d",
    "convolution2d_in_plane",
    "convolution2d_transpose",
    "convolution3d",
    "convolution3d_transpose",
    "dense_to_sparse",
    "dropout",
    "elu",
    "flatten",
    "fully_connected",
    "gdn",
    "images_to_sequence",
    "layer_norm",
    "legacy_fully_connected",
    "legacy_linear",
    "legacy_relu",
    "linear",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "one_hot_encoding",
    "relu",
    "relu6",
    "repeat",
    "scale_gradient",
    "separable_conv2d",
    "separable_convolution2d",
    "sequence_to_images",
    "softmax",
    "spatial_softmax",
    "stack",
    "unit_norm",
)
# `tf_slim.layers`, as an attribute of tf_slim, is its inner module: these are found at the top
# only.
AT_THE_TOP = (
    "RevBlock",
    "apply_regularization",
    "group_norm",
    "instance_norm",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "recompute_grad",
    "rev_block",
    "sum_regularizer",
    "summarize_activation",
    "summarize_activations",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
)

# TensorFlow itself has these on both versions, so no other package is needed.
STEPS = {
    "assert_global_step": "train.assert_global_step",
    "create_global_step": "train.create_global_step",
    "get_global_step": "train.get_global_step",
    "get_or_create_global_step": "train.get_or_create_global_step",
}
FRAMEWORK = (
    "VariableDeviceChooser",
    "add_arg_scope",
    "add_model_variable",
    "arg_scope",
    "arg_scoped_arguments",
    "assert_or_get_global_step",
    "assign_from_checkpoint",
    "assign_from_checkpoint_fn",
    "assign_from_values",
    "assign_from_values_fn",
    "current_arg_scope",
    "filter_variables",
    "get_local_variables",
    "get_model_variables",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "has_arg_scope",
    "local_variable",
    "model_variable",
    "variable",
)

LOSSES = (
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
)

XAVIER = ("xavier_initializer", "xavier_initializer_conv2d", "variance_scaling_initializer")
DISTRIBUTIONS = (
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "FULLY_REPARAMETERIZED",
    "Gamma",
    "Laplace",
    "Multinomial",
    "NOT_REPARAMETERIZED",
    "Normal",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "Uniform",
    "kl_divergence",
)
MNIST = ("DataSet", "dense_to_one_hot", "extract_images", "extract_labels", "read_data_sets")

ESTIMATOR_MODULE = "tensorflow_estimator.python.estimator.api._v1.estimator"

# The modules of tf.contrib in TensorFlow 1.15.
CONTRIB_MODULES = (
    "all_reduce",
    "autograph",
    "batching",
    "bayesflow",
    "bigtable",
    "boosted_trees",
    "checkpoint",
    "cloud",
    "cluster_resolver",
    "compiler",
    "constrained_optimization",
    "copy_graph",
    "crf",
    "cudnn_rnn",
    "data",
    "decision_trees",
    "deprecated",
    "distribute",
    "distributions",
    "eager",
    "estimator",
    "factorization",
    "feature_column",
    "ffmpeg",
    "framework",
    "fused_conv",
    "graph_editor",
    "grid_rnn",
    "hadoop",
    "hooks",
    "ignite",
    "image",
    "input_pipeline",
    "integrate",
    "kafka",
    "keras",
    "kernel_methods",
    "kinesis",
    "labeled_tensor",
    "layers",
    "learn",
    "legacy_seq2seq",
    "libsvm",
    "linear_optimizer",
    "lookup",
    "losses",
    "memory_stats",
    "meta_graph_transform",
    "metrics",
    "mixed_precision",
    "model_pruning",
    "nearest_neighbor",
    "nn",
    "opt",
    "optimizer_v2",
    "periodic_resample",
    "predictor",
    "proto",
    "quantization",
    "quantize",
    "receptive_field",
    "recurrent",
    "reduce_slice_ops",
    "remote_fused_graph",
    "resampler",
    "rnn",
    "rpc",
    "saved_model",
    "seq2seq",
    "session_bundle",
    "signal",
    "slim",
    "solvers",
    "sparsemax",
    "specs",
    "staging",
    "stat_summarizer",
    "stateless",
    "summary",
    "tensor_forest",
    "tensorboard",
    "tensorrt",
    "testing",
    "text",
    "tfprof",
    "timeseries",
    "tpu",
    "training",
    "util",
)
# Those that 1.15 dropped after TensorFlow 1.4.
LOST_CONTRIB_MODULES = ("coder", "gan", "kfac", "linalg", "lite", "nccl", "ndlstm")

# For each module of TensorFlow 1, the modules that have its names now, in the order of the search.
MODULES: dict[str, list[Successor]] = {
    "contrib.autograph": [
        Successor(
            "tensorflow.compat.v1.autograph",
            ("to_code", "to_graph"),
            renamed={
                "Feature": "experimental.Feature",
                "do_not_convert": "experimental.do_not_convert",
                "set_loop_options": "experimental.set_loop_options",
            },
        )
    ],
    "contrib.checkpoint": [Successor("tensorflow.compat.v1.train", ("CheckpointManager",))],
    "contrib.cluster_resolver": [
        Successor(
            "tensorflow.compat.v1.distribute.cluster_resolver",
            (
                "ClusterResolver",
                "KubernetesClusterResolver",
                "SimpleClusterResolver",
                "SlurmClusterResolver",
                "TFConfigClusterResolver",
                "TPUClusterResolver",
            ),
            renamed={
                "GceClusterResolver": "GCEClusterResolver",
                "UnionClusterResolver": "UnionResolver",
            },
        )
    ],
    "contrib.data": [
        Successor(
            "tensorflow.compat.v1.data.experimental",
            (
                "AUTOTUNE",
                "Counter",
                "CsvDataset",
                "Optional",
                "RandomDataset",
                "Reducer",
                "SqlDataset",
                "TFRecordWriter",
                "bucket_by_sequence_length",
                "choose_from_datasets",
                "copy_to_device",
                "dense_to_sparse_batch",
                "enumerate_dataset",
                "get_next_as_optional",
                "get_single_element",
                "group_by_reducer",
                "group_by_window",
                "ignore_errors",
                "make_batched_features_dataset",
                "make_csv_dataset",
                "make_saveable_from_iterator",
                "map_and_batch",
                "parallel_interleave",
                "parse_example_dataset",
                "prefetch_to_device",
                "rejection_resample",
                "sample_from_datasets",
                "scan",
                "shuffle_and_repeat",
                "unbatch",
                "unique",
            ),
        )
    ],
    "contrib.distribute": [
        Successor("tensorflow.compat.v1.distribute", ("MirroredStrategy", "OneDeviceStrategy"))
    ],
    "contrib.distributions": [Successor("tensorflow.compat.v1.distributions", DISTRIBUTIONS)],
    "contrib.eager": [
        Successor(
            "tensorflow.compat.v1",
            ("Variable", "enable_eager_execution", "executing_eagerly"),
            renamed={"Iterator": "data.Iterator", "py_func": "py_function"},
        )
    ],
    "contrib.estimator": [
        Successor("tf1grad", renamed={"clip_gradients_by_norm": "ClippingOptimizer"}),
        Successor(ESTIMATOR_MODULE, ("add_metrics",)),
        Successor(
            ESTIMATOR_MODULE + ".experimental",
            (
                "InMemoryEvaluatorHook",
                "call_logit_fn",
                "dnn_logit_fn_builder",
                "linear_logit_fn_builder",
                "make_early_stopping_hook",
                "make_stop_at_checkpoint_step_hook",
                "stop_if_higher_hook",
                "stop_if_lower_hook",
                "stop_if_no_decrease_hook",
                "stop_if_no_increase_hook",
            ),
        ),
        Successor("tensorflow_estimator.python.estimator.early_stopping", ("read_eval_metrics",)),
        Successor(
            "tensorflow_estimator.python.estimator.export.export",
            (
                "build_raw_supervised_input_receiver_fn",
                "build_supervised_input_receiver_fn_from_input_fn",
            ),
        ),
        Successor(
            "tensorflow_estimator.python.estimator.canned.saved_model_estimator",
            ("SavedModelEstimator",),
        ),
    ],
    "contrib.feature_column": [Successor("tensorflow.compat.v1.feature_column", has_others=True)],
    "contrib.framework": [
        Successor("tensorflow.compat.v1", renamed=STEPS),
        Successor("tf_slim", FRAMEWORK),
        Successor("tf_slim.ops.framework_ops", ("get_graph_from_inputs", "get_name_scope")),
        Successor(
            "tensorflow.compat.v1",
            (
                "TensorSpec",
                "argsort",
                "assert_same_float_dtype",
                "assert_scalar",
                "convert_to_tensor_or_sparse_tensor",
                "is_tensor",
                "nest",
                "sort",
            ),
            renamed={
                "init_from_checkpoint": "train.init_from_checkpoint",
                "list_variables": "train.list_variables",
                "load_checkpoint": "train.load_checkpoint",
                "load_variable": "train.load_variable",
            },
        ),
    ],
    "contrib.framework.nest": [
        Successor(
            "tensorflow.compat.v1.nest",
            ("assert_same_structure", "flatten", "map_structure", "pack_sequence_as"),
            renamed={"is_sequence": "is_nested"},
        )
    ],
    "contrib.keras": [Successor("tensorflow.compat.v1.keras", has_others=True)],
    "contrib.layers": [
        Successor("tf_slim", XAVIER),
        Successor("tf_slim", AT_THE_TOP),
        Successor("tf_slim.layers", LAYERS),
        Successor(
            "tensorflow.compat.v1",
            renamed={"safe_embedding_lookup_sparse": "nn.safe_embedding_lookup_sparse"},
        ),
    ],
    "contrib.linalg": [Successor("tensorflow.compat.v1.linalg", has_others=True)],
    "contrib.lite": [Successor("tensorflow.compat.v1.lite", has_others=True)],
    "contrib.lite.python.lite_constants": [
        Successor("tensorflow.compat.v1.lite.constants", has_others=True)
    ],
    "contrib.lookup": [
        Successor(
            "tensorflow.compat.v1.lookup",
            ("KeyValueTensorInitializer", "TextFileIndex", "TextFileInitializer"),
            renamed={"HashTable": "StaticHashTable"},
        )
    ],
    "contrib.losses": [Successor("tf_slim.losses", LOSSES)],
    "contrib.metrics": [
        Successor("tf_slim.metrics", has_others=True),
        Successor(
            "tensorflow.compat.v1",
            renamed={
                "confusion_matrix": "math.confusion_matrix",
                "set_difference": "sets.difference",
                "set_intersection": "sets.intersection",
                "set_size": "sets.size",
                "set_union": "sets.union",
            },
        ),
    ],
    "contrib.nn": [Successor("tensorflow.compat.v1.nn", ("conv1d_transpose",))],
    "contrib.opt": [
        Successor("tf1grad", ("ExternalOptimizerInterface", "ScipyOptimizerInterface"))
    ],
    "contrib.rnn": [
        Successor("tensorflow.compat.v1.nn.rnn_cell", CELLS),
        Successor(
            "tensorflow.compat.v1.nn",
            ("static_bidirectional_rnn", "static_rnn", "static_state_saving_rnn"),
        ),
    ],
    "contrib.signal": [Successor("tensorflow.compat.v1.signal", has_others=True)],
    "contrib.slim": [
        Successor("tensorflow.compat.v1", renamed=STEPS),
        Successor("tf_slim", has_others=True),
    ],
    "contrib.slim.learning": [Successor("tf_slim.learning", ("train", "train_step"))],
    "contrib.slim.nets": [
        Successor(
            "tf_slim.nets",
            ("alexnet", "inception", "overfeat", "resnet_utils", "resnet_v1", "resnet_v2", "vgg"),
        )
    ],
    "contrib.stateless": [
        Successor(
            "tensorflow.compat.v1.random",
            ("stateless_multinomial", "stateless_truncated_normal"),
            renamed={
                "stateless_random_normal": "stateless_normal",
                "stateless_random_uniform": "stateless_uniform",
            },
        )
    ],
    "contrib.tensorboard.plugins": [Successor("tensorboard.plugins", ("projector",))],
    "contrib.tensorboard.plugins.projector": [
        Successor("tensorboard.plugins.projector", has_others=True)
    ],
    "contrib.tfprof.model_analyzer": [
        Successor(
            "tensorflow.compat.v1.profiler",
            ("Profiler", "advise"),
            renamed={
                "FLOAT_OPS_OPTIONS": "ProfileOptionBuilder.float_operation()",
                "TRAINABLE_VARS_PARAMS_STAT_OPTIONS": "ProfileOptionBuilder.trainable_variables_parameter()",
                "print_model_analysis": "profile",
            },
        )
    ],
    "contrib.tfprof.tfprof_logger": [Successor("tensorflow.compat.v1.profiler", ("write_op_log",))],
    "contrib.tpu": [
        Successor(
            "tensorflow.compat.v1.tpu",
            (
                "CrossShardOptimizer",
                "batch_parallel",
                "bfloat16_scope",
                "core",
                "cross_replica_sum",
                "initialize_system",
                "outside_compilation",
                "replicate",
                "rewrite",
                "shard",
                "shutdown_system",
            ),
        ),
        Successor(
            ESTIMATOR_MODULE + ".tpu",
            ("InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec"),
        ),
    ],
    "contrib.training": [
        Successor("tf1grad.migrate.provided.hparam", ("HParams", "parse_values")),
        Successor("tensorflow.compat.v1.train", ("checkpoints_iterator",)),
        Successor(
            "tf_slim.training.evaluation",
            ("SummaryAtEndHook", "evaluate_repeatedly", "wait_for_new_checkpoint"),
        ),
        Successor("tf_slim.training.training", ("train",)),
    ],
    "contrib.util": [
        Successor(
            "tensorflow.compat.v1",
            ("make_ndarray", "make_tensor_proto"),
            renamed={"constant_value": "get_static_value"},
        )
    ],
    "contrib.layers.python.layers.utils": [Successor("tf_slim.layers.utils", has_others=True)],
    "contrib.learn.datasets.mnist": [Successor("tf1grad.migrate.provided.mnist", MNIST)],
    "contrib.learn.python.learn.datasets.mnist": [
        Successor("tf1grad.migrate.provided.mnist", MNIST)
    ],
    "estimator": [Successor(ESTIMATOR_MODULE, has_others=True)],
    "examples.tutorials.mnist.input_data": [
        Successor("tf1grad.migrate.provided.mnist", ("read_data_sets",))
    ],
    "examples.tutorials.mnist": [
        Successor("tf1grad.migrate.provided", renamed={"input_data": "mnist"})
    ],
    "nn.rnn_cell": [Successor("tensorflow.compat.v1.nn.rnn_cell", CELLS)],
    "tools.graph_transforms": [
        Successor("tf1grad.migrate.provided.graph_transforms", ("TransformGraph",))
    ],
    "tools.docs": [Successor("tensorflow.tools.docs", ("doc_controls",))],
    "layers": [Successor("tensorflow.compat.v1.layers", has_others=True)],
}

# Private names that TensorFlow 2 moved within `tensorflow.python`, with their public names in 1.15
# and since, which are below `tensorflow.compat.v1`.
PRIVATE = {
    "python.framework.graph_util": {
        "convert_variables_to_constants": "graph_util.convert_variables_to_constants"
    },
    "python.framework.graph_util_impl": {
        "convert_variables_to_constants": "graph_util.convert_variables_to_constants"
    },
    "python.framework.ops": {
        "Tensor": "Tensor",
        "disable_tensor_equality": "disable_tensor_equality",
        "enable_tensor_equality": "enable_tensor_equality",
    },
    "python.layers.normalization": {
        "BatchNormalization": "layers.BatchNormalization",
        "batch_normalization": "layers.batch_normalization",
    },
    "python.ops.array_ops": {"stack": "stack", "unstack": "unstack"},
    "python.ops.control_flow_ops": {
        "Assert": "Assert",
        "case": "case",
        "cond": "cond",
        "switch_case": "switch_case",
        "while_loop": "while_loop",
    },
    "python.ops.math_ops": {"bincount_v1": "bincount"},
    "python.ops.random_ops": {"random_crop": "random_crop"},
    "python.ops.variable_scope": {
        "disable_resource_variables": "disable_resource_variables",
        "enable_resource_variables": "enable_resource_variables",
        "resource_variables_enabled": "resource_variables_enabled",
    },
    "python.ops.variables": {
        "VariableV1": "Variable",
        "is_variable_initialized": "is_variable_initialized",
    },
    "python.pywrap_tensorflow": {"NewCheckpointReader": "train.NewCheckpointReader"},
    "python.util.nest": {"is_sequence": "nest.is_nested"},
}

# Nothing provides these: the longest prefix that fits says what to do.
GONE = {
    "contrib": "It was removed with tf.contrib, and the libraries that replaced it do not have it. Take its "
    "definition from the sources of TensorFlow 1 into the program.",
    "contrib.gan": "Use the package tensorflow-gan, or train with two optimizers and a session.",
    "contrib.kfac": "Use the package kfac.",
    "examples": "It was installed with TensorFlow 1 as an example. Take the module from its sources into the program.",
    "models": "It was installed with TensorFlow before 1.0. Take the module from tensorflow/models into the program.",
    "tools": "It was installed with TensorFlow 1. Take the module from its sources into the program.",
}

# The arguments that the names of today have in the place of those of contrib.
KEYWORDS = {
    "contrib.tfprof.model_analyzer.advise": {"tfprof_options": "options"},
    "contrib.tfprof.model_analyzer.print_model_analysis": {
        "tfprof_cmd": "cmd",
        "tfprof_options": "options",
    },
}
# Those that a name of today takes: with others, only TensorFlow 1.15 can be called.
TAKEN = {"contrib.distribute.MirroredStrategy": ("devices", "cross_device_ops")}
# Their methods that give something else today: contrib's took the batch size for each device.
CHANGED = {"contrib.distribute.MirroredStrategy": ("make_dataset_iterator",)}

# How to do without names that only TensorFlow 1.15 has: the longest prefix that fits.
WITHOUT = {
    "": "look for the name's successor in the documentation of TensorFlow 2",
    "contrib": "take its definition from the sources of TensorFlow 1 into the program",
    "contrib.crf": "write the forward algorithm as a loop with tf.scan",
    "contrib.cudnn_rnn": "use the layers CuDNNGRU and CuDNNLSTM of tf.keras.layers",
    "contrib.data": "use the methods of tf.data.Dataset and tf.data.experimental",
    "contrib.distribute": "use tf.distribute, whose batch sizes are those of all devices together",
    "contrib.distributions": "use tensorflow_probability.distributions, and compare the numbers",
    "contrib.eager": "build a graph and run it in a session",
    "contrib.estimator": "write the loss in the model function, and return a tf.estimator.EstimatorSpec",
    "contrib.graph_editor": "import the graph again, with the input_map of tf.import_graph_def",
    "contrib.layers.optimize_loss": "call compute_gradients, tf1grad.clip_by_global_norm and apply_gradients",
    "contrib.learn": "use tf.estimator, or a loop of session runs",
    "contrib.legacy_seq2seq": "write the loop over the time steps in Python",
    "contrib.lookup": "use tf.lookup.StaticHashTable and tf.lookup.StaticVocabularyTable",
    "contrib.lookup.MutableHashTable": "use tf.lookup.experimental.MutableHashTable",
    "contrib.rnn": "write the cell as a subclass of tf.nn.rnn_cell.RNNCell",
    "contrib.seq2seq": "write the decoder's loop with tf.while_loop",
    "contrib.slim.learning": "call compute_gradients, tf1grad.clip_by_norm and apply_gradients",
    "contrib.summary": "use tf.summary.scalar and tf.summary.FileWriter",
    "contrib.training.clip_gradient_norms": "use tf1grad.clip_by_norm",
    "contrib.training.create_train_op": "call compute_gradients, tf1grad.clip_by_norm and apply_gradients",
    "contrib.training.multiply_gradients": "use tf1grad.multiply_gradients",
    "python": "use a public name",
}
