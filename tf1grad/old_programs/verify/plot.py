"""Draws the two loss curves, and their difference with the noise. No other module imports matplotlib."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, Mapping, Sequence

COLOURS = {"this": "#1f5fa8", "other": "#d9822b", "noise": "#808080"}


def draw(path: str, found: Mapping[str, Any]) -> None:
    """Draws the report `found`, as `comparison_report.as_dict` returns it, to a file in the format of its extension."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(8, 6.5))
    losses, differences = figure.subplots(2, 1, sharex=True)
    steps = [step["step"] for step in found["steps"]]
    styles: Dict[str, Dict[str, Any]] = {
        "other": dict(linewidth=4, alpha=0.7),
        "this": dict(linewidth=1.5, marker="o"),
    }
    for name, style in styles.items():
        facts = found["interpreters"][name]
        losses.plot(
            steps,
            [_mean(step["loss"][name]) for step in found["steps"]],
            color=COLOURS[name],
            markersize=4,
            label=f"{name}: TensorFlow {facts['tensorflow']}, Python {facts['python']}",
            **style,
        )
    values = [value for line in losses.lines for value in line.get_ydata() if value == value]
    if values and min(values) > 0 and max(values) > 20 * min(values):
        losses.set_yscale("log")
    losses.set_ylabel("loss")
    losses.set_title(f"{found['script']}\n{found['verdict']}", fontsize=10, wrap=True)
    _draw_differences(differences, steps, found["steps"])
    differences.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (losses, differences):
        axes.grid(alpha=0.3)
    losses.legend(fontsize=8)
    differences.legend(
        fontsize=8, ncol=3, loc="upper center", bbox_to_anchor=(0.5, -0.17), frameon=False
    )
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def _draw_differences(axes: Any, steps: List[int], rows: Sequence[Mapping[str, Any]]) -> None:
    for what, style, label in (("loss", "o-", "loss"), ("value", "s:", "largest of the variables")):
        cells = [row[what] or {} for row in rows]
        axes.plot(
            steps,
            _positive(cells, "difference"),
            style,
            color=COLOURS["this"],
            markersize=4,
            label="difference: " + label,
        )
        axes.plot(
            steps,
            _positive(cells, "noise"),
            style,
            color=COLOURS["noise"],
            markersize=4,
            label="noise of one ulp: " + label,
        )
    axes.plot(
        steps,
        _positive([row["loss"] for row in rows], "allowed"),
        color="#b03030",
        linewidth=1,
        label="allowed: loss",
    )
    axes.set_yscale("log")
    axes.set_xlabel("step (a difference of zero is not drawn)")
    axes.set_ylabel("relative difference")


def _positive(cells: Iterable[Mapping[str, Any]], key: str) -> List[float]:
    values = [float(cell[key]) if cell.get(key) is not None else math.nan for cell in cells]
    return [value if 0 < value < math.inf else math.nan for value in values]


def _mean(losses: Sequence[Any]) -> float:
    return sum(map(float, losses)) / len(losses) if losses else math.nan
