"""Reports a comparison of training steps, as a dict for JSON or as text for people."""

from __future__ import annotations

import json
import math
from typing import Any, Iterator, Mapping, Sequence

from tf1grad.programs._samples import size
from tf1grad.programs.process.messages import counted
from tf1grad.verify.comparison import Comparison, Measurement
from tf1grad.verify.differences import NOISY, SAME
from tf1grad.verify.fresh_folder import shared_folders
from tf1grad.verify.record import TRAINED
from tf1grad.verify.report_lines import interpreter_lines, interpreters, seed_notes

_CLOSENESS = {
    "loss": "losses within {}",
    "value": "values within {} of the largest in each variable",
    "update": "each update within {} of its size",
}
_ROW = "{:>5}  {:<15} {:<15} {:<16}  {:<16}  {:<16}  {}"
_HEADINGS = (
    "step",
    "loss (this)",
    "loss (other)",
    "diff/noise: loss",
    "gradients",
    "values",
    "largest in",
)
_NAMED = 5  # of the variables whose initial values differ


class ValueReport:
    """The report of a comparison, with sentences on where values part if that was looked for."""

    def __init__(self, comparison: Comparison, where_values_part: Sequence[str] = ()) -> None:
        self.comparison, self.where_values_part = comparison, where_values_part
        self.outcome = comparison.outcome

    def as_dict(self, script: str) -> dict[str, Any]:
        """Returns the report, for `json.dumps`. Differences are relative;
        infinite numbers and NaN are strings.
        """
        comparison = self.comparison
        this, other = comparison.this, comparison.other
        different = [
            each._asdict()
            for each in comparison.measurements
            if each.what == "initial value" and each.difference
        ]
        report = json.dumps(
            {
                "script": script,
                "agree": self.outcome == SAME,
                "outcome": self.outcome,
                "verdict": self.verdict(),
                "parted": comparison.parted and comparison.parted._asdict(),
                "interpreters": interpreters(this, other),
                "moved": self._moved(),
                "initial": {
                    "variables": len(this.initial),
                    "values": sum(size(kept) for kept in this.initial.values()),
                    "different": different,
                },
                "steps": [_step(comparison, number) for number in range(1, comparison.steps + 1)],
                "unordered": comparison.unordered,
                "first values": self.where_values_part,
                "notes": self.notes(),
            }
        )
        found: dict[str, Any] = json.loads(report, parse_constant=_number_text)
        return found

    def _moved(self) -> dict[str, int] | None:
        """Returns where values were perturbed, and how many."""
        moved = self.comparison.perturbed[0].facts.moved
        return moved and {"step": moved[0], "values": moved[1]}

    def verdict(self) -> str:
        """Returns the verdict in a sentence or two."""
        comparison = self.comparison
        parted = comparison.parted
        steps = counted(comparison.steps, "step")
        if not comparison.repeats:
            return (
                "Too noisy to tell: the script does not start from the same values twice under one interpreter, so "
                "nothing can be compared."
            )
        if self.outcome == NOISY:
            return self._too_noisy()
        if parted is None:
            return f"The same for {steps}{self._closeness()}."
        if parted.what == "steps":
            this, other = len(comparison.this.steps), len(comparison.other.steps)
            ended = f"one run ended and the other continued ({this} and {other} steps)."
            if comparison.hidden:  # then the steps before are not the same
                return f"They differ at step {parted.step}: {ended}"
            return f"The same for {steps}{self._closeness()}; then {ended}"
        where = f"at step {parted.step}" if parted.step else "before the first step"
        return (
            f"They differ {where}, in {self._name(parted)}: difference {_number(parted.difference)}, noise "
            f"{_number(parted.noise)}{_element(parted)}."
        )

    def _closeness(self) -> str:
        """Returns how closely the losses and updates agree, as the end of a sentence."""
        if self.comparison.is_identical:
            return ", to the last bit"
        found = []
        for what, phrase in _CLOSENESS.items():
            largest = self.comparison.largest(what)
            if largest:
                found.append(phrase.format(_number(largest.difference)))
        samples = " (of large arrays samples)" if self.comparison.sampled else ""
        return ": " + ", ".join(found) + samples

    def _too_noisy(self) -> str:
        comparison = self.comparison
        noisy = comparison.decisive
        assert noisy is not None
        reason = self._reason(noisy)
        if noisy is comparison.parted and comparison.is_reordered and comparison.unordered:
            reason = comparison.unordered[1]
        same = f"The same to step {noisy.step - 1}. " if noisy.step > 1 else ""
        return f"{same}From step {noisy.step} on too noisy to tell: {reason}"

    def _reason(self, noisy: Measurement) -> str:
        """Returns the reason why noise may explain a difference, in a sentence."""
        comparison = self.comparison
        if noisy.what == "steps":
            this, other = len(comparison.this.steps), len(comparison.other.steps)
            perturbed = " and ".join(str(len(record.steps)) for record in comparison.perturbed)
            return (
                f"the runs have {this} and {other} steps, but the number is not the same under one interpreter "
                f"either: with perturbed values it is {perturbed}."
            )
        differs = f"{self._name(noisy)} differs by {_number(noisy.difference)}"
        if math.isnan(noisy.noise):
            return f"{differs}, but its noise is not known: the runs with perturbed values ended before."
        where = f" in {noisy.noise_of}" if noisy.noise_of else ""
        return (
            f"{differs}, but two runs of the same interpreter already differ by "
            f"{_number(noisy.noise)}{where}."
        )

    def _name(self, measurement: Measurement) -> str:
        if measurement.what == "loss":
            return "the loss"
        kind = self.comparison.this.kinds.get(str(measurement.variable), TRAINED)
        of_kind = "" if kind == TRAINED else f"the {kind} "
        return f"the {measurement.what} of {of_kind}{measurement.variable}"

    def notes(self) -> list[str]:
        """Returns sentences that limit or explain the result."""
        comparison = self.comparison
        found = seed_notes(comparison.records)
        shared = sorted(
            {folder for record in comparison.records for folder in shared_folders(record.facts)}
        )
        if shared:
            found.append(
                f"Each run finds the checkpoints that the one before it saved in {', '.join(shared)}. To compare, "
                "remove them first."
            )
        if not any(step.losses for step in comparison.this.steps):
            found.append("No loss is known: none that the script differentiated could be fetched.")
        ended = comparison.perturbed_steps
        if ended < comparison.steps:
            found.append(
                f"A run with perturbed values ended after {counted(ended, 'step')}: it measures no noise of later steps."
            )
        if self._moved() is None:
            found.append(
                "No value could be perturbed: the noise is the difference between two unchanged runs."
            )
        return found

    def as_text(self, script: str) -> str:
        """Returns the report for people."""
        found = self.as_dict(script)
        lines = [f"{script}: {counted(self.comparison.steps, 'step')} under two interpreters"]
        lines += interpreter_lines([self.comparison.this, self.comparison.other])
        if found["moved"]:
            lines.append(
                "  noise  this interpreter again, each of {} perturbed by one ulp before step {}".format(
                    counted(found["moved"]["values"], "value"), found["moved"]["step"]
                )
            )
        initial = found["initial"]
        names = [each["variable"] for each in initial["different"][:_NAMED]]
        starts = "different in " + ", ".join(names) if names else "identical"
        sizes = (
            f"{counted(initial['variables'], 'variable')}, {counted(initial['values'], 'value')}"
        )
        return "\n".join(
            [
                *lines,
                "",
                f"initial values: {sizes}: {starts}",
                *_table(found["steps"]),
                "",
                *("Note: " + note for note in found["notes"]),
                *self.where_values_part,
                found["verdict"],
            ]
        )


def _table(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield _ROW.format(*_HEADINGS)
    for step in steps:
        cells = [step["gradient"], step["value"]]
        differing = [cell["variable"] for cell in cells if cell and cell["difference"]]
        yield _ROW.format(
            step["step"],
            _loss(step["loss"]["this"]),
            _loss(step["loss"]["other"]),
            *map(_cell, [step["loss"], *cells]),
            " ".join(differing),
        )


def _cell(measured: Mapping[str, Any] | None) -> str:
    return f"{_number(measured['difference'])}/{_number(measured['noise'])}" if measured else "-"


def _step(comparison: Comparison, number: int) -> dict[str, Any]:
    this, other = comparison.this.steps[number - 1], comparison.other.steps[number - 1]
    step: dict[str, Any] = {"step": number, "kind": this.kind}
    for what in ("loss", "gradient", "value", "update"):
        largest = comparison.largest(what, number)
        step[what] = largest and largest._asdict()
    step["loss"].update(this=this.losses, other=other.losses)
    return step


def _element(measurement: Measurement) -> str:
    """Returns the element that differs most, as the end of a sentence, or ""."""
    if measurement.element is None:
        return ""
    place, this, other = measurement.element
    it = f"element {place}" if place else "it"
    return f"; {it} is {this:.9g} here and {other:.9g} there"


def _number_text(constant: str) -> str:
    """Returns "inf", "-inf" or "nan" for what Python's JSON has beside numbers."""
    return str(float(constant))


def _number(value: Any) -> str:
    """Returns a difference or a noise in short; "?" for a noise that is not known."""
    number = float(value)
    if math.isnan(number):
        return "?"
    return f"{number:.1e}" if number else "0"


def _loss(losses: Sequence[Any]) -> str:
    return f"{sum(map(float, losses)) / len(losses):.9g}" if losses else "-"
