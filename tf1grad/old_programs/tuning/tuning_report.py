"""Prints what was measured: a table, the failures, and the line to run the script with."""

from __future__ import annotations

import contextlib
import os
from typing import Callable, List, Optional, Sequence

from tf1grad.old_programs.tuning.measurements import Measured, Measurements
from tf1grad.old_programs.tuning.settings import DEFAULT

HEADER = ["setting", "start-up s", "ms a step", "CPU ms a step", "memory MB", "losses differ by"]


def as_text(measurements: Measurements, words: Sequence[str]) -> str:
    """Returns the report; `words` are the script and its arguments."""
    rows = [row for row in measurements.rows.values() if row.records]
    if not rows:
        return "Nothing is known yet."
    reference = measurements.reference
    lines = _aligned([HEADER] + [_cells(row, reference) for row in rows])
    lines += ["", f"The losses are compared with those of {reference.setting.name}."]
    for row in measurements.rows.values():
        if row.failure:
            lines += ["", f"{row.setting.name} failed:", row.failure]
    return "\n".join([*lines, "", *_load(), *_advice(measurements, words)])


def _load() -> List[str]:
    """Returns a warning if others use the machine."""
    load, cores = 0.0, os.cpu_count() or 1
    with contextlib.suppress(AttributeError, OSError):  # Windows does not have it
        load = os.getloadavg()[0]
    if load <= 1.5 * cores:
        return []
    return [
        f"The machine is busy: its load is {load:.1f} on {cores} cores. Measure again when it is idle.",
        "",
    ]


def _cells(row: Measured, reference: Measured) -> List[str]:
    difference = None if row is reference else row.difference(reference)
    return [
        row.setting.name,
        f"{row.startup:.1f}",
        _number(row.step, "{:.2f}", 1e3),
        _number(row.cpu, "{:.2f}", 1e3),
        _number(row.memory, "{:.0f}", 1e-6),
        _number(difference, "{:.1e}", 1),
    ]


def _number(value: Optional[float], form: str, factor: float) -> str:
    return "-" if value is None else form.format(value * factor)


def _aligned(rows: List[List[str]]) -> List[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    justify: List[Callable[..., str]] = [str.ljust] + [str.rjust] * (len(widths) - 1)
    return [
        "  ".join(just(cell, width) for just, cell, width in zip(justify, row, widths)).rstrip()
        for row in rows
    ]


def _advice(measurements: Measurements, words: Sequence[str]) -> List[str]:
    best = measurements.best()
    row, default = measurements.rows[best.name], measurements.rows[DEFAULT]
    if best.name == DEFAULT or row.step is None or default.step is None:
        return [
            "No setting is at least 5 % faster than the default. Run it with:",
            "    " + best.command_line(words),
        ]
    return [
        f"{best.name} is the fastest: a step takes {row.step / default.step:.2f} of the default's time. "
        "Run it with:",
        "    " + best.command_line(words),
    ]
