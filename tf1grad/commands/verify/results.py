"""Says what a comparison found: a dict for JSON, text for people."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, Mapping, Sequence

from tf1grad.commands.verify import record as records
from tf1grad.commands.verify.comparison import NOISY, SAME, Comparison, Finding

WORDS = {"initial value": "the initial value of %s", "gradient": "the gradient of %s", "value": "the value of %s"}


def as_dict(comparison: Comparison, script: str) -> Dict[str, Any]:
    """All that was found, for `json.dumps`. Differences are relative; what is infinite or NaN is a string."""
    this, other = comparison.this, comparison.other
    return {
        "script": script,
        "agree": comparison.outcome == SAME,
        "outcome": comparison.outcome,
        "verdict": verdict(comparison),
        "parted": None if comparison.parted is None else _plain(comparison.parted._asdict()),
        "interpreters": {"this": this.facts, "other": other.facts},
        "moved": comparison.moved.facts.get("moved") if comparison.moved else None,
        "initial": {
            "variables": len(this.initial), "values": sum(map(records.size, this.initial.values())),
            "different": [_plain(finding._asdict()) for finding in comparison.of(0, "initial value")
                          if finding.difference > 0]},
        "steps": [_step(comparison, number) for number in range(1, comparison.steps + 1)],
        "races": _races(comparison),
        "notes": notes(comparison),
    }


def verdict(comparison: Comparison) -> str:
    """One sentence."""
    parted = comparison.parted
    steps = "%d step%s" % (comparison.steps, "" if comparison.steps == 1 else "s")
    if not comparison.repeats:
        return ("Too noisy to tell: the script does not start from the same values twice under one interpreter, so "
                "nothing can be compared.")
    hidden = parted or comparison.hidden
    if comparison.outcome == NOISY and hidden:
        return _too_noisy(comparison, hidden)
    if parted is None:
        return "The same to %s." % steps
    if parted.what == "steps":
        return "They are the same to %s; then one goes on and the other has ended (%d and %d steps)." % (
            steps, len(comparison.this.steps), len(comparison.other.steps))
    where = "before the first step" if parted.step == 0 else "at step %d" % parted.step
    return "They differ %s, in %s: difference %s, noise %s." % (
        where, _name(parted), _number(parted.difference), _number(parted.noise))


def _too_noisy(comparison: Comparison, hidden: Finding) -> str:
    same = "The same to step %d. From" % (hidden.step - 1) if hidden.step > 1 else "From"
    if comparison.parted and comparison.threads > 1:
        return ("%s step %d on too noisy to tell: %d threads train, in an order that the system chooses. Let one of "
                "them train alone to compare." % (same, hidden.step, comparison.threads))
    if comparison.parted:
        return ("%s step %d on too noisy to tell: one run fetches %s, each of which writes what another reads, in an "
                "order that the system chooses. Fetch them in runs of their own to compare." % (
                    same, hidden.step, _list(comparison.racing_writes)))
    return "%s step %d on too noisy to tell: in %s the difference is %s, and that of one interpreter to itself %s." % (
        same, hidden.step, _name(hidden), _number(hidden.difference), _number(hidden.noise))


def _races(comparison: Comparison) -> List[List[Any]]:
    """[fetch, variables] of what is fetched beside a step that may write its variables first, each once."""
    found: Dict[str, List[str]] = {}
    for record in comparison.records:
        found.update((fetch, variables) for fetch, variables in record.facts.get("races", ()))
    return sorted(map(list, found.items()))


def notes(comparison: Comparison) -> List[str]:
    """Sentences about what limits or explains the result."""
    found = []
    runs = comparison.records
    seeds = {record.facts["seeded"] for record in runs if "seeded" in record.facts}
    if seeds:
        found.append("The script leaves random ops without a seed; their graphs were given %d." % min(seeds))
    restored = [bool(record.facts.get("restored")) for record in runs]
    if any(restored):
        found.append("The script read a checkpoint%s." % ("" if all(restored) else (
            " in one run and not in another: an earlier run may have written it. Let it start afresh")))
    sampled = [name for name, kept in comparison.this.initial.items() if records.size(kept) > records.LIMIT]
    if sampled:
        found.append("Of variables with more than %d values an even sample and the norm are compared: %s."
                     % (records.LIMIT, _list(sampled)))
    if not any(step.losses for step in comparison.this.steps):
        found.append("No loss is known: the script took no gradient of one that could be fetched.")
    for fetch, variables in _races(comparison) if comparison.outcome != SAME else ():
        found.append("%s races: it reads %s, which the same run writes, and nothing says which comes first. Fetch it "
                     "in a run of its own, or put the step under tf.control_dependencies([%s])." % (
                         fetch, _list(variables), fetch))
    if comparison.moved and "moved" not in comparison.moved.facts:
        found.append("The noise is that of running again: there is no value that could be moved.")
    above = comparison.above_noise() if comparison.outcome == SAME else None
    if above:
        found.append("Within what is promised, and above the noise of one ulp from step %d on, first in %s "
                     "(difference %s, noise %s)." % (above.step, _name(above), _number(above.difference),
                                                     _number(above.noise)))
    return found


def as_text(comparison: Comparison, script: str) -> str:
    """The report for people."""
    found = as_dict(comparison, script)
    lines = ["%s: %d steps under two interpreters" % (script, comparison.steps)]
    lines += ["  %-6s Python %s, TensorFlow %s, NumPy %s  %s" % (
        name, facts.get("python"), facts.get("tensorflow"), facts.get("numpy"), facts.get("executable"))
        for name, facts in found["interpreters"].items()]
    if found["moved"]:
        lines.append("  noise  this interpreter again, each of %(values)d values moved by one ulp before step %(step)d"
                     % found["moved"])
    lines += ["", _initial_line(found["initial"])]
    lines += _table(found["steps"])
    lines += [""] + ["Note: " + note for note in found["notes"]] + [found["verdict"]]
    return "\n".join(lines)


def _initial_line(initial: Mapping[str, Any]) -> str:
    text = "initial values: %(variables)d variables, %(values)d values: " % initial
    different = [finding["variable"] for finding in initial["different"]]
    return text + ("different in %s" % _list(different) if different else "identical")


def _table(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield ("%5s  %-15s %-15s %-16s  %-16s  %-16s  %s" % (
        "step", "loss (this)", "loss (other)", "diff/noise: loss", "gradients", "values", "in"))
    for step in steps:
        cells = [step["loss"], step["gradient"], step["value"]]
        loss, gradient, value = ["%s/%s" % (_number(cell["difference"]), _number(cell["noise"])) if cell else "-"
                                 for cell in cells]
        yield ("%5d  %-15s %-15s %-16s  %-16s  %-16s  %s" % (
            step["step"], _loss(step["loss"]["this"]), _loss(step["loss"]["other"]), loss, gradient, value,
            " ".join(cell["variable"] for cell in cells[1:] if cell and cell["difference"])))


def _step(comparison: Comparison, number: int) -> Dict[str, Any]:
    this, other = comparison.this.steps[number - 1], comparison.other.steps[number - 1]
    step: Dict[str, Any] = {"step": number, "kind": this.kind}
    for what in ("loss", "gradient", "value"):
        largest = comparison.largest(number, what)
        step[what] = largest and _plain({key: getattr(largest, key) for key in
                                         ("variable", "difference", "noise", "allowed")})
    del step["loss"]["variable"]
    step["loss"].update(this=[_finite(loss) for loss in this.losses], other=[_finite(loss) for loss in other.losses])
    return step


def _name(finding: Finding) -> str:
    return "the loss" if finding.what == "loss" else WORDS[finding.what] % finding.variable


def _plain(values: Mapping[str, Any]) -> Dict[str, Any]:
    return {key: _finite(value) for key, value in values.items()}


def _finite(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: Any) -> str:
    if value is None:
        return "?"
    return "0" if value == 0 else "%.1e" % float(value)


def _loss(losses: Sequence[Any]) -> str:
    return "-" if not losses else "%.9g" % (sum(map(float, losses)) / len(losses))


def _list(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (" and %d more" % (len(names) - most) if len(names) > most else "")
