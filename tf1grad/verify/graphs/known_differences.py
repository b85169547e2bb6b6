"""Holds the table of differences between the graphs of TensorFlow 1.15 and those
under `run` that must stay.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from tf1grad.programs.process.checks_before_runs import CHECKS


class KnownDifference(NamedTuple):
    """Describes differences that must stay. A field that is "" allows everything."""

    cause: str  # the cause, one of `graph_comparison.CAUSES`
    type: str  # the type of the op under `run`, or of 1.15's op if only that exists
    what: str  # the attribute, or the output
    prefix: str  # of the op's name, of an input's name under `run`, or of all control inputs that only one op has
    reason: str  # why it must stay, a sentence


_CHECKED = "`run` checks solvers and admits candidates as the kernels of 1.15 did; op seeds leave this out."
_IN_ORDER = "`run` executes loops with random ops in order, which 1.15 did not promise, so that their numbers repeat."
_ON_DEMAND = (
    "`run` has pipelines that act on state compute elements on demand, as in 1.15, and those of strategies take the "
    "installed options; op seeds leave this out."
)
_PROCESSORS = "`run` sets the number of processors, which 1.15's kernel took for -1 and the installed one does not."
_FUNCTION = "Its kernel is gone: the op is a function of the same name."
_UNKNOWN = "It hides a dimension from the sharper shape function of the installed TensorFlow; the value is the same."
_RESERVED = "The installed TensorFlow's C++ gives outputs that nothing reads another static shape."

KNOWN: Sequence[KnownDifference] = (
    KnownDifference("only in one", "OptionsDataset", "", CHECKS, _ON_DEMAND),
    KnownDifference("only in one", "", "", CHECKS, _CHECKED),
    KnownDifference("inputs", "", "", CHECKS, _CHECKED),
    KnownDifference("control inputs", "", "", CHECKS, _CHECKED),
    KnownDifference("attributes", "Const", "value", "cycle_length", _PROCESSORS),
    KnownDifference("attributes", "Enter", "parallel_iterations", "", _IN_ORDER),
    KnownDifference("attributes", "RefEnter", "parallel_iterations", "", _IN_ORDER),
    KnownDifference("attributes", "GatherTree", "", "", _FUNCTION),
    KnownDifference("attributes", "StridedSlice", "end_mask", "", _UNKNOWN),
    KnownDifference("attributes", "StridedSlice", "ellipsis_mask", "", _UNKNOWN),
    KnownDifference("attributes", "Unpack", "axis", "", _UNKNOWN),
    KnownDifference("shape", "FusedBatchNormGradV3", "output 3", "", _RESERVED),
    KnownDifference("shape", "FusedBatchNormGradV3", "output 4", "", _RESERVED),
)


def reason_of(cause: str, op_type: str, what: str, names: Sequence[str]) -> str | None:
    """Returns the reason why a difference must stay; None if it is not in the table."""
    for row in KNOWN:
        if (
            row.cause == cause
            and row.type in ("", op_type)
            and row.what in ("", what)
            and all(name.startswith(row.prefix) for name in names)
        ):
            return row.reason
    return None
