"""Lists TensorFlow 2 names that TensorFlow 1.15 does not have, as far as libraries use them.

A library that takes them from `tensorflow` is written for TensorFlow 2. `tf.function` and `tf.GradientTape` are in
both, and count here: code for sessions does not use them.
"""

import functools

_NAMES = {
    "": "GradientTape function",
    "config": "functions_run_eagerly list_logical_devices list_physical_devices run_functions_eagerly "
              "set_visible_devices",
    "data": "AUTOTUNE",
    "distribute": "InputOptions MultiWorkerMirroredStrategy TPUStrategy",
    "experimental": "ExtensionType Optional dtensor numpy",
    "io": "RaggedFeature",
    "keras": "saving",
    "keras.initializers": "GlorotNormal GlorotUniform HeNormal HeUniform",
    "keras.layers": "EinsumDense MultiHeadAttention Normalization Rescaling StringLookup TextVectorization",
    "keras.losses": "Reduction",
    "keras.mixed_precision": "LossScaleOptimizer global_policy set_global_policy",
    "keras.optimizers": "AdamW legacy",
    "keras.regularizers": "L1 L2",
    "keras.utils": "register_keras_serializable set_random_seed",
    "nn": "gelu",
    "random": "Generator get_global_generator set_seed",
    "saved_model": "LoadOptions SaveOptions",
    "summary": "create_file_writer record_if should_record_summaries trace_export trace_on",
}
NAMES = frozenset(".".join(filter(None, ["tensorflow", module, name]))
                  for module, names in _NAMES.items() for name in names.split())


@functools.lru_cache(maxsize=None)
def is_new(dotted_name: str) -> bool:
    """Says whether a name from `tensorflow` on is one of these, or inside one: `tensorflow.random.set_seed`."""
    parts = dotted_name.split(".")
    return any(".".join(parts[:length]) in NAMES for length in range(2, len(parts) + 1))
