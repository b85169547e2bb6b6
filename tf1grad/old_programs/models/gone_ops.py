"""Describes the ops of TensorFlow 1.15 that today's TensorFlow lacks, with what replaces them, without TensorFlow."""

from __future__ import annotations

from typing import NamedTuple, Optional

from tf1grad.old_programs.missing_ops import advice, replacements

FUNCTION = "`tf1grad model convert` puts a function with the op's name into the file."


class GoneOp(NamedTuple):
    """Describes an op that today's TensorFlow lacks: whether tf1grad provides it, and a sentence on that."""

    op: str
    is_provided: bool
    remedy: str


def find(op: str) -> Optional[GoneOp]:
    """Returns the `GoneOp` of an op type; None where today's TensorFlow has the op, or TensorFlow 1.15 did not."""
    if not advice.origin(op):
        return None
    is_provided = replacements.provides_nodes(op)
    sentence = advice.of(op)
    return GoneOp(op, is_provided, FUNCTION if is_provided else sentence[0].upper() + sentence[1:])
