"""Finds the op at which the values of two interpreters first part, in the step where `verify` saw a difference.

Each interpreter trains up to that step once more. Then it fetches every floating-point tensor that the step computes
before it writes, at the variables and feeds of this interpreter.
"""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional

from tf1grad.old_programs._samples import difference, size
from tf1grad.old_programs.verify.differences import FIRST
from tf1grad.old_programs.verify.graphs.graph_report import GraphReport
from tf1grad.old_programs.verify.record import Op, Record
from tf1grad.old_programs.verify.report_lines import short_place

SUMS = frozenset(["Sum", "BiasAddGrad", "AddN"])
# A sum whose terms cancel to less than this part of them, in float32, is rounding.
ONLY_ROUNDING = 1e-5


class FirstValues(NamedTuple):
    """Describes where values part."""

    step: int  # the step, from 1
    tensors: int  # how many tensors were compared; 0 if they could not be fetched
    identical_graphs: bool  # up to the step, except for known differences
    # The first op whose output differs and whose inputs do not; not a sum of rounding if possible.
    op: str = ""
    type: str = ""
    line: Optional[List[Any]] = None  # the user's line that made it
    difference: float = 0.0  # how far its output differs, relative to the largest magnitude in it
    inputs: float = 0.0  # how far the tensors that it reads differ
    remainder: float = 1.0  # of a sum: its part of the magnitudes of its terms

    def sentences(self) -> List[str]:
        """Returns what was found, for people."""
        found = ["The graphs differ, which may be the cause: see verify --graph."]
        if self.identical_graphs:
            found = ["The graphs are identical."]
        same_start = "At the same variables and feeds, the"
        if not self.tensors:
            found.append(f"The tensors of step {self.step} could not be fetched.")
        elif not self.op:
            found.append(
                f"{same_start} {self.tensors:,} tensors that step {self.step} computes agree: the difference "
                "grew over the steps before, or is in the update."
            )
        else:
            place = f" ({short_place(self.line)})" if self.line else ""
            found.append(
                f"{same_start} values of step {self.step} first part at {self.op} ({self.type}){place}: "
                f"difference {self.difference:.1e}, that of its inputs {self.inputs:.1e}."
            )
        if self.is_rounding:
            found.append(
                f"It is a sum that consists only of rounding: it is {self.remainder:.1e} of its terms. An "
                "optimizer that divides by the gradient's magnitude, such as Adam, makes whole steps of it."
            )
        return found

    @property
    def is_rounding(self) -> bool:
        """Says whether the op is a sum of terms that cancel, such as a bias' gradient before batch normalization."""
        return self.remainder < ONLY_ROUNDING


def first_values(this: Record, other: Record, step: int) -> FirstValues:
    """Compares the tensors of two records of a step, of this interpreter and the other."""
    gaps = {
        name: difference(kept, other.tensors[name])
        for name, kept in this.tensors.items()
        if name in other.tensors
    }
    ops = {op.name: op for graph in this.graphs for op in graph.ops}
    found = FirstValues(step, len(gaps), GraphReport(this, other).is_same)
    rounding = None
    for name, gap in gaps.items():
        op = ops[name.partition(":")[0]]
        tensors = [tensor if ":" in tensor else tensor + ":0" for tensor in op.inputs]
        inputs = max([gaps.get(tensor, 0.0) for tensor in tensors], default=0.0)
        if gap > FIRST["gradient"] >= inputs:
            parted = found._replace(
                op=op.name,
                type=op.type,
                line=None if op.place is None else this.places[op.place],
                difference=gap,
                inputs=inputs,
                remainder=_remainder(op, name, tensors, other),
            )
            if not parted.is_rounding:
                return parted
            # Sums of rounding differ in every program that has them; another cause comes first.
            rounding = rounding or parted
    return rounding or found


def _remainder(op: Op, name: str, inputs: List[str], record: Record) -> float:
    """Returns the part of its terms that a sum is, about; 1.0 for another op."""
    terms = [record.tensors[tensor] for tensor in inputs if tensor in record.tensors]
    total = sum(term.norm * math.sqrt(size(term)) for term in terms)  # at least their magnitudes
    result = record.tensors[name]
    return result.largest * size(result) / total if op.type in SUMS and total else 1.0
