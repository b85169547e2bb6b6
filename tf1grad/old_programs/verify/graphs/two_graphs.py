"""Records the graphs of a script under two interpreters, or under one to compare with a file."""

from __future__ import annotations

from typing import Any, Dict, Optional

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.verify.graphs.graph_record import MAGIC, GraphRecord
from tf1grad.old_programs.verify.graphs.graph_report import GraphReport
from tf1grad.old_programs.verify.script_processes import (
    Program,
    ScriptFailed,
    ScriptProcesses,
    Side,
)

THIS = Side("this interpreter")


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
    for name, value in _facts(program).items():
        found = record.facts.get(name)
        if found != value:
            raise UsageError(
                f"--against: {path} was recorded with the {name} {found!r}; this is {value!r}. Record it "
                "again with --record-graph, or give the same options."
            )
    return record


def _facts(program: Program) -> Dict[str, Any]:
    """Returns what a recorded file must share with a program that is compared with it."""
    return {"script": program.name, "steps": program.steps or 1, "seed": program.seed}


def record_graphs(
    processes: ScriptProcesses,
    side: Side,
    program: Program,
    is_reordered: bool = False,
    **recorder: Any,
) -> GraphRecord:
    """Returns the graphs of a program under an interpreter; if it failed, the fact "failure" says how.

    Without `steps` the program ends at the first training step, and other runs never count. Further arguments are those
    of `attempt` and of the recorder.
    """
    recorder = {"any_run": program.steps is not None, **recorder}
    record, failure = processes.attempt(
        GraphRecord, side, program, recorder, is_reordered=is_reordered
    )
    record.facts.update(_facts(program))
    if failure:
        record.facts["failure"] = failure
    return record


def compare_interpreters(
    processes: ScriptProcesses,
    other: str,
    program: Program,
    recorded: Optional[GraphRecord] = None,
    file: Optional[str] = None,
) -> GraphReport:
    """Returns the report on a program under this interpreter and another, or the graphs `recorded` of it.

    If the graphs differ, the reference builds them once more, with another order of Python's sets: a program may differ
    from itself. The reference's graphs are saved in `file`.
    """
    there_side = Side("the other interpreter", other)
    this = record_graphs(processes, THIS, program)
    there = recorded or record_graphs(processes, there_side, program)
    if not this.graphs and not there.graphs:
        raise ScriptFailed(
            this.facts.get("failure")
            or there.facts.get("failure")
            or "the script ended and built no graph."
        )
    report = GraphReport(this, there)
    side = THIS if report.reference is this else there_side
    if file and "failure" not in report.reference.facts:
        report.reference.save(file)
    if report.parted is None or report.failures or recorded and side is there_side:
        return report
    return GraphReport(
        this,
        there,
        record_graphs(processes, side._replace(name=side.name + ", again"), program, True),
    )
