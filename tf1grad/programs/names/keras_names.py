"""Maps the names of Keras 2, also the inner ones, to the public names that
`tensorflow.compat.v1.keras` has.
"""

from __future__ import annotations

from tf1grad.programs.names.dotted_names import join, prefixes

# The public module of the names in inner modules.
_MODULES = {
    "layers": (
        "layers.advanced_activations",
        "layers.convolutional",
        "layers.convolutional_recurrent",
        "layers.core",
        "layers.cudnn_recurrent",
        "layers.dense_attention",
        "layers.embeddings",
        "layers.local",
        "layers.merge",
        "layers.noise",
        "layers.normalization",
        "layers.pooling",
        "layers.recurrent",
        "layers.wrappers",
        "engine",
        "engine.base_layer",
        "engine.input_layer",
        "engine.topology",
        "legacy.layers",
    ),
    "models": ("engine.network", "engine.sequential", "engine.training"),
    "utils": (
        "utils.conv_utils",
        "utils.data_utils",
        "utils.generic_utils",
        "utils.io_utils",
        "utils.layer_utils",
        "utils.np_utils",
        "utils.vis_utils",
    ),
    "backend": (
        "backend.common",
        "backend.load_backend",
        "backend.tensorflow_backend",
        "layers.core.K",
    ),
    "losses": ("objectives",),
}
_PUBLIC: dict[str, str] = {
    inner: public for public, modules in _MODULES.items() for inner in modules
}
_OPTIMIZERS = {
    f"optimizers.{name.lower()}": f"optimizers.{name}"
    for name in ("Adadelta", "Adagrad", "Adam", "Adamax", "Nadam", "RMSprop", "SGD")
}
# What `keras.backend` still has in Keras 3.
_BACKEND_OF_3 = frozenset(
    {
        "backend",
        "clear_session",
        "epsilon",
        "floatx",
        "get_uid",
        "image_data_format",
        "is_float_dtype",
        "is_int_dtype",
        "is_keras_tensor",
        "result_type",
        "set_epsilon",
        "set_floatx",
        "set_image_data_format",
        "standardize_dtype",
    }
)
# What Keras 1.2.2 had, and Keras 2.0 no longer.
_ONLY_IN_1 = frozenset(
    {
        "engine.Merge",
        "engine.merge",
        "engine.topology.Merge",
        "engine.topology.merge",
        "initializations",
        "layers.ParametricSoftplus",
        "layers.SReLU",
        "layers.TimeDistributedDense",
        "layers.advanced_activations.ParametricSoftplus",
        "layers.advanced_activations.SReLU",
        "layers.core.Highway",
        "layers.core.MaxoutDense",
        "layers.core.Merge",
        "layers.core.TimeDistributedDense",
        "metrics.f1score",
        "metrics.fbeta_score",
        "metrics.fmeasure",
        "metrics.fscore",
        "metrics.matthews_correlation",
        "metrics.precision",
        "metrics.recall",
        "models.Merge",
        "optimizers.optimizer_from_config",
        "regularizers.ActivityRegularizer",
        "regularizers.EigenvalueRegularizer",
        "regularizers.L1L2Regularizer",
        "regularizers.WeightRegularizer",
        "regularizers.activity_l1",
        "regularizers.activity_l1l2",
        "regularizers.activity_l2",
        "regularizers.l1l2",
        "utils.io_utils.load_array",
        "utils.io_utils.save_array",
        "utils.layer_utils.layer_from_config",
        "utils.np_utils.categorical_probas_to_classes",
        "utils.np_utils.probas_to_classes",
        "utils.visualize_util",
    }
)


def is_only_in_version_1(name: str) -> bool:
    """Says whether a dotted name from `keras` on is one that Keras 2 lacks too."""
    root, _, rest = name.partition(".")
    return root == "keras" and any(start in _ONLY_IN_1 for start, _ in prefixes(rest))


def public_name(name: str) -> str:
    """Returns the public name of a name inside Keras:
    `layers.Dense` for `layers.core.Dense`, and of an optimizer.
    """
    for start, rest in prefixes(name):
        public = _PUBLIC.get(start)
        if public is not None:
            if rest and rest[0] in ("Model", "Sequential"):  # whichever module of `engine` has them
                public = "models"
            return join(public, *rest)
    return _OPTIMIZERS.get(name, name)


def is_version_2(name: str) -> bool:
    """Says whether a dotted name from `keras` on is one of Keras 1 or 2 that Keras 3 lacks."""
    root, _, rest = name.partition(".")
    if root != "keras":
        return False
    if is_only_in_version_1(name):
        return True
    module, _, function = rest.partition(".")
    if module == "backend" and function:
        return function.split(".")[0] not in _BACKEND_OF_3
    return public_name(rest) != rest
