"""Compares what a script did under two interpreters, beside what it does to itself when its values move by one ulp."""

from __future__ import annotations

import math
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Sequence

import numpy as np

from tf1grad.old_programs.verify import run_record as records
from tf1grad.old_programs.verify.run_record import Record, Sample

# What is promised for one script under two TensorFlows with one seed rule; initial values are identical.
FIRST_LOSS = 1e-6
FIRST_GRADIENTS = 1e-4
LATER = 1e-3
LATER_GRADIENTS = 1e-2  # what is wrong with one is soon seen in values and losses, too
ROUNDING = 1e-6  # of float32, after a few operations: no more need be said of it
# A difference of the noise's own order of magnitude is noise: one run with moved values is one sample of it.
NOISE_FACTOR = 10.
# A difference above this that is no more than noise tells nothing: there the noise hides what would be one.
TELLS = {"initial value": 0., "loss": LATER, "gradient": LATER_GRADIENTS, "value": LATER, "steps": 0.}

SAME, DIFFERS, NOISY = "same", "differs", "noisy"


class Finding(NamedTuple):
    """One thing compared. Differences are relative to the largest magnitude in the variable."""

    step: int  # 0 for the initial values
    what: str  # "initial value", "loss", "gradient", "value" or "steps"
    variable: Optional[str]  # None for losses and steps
    difference: float
    noise: Optional[float]  # None where it is not known
    allowed: float


def difference(one: Optional[Sample], other: Optional[Sample]) -> float:
    """The largest difference of two samples' elements, over the largest magnitude in either; inf for other shapes."""
    if one is None or other is None or one.shape != other.shape:
        return math.inf
    if one.digest == other.digest and one.dtype == other.dtype:
        return 0.
    scale = max(one.largest, other.largest)
    x: np.ndarray = one.values.astype(np.float64)
    y: np.ndarray = other.values.astype(np.float64)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if same.all() and x.size == records.size(one):
        return 0.
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0., np.abs(x - y))
    if not np.isfinite(gap).all():
        return math.inf
    largest = float(gap.max()) / scale if gap.size and scale else 0.
    norm = max(one.norm, other.norm)  # tells what the sample of a large variable does not
    return max(largest, abs(one.norm - other.norm) / norm if norm else 0.)


def loss_difference(ones: Sequence[float], others: Sequence[float]) -> float:
    """The largest relative difference of two steps' losses."""
    if len(ones) != len(others):
        return math.inf
    return max([_relative(one, other) for one, other in zip(ones, others)] or [0.])


def _relative(one: float, other: float) -> float:
    if one == other or math.isnan(one) and math.isnan(other):
        return 0.
    gap = abs(one - other)
    return gap / max(abs(one), abs(other)) if math.isfinite(gap) else math.inf


class Comparison:
    """Two records, and a third one of the first's interpreter with its values moved, or None.

    Attributes:
        findings: every `Finding`, in the order in which the script meets them.
        parted: the `Finding` that tells where the two part; None where they agree.
        steps: the number of steps that both made.
    """

    def __init__(self, this: Record, other: Record, moved: Optional[Record] = None) -> None:
        self.this, self.other, self.moved = this, other, moved
        self.steps = min(len(this.steps), len(other.steps))
        self.findings = list(self._find())
        self.parted = self._first_parting()

    @property
    def repeats(self) -> bool:
        """False where the script starts from other values each time, so that there is nothing to compare."""
        return self.moved is None or all(difference(kept, self.moved.initial.get(name)) == 0
                                         for name, kept in self.this.initial.items())

    @property
    def records(self) -> List[Record]:
        """Those that there are."""
        return [record for record in (self.this, self.other, self.moved) if record is not None]

    def of(self, step: int, what: str) -> List[Finding]:
        """The findings at one step of one kind."""
        return [finding for finding in self.findings if (finding.step, finding.what) == (step, what)]

    def largest(self, step: int, what: str) -> Optional[Finding]:
        """The finding with the largest difference, of those; None where there is none."""
        return max(self.of(step, what), key=lambda finding: finding.difference, default=None)

    @property
    def threads(self) -> int:
        """How many threads of the script trained, at most; the system says in which order."""
        return max(int(record.facts.get("threads", 1)) for record in self.records)

    @property
    def racing_writes(self) -> List[str]:
        """Fetches of one run that write variables from what others of it write, in an order that the system chooses."""
        return sorted({name for fact in self._race_facts() for name in fact["fetches"]})

    def _race_facts(self) -> List[Any]:
        return [record.facts["racing writes"] for record in self.records if "racing writes" in record.facts]

    @property
    def hidden(self) -> Optional[Finding]:
        """The first finding that the noise hides: too large to be the same, too small to be told from noise; or None.
        """
        return next((finding for finding in self.findings
                     if TELLS[finding.what] < finding.difference <= finding.allowed), None)

    @property
    def outcome(self) -> str:
        """SAME, DIFFERS or NOISY: what can be said of the two."""
        if not self.repeats:
            return NOISY
        if self.parted is not None:
            return NOISY if self._in_another_order(self.parted) else DIFFERS
        return SAME if self.hidden is None else NOISY

    def _in_another_order(self, parted: Finding) -> bool:
        """Whether the two may part since the system chose another order of steps, or of what one step writes."""
        if parted.what not in ("loss", "gradient", "value"):
            return False
        raced = any(fact["step"] < parted.step or fact["step"] == parted.step and (
            parted.what == "value" or fact["within"]) for fact in self._race_facts())
        return self.threads > 1 or raced

    def above_noise(self) -> Optional[Finding]:
        """The first finding, after the initial values, that is above noise and rounding; None where there is none."""
        return next((finding for finding in self.findings if finding.step and finding.noise is not None
                     and finding.difference > max(ROUNDING, NOISE_FACTOR * finding.noise)), None)

    def _find(self) -> Iterator[Finding]:
        for name in _names(self.this.initial, self.other.initial):
            kept = self.this.initial.get(name)
            # No noise, in a script that repeats itself: the values are moved later.
            noise = None if self.moved is None else difference(kept, self.moved.initial.get(name))
            yield Finding(0, "initial value", name, difference(kept, self.other.initial.get(name)), noise, 0.)
        for number in range(1, self.steps + 1):
            yield from self._find_in_step(number)
        if len(self.this.steps) != len(self.other.steps):
            yield Finding(self.steps + 1, "steps", None, math.inf, None, 0.)

    def _find_in_step(self, number: int) -> Iterator[Finding]:
        """The findings of one step, each beside the noise of that step.

        The gap of a single number may vanish by chance where others have one. So for a variable of one value the
        largest gap of the step's values counts as noise too, and for a loss the usual one of the values that it is of:
        not the largest, for a bias before batch normalization is all noise, and no loss depends on it.
        """
        this, other = self.this.steps[number - 1], self.other.steps[number - 1]
        moved = self.moved.steps[number - 1] if self.moved and number <= len(self.moved.steps) else None
        promised = {"loss": LATER, "gradient": LATER_GRADIENTS, "value": LATER}
        if number == 1:
            promised.update(loss=FIRST_LOSS, gradient=FIRST_GRADIENTS)
        after = self._gaps(number)
        of = self._gaps(number - 1) if this.kind == "apply" else after
        order = ["loss", "gradient", "value"] if this.kind == "apply" else ["value", "loss", "gradient"]
        for what in order:
            if what == "loss":
                usual = of[(len(of) - 1) // 2]
                floor = None if moved is None else max(usual, loss_difference(this.losses, moved.losses))
                yield _finding(number, what, None, loss_difference(this.losses, other.losses), floor, promised[what])
                continue
            ours, theirs, noisy = (getattr(step, what + "s", {}) for step in (this, other, moved))
            for name in _names(ours, theirs):
                floor = None if moved is None else difference(ours.get(name), noisy.get(name))
                if floor is not None and name in ours and records.size(ours[name]) == 1:
                    floor = max(floor, after[-1])
                yield _finding(number, what, name, difference(ours.get(name), theirs.get(name)), floor, promised[what])

    def _gaps(self, number: int) -> List[float]:
        """The noise of each variable's values at a step, the smallest first; [0.] where there is none."""
        if self.moved is None or not 0 < number <= len(self.moved.steps):
            return [0.]
        ours, moved = self.this.steps[number - 1].values, self.moved.steps[number - 1].values
        return sorted(difference(kept, moved.get(name)) for name, kept in ours.items()) or [0.]

    def _first_parting(self) -> Optional[Finding]:
        over = [finding for finding in self.findings if finding.difference > finding.allowed]
        over = [finding for finding in over if (finding.step, finding.what) == (over[0].step, over[0].what)]
        return max(over, key=lambda finding: finding.difference / finding.allowed if finding.allowed else
                   finding.difference, default=None)


def _finding(step: int, what: str, name: Optional[str], gap: float, noise: Optional[float], promised: float) -> Finding:
    return Finding(step, what, name, gap, noise, max(promised, NOISE_FACTOR * (noise or 0.)))


def _names(ones: Iterable[str], others: Iterable[str]) -> List[str]:
    return list(ones) + [name for name in others if name not in ones]
