"""Reports a comparison, as a dict for JSON or as text for people."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, Mapping, Sequence

from tf1grad.old_programs._samples import LIMIT, size
from tf1grad.old_programs.process.messages import counted
from tf1grad.old_programs.verify.comparison import Comparison, Measurement
from tf1grad.old_programs.verify.differences import NOISY, SAME


def as_dict(comparison: Comparison, script: str) -> Dict[str, Any]:
    """Returns the report, for `json.dumps`. Differences are relative; infinite numbers and NaN are strings."""
    this, other = comparison.this, comparison.other
    report: Dict[str, Any] = _for_json(
        {
            "script": script,
            "agree": comparison.outcome == SAME,
            "outcome": comparison.outcome,
            "verdict": verdict(comparison),
            "parted": comparison.parted and comparison.parted._asdict(),
            "interpreters": {"this": this.facts, "other": other.facts},
            "moved": comparison.perturbed.facts.get("moved"),
            "initial": {
                "variables": len(this.initial),
                "values": sum(map(size, this.initial.values())),
                "different": [
                    each._asdict()
                    for each in comparison.of(0, "initial value")
                    if each.difference > 0
                ],
            },
            "steps": [_step(comparison, number) for number in range(1, comparison.steps + 1)],
            "races": [[fetch, race["variables"]] for fetch, race in comparison.races.items()],
            "first values": comparison.first_values and comparison.first_values.as_dict(),
            "notes": notes(comparison),
        }
    )
    return report


def verdict(comparison: Comparison) -> str:
    """Returns the verdict in a sentence or two."""
    parted = comparison.parted
    steps = counted(comparison.steps, "step")
    if not comparison.repeats:
        return (
            "Too noisy to tell: the script does not start from the same values twice under one interpreter, so "
            "nothing can be compared."
        )
    if comparison.outcome == NOISY:
        return _too_noisy(comparison)
    if parted is None:
        return f"The same for {steps}."
    if parted.what == "steps":
        this, other = len(comparison.this.steps), len(comparison.other.steps)
        return f"Identical for {steps}; then one run ended and the other continued ({this} and {other} steps)."
    where = "before the first step" if parted.step == 0 else f"at step {parted.step}"
    return (
        f"They differ {where}, in {_name(parted)}: difference {_number(parted.difference)}, noise "
        f"{_number(parted.noise)}."
    )


def _too_noisy(comparison: Comparison) -> str:
    hidden = comparison.parted or comparison.hidden
    assert hidden is not None
    writing = [fetch for fetch, race in comparison.races.items() if race["writes"]]
    alone = [fetch for fetch in writing if comparison.races[fetch]["alone"]]
    if comparison.processes > 1:
        reason = (
            f"{comparison.processes} processes of the job train, and the system chooses the order of their "
            "steps. To compare, let a single worker train."
        )
    elif comparison.parted and comparison.threads > 1:
        reason = (
            f"{comparison.threads} threads train, and the system chooses the order of their steps. To compare, "
            "let a single thread train."
        )
    elif comparison.parted and alone:
        reason = (
            f"{_list(alone)} reads a variable and writes it, in an order that the system chooses."
        )
    elif comparison.parted:
        reason = (
            f"one run fetches {_list(writing)}, each of which writes what another reads, in an order that the "
            "system chooses. To compare, fetch them in separate runs."
        )
    else:
        reason = (
            f"{_name(hidden)} differs by {_number(hidden.difference)}, but two runs of the same interpreter "
            f"already differ by {_number(hidden.noise)}."
        )
    same = f"The same to step {hidden.step - 1}. " if hidden.step > 1 else ""
    return f"{same}From step {hidden.step} on too noisy to tell: {reason}"


def notes(comparison: Comparison) -> List[str]:
    """Returns sentences that limit or explain the result."""
    found = []
    seeds = {record.facts["seeded"] for record in comparison.records if "seeded" in record.facts}
    if seeds:
        found.append(
            f"The script leaves random ops without a seed; their graphs were given the seed {min(seeds)}."
        )
    restored = [bool(record.facts.get("restored")) for record in comparison.records]
    if any(restored):
        found.append(
            "The script read a checkpoint."
            if all(restored)
            else "The script read a checkpoint in one run and not in another: an earlier run may have written it. "
            "Remove it before each comparison."
        )
    sampled = [name for name, kept in comparison.this.initial.items() if size(kept) > LIMIT]
    if sampled:
        found.append(
            f"Variables with more than {LIMIT} values were compared by an even sample and the norm: "
            f"{_list(sampled)}."
        )
    if not any(step.losses for step in comparison.this.steps):
        found.append("No loss is known: none that the script differentiated could be fetched.")
    for fetch, race in comparison.races.items() if comparison.outcome != SAME else ():
        remedy = (
            "To compare, let it compute all that it writes before it writes, as with "
            "apply_gradients(zip(tf.tuple(gradients), variables))."
            if race["writes"] and race["alone"]
            else f"Fetch it in a separate run, or put the step under tf.control_dependencies([{fetch}])."
        )
        found.append(
            f"{fetch} races: it reads {_list(race['variables'])}, which the same run writes, in an undefined "
            f"order. {remedy}"
        )
    if "moved" not in comparison.perturbed.facts:
        found.append(
            "No value could be perturbed: the noise is the difference between two unchanged runs."
        )
    return found


def as_text(comparison: Comparison, script: str) -> str:
    """Returns the report for people."""
    found = as_dict(comparison, script)
    lines = [f"{script}: {comparison.steps} steps under two interpreters"]
    lines += [
        f"  {name:<6} Python {facts.get('python')}, TensorFlow {facts.get('tensorflow')}, NumPy "
        f"{facts.get('numpy')}  {facts.get('executable')}"
        for name, facts in found["interpreters"].items()
    ]
    if found["moved"]:
        values, step = found["moved"]["values"], found["moved"]["step"]
        lines.append(
            f"  noise  this interpreter again, each of {values} values perturbed by one ulp before step "
            f"{step}"
        )
    initial = found["initial"]
    different = _list([each["variable"] for each in initial["different"]])
    lines += [
        "",
        f"initial values: {initial['variables']} variables, {initial['values']} values: "
        + (f"different in {different}" if different else "identical"),
    ]
    lines += [*_table(found["steps"]), "", *("Note: " + note for note in found["notes"])]
    lines += [
        *(comparison.first_values.sentences() if comparison.first_values else []),
        found["verdict"],
    ]
    return "\n".join(lines)


_ROW = "{:>5}  {:<15} {:<15} {:<16}  {:<16}  {:<16}  {}"


def _table(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield _ROW.format(
        "step",
        "loss (this)",
        "loss (other)",
        "diff/noise: loss",
        "gradients",
        "values",
        "largest in",
    )
    for step in steps:
        cells = [step["loss"], step["gradient"], step["value"]]
        loss, gradient, value = [
            f"{_number(cell['difference'])}/{_number(cell['noise'])}" if cell else "-"
            for cell in cells
        ]
        yield _ROW.format(
            step["step"],
            _loss(step["loss"]["this"]),
            _loss(step["loss"]["other"]),
            loss,
            gradient,
            value,
            " ".join(cell["variable"] for cell in cells[1:] if cell and cell["difference"]),
        )


def _step(comparison: Comparison, number: int) -> Dict[str, Any]:
    this, other = comparison.this.steps[number - 1], comparison.other.steps[number - 1]
    step: Dict[str, Any] = {"step": number, "kind": this.kind}
    for what in ("loss", "gradient", "value"):
        largest = comparison.largest(number, what)
        step[what] = largest and {
            key: getattr(largest, key) for key in ("variable", "difference", "noise", "allowed")
        }
    del step["loss"]["variable"]
    step["loss"].update(this=this.losses, other=other.losses)
    return step


def _name(measurement: Measurement) -> str:
    return (
        "the loss"
        if measurement.what == "loss"
        else f"the {measurement.what} of {measurement.variable}"
    )


def _for_json(value: Any) -> Any:
    """Returns a value in which infinite numbers and NaN are strings."""
    if isinstance(value, dict):
        return {key: _for_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_for_json(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: Any) -> str:
    return "0" if value == 0 else f"{float(value):.1e}"


def _loss(losses: Sequence[Any]) -> str:
    return "-" if not losses else f"{sum(map(float, losses)) / len(losses):.9g}"


def _list(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
