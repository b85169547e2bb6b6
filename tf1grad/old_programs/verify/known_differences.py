"""Holds the table of differences between the graphs of TensorFlow 1.15 and those under `run` that must stay."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence


class KnownDifference(NamedTuple):
    """Describes differences that must stay. A field that is "" allows everything.

    Attributes:
        cause: the cause, one of `graph_comparison.CAUSES`.
        type: the type of the op under `run`, or of 1.15's op if only that exists.
        attribute: the name of the attribute.
        reason: why it must stay, a sentence.
    """

    cause: str
    type: str
    attribute: str
    reason: str


KNOWN: Sequence[KnownDifference] = ()


def reason_of(cause: str, op_type: str, attribute: str) -> Optional[str]:
    """Returns the reason why a difference must stay; None if it is not in the table."""
    for row in KNOWN:
        if row.cause == cause and row.type in ("", op_type) and row.attribute in ("", attribute):
            return row.reason
    return None
