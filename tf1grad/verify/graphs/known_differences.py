"""Holds the table of differences between the graphs of TensorFlow 1.15 and those
under `run` that must stay.
"""

from __future__ import annotations

import re
from typing import Any, Collection, Mapping, NamedTuple, Sequence

from tf1grad.programs.process.checks_before_runs import ADDED
from tf1grad.verify.record import Op

DEFAULT = "default"  # in the place of an attribute's value
ANY = "any value"
OF_TF1GRAD = "an op that tf1grad added"  # in the place of a prefix
_FUNCTION_PREFIX = re.compile(r"^function_\d+/")  # of the ops of functions, such as a pipeline's


class KnownDifference(NamedTuple):
    """Describes differences that must stay.

    A text that is "" allows everything. The values, the attributes and the source say where the two
    ops compute the same nevertheless.
    """

    cause: str  # the cause, one of `graph_comparison.CAUSES`
    type: str  # the type of the op under `run`, or of 1.15's op if only that exists
    what: str  # the attribute, or the output
    # Of the name of the op, of an input under `run`, or of all control inputs that only one op has.
    prefix: str
    reason: str  # why it must stay, a sentence
    values: tuple[Any, Any] = (ANY, ANY)  # what the two ops have
    attributes: Mapping[str, Any] = {}  # what the op under `run` has as well
    # The types of the op that makes the first input, and of the one that makes that op's.
    source: Sequence[str] = ()


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
    KnownDifference("only in one", "OptionsDataset", "", OF_TF1GRAD, _ON_DEMAND),
    KnownDifference("only in one", "", "", OF_TF1GRAD, _CHECKED),
    KnownDifference("inputs", "", "", OF_TF1GRAD, _CHECKED),
    KnownDifference("control inputs", "", "", OF_TF1GRAD, _CHECKED),
    KnownDifference("attributes", "Const", "value", "cycle_length", _PROCESSORS, (ANY, [-1])),
    KnownDifference("attributes", "Enter", "parallel_iterations", "", _IN_ORDER, (1, ANY)),
    KnownDifference("attributes", "RefEnter", "parallel_iterations", "", _IN_ORDER, (1, ANY)),
    KnownDifference("attributes", "GatherTree", "T", "", _FUNCTION, (DEFAULT, "int32")),
    # One element of the first dimension is taken, wherever the slice would end.
    KnownDifference(
        "attributes",
        "StridedSlice",
        "end_mask",
        "",
        _UNKNOWN,
        (1, DEFAULT),
        {"shrink_axis_mask": 1},
    ),
    # A shape is a vector: there is nothing after the slice of its one dimension.
    KnownDifference(
        "attributes",
        "StridedSlice",
        "ellipsis_mask",
        "",
        _UNKNOWN,
        (2, DEFAULT),
        source=["Cast", "Shape"],
    ),
    # The first dimension of a vector is its last.
    KnownDifference("attributes", "Unpack", "axis", "", _UNKNOWN, (-1, DEFAULT), source=["Shape"]),
    KnownDifference("shape", "FusedBatchNormGradV3", "output 3", "", _RESERVED),
    KnownDifference("shape", "FusedBatchNormGradV3", "output 4", "", _RESERVED),
)


def reason_of(
    cause: str,
    op: Op,
    what: str,
    names: Sequence[str],
    values: tuple[Any, Any],
    source: Sequence[str],
    added: Collection[str],
) -> str | None:
    """Returns the reason why a difference must stay; None if it is not in the table.

    `op` is the one under `run`, or 1.15's if only that exists. `added` has the names of the ops
    that tf1grad added.
    """
    for row in KNOWN:
        has_attributes = all(
            op.attributes.get(name) == row.attributes[name] for name in row.attributes
        )
        if (
            row.cause == cause
            and row.type in ("", op.type)
            and row.what in ("", what)
            and all(_begins_with(row.prefix, name, added) for name in names)
            and all(map(_allows, row.values, values))
            and has_attributes
            and list(row.source) == list(source[: len(row.source)])
        ):
            return row.reason
    return None


def _begins_with(prefix: str, name: str, added: Collection[str]) -> bool:
    if prefix == OF_TF1GRAD:
        return name.partition(":")[0] in added
    return _FUNCTION_PREFIX.sub("", name).startswith(prefix)


def is_added(op: Op) -> bool:
    """Says whether tf1grad, and not the program, made an op."""
    return ADDED in op.attributes


def _allows(allowed: Any, value: Any) -> bool:
    """Compares what a row allows with a value, of a tensor with its elements."""
    elements = value["values"] if isinstance(value, dict) and "tensor" in value else value
    return allowed in (ANY, elements)
