"""Where the originals are wrong, and tf1grad's own stands in their place."""

_GRADIENTS = ("Sums duplicate rows of IndexedSlices before their norm is taken, and computes all gradients before any "
              "variable is written: on ref variables the original may read what the step has just changed.")

# The original -> the module that has something better, the names in it that stand instead, and why.
OURS = {
    "python.framework.common_shapes": (
        "tf1grad.old_programs.originals.stand_ins", "rank",
        "The original asks the tensor's `_rank()`, which is -1 now where the rank is unknown."),
    "python.keras.utils.tf_utils": (
        "tensorflow.python.keras.utils.tf_utils", "is_symbolic_tensor",
        "The original asks sparse tensors for `_is_graph_tensor`, which they do not have now."),
    "contrib.layers.python.layers.optimizers": (
        "tf1grad.contrib.layers", "adaptive_clipping_fn optimize_loss", _GRADIENTS),
    "contrib.opt.python.training.external_optimizer": (
        "tf1grad.contrib.opt", "ExternalOptimizerInterface ScipyOptimizerInterface",
        "The original feeds variables, which resource variables ignore, and calls SciPy in a way that it refuses now."),
    "contrib.slim.python.slim.learning": (
        "tf1grad.contrib.slim.learning",
        "add_gradients_summaries clip_gradient_norms create_train_op multiply_gradients", _GRADIENTS),
    "contrib.training.python.training.training": (
        "tf1grad.contrib.training",
        "add_gradients_summaries clip_gradient_norms clip_gradient_norms_fn create_train_op multiply_gradients",
        _GRADIENTS),
}
