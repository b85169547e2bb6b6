"""Formats what `tf1grad model inspect` found, as text or JSON."""

from __future__ import annotations

import json
from typing import Any, Iterator, Sequence

import numpy as np

import tf1grad
from tf1grad.model import model_files
from tf1grad.model.graph_facts import GraphFacts, Shape, Tensor
from tf1grad.model.model_files import ModelFile
from tf1grad.programs.process.messages import counted

# Of a graph in JSON: the keys that are not named as the facts are, and the facts that it leaves
# out.
_KEYS = {"missing": "missing_ops", "python": "python_functions"}
_ONLY_OURS = ("tensorflow", "variables")


def as_text(model: ModelFile, most: int) -> str:
    """Returns the report as text, with at most so many variables."""
    writer = f", written by {model.writer}" if model.writer else ""
    has_variables = model.kind == model_files.FROZEN and model.variables
    lines = [
        f"{model.path}: {'graph with variables' if has_variables else model_files.TITLES[model.kind]}{writer}"
    ]
    if model.prefix and model.kind in (model_files.META, model_files.FROZEN):
        lines.append(f"  checkpoint: {model.prefix}")
    for facts in model.graphs:
        lines += _graph_lines(facts, model.kind)
    if model_files.loads_as_it_is(model):
        lines.append(f"  TensorFlow 2 loads it as it is: {model_files.loading_call(model)}")
    lines += [f"  asset: {name}" for name in model.assets]
    return "\n".join(lines + list(_variable_lines(model, most)))


def _graph_lines(facts: GraphFacts, kind: str) -> Iterator[str]:
    tags = f" [{', '.join(facts.tags)}]" if facts.tags else ""
    functions = f" and {counted(facts.functions, 'function')}" if facts.functions else ""
    yield f"  graph{tags} with {counted(facts.nodes, 'layer' if kind == model_files.KERAS else 'node')}{functions}"
    for signature in facts.signatures:
        yield f"    signature {signature.name}" + (
            f" ({signature.method})" if signature.method else ""
        )
        yield from _tensor_lines("      ", signature.inputs, signature.outputs)
    if not facts.signatures:
        yield from _tensor_lines("    ", facts.inputs, facts.outputs)
    for missing in facts.missing:
        yield f"    {missing.op} ({counted(len(missing.nodes), 'node')}) is not in TensorFlow 2. {missing.advice}"
    for name in facts.python:
        yield f"    {name} calls a Python function of the program that wrote the file: no file holds it"


def _tensor_lines(
    indent: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> Iterator[str]:
    for role, tensors in (("input ", inputs), ("output", outputs)):
        for tensor in tensors:
            place = (
                f" ({tensor.tensor})"
                if tensor.tensor not in ("", tensor.name, tensor.name + ":0")
                else ""
            )
            yield f"{indent}{role} {tensor.name}: {type_text(tensor.dtype, tensor.shape)}{place}"


def _variable_lines(model: ModelFile, most: int) -> Iterator[str]:
    if not model.variables:
        return
    sizes: list[Any] = [
        np.prod([1 if size is None else size for size in variable.shape or []], dtype=int)
        for variable in model.variables
    ]
    yield f"  {counted(len(sizes), 'variable')} with {counted(sum(sizes), 'value')}"
    for variable in model.variables[:most]:
        yield f"    {variable.name}: {type_text(variable.dtype, variable.shape)}"
    if most < len(sizes):
        yield f"    and {len(sizes) - most} more (--variables lists all)"


def type_text(dtype: str | None, shape: Shape) -> str:
    """Returns a dtype and a shape, such as "float32 [?, 3]" or "float32, unknown shape"."""
    name = dtype or "unknown dtype"
    if shape is None:
        return f"{name}, unknown shape"
    return f"{name} [{', '.join('?' if size is None else str(size) for size in shape)}]"


def as_json(model: ModelFile) -> str:
    """Returns the report as a JSON object; docs/model_json.md lists its keys."""
    facts = _plain(model)
    graphs = [
        {_KEYS.get(name, name): value for name, value in graph.items() if name not in _ONLY_OURS}
        for graph in facts["graphs"]
    ]
    return json.dumps(
        {
            "version": tf1grad.__version__,
            "path": model.path,
            "kind": model.kind,
            "written_by": model.writer,
            "checkpoint": model.prefix,
            "graphs": graphs,
            "variables": facts["variables"],
            "assets": model.assets,
        },
        indent=2,
    )


def _plain(value: object) -> Any:
    """Returns a value with dicts in the place of named tuples."""
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    return list(map(_plain, value)) if isinstance(value, list) else value


def outcome_text(out: str, outcome: Any) -> str:
    """Returns the lines that say what `convert` wrote."""
    frozen = outcome.runs and outcome.runs[0].signature is None
    lines = [f"Wrote {out}: a {'frozen graph' if frozen else 'SavedModel'}."]
    for run in outcome.runs:
        if not frozen:
            lines.append(
                f"  signature {run.signature}" + (f" [{', '.join(run.tags)}]" if run.tags else "")
            )
        for role, tensors in (("input ", run.inputs), ("output", run.outputs)):
            lines += [
                f"    {role} {tensor if frozen else name + ': ' + tensor}"
                for name, tensor in tensors.items()
            ]
    lines += [f"  {note}" for note in outcome.notes]
    if outcome.differences is None:
        lines.append("  Not compared with the original (--no-check).")
    elif outcome.differences:
        lines.append(
            "  Largest difference to the original on random inputs, relative to an output's largest value: "
            f"{max(outcome.differences.values()):.2g}"
        )
    return "\n".join(lines)
