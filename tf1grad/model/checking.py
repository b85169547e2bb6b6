"""Compares a converted model, in a process with plain TensorFlow,
with the original on random inputs.
"""

from __future__ import annotations

import itertools
import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any, Mapping, NamedTuple, Sequence

from tf1grad._compat import tf
from tf1grad.model import example_values, graph_facts, loading
from tf1grad.model.loading import GraphPart, Names
from tf1grad.model.model_files import ModelError
from tf1grad.recipes.sessions.reached import reached

TOLERANCE = 1e-5  # of the largest magnitude of an output
NO_CHECK = "Convert it with --no-check to leave the comparison out"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain_values.py")


class Run(NamedTuple):
    """Describes what is run of a converted model: a signature;
    or tensors of a frozen graph, after the ops `tags`.
    """

    tags: list[str]
    signature: str | None
    inputs: Names
    outputs: Names


def check(
    pairs: Sequence[tuple[GraphPart, Run]], made: str, path: str, notes: list[str]
) -> dict[str, float]:
    """Returns the largest relative difference of each output;
    a signature that accepts no random inputs is only loaded.

    Args:
        pairs: the part of the original and the run, for each signature.
        made: the converted model.
        path: the original, for messages.
        notes: gets a sentence about outputs and signatures that cannot be compared.

    Raises:
        ModelError: the converted model fails, or they differ.
    """
    expected, requests, unchecked = [], [], []
    for part, run in pairs:
        try:
            with loading.loaded(part, path) as session:
                session.run(part.fills_tables)
                feeds, values, random = _original(session, run)
        except _Refused as refusal:
            signature = f"signature {run.signature}" if run.signature else "graph"
            notes.append(f"Not checked is the {signature}: the original {refusal}")
            unchecked.append(run)
            continue
        if random:
            notes.append(
                "Not compared, since the original draws random numbers for them: "
                f"{', '.join(sorted(random))}."
            )
        expected.append({name: value for name, value in values.items() if name not in random})
        requests.append(_request(run, feeds))
    if unchecked:
        require_loading(unchecked, made)
    found: dict[str, float] = {}
    found_values = _plain_values(requests, made, "run") if requests else []
    for values, plain in zip(expected, found_values):
        for name, difference in example_values.largest_difference(values, plain).items():
            found[name] = max(difference, found.get(name, 0.0))
    wrong = [name for name, difference in found.items() if difference > TOLERANCE]
    if wrong:
        raise ModelError(
            f"{path}: converted, its output {', '.join(sorted(wrong))} differs from the original's by "
            f"{max(found.values()):.2g} of its largest value, on random inputs. Nothing was written. "
            f"{NO_CHECK}."
        )
    return found


def require_loading(runs: Sequence[Run], made: str) -> None:
    """Raises `ModelError` if plain TensorFlow does not load the converted model."""
    requests = [_request(run, dict.fromkeys(run.inputs.values())) for run in runs]
    _plain_values(requests, made, "load")


def _request(run: Run, feeds: Mapping[str, Any]) -> tuple[Any, ...]:
    """Returns the request that `plain_values` answers,
    for values of the inputs by their tensors.
    """
    named = {name: feeds[tensor] for name, tensor in run.inputs.items()}
    return run.tags, run.signature, feeds if run.signature is None else named, dict(run.outputs)


class _Refused(Exception):
    """The original accepts none of the random inputs."""


def _original(session: tf.Session, run: Run) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Returns random inputs by tensor, the original's outputs,
    and the names of those that are random.
    """
    failure: Exception | None = None
    tensors = list(map(session.graph.get_tensor_by_name, run.inputs.values()))
    ranks = example_values.unknown_ranks(session.graph.as_graph_def(), tensors)
    # Lengths must not be 0, and some graphs take one image at a time.
    for lowest, size, batch in itertools.product((0, 1), example_values.SIZES, (2, 1)):
        try:
            feeds = example_values.draw_values(tensors, size, ranks, lowest, batch)
            first, second = (session.run(dict(run.outputs), feeds) for _ in range(2))
        except (tf.errors.OpError, ValueError, TypeError, KeyError) as error:
            failure = failure or error
            continue
        differences = example_values.largest_difference(first, second)
        random = {name for name, difference in differences.items() if difference}
        if random:  # two draws may agree, as those of a rounded value
            random.update(name for name in run.outputs if _draws(session, run.outputs[name]))
        return feeds, first, sorted(random)
    assert failure is not None
    raise _Refused(f"fails on random inputs: {loading.first_line(failure)}")


def _draws(session: tf.Session, tensor: str) -> bool:
    """Says whether a tensor depends on an op that draws random numbers."""
    needed = reached(
        [session.graph.get_tensor_by_name(tensor).op],
        lambda op: [each.op for each in op.inputs] + list(op.control_inputs),
    )
    return any(graph_facts.RANDOM.search(op.type) for op in needed)


def _plain_values(
    requests: Sequence[tuple[Any, ...]], made: str, verb: str
) -> list[Mapping[str, Any]]:
    """Returns the outputs of the converted model, from a process that imports nothing of tf1grad.

    `verb` is the action of the process, for messages: "load" or "run".
    """
    folder = os.path.dirname(made)
    asked, given = os.path.join(folder, "requests"), os.path.join(folder, "values")
    pathlib.Path(asked).write_bytes(pickle.dumps(requests))
    # Run as a text, so that this folder is not on its path.
    script = pathlib.Path(SCRIPT).read_text(encoding="utf-8")
    process = subprocess.run(
        [sys.executable, "-c", script, made, asked, given],
        cwd=folder,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if process.returncode or not os.path.isfile(given):
        lines = [
            line
            for line in process.stdout.decode("utf-8", "replace").splitlines()
            if line.strip() and not line[0].isspace()
        ]
        remedy = f" {NO_CHECK}." if verb == "run" else ""
        raise ModelError(
            f"TensorFlow cannot {verb} the converted model: {lines[-1] if lines else process.returncode}. "
            f"Nothing was written.{remedy}"
        )
    values: list[Mapping[str, Any]] = pickle.loads(pathlib.Path(given).read_bytes())
    return values
