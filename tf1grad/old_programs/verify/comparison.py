"""Compares the records of a script under two interpreters with each other, and with the script's own noise.

The noise is the difference between two runs of one interpreter, the second with every trained value perturbed by one
ulp.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional

from tf1grad.old_programs._samples import difference, size
from tf1grad.old_programs.verify.differences import (
    CONCLUSIVE,
    DIFFERS,
    FIRST_GRADIENTS,
    FIRST_LOSS,
    LATER,
    LATER_GRADIENTS,
    NOISE_FACTOR,
    NOISY,
    SAME,
    loss_difference,
)
from tf1grad.old_programs.verify.first_values import FirstValues
from tf1grad.old_programs.verify.recorded_steps import Record


class Measurement(NamedTuple):
    """One difference between two runs, relative to the largest magnitude in the variable."""

    step: int  # 0 for the initial values
    what: str  # "initial value", "loss", "gradient", "value" or "steps"
    variable: Optional[str]  # None for losses and steps
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
        self.repeats = all(
            difference(kept, perturbed.initial.get(name)) == 0
            for name, kept in this.initial.items()
        )
        # The largest numbers of threads, and of the script's processes, that trained: the system orders their steps.
        self.threads, self.processes = (
            max(int(record.facts.get(name, 1)) for record in self.records)
            for name in ("threads", "processes")
        )
        # The fetches that race, by name, with what the recorder notes of them.
        self.races: Dict[str, Any] = {
            name: race
            for record in self.records
            for name, race in sorted(record.facts.get("races", {}).items())
        }
        self.measurements = list(self._measure())
        self.parted = self._first_difference()
        self.first_values: Optional[FirstValues] = None

    def of(self, step: int, what: str) -> List[Measurement]:
        """Returns the measurements of one kind at one step."""
        return [each for each in self.measurements if (each.step, each.what) == (step, what)]

    def largest(self, step: int, what: str) -> Optional[Measurement]:
        """Returns the measurement of one kind with the largest difference at a step; None if the step has none."""
        return max(self.of(step, what), key=lambda each: each.difference, default=None)

    @property
    def hidden(self) -> Optional[Measurement]:
        """Returns the first difference that is too large to be the same and too small to tell from noise; or None."""
        return next(
            (
                each
                for each in self.measurements
                if CONCLUSIVE[each.what] < each.difference <= each.allowed
            ),
            None,
        )

    @property
    def outcome(self) -> str:
        """Returns SAME, DIFFERS or NOISY."""
        if not self.repeats:
            return NOISY
        if self.parted is not None:
            return NOISY if self._may_be_reordered(self.parted) else DIFFERS
        return SAME if self.hidden is None else NOISY

    def _may_be_reordered(self, parted: Measurement) -> bool:
        """Says whether steps or writes in another order, which the system chooses, may explain the difference."""
        if parted.what not in ("loss", "gradient", "value"):
            return False
        raced = any(
            race["writes"]
            and (
                race["step"] < parted.step
                or race["step"] == parted.step
                and (parted.what == "value" or race["within"])
            )
            for race in self.races.values()
        )
        return self.threads > 1 or self.processes > 1 or raced

    def _measure(self) -> Iterator[Measurement]:
        for name in _names(self.this.initial, self.other.initial):
            kept = self.this.initial.get(name)
            # Zero in a script that repeats itself: the perturbation comes later.
            noise = difference(kept, self.perturbed.initial.get(name))
            yield Measurement(
                0, "initial value", name, difference(kept, self.other.initial.get(name)), noise, 0.0
            )
        for number in range(1, self.steps + 1):
            yield from self._measure_step(number)
        if len(self.this.steps) != len(self.other.steps):
            yield Measurement(self.steps + 1, "steps", None, math.inf, 0.0, 0.0)

    def _measure_step(self, number: int) -> Iterator[Measurement]:
        """Yields the measurements of one step, with the noise of that step.

        The noise of a single number may vanish by chance. So the noise of a variable with one element is at least the
        largest noise of all values at that step. The noise of a loss is at least the median noise of the values that it
        depends on. It is not the largest: a bias before batch normalization is all noise, and does not affect the loss.
        """
        this, other, perturbed = (record.steps[number - 1] for record in self.records)
        limits = {"loss": LATER, "gradient": LATER_GRADIENTS, "value": LATER}
        if number == 1:
            limits.update(loss=FIRST_LOSS, gradient=FIRST_GRADIENTS)
        is_update = this.kind == "apply"
        after = self._value_noises(number)
        before = self._value_noises(number - 1) if is_update else after

        def measured(what: str, name: Optional[str], gap: float, noise: float) -> Measurement:
            return Measurement(
                number, what, name, gap, noise, max(limits[what], NOISE_FACTOR * noise)
            )

        for what in ("loss", "gradient", "value") if is_update else ("value", "loss", "gradient"):
            if what == "loss":
                median = before[(len(before) - 1) // 2]
                yield measured(
                    what,
                    None,
                    loss_difference(this.losses, other.losses),
                    max(median, loss_difference(this.losses, perturbed.losses)),
                )
                continue
            ours, theirs, noisy = (getattr(step, what + "s") for step in (this, other, perturbed))
            for name in _names(ours, theirs):
                noise = difference(ours.get(name), noisy.get(name))
                if name in ours and size(ours[name]) == 1:
                    noise = max(noise, after[-1])
                yield measured(what, name, difference(ours.get(name), theirs.get(name)), noise)

    def _value_noises(self, number: int) -> List[float]:
        """Returns the noise of each variable's values after a step, in ascending order; [0.] if there is none."""
        if number == 0:
            return [0.0]
        perturbed = self.perturbed.steps[number - 1].values
        ours = self.this.steps[number - 1].values
        return sorted(difference(kept, perturbed.get(name)) for name, kept in ours.items()) or [0.0]

    def _first_difference(self) -> Optional[Measurement]:
        over = [each for each in self.measurements if each.difference > each.allowed]
        over = [each for each in over if (each.step, each.what) == (over[0].step, over[0].what)]
        return max(over, key=lambda each: each.difference / (each.allowed or 1.0), default=None)


def _names(ones: Iterable[str], others: Iterable[str]) -> List[str]:
    return list(dict.fromkeys([*ones, *others]))
