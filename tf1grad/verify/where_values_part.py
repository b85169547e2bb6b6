"""Finds the op at which the values of two interpreters first part,
in the step where `verify` saw a difference.

Each interpreter trains up to that step once more. Then it fetches every floating-point tensor that
the step computes before it writes, at the variables and feeds of this interpreter.
"""

from __future__ import annotations

import math

from tf1grad.programs._samples import difference, size
from tf1grad.programs.process.messages import counted
from tf1grad.verify.differences import FLOOR
from tf1grad.verify.graphs.graph_report import GraphReport
from tf1grad.verify.record import Op, Record, Samples
from tf1grad.verify.report_lines import short_place

SUMS = frozenset(["Sum", "BiasAddGrad", "AddN"])
# A sum whose terms cancel to less than this part of them, in float32, is rounding.
ONLY_ROUNDING = 1e-5


def where_values_part(this: Record, other: Record, step: int) -> list[str]:
    """Says where the tensors of a step part, of which two records are:
    of this interpreter and of the other.

    That is the first op whose output differs and whose inputs do not. Sums that consist of rounding
    differ in every program that has them: another op is named if there is one.
    """
    said = [_of_graphs(GraphReport(this, other))]
    gaps = {
        name: difference(kept, other.tensors[name])
        for name, kept in this.tensors.items()
        if name in other.tensors
    }
    if not gaps:
        return [*said, f"The tensors of step {step} could not be fetched."]
    ops = {op.name: op for graph in this.graphs for op in graph}
    input_gaps: dict[str, float] = {}
    remainders: dict[str, float] = {}
    for name, gap in gaps.items():
        op = ops[name.partition(":")[0]]
        of_inputs = max([gaps.get(tensor, 0.0) for tensor in _inputs(op)], default=0.0)
        if gap > FLOOR["gradient"] >= of_inputs:
            input_gaps[name] = of_inputs
            remainders[name] = _remainder(op, name, other.tensors)
    if not input_gaps:
        return [
            *said,
            f"At the same variables and feeds, what step {step} computes agrees ({counted(len(gaps), 'tensor')}): the "
            "difference grew over the steps before, or is in the update.",
        ]
    name = min(input_gaps, key=lambda each: remainders[each] < ONLY_ROUNDING)
    op = ops[name.partition(":")[0]]
    place = "" if op.place is None else f" ({short_place(this.places[op.place])})"
    said.append(
        f"At the same variables and feeds, the values of step {step} first part at {op.name} ({op.type}){place}: "
        f"difference {gaps[name]:.1e}, that of its inputs {input_gaps[name]:.1e}."
    )
    if remainders[name] < ONLY_ROUNDING:
        said.append(
            f"It is a sum that consists only of rounding: it is {remainders[name]:.1e} of its terms. An optimizer "
            "that divides by the gradient's magnitude, such as Adam, makes whole steps of it."
        )
    return said


def _of_graphs(report: GraphReport) -> str:
    """Says whether the graphs may be why values part."""
    if report.may_change_numbers:
        return "The graphs differ, which may be the cause: see verify --graph."
    if not report.is_same:
        return "The graphs differ, but in nothing that can change a number: see verify --graph."
    if report.known:
        return f"The graphs are identical, except for known differences: {report.known}."
    return "The graphs are identical."


def _inputs(op: Op) -> list[str]:
    """Returns the names of the tensors that an op reads."""
    return [tensor if ":" in tensor else tensor + ":0" for tensor in op.inputs]


def _remainder(op: Op, name: str, tensors: Samples) -> float:
    """Returns the part of its terms that a sum is, about; 1.0 for another op."""
    terms = [tensors[tensor] for tensor in _inputs(op) if tensor in tensors]
    total = sum(term.norm * math.sqrt(size(term)) for term in terms)  # at least their magnitudes
    result = tensors[name]
    return result.largest * size(result) / total if op.type in SUMS and total else 1.0
