"""Compares the records of a script under two interpreters with each other, and with the script's own noise.

The noise is the difference between two runs of one interpreter, the second with every trained value perturbed by one
ulp.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, NamedTuple, Sequence

from tf1grad.old_programs._samples import Sample, change_difference, difference, size
from tf1grad.old_programs.verify.differences import (
    DIFFERS,
    FIRST,
    LATER,
    NOISE_FACTOR,
    NOISY,
    ROUNDING,
    SAME,
    loss_difference,
)
from tf1grad.old_programs.verify.record import Record, Samples


class Measurement(NamedTuple):
    """One difference between two runs, relative to the largest magnitude in the variable, or to an update."""

    step: int  # 0 for the initial values
    what: str  # "initial value", "loss", "gradient", "value", "update", "change" or "steps"
    variable: str | None  # None for losses and steps
    difference: float
    noise: float
    allowed: float


class Comparison:
    """Compares two records, with the noise of a third one: the first interpreter's with perturbed values.

    `parted` is the first `Measurement` that shows that the two differ, or None.
    """

    def __init__(self, this: Record, other: Record, perturbed: Record) -> None:
        self.this, self.other, self.perturbed = this, other, perturbed
        self.records = [this, other, perturbed]
        self.steps = min(len(record.steps) for record in self.records)
        # False if two runs of one interpreter start from different values: nothing can be compared then.
        self.repeats = not any(_differences(this.initial, perturbed.initial).values())
        # What makes the order of the writes after so many steps the system's choice: the steps and the reason.
        unordered = [record.facts.get("unordered") for record in self.records]
        self.unordered: Sequence[Any] | None = min(filter(None, unordered), default=None)
        self.measurements = list(self._measure())
        self.parted = self._first_difference()

    def largest(self, what: str, step: int | None = None) -> Measurement | None:
        """Returns the measurement of one kind with the largest difference, at a step or of all; or None."""
        found = [
            each for each in self.measurements if each.what == what and step in (None, each.step)
        ]
        return max(found, key=lambda each: each.difference, default=None)

    @property
    def hidden(self) -> Measurement | None:
        """Returns the first difference that is too large to be the same and too small to tell from noise; or None."""
        found = (
            each for each in self.measurements if LATER[each.what] < each.difference <= each.allowed
        )
        return next(found, None)

    @property
    def outcome(self) -> str:
        """Returns SAME, DIFFERS or NOISY."""
        if not self.repeats:
            return NOISY
        if self.parted is not None:
            return NOISY if self._may_be_reordered(self.parted) else DIFFERS
        return SAME if self.hidden is None else NOISY

    def _may_be_reordered(self, parted: Measurement) -> bool:
        """Says whether writes in another order, which the system chooses, may explain the difference."""
        if self.unordered is None or parted.what in ("initial value", "steps"):
            return False
        # A step's losses and gradients are those before its writes.
        last_ordered = parted.step - (parted.what in ("loss", "gradient"))
        return int(self.unordered[0]) <= last_ordered

    def _measure(self) -> Iterator[Measurement]:
        ones, others = self.this.initial, self.other.initial
        for name, gap in _differences(ones, others).items():
            yield _measurement(0, "initial value", name, gap, 0.0)
        for number in range(1, self.steps + 1):
            yield from self._measure_step(number)
        if len(self.this.steps) != len(self.other.steps):
            yield _measurement(self.steps + 1, "steps", None, math.inf, 0.0)

    def _measure_step(self, number: int) -> list[Measurement]:
        """Returns the measurements of one step, with the noise of that step.

        The noise of a single number may vanish by chance. So the noise of a variable with one element is at least the
        largest noise of all values at that step. The noise of a loss is at least the median noise of the values that it
        depends on. It is not the largest: a bias before batch normalization is all noise, and does not affect the loss.
        """
        this, other, perturbed = (record.steps[number - 1] for record in self.records)
        is_update = this.kind != "evaluation"
        after = self._value_noises(number)
        before = self._value_noises(number - 1) if is_update else after
        noise = max(before[(len(before) - 1) // 2], loss_difference(this.losses, perturbed.losses))
        loss = _measurement(number, "loss", None, loss_difference(this.losses, other.losses), noise)
        gradients = self._measure_variables(number, "gradient", after[-1])
        values = self._measure_variables(number, "value", after[-1])
        # In the order in which they are computed.
        if not is_update:
            return [*values, loss, *gradients]
        what = "change" if this.kind == "fetch" else "update"
        changes = self._measure_variables(number, what, 0.0)
        return [loss, *gradients, *values, *changes]

    def _measure_variables(self, number: int, what: str, largest: float) -> list[Measurement]:
        """Returns the measurements of one kind; the noise of a single number is at least the `largest` noise."""
        noises = self._gaps(number, what, self.perturbed)
        if what in ROUNDING:
            largest = max(noises.values(), default=0.0)
        values = self.this.steps[number - 1].values
        found = []
        for name, gap in self._gaps(number, what, self.other).items():
            noise = noises.get(name, 0.0)
            if name in values and size(values[name]) == 1:
                noise = max(noise, largest)
            found.append(_measurement(number, what, name, gap, noise))
        return found

    def _gaps(self, number: int, what: str, record: Record) -> dict[str, float]:
        """Returns how far a record differs from this one at a step, by the names of variables or fetched values."""
        this, other = self.this.steps[number - 1], record.steps[number - 1]
        if what == "gradient":
            return _differences(this.gradients, other.gradients)
        if what == "value":
            return _differences(this.values, other.values)
        gaps = {}
        for name in this.values:
            change, other_change = _change(self.this, number, name), _change(record, number, name)
            if change and other_change and change[1].shape == other_change[1].shape:
                gaps[name] = change_difference(change, other_change, ROUNDING[what])
        return gaps

    def _value_noises(self, number: int) -> list[float]:
        """Returns the noise of each variable's values after a step, in ascending order; [0.] if there is none."""
        noises = self._gaps(number, "value", self.perturbed).values() if number else []
        return sorted(noises) or [0.0]

    def _first_difference(self) -> Measurement | None:
        over = [each for each in self.measurements if each.difference > each.allowed]
        over = [each for each in over if each.step == over[0].step and each.what == over[0].what]
        return max(over, key=lambda each: each.difference / (each.allowed or 1.0), default=None)


def _change(record: Record, number: int, name: str) -> tuple[Sample, Sample] | None:
    """Returns a variable before and after a step, or a fetched value when it was first fetched and in this step."""
    before = [step.values for step in record.steps[: number - 1]]
    step = record.steps[number - 1]
    if step.kind != "fetch":
        before = [record.initial, *before][-1:]
    old = next((values[name] for values in before if name in values), None)
    new = step.values.get(name)
    return None if old is None or new is None or old.shape != new.shape else (old, new)


def _measurement(
    step: int, what: str, variable: str | None, gap: float, noise: float
) -> Measurement:
    limits = FIRST if step <= 1 else LATER
    return Measurement(step, what, variable, gap, noise, max(limits[what], NOISE_FACTOR * noise))


def _differences(ones: Samples, others: Samples) -> dict[str, float]:
    """Returns the differences of samples by their names, those of `ones` first."""
    names = dict.fromkeys([*ones, *others])
    return {name: difference(ones.get(name), others.get(name)) for name in names}
