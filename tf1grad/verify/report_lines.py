"""Holds the lines that the reports of values and of graphs share."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Sequence

from tf1grad.verify.record import Record


def interpreters(this: Record, other: Record) -> dict[str, Any]:
    """Returns the facts of the records of both interpreters, for a report in JSON."""
    return {
        "this": dataclasses.asdict(this.facts),
        "other": dataclasses.asdict(other.facts),
    }


def interpreter_lines(records: Sequence[Record]) -> list[str]:
    """Returns a line on the interpreter of each record, of this one and the other."""
    return [
        f"  {name:<6} Python {record.facts.python}, TensorFlow {record.facts.tensorflow}, NumPy "
        f"{record.facts.numpy}  {record.facts.executable}"
        for name, record in zip(("this", "other"), records)
    ]


def seed_notes(records: Sequence[Record]) -> list[str]:
    """Returns a sentence on the seed that graphs got, in a list;
    an empty list if the script seeds them.
    """
    seeds = [record.facts.seeded for record in records if record.facts.seeded is not None]
    if not seeds:
        return []
    return [
        f"The script leaves random ops without a seed; their graphs were given the seed {seeds[0]}."
    ]


def short_place(line: Sequence[Any]) -> str:
    """Returns the file, number and text of a line;
    the file is relative to the current folder if it is in there.
    """
    file, number, text = line
    relative = os.path.relpath(file)
    if relative.startswith(os.pardir):
        relative = file
    return f"{relative}:{number}: {text}"
