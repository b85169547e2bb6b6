"""Lists the names of originals that are wrong today, with the replacement and the reason."""

_GRADIENTS = ("tf1grad sums duplicate rows of IndexedSlices before it takes their norm, and computes all gradients "
              "before any variable is written: on ref variables the original may read what the step has just changed.")

# The original module -> the module with the replacements, the replaced names, and the reason.
SUBSTITUTES = {
    "python.framework.common_shapes": (
        "tf1grad.old_programs.originals.stand_ins", "rank",
        "The original calls the tensor's `_rank()`, which returns -1 now where the rank is unknown."),
    "python.keras.utils.tf_utils": (
        "tensorflow.python.keras.utils.tf_utils", "is_symbolic_tensor",
        "The original reads `_is_graph_tensor` of sparse tensors, which they no longer have."),
    "contrib.layers.python.layers.optimizers": (
        "tf1grad.contrib.layers", "adaptive_clipping_fn optimize_loss", _GRADIENTS),
    "contrib.opt.python.training.external_optimizer": (
        "tf1grad.contrib.opt", "ExternalOptimizerInterface ScipyOptimizerInterface",
        "The original feeds variables, which resource variables ignore, and calls SciPy in a way that it now rejects."),
    "contrib.slim.python.slim.learning": (
        "tf1grad.contrib.slim.learning",
        "add_gradients_summaries clip_gradient_norms create_train_op multiply_gradients", _GRADIENTS),
    "contrib.training.python.training.training": (
        "tf1grad.contrib.training",
        "add_gradients_summaries clip_gradient_norms clip_gradient_norms_fn create_train_op multiply_gradients",
        _GRADIENTS),
}
