"""Gives the state of mixed precision the names of TensorFlow 1.15, which the installed TensorFlow keeps in functions.

The attributes can be set, as those of 1.15's module `mixed_precision_global_state`.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from tf1grad.old_programs import _compat


def _state(getter: str, setter: str, is_opposite: bool = False) -> property:
    """Returns a property that calls two functions of the installed module, with `not` before it if `is_opposite`."""

    def installed(name: str) -> Any:
        return _compat.resolve(
            f"tensorflow.python.training.experimental.mixed_precision_global_state.{name}"
        )

    return property(
        lambda module: bool(installed(getter)()) != is_opposite,
        lambda module, value: installed(setter)(bool(value) != is_opposite),
    )


class _State(types.ModuleType):
    """A module with properties."""

    mixed_precision_graph_rewrite_is_enabled = _state(
        "is_mixed_precision_graph_rewrite_enabled", "set_mixed_precision_graph_rewrite_enabled"
    )
    non_mixed_precision_session_created = _state(
        "non_mixed_precision_session_created", "set_non_mixed_precision_session_created"
    )
    using_default_mixed_precision_policy = _state(
        "is_using_mixed_precision_policy", "set_using_mixed_precision_policy", is_opposite=True
    )


sys.modules[__name__].__class__ = _State
