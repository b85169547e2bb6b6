"""Draws the two loss curves, and their difference with the noise. No other module imports matplotlib."""

from __future__ import annotations

import math
from typing import Any, List, Mapping, Optional, Sequence


def draw(path: str, found: Mapping[str, Any]) -> None:
    """Draws the report `found`, as `ValueReport.as_dict` returns it, to a file in the format of its extension."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(8, 6.5))
    losses, differences = figure.subplots(2, 1, sharex=True)
    steps = [step["step"] for step in found["steps"]]
    for name, style in (("other", "-"), ("this", "o-")):
        facts = found["interpreters"][name]
        label = f"{name}: TensorFlow {facts['tensorflow']}, Python {facts['python']}"
        means = [_mean(step["loss"][name]) for step in found["steps"]]
        losses.plot(steps, means, style, label=label)
    losses.set_ylabel("loss")
    losses.set_title(f"{found['script']}\n{found['verdict']}", fontsize=10, wrap=True)
    for what, label in (("loss", "loss"), ("value", "largest of the variables")):
        cells = [step[what] for step in found["steps"]]
        differences.plot(steps, _positive(cells, "difference"), "o-", label="difference: " + label)
        differences.plot(steps, _positive(cells, "noise"), "s:", label="noise: " + label)
    allowed = _positive([step["loss"] for step in found["steps"]], "allowed")
    differences.plot(steps, allowed, label="allowed: loss")
    differences.set_yscale("log")
    differences.set_xlabel("step (a difference of zero is not drawn)")
    differences.set_ylabel("relative difference")
    differences.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (losses, differences):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def _positive(cells: Sequence[Optional[Mapping[str, Any]]], key: str) -> List[float]:
    """Returns the numbers for a logarithmic axis, with NaN for those that it cannot show."""
    values = [float(cell[key]) if cell else math.nan for cell in cells]
    return [value if 0 < value < math.inf else math.nan for value in values]


def _mean(losses: Sequence[Any]) -> float:
    return sum(map(float, losses)) / len(losses) if losses else math.nan
