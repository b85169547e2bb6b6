"""Records the graphs of a script under two interpreters, or under one to compare with a file."""

from __future__ import annotations

import sys
from typing import Any, Dict, NamedTuple, Optional, Sequence

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.verify.graphs.graph_record import MAGIC, GraphRecord
from tf1grad.old_programs.verify.graphs.graph_report import GraphReport
from tf1grad.old_programs.verify.script_processes import ScriptFailed, ScriptProcesses

# Python orders sets by the hashes of their elements: of texts, and the addresses of objects. The third building has
# another order than the first two.
HASH_SEED, OTHER_HASH_SEED = "0", "1"


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


def record_graphs(processes: ScriptProcesses, side: Side, program: Program, hash_seed: str = HASH_SEED,
                  **more: Any) -> GraphRecord:
    """Returns the graphs of a program under an interpreter; if it failed, the fact "failure" says how."""
    options = {"steps": program.steps or 1, "seed": program.seed, "other_addresses": hash_seed != HASH_SEED,
               "run": list(program.command), "recorder": {"any_run": program.steps is not None, **more}}
    record, failure = processes.attempt(GraphRecord, *side, options, {"PYTHONHASHSEED": hash_seed})
    record.facts.update(program.facts())
    if failure:
        record.facts["failure"] = failure
    return record


def compare_interpreters(processes: ScriptProcesses, other: str, program: Program,
                         recorded: Optional[GraphRecord] = None, file: Optional[str] = None) -> GraphReport:
    """Returns the report on a program under this interpreter and another, or the graphs `recorded` of it.

    If the graphs differ, the interpreter with TensorFlow 1.15, or else the other one, builds them once more, with
    another order of Python's sets: a program may differ from itself. Its graphs are saved in `file`.
    """
    there_side = Side("the other interpreter", other)
    this = record_graphs(processes, THIS, program)
    there = recorded or record_graphs(processes, there_side, program)
    if not this.graphs and not there.graphs:
        raise ScriptFailed(this.facts.get("failure") or there.facts.get("failure")
                           or "the script ended and built no graph.")
    is_this = is_reference(this, there)
    reference, side = (this, THIS) if is_this else (there, there_side)
    if file and "failure" not in reference.facts:
        reference.save(file)
    report = GraphReport(this, there)
    if report.parted is None or report.failures or recorded and not is_this:
        return report
    again = record_graphs(processes, side._replace(name=side.name + ", again"), program, OTHER_HASH_SEED)
    return GraphReport(this, there, again, is_this)


def is_reference(this: GraphRecord, there: GraphRecord) -> bool:
    """Says whether this interpreter alone has TensorFlow 1.15; otherwise the other one is the reference."""
    versions = [str(record.facts.get("tensorflow")) for record in (this, there)]
    return [version.startswith("1.15.") for version in versions] == [True, False]
