"""Gives `tf.flags` what it had before TensorFlow imported absl:
the program's flags of any name, and `_parse_flags`.

A program that calls it is from before TensorFlow 1.5, when `FLAGS.__flags` had the values of the
flags.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Callable, Sequence

from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.dropped_names.fix_messages import warn_once

OF_ABSL = ("absl.logging", "absl.app")
# Packages that define flags of their own.
_DEFINING = ("absl", "tensorflow", "tensorflow_core")
ADVICE = (
    "`FLAGS.__flags` has objects since TensorFlow 1.5, which had the values of the flags before. Write "
    "`FLAGS.flag_values_dict()` in its place"
)
_FLAG = re.compile(r"'\w*Flag'|<absl\.flags\._\w+\.\w*Flag object")


def install() -> None:
    """Lets a later definition take the place of each flag that absl has defined
    by now, such as `log_dir`.
    """
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


def _set_undefined(name: str, value: object) -> None:
    """Defines a flag with a value, as `FLAGS.name = value` did before TensorFlow 1.5."""
    from absl import flags

    warn_once(f"FLAGS.{name} = ...", "defines the flag, as before TensorFlow 1.5")
    flag: Any = flags.Flag(flags.ArgumentParser(), None, name, None, "")
    flags.DEFINE_flag(flag)
    flag.value = value


def advise(error: BaseException) -> str | None:
    """Returns a sentence where an error says that a flag stood in the place
    of its value; else None.
    """
    return ADVICE if _FLAG.search(str(error)) else None


def _parse_flags(flags: Any, args: Sequence[str] | None = None) -> list[str]:
    """Parses the command line, or `args`, and returns the arguments that are no flags,
    as before TensorFlow 1.5.
    """
    given = sys.argv[1:] if args is None else list(args)
    wrapper = type(_compat.resolve("tensorflow.python.platform.flags").FLAGS)
    patches.wrap(wrapper, "__getattribute__", _with_values, reason="it had values before 1.5")
    unparsed: list[str] = flags([sys.argv[0], *given], known_only=True)
    return unparsed[1:]


def _with_values(get: Callable[[object, str], Any], flags: object, name: str) -> Any:
    """Returns an attribute of `FLAGS`; the values of the program's flags,
    by name, for `__flags`.
    """
    if name != "__flags":
        return get(flags, name)
    by_module = get(flags, "flags_by_module_dict")()
    return {
        flag.name: flag.value
        for module, its_flags in by_module.items()
        if module.partition(".")[0] not in _DEFINING
        for flag in its_flags
    }
