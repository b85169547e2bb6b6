"""Holds the function that loads TensorFlow 1.15's classes of messages, which its loader sets."""

from __future__ import annotations

from typing import Any, Callable, Optional

# A path below `tensorflow` -> the original module.
load: Optional[Callable[[str], Any]] = None


def module(path: str) -> Any:
    """Returns an original module such as "core.kernels.boosted_trees.boosted_trees_pb2"."""
    assert load is not None, "the loader of the originals calls these ops, and sets it"
    return load(path)
