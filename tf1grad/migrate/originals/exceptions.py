"""Where the originals are wrong, and tf1grad's own stands in their place."""

_GRADIENTS = ("Sums duplicate rows of IndexedSlices before their norm is taken, and computes all gradients before any "
              "variable is written: on ref variables the original may read what the step has just changed.")

# The module of contrib -> our module, the names in it that are ours, and why.
OURS = {
    "contrib.layers.python.layers.optimizers": ("tf1grad.contrib.layers", "optimize_loss", _GRADIENTS),
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
