"""Records the graphs of a script under two interpreters, or under one to compare with a file."""

from __future__ import annotations

import sys
from typing import Any, Dict, NamedTuple, Optional, Sequence

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.verify.graphs.graph_record import MAGIC, GraphRecord
from tf1grad.old_programs.verify.graphs.graph_report import GraphReport
from tf1grad.old_programs.verify.script_processes import ScriptFailed, ScriptProcesses


class Side(NamedTuple):
    """An interpreter, with its name for messages."""

    name: str
    python: str


THIS = Side("this interpreter", sys.executable)


class Program(NamedTuple):
    """A program to build. If `steps` is None, it ends at the first training step, and other runs never count."""

    command: Sequence[str]
    name: str
    steps: Optional[int]
    seed: int

    def facts(self) -> Dict[str, Any]:
        """Returns what a recorded file must share with a program that is compared with it."""
        return {"script": self.name, "steps": self.steps or 1, "seed": self.seed}


def is_recorded_file(path: str) -> bool:
    """Says whether `path` is a file that was recorded; an interpreter is not compressed."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def load_recorded(path: str, program: Program) -> GraphRecord:
    """Returns the graphs in a file, which must be those of `program`."""
    try:
        record = GraphRecord.load(path)
    except ValueError as error:
        raise UsageError(f"--against: {error}") from error
    for name, value in program.facts().items():
        found = record.facts.get(name)
        if found != value:
            raise UsageError(f"--against: {path} was recorded with the {name} {found!r}; this is {value!r}. Record it "
                             "again with --record-graph, or give the same options.")
    return record


def record_graphs(processes: ScriptProcesses, side: Side, program: Program, is_reordered: bool = False,
                  **more: Any) -> GraphRecord:
    """Returns the graphs of a program under an interpreter; if it failed, the fact "failure" says how.

    With `is_reordered` Python's sets have another order, which the hashes of texts and the addresses of objects give.
    """
    options = {"steps": program.steps or 1, "seed": program.seed, "other_addresses": is_reordered,
               "run": list(program.command), "recorder": {"any_run": program.steps is not None, **more}}
    record, failure = processes.attempt(GraphRecord, *side, options, {"PYTHONHASHSEED": "1" if is_reordered else "0"})
    record.facts.update(program.facts())
    if failure:
        record.facts["failure"] = failure
    return record


def compare_interpreters(processes: ScriptProcesses, other: str, program: Program,
                         recorded: Optional[GraphRecord] = None, file: Optional[str] = None) -> GraphReport:
    """Returns the report on a program under this interpreter and another, or the graphs `recorded` of it.

    If the graphs differ, the reference builds them once more, with another order of Python's sets: a program may differ
    from itself. The reference's graphs are saved in `file`.
    """
    there_side = Side("the other interpreter", other)
    this = record_graphs(processes, THIS, program)
    there = recorded or record_graphs(processes, there_side, program)
    if not this.graphs and not there.graphs:
        raise ScriptFailed(this.facts.get("failure") or there.facts.get("failure")
                           or "the script ended and built no graph.")
    report = GraphReport(this, there)
    side = THIS if report.reference is this else there_side
    if file and "failure" not in report.reference.facts:
        report.reference.save(file)
    if report.parted is None or report.failures or recorded and side is there_side:
        return report
    return GraphReport(this, there, record_graphs(processes, side._replace(name=side.name + ", again"), program, True))
