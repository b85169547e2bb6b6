"""Gives the state of mixed precision the names of TensorFlow 1.15, which the installed TensorFlow keeps in functions.

The attributes can be set, as those of 1.15's module `mixed_precision_global_state`.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from tf1grad.old_programs import _compat


def _installed() -> Any:
    return _compat.resolve("tensorflow.python.training.experimental.mixed_precision_global_state")


class _State(types.ModuleType):
    """A module with properties."""

    @property
    def mixed_precision_graph_rewrite_is_enabled(self) -> bool:
        """Says whether sessions get graphs that are rewritten."""
        return bool(_installed().is_mixed_precision_graph_rewrite_enabled())

    @mixed_precision_graph_rewrite_is_enabled.setter
    def mixed_precision_graph_rewrite_is_enabled(self, value: bool) -> None:
        _installed().set_mixed_precision_graph_rewrite_enabled(value)

    @property
    def non_mixed_precision_session_created(self) -> bool:
        """Says whether a session was made before the rewriting was enabled."""
        return bool(_installed().non_mixed_precision_session_created())

    @non_mixed_precision_session_created.setter
    def non_mixed_precision_session_created(self, value: bool) -> None:
        _installed().set_non_mixed_precision_session_created(value)

    @property
    def using_default_mixed_precision_policy(self) -> bool:
        """Says whether the policy of Keras is the default one."""
        return not _installed().is_using_mixed_precision_policy()

    @using_default_mixed_precision_policy.setter
    def using_default_mixed_precision_policy(self, value: bool) -> None:
        _installed().set_using_mixed_precision_policy(not value)


sys.modules[__name__].__class__ = _State
