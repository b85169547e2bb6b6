"""Gives `tf.flags` what it had before TensorFlow imported absl: the program's flags of any name, and `_parse_flags`."""

from __future__ import annotations

import sys
from typing import Any, Sequence

from tf1grad.programs.process import patches
from tf1grad.run.dropped_names.fix_messages import warn_once

OF_ABSL = ("absl.logging", "absl.app")


def install() -> None:
    """Lets a later definition take the place of each flag that absl has defined by now, such as `log_dir`."""
    absl_flags = sys.modules.get("absl.flags")
    if absl_flags is None:
        return
    by_module = absl_flags.FLAGS.flags_by_module_dict()
    for flag in [flag for module in OF_ABSL for flag in by_module.get(module, ())]:
        patches.patch(flag, "allow_override", True, reason="")
    patches.note("flags of absl", "the program may define them, such as log_dir, for itself")
    # `tf.flags.FLAGS` forwards all that it is asked for to absl's.
    flags = type(absl_flags.FLAGS)
    patches.patch(flags, "_parse_flags", _parse_flags, reason="it parsed the flags before 1.5")
    absl_flags.FLAGS._register_unknown_flag_setter(_set_undefined)
    patches.note("flags of absl", "before 1.5 the program could set flags that it had not defined")


def _set_undefined(name: str, value: Any) -> None:
    """Defines a flag with a value, as `FLAGS.name = value` did before TensorFlow 1.5."""
    from absl import flags

    warn_once(f"FLAGS.{name} = ...", "defines the flag, as before TensorFlow 1.5")
    flag: Any = flags.Flag(flags.ArgumentParser(), None, name, None, "")
    flags.DEFINE_flag(flag)
    flag.value = value


def _parse_flags(flags: Any, args: Sequence[str] | None = None) -> list[str]:
    """Parses the command line, or `args`, and returns the arguments that are no flags, as before TensorFlow 1.5."""
    given = sys.argv[1:] if args is None else list(args)
    unparsed: list[str] = flags([sys.argv[0], *given], known_only=True)
    return unparsed[1:]
