"""Lists the originals that do not work unchanged on the installed TensorFlow, with what is done to each and why."""

# The original module -> the module with the replacements, the replaced names, and the reason.
SUBSTITUTES = {
    "python.framework.common_shapes": (
        "tf1grad.old_programs.originals.stand_ins", "rank",
        "The original calls the tensor's `_rank()`, which returns -1 now where the rank is unknown."),
}

# The original module -> a function of it that is called when it has been loaded. The ops that it builds stay 1.15's.
CHANGES = {
    "contrib.layers.python.layers.optimizers": "tf1grad.old_programs.originals.sparse_norms.tell",
    "contrib.opt.python.training.external_optimizer": "tf1grad.old_programs.originals.external_searches.mend",
    "contrib.slim.python.slim.learning": "tf1grad.old_programs.originals.sparse_norms.tell",
    "contrib.training.python.training.training": "tf1grad.old_programs.originals.sparse_norms.tell",
    "python.keras.utils.tf_utils": "tf1grad.old_programs.originals.stand_ins.inspect_composite_tensors",
}
