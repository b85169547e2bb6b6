"""Says what a comparison found: a dict for JSON, text for people."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, Mapping, Sequence

from tf1grad.old_programs.verify import run_record as records
from tf1grad.old_programs.verify.comparison import NOISY, SAME, Comparison, Finding

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
    steps = f"{comparison.steps} step{'' if comparison.steps == 1 else 's'}"
    if not comparison.repeats:
        return ("Too noisy to tell: the script does not start from the same values twice under one interpreter, so "
                "nothing can be compared.")
    hidden = parted or comparison.hidden
    if comparison.outcome == NOISY and hidden:
        return _too_noisy(comparison, hidden)
    if parted is None:
        return f"The same to {steps}."
    if parted.what == "steps":
        this, other = len(comparison.this.steps), len(comparison.other.steps)
        return f"They are the same to {steps}; then one goes on and the other has ended ({this} and {other} steps)."
    where = "before the first step" if parted.step == 0 else f"at step {parted.step}"
    return (f"They differ {where}, in {_name(parted)}: difference {_number(parted.difference)}, noise "
            f"{_number(parted.noise)}.")


def _too_noisy(comparison: Comparison, hidden: Finding) -> str:
    same = f"The same to step {hidden.step - 1}. From" if hidden.step > 1 else "From"
    if comparison.parted and comparison.threads > 1:
        return (f"{same} step {hidden.step} on too noisy to tell: {comparison.threads} threads train, in an order that "
                "the system chooses. Let one of them train alone to compare.")
    if comparison.parted:
        return (f"{same} step {hidden.step} on too noisy to tell: one run fetches {_list(comparison.racing_writes)}, "
                "each of which writes what another reads, in an order that the system chooses. Fetch them in runs of "
                "their own to compare.")
    return (f"{same} step {hidden.step} on too noisy to tell: in {_name(hidden)} the difference is "
            f"{_number(hidden.difference)}, and that of one interpreter to itself {_number(hidden.noise)}.")


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
        found.append(f"The script leaves random ops without a seed; their graphs were given {min(seeds)}.")
    restored = [bool(record.facts.get("restored")) for record in runs]
    if any(restored):
        found.append("The script read a checkpoint." if all(restored) else
                     "The script read a checkpoint in one run and not in another: an earlier run may have written it. "
                     "Let it start afresh.")
    sampled = [name for name, kept in comparison.this.initial.items() if records.size(kept) > records.LIMIT]
    if sampled:
        found.append(f"Of variables with more than {records.LIMIT} values an even sample and the norm are compared: "
                     f"{_list(sampled)}.")
    if not any(step.losses for step in comparison.this.steps):
        found.append("No loss is known: the script took no gradient of one that could be fetched.")
    for fetch, variables in _races(comparison) if comparison.outcome != SAME else ():
        found.append(f"{fetch} races: it reads {_list(variables)}, which the same run writes, and nothing says which "
                     "comes first. Fetch it in a run of its own, or put the step under "
                     f"tf.control_dependencies([{fetch}]).")
    if comparison.moved and "moved" not in comparison.moved.facts:
        found.append("The noise is that of running again: there is no value that could be moved.")
    above = comparison.above_noise() if comparison.outcome == SAME else None
    if above:
        found.append(f"Within what is promised, and above the noise of one ulp from step {above.step} on, first in "
                     f"{_name(above)} (difference {_number(above.difference)}, noise {_number(above.noise)}).")
    return found


def as_text(comparison: Comparison, script: str) -> str:
    """The report for people."""
    found = as_dict(comparison, script)
    lines = [f"{script}: {comparison.steps} steps under two interpreters"]
    lines += [f"  {name:<6} Python {facts.get('python')}, TensorFlow {facts.get('tensorflow')}, NumPy "
              f"{facts.get('numpy')}  {facts.get('executable')}"
              for name, facts in found["interpreters"].items()]
    if found["moved"]:
        values, step = found["moved"]["values"], found["moved"]["step"]
        lines.append(f"  noise  this interpreter again, each of {values} values moved by one ulp before step {step}")
    lines += ["", _initial_line(found["initial"])]
    lines += _table(found["steps"])
    lines += [""] + ["Note: " + note for note in found["notes"]] + [found["verdict"]]
    return "\n".join(lines)


def _initial_line(initial: Mapping[str, Any]) -> str:
    text = f"initial values: {initial['variables']} variables, {initial['values']} values: "
    different = [finding["variable"] for finding in initial["different"]]
    return text + (f"different in {_list(different)}" if different else "identical")


_ROW = "{:>5}  {:<15} {:<15} {:<16}  {:<16}  {:<16}  {}"


def _table(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield _ROW.format("step", "loss (this)", "loss (other)", "diff/noise: loss", "gradients", "values", "in")
    for step in steps:
        cells = [step["loss"], step["gradient"], step["value"]]
        loss, gradient, value = [f"{_number(cell['difference'])}/{_number(cell['noise'])}" if cell else "-"
                                 for cell in cells]
        yield _ROW.format(step["step"], _loss(step["loss"]["this"]), _loss(step["loss"]["other"]), loss, gradient,
                          value, " ".join(cell["variable"] for cell in cells[1:] if cell and cell["difference"]))


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
    return "0" if value == 0 else f"{float(value):.1e}"


def _loss(losses: Sequence[Any]) -> str:
    return "-" if not losses else f"{sum(map(float, losses)) / len(losses):.9g}"


def _list(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
