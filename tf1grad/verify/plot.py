"""Draws the two loss curves, and their difference with the noise.
No other module imports matplotlib.
"""

import math
from typing import Any, Mapping, Sequence


def draw(path: str, found: Mapping[str, Any]) -> None:
    """Draws the report `found`, as `ValueReport.as_dict` returns it,
    to a file in the format of its extension.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6.5))
    losses, differences = figure.subplots(2, 1, sharex=True)
    steps = [step["step"] for step in found["steps"]]
    measured = [step["loss"] for step in found["steps"]]
    for name, style in (("other", "-"), ("this", "o-")):
        facts = found["interpreters"][name]
        label = f"{name}: TensorFlow {facts['tensorflow']}, Python {facts['python']}"
        losses.plot(steps, [_mean(loss[name]) for loss in measured], style, label=label)
    losses.set_ylabel("loss")
    losses.set_title(f"{found['script']}\n{found['verdict']}", fontsize=10, wrap=True)
    for what, style in (("difference", "o-"), ("noise", "s:"), ("allowed", "-")):
        values = [float(loss[what]) for loss in measured]
        differences.plot(steps, values, style, label=f"{what} of the loss")
    differences.set_yscale("log", nonpositive="mask")
    differences.set_xlabel("step (a difference of zero is not drawn)")
    differences.set_ylabel("relative difference")
    for axes in (losses, differences):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def _mean(losses: Sequence[Any]) -> float:
    return sum(map(float, losses)) / len(losses) if losses else math.nan
