"""Compares the numbers that two runs of a program fetched from their sessions,
before and after its upgrade.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

from tf1grad.programs._samples import Gap, Sample, change_difference, gap, is_sampled
from tf1grad.programs.process.messages import counted
from tf1grad.verify.record import Fetched, Record

LIMIT = 1e-3  # of an element's own magnitude
# An element below this part of the largest in its array counts as that large: a long sum in 32 bits
# rounds by 1e-5.
SMALLEST = 1e-2
CHANGE_LIMIT = 0.1  # of a value's change since it was first fetched
ROUNDING = 1e-5  # of an element, which is no change
NOISE_FACTOR = 10.0  # differences of the noise's own order of magnitude are noise
SHOWN = 3  # of the elements of a value


class FirstDifference(NamedTuple):
    """The first run of a session whose numbers differ."""

    run: int  # among those that fetch numbers, from 1
    number: int  # among all runs of the old program, as the user counts them, from 1
    text: str  # a phrase
    # True of a value that TensorFlow may read before or after a write of the same run.
    is_unordered: bool = False


class Measured(NamedTuple):
    """How far one fetched value of a run differs,
    from its size and from its change since it was first fetched.
    """

    run: int
    position: int  # in the run, from 0
    value: Gap
    change: float
    is_exact: bool  # a whole number, which has no limit
    is_unordered: bool

    def is_above(self, factor: float) -> bool:
        """Says whether it differs by more than `factor` times the limits."""
        limit = 0.0 if self.is_exact else LIMIT * factor
        return self.value.difference > limit or self.change > CHANGE_LIMIT * factor


class FetchComparison:
    """Compares the runs of two records one by one, and the values of a run by their positions.

    An upgrade may rename tensors, so names are those before the upgrade.
    """

    def __init__(self, before: Record, after: Record) -> None:
        self.before, self.after = before, after
        self.measured = list(self._measure())

    def _measure(self) -> Iterator[Measured]:
        first: dict[tuple[str, int], tuple[Sample, Sample]] = {}
        for number, (one, other) in enumerate(zip(self.before.runs, self.after.runs), 1):
            for position, pair in enumerate(zip(one.values, other.values)):
                # The same fetch may stand in a run twice.
                name = one.names[position]
                key = name, one.names[:position].count(name)
                is_unordered = position in one.unordered or position in other.unordered
                # An unordered value is no start: it may be from before a write, or from after it.
                start = first.get(key, pair) if is_unordered else first.setdefault(key, pair)
                is_exact = pair[0].is_exact and pair[1].is_exact
                change = 0.0 if is_exact else _difference_of_changes(start, pair)
                value = gap(*pair, smallest=SMALLEST)
                yield Measured(number, position, value, change, is_exact, is_unordered)

    def first_difference(self, factor: float = 1.0) -> FirstDifference | None:
        """Returns the first difference above `factor` times the limits, or None.

        One of a value with an unordered read is only returned if there is no other.
        """
        above = [each for each in self.measured if each.is_above(factor)]
        found = next((each for each in above if not each.is_unordered), None)
        found = found or next(iter(above), None)
        other_form = self._first_of_another_form()
        if other_form and (found is None or found.is_unordered or other_form.run <= found.run):
            return other_form
        return found and self._difference(found)

    def _first_of_another_form(self) -> FirstDifference | None:
        """Returns the first run that fetched another number of values or
        raised another error; or None.
        """
        for position, (one, other) in enumerate(zip(self.before.runs, self.after.runs), 1):
            if (one.error, len(one.values)) != (other.error, len(other.values)):
                text = f"run {one.number} of the session {_said(one)} before and {_said(other)} after the upgrade"
                return FirstDifference(position, one.number, text)
        for what, attribute in (
            ("runs that fetch numbers", "number_runs"),
            ("runs of sessions", "session_runs"),
        ):
            counts = [getattr(each.facts, attribute) for each in (self.before, self.after)]
            if counts[0] != counts[1]:
                text = f"the number of {what} is {counts[0]:,} before and {counts[1]:,} after the upgrade"
                return FirstDifference(min(counts) + 1, self._number_after(min(counts)), text)
        return None

    def _number_after(self, count: int) -> int:
        """Returns the number, among all runs, of the first one after so many that fetch numbers."""
        for runs in (self.before.runs, self.after.runs):
            if count < len(runs):
                return runs[count].number
        return min(self.before.facts.session_runs, self.after.facts.session_runs) + 1

    def _difference(self, found: Measured) -> FirstDifference:
        before, after = self.before.runs[found.run - 1], self.after.runs[found.run - 1]
        name = before.names[found.position]
        place = found.value.place
        shown = [_shown(run.values[found.position], place) for run in (before, after)]
        of_value = found.is_exact or found.value.difference > LIMIT
        amount, whole = (
            (found.value.difference, "its size")
            if of_value
            else (found.change, "its change since it was first fetched")
        )
        return FirstDifference(
            found.run,
            before.number,
            f"{name} of run {before.number} of the session is {shown[0]} before and {shown[1]} after the upgrade "
            f"(difference {amount:.2g} of {whole})",
            found.is_unordered,
        )

    def agreement(self) -> str:
        """Returns how many runs and values were compared,
        and how closely they agree, as a phrase.
        """
        runs, total = self.before.runs, self.before.facts.number_runs
        count = counted(len(runs), "run")
        if len(runs) < total:
            count = f"the first {len(runs):,} of {total:,} runs"
        values = counted(sum(len(run.values) for run in runs), "value")
        pairs = [
            pair
            for one, other in zip(runs, self.after.runs)
            for pair in zip(one.values, other.values)
        ]
        samples = ", of large arrays samples" if any(is_sampled(*pair) for pair in pairs) else ""
        compared = f"{count} with numbers, {values}{samples}"
        if all(one[:3] == other[:3] for one, other in pairs):
            return f"{compared}, to the last bit"
        size = max(each.value.difference for each in self.measured)
        change = max(each.change for each in self.measured)
        changes = f" and {change:.0e} of their changes" if change else ""
        return f"{compared}, within {size:.0e} of their size{changes}"


def _difference_of_changes(first: tuple[Sample, Sample], pair: tuple[Sample, Sample]) -> float:
    """Returns how far the changes of two values differ since they were first fetched;
    0. for another shape.
    """
    if len({kept.shape for kept in (*first, *pair)}) > 1:
        return 0.0
    changes = (first[0], pair[0]), (first[1], pair[1])
    return change_difference(*changes, ROUNDING)


def _said(run: Fetched) -> str:
    if run.error:
        return f"raises {run.error}"
    return f"fetches {counted(len(run.values), 'value')}"


def _shown(value: Sample, place: int | None) -> str:
    """Returns the elements of a value, at most `SHOWN`: from the one that differs on."""
    start = max(0, min(place or 0, len(value.values) - SHOWN))
    numbers = [_number(number) for number in value.values[start : start + SHOWN]]
    if not value.shape:
        return numbers[0]
    dots = ["..."]
    more = dots * (start + SHOWN < len(value.values))
    return "[" + ", ".join([*dots * bool(start), *numbers, *more]) + "]"


def _number(number: object) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)
