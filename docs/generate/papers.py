"""Generates the tables of the figures of papers from the files in `legacy_examples/papers`."""

import os
import sys

from project import ROOT

sys.path.append(os.path.join(ROOT, "legacy_examples", "papers"))

import paper_files  # noqa: E402, importable because of the line above
from paper_files import ENOUGH_RUNS, REFERENCE  # noqa: E402


def whole():
    """Returns the table of the figures that both sides have in enough runs."""
    return "\n".join(_head() + [row for enough, row in _rows() if enough])


def few():
    """Returns the table of the figures that one side has in too few runs to tell its spread."""
    return "\n".join(_head() + [row for enough, row in _rows() if not enough])


def _head():
    """Returns the lines of the titles; short ones, so that a table fits beside both sidebars."""
    shown = {REFERENCE: "1.15.5", "run": "`run`", "run --kernels eigen": "`run`, Eigen"}
    sides = [shown[side] for side in _sides()]
    titles = ["program, field", "figure", "the paper's", *sides, "CPU seconds of each"]
    return ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]


def _sides():
    """Returns the sides that a figure was measured on, each a column."""
    measured = [
        run["measured"]
        for name in paper_files.names()
        for run in paper_files.read(name)["runs"].values()
        if "measured" in run
    ]
    return [side for side in paper_files.SIDES if any(side in each for each in measured)]


def notes():
    """Returns a list of what a reader must know of each program."""
    lines = []
    for name in paper_files.names():
        paper = paper_files.read(name)
        lines.append(f"- **{name}**: {paper['note']} Licence: {paper['licence']}.")
        lines += [f"    - `{run}` failed: {why}" for run, why in paper.get("failed", {}).items()]
    return "\n".join(lines)


def versions():
    """Returns the versions that figures were measured with,
    a line for each side and program that differs.
    """
    found = {}
    for name in paper_files.names():
        paper = paper_files.read(name)
        if any("measured" in run for run in paper["runs"].values()):
            for side, text in paper.get("versions", {}).items():
                found.setdefault((side, text), []).append(name)
    return "\n".join(
        f"- `{side}`: {text} ({', '.join(programs)})" for (side, text), programs in found.items()
    )


def _rows():
    """Yields whether the runs of a measured figure are enough, and its row."""
    sides = _sides()
    for name in paper_files.names():
        paper = paper_files.read(name)
        for run_name, run in paper["runs"].items():
            for index, figure in enumerate(run["figures"] if "measured" in run else []):
                yield _row(name, paper, run_name, run, index, figure, sides)


def _row(name, paper, run_name, run, index, figure, sides):
    measured = {side: paper_files.measured(run, side, index) for side in paper_files.SIDES}
    enough = all(len(measured[side]) >= ENOUGH_RUNS for side in (REFERENCE, "run"))
    tree = f"{paper['repository']}/tree/{paper['commit'][:7]}"
    cells = [
        f"[{name}]({tree}) {run_name}, {paper['field']}",
        figure["name"],
        _published(paper, figure),
        *(_measured(figure, measured, side) for side in sides),
        ", ".join(_seconds(run, side) for side in sides),
    ]
    return enough, "| " + " | ".join(cells) + " |"


def _published(paper, figure):
    """Returns the paper's value with a link to the page where it was seen."""
    reference = f"[{paper['reference']}]({paper['link']})"
    if figure["paper"] is None:
        return f"not seen ({reference})"
    unit = " " + figure["unit"] if "unit" in figure else ""
    seen = f"; seen [here]({figure['seen']})"
    return f"{figure['paper']}{unit} ({reference}, {figure['table']}{seen})"


def _measured(figure, measured, side):
    """Returns mean, deviation and number of runs,
    in bold if the mean lies outside the spread of 1.15.5.
    """
    if not measured[side]:
        return "not run"
    spread = paper_files.spread(measured[side])
    text = paper_files.shown(spread.mean, figure)
    if spread.count > 1:
        text += f" ± {paper_files.shown(spread.deviation, figure)}"
    outside = len(measured[REFERENCE]) >= ENOUGH_RUNS and not paper_files.spread(
        measured[REFERENCE]
    ).contains(spread.mean)
    text = f"**{text}**" if outside else text
    return f"{text} ({spread.count})"


def _seconds(run, side):
    seconds = paper_files.seconds(run, side)
    return "-" if seconds is None else f"{seconds:.0f}"
