"""Finds the op at which the values of two interpreters first part, in the step where `verify` saw a difference.

Each interpreter trains up to that step once more. Then it fetches every floating-point tensor that the step computes
before it writes, at the variables and feeds of this interpreter.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional

from tf1grad.old_programs._samples import difference
from tf1grad.old_programs.verify.differences import FIRST_GRADIENTS
from tf1grad.old_programs.verify.graphs import two_graphs
from tf1grad.old_programs.verify.graphs.graph_record import GraphRecord, Op
from tf1grad.old_programs.verify.graphs.graph_report import GraphReport, short_place
from tf1grad.old_programs.verify.script_processes import Program, ScriptProcesses, Side

# A sum whose terms cancel to less than this part of them, in float32, is rounding.
ONLY_ROUNDING = 1e-5


class FirstValues(NamedTuple):
    """Describes where values part."""

    step: int  # the step, from 1
    tensors: int  # how many tensors were compared; 0 if they could not be fetched
    identical_graphs: bool  # up to the step, except for known differences and where the program differs from itself
    op: Optional[Op] = (
        None  # the first whose output differs and whose inputs do not; not a sum of rounding if possible
    )
    line: Optional[List[Any]] = None  # the user's line that made it
    difference: float = 0.0  # how far its output differs, relative to the largest magnitude in it
    inputs: float = 0.0  # how far the tensors that it reads differ
    remainder: Optional[float] = (
        None  # of a sum: its largest element, relative to the mean sum of its terms' sizes
    )
    reference: str = ""  # the interpreter that was run twice, by its TensorFlow
    repeated: Optional[float] = None  # how far the output differs between two runs of the reference
    differs_from_itself: bool = (
        False  # whether the program's own graphs differ by the order of Python's sets
    )

    def sentences(self) -> List[str]:
        """Returns what was found, for people."""
        graphs = (
            "The graphs are identical."
            if self.identical_graphs
            else "The graphs differ, which may be the cause: see verify --graph."
        )
        if self.identical_graphs and self.differs_from_itself:
            graphs = "The graphs differ only where the program also differs from itself, by the order of Python's sets."
        if not self.tensors:
            return [graphs, f"The tensors of step {self.step} could not be fetched."]
        if self.op is None:
            return [
                graphs,
                f"At the same variables and feeds, the {self.tensors:,} tensors that step {self.step} "
                "computes agree: the difference grew over the steps before, or is in the update.",
            ]
        place = f" ({short_place(self.line)})" if self.line else ""
        found = [
            graphs,
            f"At the same variables and feeds, the values of step {self.step} first part at "
            f"{self.op.name} ({self.op.type}){place}: difference {self.difference:.1e}, that of its inputs "
            f"{self.inputs:.1e}.",
        ]
        if self.repeated:
            found.append(
                f"Two runs under TensorFlow {self.reference} differ there by {self.repeated:.1e}: random "
                "numbers without a seed, or threads that race."
            )
        elif self.repeated is not None:
            found.append(f"Two runs under TensorFlow {self.reference} are equal there.")
        if self.is_rounding:
            found.append(
                f"It is a sum that consists only of rounding: it is {self.remainder:.1e} of its terms. An "
                "optimizer that divides by the gradient's magnitude, such as Adam, makes whole steps of it."
            )
        return found

    @property
    def is_rounding(self) -> bool:
        """Says whether the op is a sum of terms that cancel, such as a bias' gradient before batch normalization."""
        return self.remainder is not None and self.remainder < ONLY_ROUNDING

    def as_dict(self) -> Dict[str, Any]:
        """Returns what was found, by the names of the JSON report."""
        return {
            "step": self.step,
            "tensors": self.tensors,
            "identical graphs": self.identical_graphs,
            "op": self.op and {"name": self.op.name, "type": self.op.type, "line": self.line},
            "only rounding": self.is_rounding,
            "reference": self.reference,
            "difference": self.difference,
            "inputs": self.inputs,
            "remainder": self.remainder,
            "repeated": self.repeated,
        }


def find_first_values(
    processes: ScriptProcesses, other: str, program: Program, step: int
) -> Optional[FirstValues]:
    """Returns where values part at a step, from 1; None if an interpreter does not reach it again."""
    program = program._replace(steps=step)
    state = os.path.join(processes.folder, "state")

    def fetch(side: Side, again: str = "", is_reordered: bool = False) -> Optional[GraphRecord]:
        side = side._replace(name=f"{side.name}, tensors of step {step}{again}")
        record = two_graphs.record_graphs(
            processes, side, program, is_reordered, any_run=False, state=state
        )
        return record if record.facts.get("ended") == "recorder" else None

    there_side = Side("the other interpreter", other)
    this = fetch(two_graphs.THIS)
    there = this and fetch(there_side)
    if this is None or there is None:
        return None
    report = GraphReport(this, there)
    side = two_graphs.THIS if report.reference is this else there_side
    return first_values(this, there, fetch(side, " again", report.parted is not None), step)


def first_values(
    this: GraphRecord, other: GraphRecord, again: Optional[GraphRecord], step: int
) -> FirstValues:
    """Compares the tensors of records: of this interpreter, the other, and the reference of both again."""
    report = GraphReport(this, other, again)
    reference = report.reference
    both = [name for name in this.tensors if name in other.tensors]
    gaps = {
        name: difference(this.tensors[name].sample, other.tensors[name].sample) for name in both
    }
    ops = {op.name: op for graph in this.graphs for op in graph.ops}
    found = FirstValues(
        step,
        len(both),
        report.parted is None,
        reference=str(reference.facts.get("tensorflow")),
        differs_from_itself=any(graph.unstable for graph in report.graphs),
    )
    parted = []
    for name in both:
        op = ops[name.partition(":")[0]]
        inputs = max(
            [gaps.get(each if ":" in each else each + ":0", 0.0) for each in op.inputs] or [0.0]
        )
        if gaps[name] > FIRST_GRADIENTS >= inputs:
            repeated = None
            if again and name in again.tensors:
                repeated = difference(reference.tensors[name].sample, again.tensors[name].sample)
            parted.append(
                found._replace(
                    op=op,
                    line=None if op.place is None else this.places[op.place],
                    difference=gaps[name],
                    inputs=inputs,
                    remainder=other.tensors[name].remainder,
                    repeated=repeated,
                )
            )
    # Sums of rounding differ in every program that has them; another cause comes first.
    return next((each for each in parted if not each.is_rounding), parted[0] if parted else found)
