"""Reads the files of papers, and computes the mean and the spread of measured figures.

`NAME.json` describes the program of a paper and what was measured. It holds no line of the program:

- title, reference, link, field: the paper
- repository, commit, licence, files: what git brings; `files` are pathspecs
- folder, environment, requirements, options: where and how it runs; `options` are those of `tf1grad
  run`, and `requirements` are added to the folder's requirements.txt
- python2: whether it is for Python 2; TensorFlow 1.15 for Python 3 then runs it through `tf1grad
  run`, as notebooks
- make_folders: the folders that the program writes to and does not make
- seed: the `option` that gives it, or the `file`, `lines` and `value` that are replaced, or null
- note: what a reader must know beside that; failed: the runs that do not work, and why
- versions: of the packages that it was measured with
- runs: for each its command, its figures, the first losses (`quick`), and what was measured; also
  the commands that come `before`, and the `changes` of settings in the program's text: `file`,
  `lines`, `value`, and `by` what it is replaced

The CPU `seconds` of a measured run are null if no Python file had been compiled before it.

A figure has the paper's value, its table, and the page where it was `seen`: all null if no page was
seen to have it. The pattern with one group finds it in the output: the last match, or the one that
`match` numbers. It is multiplied by `scale`, and shown with `digits` digits.
"""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any, NamedTuple

FOLDER = os.path.dirname(os.path.abspath(__file__))
REFERENCE = "1.15.5"
# The sides that were measured: the program on TensorFlow 1.15.5, and unmodified under run.
SIDES = (REFERENCE, "run --kernels eigen", "run")
ENOUGH_RUNS = 3
# 97.5 % quantiles of Student's t by degrees of freedom, from 1 on.
T_QUANTILES = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)


class Spread(NamedTuple):
    """The mean, the standard deviation and the number of measured figures."""

    mean: float
    deviation: float
    count: int

    def interval(self) -> tuple[float, float]:
        """Returns the 95 % interval of one further run, if figures are distributed normally.

        $mean \\pm t_{n-1}\\, deviation \\sqrt{1 + 1/n}$
        """
        t = T_QUANTILES[min(self.count - 2, len(T_QUANTILES) - 1)]
        half = t * self.deviation * math.sqrt(1 + 1 / self.count)
        return self.mean - half, self.mean + half

    def contains(self, figure: float) -> bool:
        """Says whether a figure lies in the interval; nothing else than rounding is added to it."""
        low, high = self.interval()
        return low - 1e-9 <= figure <= high + 1e-9


def spread(figures: list[float]) -> Spread:
    """Returns the mean and the standard deviation (divided by n - 1) of figures."""
    count = len(figures)
    mean = sum(figures) / count
    squares = sum((figure - mean) ** 2 for figure in figures)
    return Spread(mean, math.sqrt(squares / (count - 1)) if count > 1 else 0.0, count)


def names() -> list[str]:
    """Returns the names of all papers."""
    return sorted(name[: -len(".json")] for name in os.listdir(FOLDER) if name.endswith(".json"))


def read(name: str) -> dict[str, Any]:
    """Returns what the file of a paper says."""
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        paper: dict[str, Any] = json.load(file)
    return paper


def write(name: str, paper: dict[str, Any]) -> None:
    """Writes the file of a paper, with one line for each measured run."""
    text = json.dumps(paper, indent=2, ensure_ascii=False)
    innermost = re.compile(r"(?<=[\[{])\s+([^\[\]{}]*?)\s+(?=[\]}])")
    for _ in range(2):  # a list of figures, then the run that has it
        text = innermost.sub(lambda match: re.sub(r"\n\s+", " ", match.group(1)), text)
    with open(os.path.join(FOLDER, name + ".json"), "w", encoding="utf-8") as file:
        file.write(text + "\n")


def measured(run: dict[str, Any], side: str, index: int) -> list[float]:
    """Returns the recorded figures of one side: the `index`-th figure of each of its runs."""
    return [each["figures"][index] for each in run.get("measured", {}).get(side, [])]


def measured_with(run: dict[str, Any], side: str, index: int, seed: int | None) -> list[float]:
    """Returns the recorded figures of the runs of one side that had a seed;
    none for a run without one.
    """
    runs = run.get("measured", {}).get(side, []) if seed is not None else []
    return [each["figures"][index] for each in runs if each["seed"] == seed]


def seconds(run: dict[str, Any], side: str) -> float | None:
    """Returns the mean CPU seconds of the recorded runs of one side that have them."""
    runs = run.get("measured", {}).get(side, [])
    found = [each["seconds"] for each in runs if each["seconds"] is not None]
    return sum(found) / len(found) if found else None


def shown(figure: float, description: dict[str, Any]) -> str:
    """Returns a figure as the paper's table prints it,
    with one more digit than the table if it says so.
    """
    return f"{figure:.{description['digits']}f}"


def published(description: dict[str, Any]) -> str:
    """Returns the paper's value of a figure with its unit and table,
    or that no page was seen to have it.
    """
    if description["paper"] is None:
        return "not seen"
    return (
        f"{description['paper']} {description.get('unit', '')}".strip()
        + f" ({description['table']})"
    )
