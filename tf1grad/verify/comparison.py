"""Compares the records of a script under two interpreters with each other,
and with the script's own noise.

The noise is the difference between two runs of one interpreter, the second with every trained value
perturbed by one ulp.
"""

from __future__ import annotations

import math
from typing import Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from tf1grad.programs._samples import (
    Gap,
    Sample,
    change_difference,
    gap,
    is_sampled,
    size,
)
from tf1grad.verify.differences import (
    COARSE,
    DIFFERS,
    FLOOR,
    FLOOR_OF_UNTRAINED,
    NOISE_FACTOR,
    NOISY,
    ROUNDING,
    SAME,
    loss_difference,
)
from tf1grad.verify.record import (
    AVERAGE,
    OF_OPTIMIZER,
    TRAINED,
    UNTRAINED,
    Record,
    Samples,
)


class Element(NamedTuple):
    """The element of an array that differs most, under both interpreters."""

    place: list[int]
    this: float
    other: float


class Measurement(NamedTuple):
    """One difference between two runs, relative to the largest magnitude in the
    variable, or to an update.

    The noise is NaN if it is not known: no perturbed run reaches the step.
    """

    step: int  # 0 for the initial values
    what: str  # "initial value", "loss", "gradient", "value", "update" or "steps"
    variable: str | None  # None for losses and steps
    difference: float
    noise: float
    allowed: float
    element: Element | None = None
    noise_of: str = ""  # what has this noise, if it is something else; one of `OTHER_NOISES`


# By what is measured, what else the noise may be of.
OTHER_NOISES = {
    "loss": "the values of half of the trained variables at that step",
    "gradient": "the value of a trained variable after that step",
    "value": "the value of another such variable",
    "update": "the update of another variable",
}


class Comparison:
    """Compares two records, with the noise of others:
    the first interpreter's with perturbed values.

    `parted` is the first `Measurement` that shows that the two differ, or None.
    """

    def __init__(self, this: Record, other: Record, perturbed: Sequence[Record]) -> None:
        self.this, self.other, self.perturbed = this, other, perturbed
        self.records = [this, other, *perturbed]
        self.steps = min(len(this.steps), len(other.steps))
        # False if two runs of one interpreter start from different values: nothing can be compared
        # then.
        self.repeats = not any(
            found.difference > self._floor("initial value", name, this.initial.get(name))
            for record in perturbed
            for name, found in _gaps(this.initial, record.initial).items()
        )
        # What makes the order of the writes after so many steps the system's choice: the steps and
        # the reason.
        unordered = [record.facts.unordered for record in self.records]
        self.unordered = min(filter(None, unordered), default=None)
        self.measurements = list(self._measure())
        self.parted = self._first_difference()

    def largest(self, what: str, step: int | None = None) -> Measurement | None:
        """Returns the measurement of one kind with the largest difference,
        at a step or of all; or None.
        """
        found = [
            each for each in self.measurements if each.what == what and step in (None, each.step)
        ]
        return max(found, key=lambda each: each.difference, default=None)

    @property
    def hidden(self) -> Measurement | None:
        """Returns the first difference that is too large to be the same and too small to
        tell from noise; or None.
        """
        found = (
            each
            for each in self.measurements
            if COARSE[each.what] < each.difference <= each.allowed
        )
        return next(found, None)

    @property
    def may_be_noise(self) -> bool:
        """Says whether a larger noise may explain the first difference: it is small, or comes
        after one that noise explains.
        """
        parted, hidden = self.parted, self.hidden
        if not self.repeats or parted is None or parted.step == 0:
            return False
        is_late = hidden is not None and hidden.step < parted.step
        return is_late or parted.difference <= COARSE[parted.what]

    @property
    def outcome(self) -> str:
        """Returns SAME, DIFFERS or NOISY."""
        if not self.repeats:
            return NOISY
        if self.parted is not None:
            is_noise_known = not math.isnan(self.parted.noise)
            return DIFFERS if is_noise_known and not self.is_reordered else NOISY
        return SAME if self.hidden is None else NOISY

    @property
    def decisive(self) -> Measurement | None:
        """Returns the measurement that decides the outcome; None if all are the same.

        A variable that is all noise is no excuse for a later difference that exceeds its noise.
        """
        if self.outcome == DIFFERS or self.hidden is None:
            return self.parted
        if self.parted is None or self.hidden.step < self.parted.step:
            return self.hidden
        return self.parted

    @property
    def is_reordered(self) -> bool:
        """Says whether writes in another order, which the system chooses,
        may explain the first difference.
        """
        parted = self.parted
        if parted is None or self.unordered is None or parted.what in ("initial value", "steps"):
            return False
        # A step's losses and gradients are those before its writes.
        last_ordered = parted.step - (parted.what in ("loss", "gradient"))
        return self.unordered[0] <= last_ordered

    @property
    def perturbed_steps(self) -> int:
        """Returns the number of steps after which the first perturbed run ended."""
        return min(len(record.steps) for record in self.perturbed)

    @property
    def is_identical(self) -> bool:
        """Says whether all bytes of all variables, gradients and losses of the steps that both
        have are the same.
        """
        return all(_are_identical(one, other) for one, other in self._pairs())

    @property
    def sampled(self) -> list[str]:
        """Returns the names of the variables that differ and of which
        only samples were compared.
        """
        found = {
            name: None
            for ones, others in self._pairs()
            if isinstance(ones, dict) and isinstance(others, dict)
            for name, one in ones.items()
            if is_sampled(one, others.get(name))
        }
        return list(found)

    def _pairs(self) -> Iterator[tuple[Samples, Samples] | tuple[list[float], list[float]]]:
        """Yields what both records have of the same: losses as lists, and samples by name."""
        yield self.this.initial, self.other.initial
        for one, other in zip(self.this.steps, self.other.steps):
            yield one.losses, other.losses
            yield one.gradients, other.gradients
            yield one.values, other.values

    def _measure(self) -> Iterator[Measurement]:
        ones, others = self.this.initial, self.other.initial
        for name, found in _gaps(ones, others).items():
            yield self._measurement(0, "initial value", name, found, 0.0, ones, others)
        for number in range(1, self.steps + 1):
            yield from self._measure_step(number)
        if len(self.this.steps) != len(self.other.steps):
            # A perturbed run with another number of steps says that rounding decides the number.
            lengths = {len(record.steps) for record in self.perturbed}
            noise = 0.0 if lengths == {len(self.this.steps)} else math.inf
            yield Measurement(self.steps + 1, "steps", None, math.inf, noise, noise)

    def _measure_step(self, number: int) -> list[Measurement]:
        """Returns the measurements of one step, with the noise of that step,
        in the order of their computation.

        The noise of a single number may vanish by chance. So the noise of a loss is at least the
        median noise of the values that it depends on. It is not the largest: a bias before batch
        normalization is all noise, and does not affect the loss.
        """
        this, other = self.this.steps[number - 1], self.other.steps[number - 1]
        is_update = this.kind != "evaluation"
        before = self._trained_noises(number - is_update)
        noises = [
            loss_difference(this.losses, record.steps[number - 1].losses)
            for record in self._perturbed_at(number)
        ]
        noise, noise_of = _at_least(
            max(noises, default=math.nan), before[(len(before) - 1) // 2], OTHER_NOISES["loss"]
        )
        difference = loss_difference(this.losses, other.losses)
        allowed = _allowed(FLOOR["loss"], noise)
        loss = Measurement(number, "loss", None, difference, noise, allowed, None, noise_of)
        gradients = self._measure_variables(number, "gradient")
        values = self._measure_variables(number, "value")
        if not is_update:
            return [*values, loss, *gradients]
        return [loss, *gradients, *values, *self._measure_variables(number, "update")]

    def _measure_variables(self, number: int, what: str) -> list[Measurement]:
        """Returns the measurements of one kind.

        A variable with one element may agree by chance. So the noise of its value or update is at
        least the largest of all variables of its kind. The noise of its gradient is at least the
        largest of the trained values after the step. It is not the largest of the gradients: one
        that consists of rounding, as of a bias before batch normalization, would excuse all others.
        """
        this, other = self.this.steps[number - 1], self.other.steps[number - 1]
        ones, others = (
            (step.gradients if what == "gradient" else step.values) for step in (this, other)
        )
        noises = self._noises(number, what)
        if what == "gradient":
            largest = {TRAINED: self._trained_noises(number)[-1]}
        else:
            floats = {
                name: noise
                for name, noise in noises.items()
                if name in this.values and not this.values[name].is_exact
            }
            largest = self._largest_by_kind(floats)
        unknown = 0.0 if self._perturbed_at(number) else math.nan
        found = []
        for name, each in self._step_gaps(number, what, self.other).items():
            noise, noise_of = noises.get(name, unknown), ""
            if name in ones and size(ones[name]) == 1 and not ones[name].is_exact:
                of_kind = largest.get(self.this.kinds.get(name, TRAINED), 0.0)
                noise, noise_of = _at_least(noise, of_kind, OTHER_NOISES[what])
            measurement = self._measurement(number, what, name, each, noise, ones, others)
            found.append(measurement._replace(noise_of=noise_of))
        return found

    def _largest_by_kind(self, noises: Mapping[str, float]) -> dict[str, float]:
        """Returns the largest noise of each kind of variables."""
        largest: dict[str, float] = {}
        for name, noise in noises.items():
            kind = self.this.kinds.get(name, TRAINED)
            largest[kind] = max(noise, largest.get(kind, 0.0))
        return largest

    def _perturbed_at(self, number: int) -> list[Record]:
        """Returns the perturbed runs that reach a step."""
        return [record for record in self.perturbed if len(record.steps) >= number]

    def _noises(self, number: int, what: str) -> dict[str, float]:
        """Returns the largest difference that perturbed values make, by the names of variables."""
        noises: dict[str, float] = {}
        for record in self._perturbed_at(number):
            for name, found in self._step_gaps(number, what, record).items():
                noises[name] = max(found.difference, noises.get(name, 0.0))
        return noises

    def _step_gaps(self, number: int, what: str, record: Record) -> dict[str, Gap]:
        """Returns how far a record differs from this one at a step, by the names of variables."""
        this, other = self.this.steps[number - 1], record.steps[number - 1]
        if what == "gradient":
            return _gaps(this.gradients, other.gradients)
        if what == "value":
            return _gaps(this.values, other.values)
        gaps = {}
        for name in this.values:
            if self.this.kinds.get(name, TRAINED) != TRAINED:
                continue
            change, other_change = _change(self.this, number, name), _change(record, number, name)
            if change and other_change and change[1].shape == other_change[1].shape:
                gaps[name] = Gap(change_difference(change, other_change, ROUNDING))
        return gaps

    def _trained_noises(self, number: int) -> list[float]:
        """Returns the noise of the values of each trained variable, in ascending order;
        [0.] if there is none.
        """
        noises = self._noises(number, "value") if number else {}
        kinds = self.this.kinds
        return sorted(
            noise for name, noise in noises.items() if kinds.get(name, TRAINED) == TRAINED
        ) or [0.0]

    def _measurement(
        self,
        step: int,
        what: str,
        name: str,
        found: Gap,
        noise: float,
        ones: Samples,
        others: Samples,
    ) -> Measurement:
        one, other = ones.get(name), others.get(name)
        allowed = _allowed(self._floor(what, name, one), noise)
        element = _element(one, other, found.place)
        return Measurement(step, what, name, found.difference, noise, allowed, element)

    def _floor(self, what: str, name: str, value: Sample | None) -> float:
        """Returns the difference of a variable's numbers that another
        order of addition explains.
        """
        kind = self.this.kinds.get(name, TRAINED)
        if value is not None and value.is_exact:
            return 0.0
        if what in ("value", "initial value") and kind in (OF_OPTIMIZER, UNTRAINED):
            return FLOOR_OF_UNTRAINED
        if what != "value" and kind != AVERAGE:
            return FLOOR[what]
        # What was added to it since the start may differ as much as an update.
        change = gap(self.this.initial.get(name), value).difference
        return FLOOR["value"] + FLOOR["update"] * min(change, 1.0)

    def _first_difference(self) -> Measurement | None:
        over = [each for each in self.measurements if each.difference > each.allowed]
        over = [each for each in over if each.step == over[0].step and each.what == over[0].what]
        return max(over, key=_excess, default=None)


def _excess(each: Measurement) -> tuple[float, float]:
    """Returns how many times its limit a difference is, and the difference, which decides
    between those whose limit is 0.
    """
    excess = each.difference / each.allowed if each.allowed else math.inf
    return excess, each.difference


def _at_least(noise: float, other: float, name: str) -> tuple[float, str]:
    """Returns the larger noise, with the name of what it is of if that is the other;
    NaN if the first is not known.
    """
    return (other, name) if other > noise else (noise, "")


def _allowed(floor: float, noise: float) -> float:
    """Returns the largest difference that is no sign of a cause; of unknown noise, the floor."""
    return floor if math.isnan(noise) else max(floor, NOISE_FACTOR * noise)


def _change(record: Record, number: int, name: str) -> tuple[Sample, Sample] | None:
    """Returns a variable before and after a step."""
    before = [record.initial, *(step.values for step in record.steps)][number - 1]
    old, new = before.get(name), record.steps[number - 1].values.get(name)
    return None if old is None or new is None or old.shape != new.shape else (old, new)


def _element(one: Sample | None, other: Sample | None, place: int | None) -> Element | None:
    """Returns the element at a place in the values of two samples of one shape;
    None if these are not whole.
    """
    if one is None or other is None or place is None or not one.is_whole:
        return None
    if one.dtype.startswith("complex"):
        return None
    indices = [int(each) for each in np.unravel_index(place, one.shape)]
    return Element(indices, float(one.values[place]), float(other.values[place]))


def _gaps(ones: Samples, others: Samples) -> dict[str, Gap]:
    """Returns the differences of samples by their names, those of `ones` first."""
    names = dict.fromkeys([*ones, *others])
    return {name: gap(ones.get(name), others.get(name)) for name in names}


def _are_identical(ones: Samples | list[float], others: Samples | list[float]) -> bool:
    """Compares lists of losses, or dicts of samples by the digests of the whole arrays."""
    if isinstance(ones, list) or isinstance(others, list):
        return repr(ones) == repr(others)  # NaN is identical to itself
    return ones.keys() == others.keys() and all(
        one[:3] == others[name][:3] for name, one in ones.items()
    )
