"""Lets programs define flags that absl defines too, such as `log_dir`, as before TensorFlow imported absl."""

import sys

from tf1grad.old_programs.process import patches

OF_ABSL = ("absl.logging", "absl.app")


def install() -> None:
    """Lets a later definition take the place of each flag that absl has defined by now."""
    absl_flags = sys.modules.get("absl.flags")
    if absl_flags is None:
        return
    by_module = absl_flags.FLAGS.flags_by_module_dict()
    for flag in [flag for module in OF_ABSL for flag in by_module.get(module, ())]:
        patches.patch(flag, "allow_override", True, reason="")
    patches.note("flags of absl", "the program may define them, such as log_dir, for itself")
