"""Lists the modules outside of contrib that are 1.15's, the op layer:
all others are the installed TensorFlow's.

They were chosen by measuring which ops graphs have.
"""

from __future__ import annotations

import os

from tf1grad.programs.period import folder

# Modules that register gradients.
_GRADIENTS = (
    "array_grad",
    "cudnn_rnn_grad",
    "data_flow_grad",
    "image_grad",
    "linalg_grad",
    "manip_grad",
    "math_grad",
    "nn_grad",
    "random_grad",
    "rnn_grad",
    "sparse_grad",
    "state_grad",
    "tensor_array_grad",
)
# Modules of `tensorflow/python` that are 1.15's. They compose ops and depend on each other: a
# module that called the installed `cond` or `random_uniform` would make another number of ops.
_MODULES = {
    "ops": (
        "array_ops",
        "batch_ops",
        "bitwise_ops",
        "candidate_sampling_ops",
        "check_ops",
        "clip_ops",
        "confusion_matrix",
        "ctc_ops",
        "embedding_ops",
        "functional_ops",
        "gradient_checker",
        "histogram_ops",
        "image_ops",
        "image_ops_impl",
        "init_ops",
        "init_ops_v2",
        "initializers_ns",
        "inplace_ops",
        "linalg_ops",
        "linalg_ops_impl",
        "logging_ops",
        "lookup_ops",
        "manip_ops",
        "map_fn",
        "math_ops",
        "metrics",
        "metrics_impl",
        "nn",
        "nn_impl",
        "nn_ops",
        "numerics",
        "parsing_ops",
        "random_ops",
        "rnn",
        "rnn_cell",
        "rnn_cell_impl",
        "rnn_cell_wrapper_impl",
        "sets",
        "sets_impl",
        "sort_ops",
        "sparse_ops",
        "special_math_ops",
        "standard_ops",
        "stateless_random_ops",
        "string_ops",
        "summary_ops_v2",
        "template",
        "weights_broadcast_ops",
        "gradients",
        "gradients_impl",
        "gradients_util",
        "control_flow_state",
        *_GRADIENTS,
    ),
    "training": (
        "adadelta",
        "adagrad",
        "adagrad_da",
        "adam",
        "ftrl",
        "gradient_descent",
        "momentum",
        "optimizer",
        "proximal_adagrad",
        "proximal_gradient_descent",
        "rmsprop",
        "slot_creator",
        "sync_replicas_optimizer",
        "training_ops",
        "checkpoint_management",
        "input",
        "learning_rate_decay",
        "moving_averages",
        "queue_runner",
        "queue_runner_impl",
        "training",
    ),
    "framework": ("common_shapes", "composite_tensor_utils", "graph_util", "graph_util_impl"),
    "distribute": ("strategy_combinations",),
    "eager": ("execution_callbacks",),
    "saved_model": (
        "constants",
        "nested_structure_coder",
        "signature_def_utils",
        "signature_def_utils_impl",
        "utils",
        "utils_impl",
    ),
    "training.experimental": (
        "loss_scale",
        "loss_scale_optimizer",
        "mixed_precision",
        "mixed_precision_global_state",
    ),
    "training.saving": ("functional_saver", "saveable_object_util"),
    "training.tracking": (
        "base",
        "data_structures",
        "graph_view",
        "layer_utils",
        "python_state",
        "util",
    ),
    "compat": ("compat",),  # decides by date which ops are used: those of 1.15's release
}
# Packages of which all modules are 1.15's.
_PACKAGES = (
    "data",
    "feature_column",
    "keras",
    "layers",
    "ops/distributions",
    "ops/linalg",
    "ops/losses",
    "ops/ragged",
    "ops/signal",
    "saved_model/model_utils",
)

# Modules that register operators and gradients; they are loaded first.
FIRST = [
    "python.ops." + name
    for name in (
        "array_ops",
        "math_ops",
        *_GRADIENTS,
        "ctc_ops",
    )
]


def paths() -> set[str]:
    """Returns the paths, below `tensorflow`, of all these modules."""
    root = os.path.join(folder.find_originals() or "", folder.ROOT)
    found = {f"python.{package}.{name}" for package, names in _MODULES.items() for name in names}
    for package in _PACKAGES:
        for place, _, files in os.walk(os.path.join(root, "python", package)):
            module = os.path.relpath(place, root).replace(os.sep, ".")
            found.update(f"{module}.{file[:-3]}" for file in files if file.endswith(".py"))
    return {path[: -len(".__init__")] if path.endswith(".__init__") else path for path in found}
