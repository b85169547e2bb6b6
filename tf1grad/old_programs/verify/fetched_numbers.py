"""Compares the first numbers that two runs of a program fetched from their sessions, before and after its upgrade."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from tf1grad.old_programs._samples import Sample
from tf1grad.old_programs.process.messages import counted
from tf1grad.old_programs.verify.comparison import Comparison
from tf1grad.old_programs.verify.record import Record, Step

RUNS = 10  # of `session.run`; afterwards rounding adds up
SHOWN = 3  # of the elements of a value


class Difference(NamedTuple):
    """The first run of a session whose numbers differ."""

    run: int  # from 1
    text: str  # a phrase


def first_difference(ones: Sequence[Any], others: Sequence[Any]) -> Difference | None:
    """Returns the first difference between steps of kind "fetch", as JSON has them, or None."""
    comparison = _compared(ones, others)
    parted = comparison.parted
    if parted is None:
        return None
    if parted.what == "steps":
        counts = f"{len(ones)} before and {len(others)} after the upgrade"
        return Difference(parted.step, f"the number of runs that fetch values is {counts}")
    name = str(parted.variable)
    before, after = (
        _shown(record.steps[parted.step - 1].values.get(name))
        for record in (comparison.this, comparison.other)
    )
    whole = "its size" if parted.what == "value" else "its change since it was first fetched"
    return Difference(
        parted.step,
        f"{name} of run {parted.step} of the session is {before} before and {after} after the upgrade "
        f"(difference {parted.difference:.2g} of {whole})",
    )


def agreement(ones: Sequence[Any], others: Sequence[Any]) -> str:
    """Returns how many runs and fetched values were compared, and how closely they agree, as a phrase."""
    comparison = _compared(ones, others)
    steps = comparison.this.steps
    first = "the first " if len(ones) > RUNS else ""
    values = sum(len(step.values) for step in steps)
    compared = f"{first}{counted(len(steps), 'run')} of the session, {counted(values, 'value')}"
    size, change = comparison.largest("value"), comparison.largest("change")
    if not size or not size.difference:
        return f"{compared}, to the last bit"
    changes = ""
    if change and change.difference:
        changes = f" and {change.difference:.0e} of their changes"
    return f"{compared}, within {size.difference:.0e} of their size{changes}"


def _compared(ones: Sequence[Any], others: Sequence[Any]) -> Comparison:
    """Compares fetches by their order in the run, since an upgrade may rename tensors."""
    before, after = Record(), Record()
    before.steps = [_step(row) for row in ones[:RUNS]]
    after.steps = [_step(row) for row in others[:RUNS]]
    for index, (one, other) in enumerate(zip(before.steps, after.steps)):
        names = [*one.values, *list(other.values)[len(one.values) :]]
        after.steps[index] = other._replace(values=dict(zip(names, other.values.values())))
    return Comparison(before, after, before)


def _step(row: Sequence[Any]) -> Step:
    kind, losses, gradients, values = row
    return Step(kind, losses, gradients, {name: Sample(*each) for name, each in values.items()})


def _shown(value: Sample | None) -> str:
    """Returns the first elements of a value."""
    if value is None:
        return "not fetched"
    numbers = [f"{number:.6g}" for number in value.values[:SHOWN]]
    if len(value.values) > SHOWN:
        numbers.append("...")
    return "[" + ", ".join(numbers) + "]" if value.shape else numbers[0]
