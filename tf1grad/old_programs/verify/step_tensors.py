"""Fetches the floating-point tensors that a training step computes before it writes, at given variables and feeds."""

from __future__ import annotations

from typing import Any, Collection, Dict, List, Mapping, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.verify import graph_runs
from tf1grad.old_programs.verify.extra_fetches import read_initialized
from tf1grad.old_programs.verify.graphs.graph_record import StepTensor
from tf1grad.old_programs.verify.step_numbers import sample

MOST_VALUES = 64  # of each tensor; of a larger one an even sample is kept
SUMS = frozenset(["Sum", "BiasAddGrad", "AddN"])


def fetch_step(session: tf.Session, targets: Sequence[tf.Operation], fetches: Sequence[tf.Tensor],
               feeds: Mapping[str, Any], path: str, reads_state: bool) -> Dict[str, StepTensor]:
    """Returns samples of the tensors that a step computes before anything is written.

    The variables and feeds are read from the file at `path` if `reads_state`, and else written there.
    """
    variables = {variable.name: variable for variable in session.graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)}
    if reads_state:
        given, feeds = _load(path, feeds)
        for name, value in given.items():
            initializer = variables[name].initializer if name in variables else None
            if initializer is not None and len(initializer.inputs) == 2:
                session.run(initializer, {initializer.inputs[1]: value})
    else:
        _save(path, read_initialized(session, variables), feeds)
    tensors = _tensors_before_writes(session.graph, [*targets, *(tensor.op for tensor in fetches)], feeds)
    try:
        values = session.run(tensors, dict(feeds)) if tensors else []
    except tf.errors.OpError:  # such as a tensor of a branch that is not taken
        return {}
    known = {tensor.name: np.asarray(value) for tensor, value in zip(tensors, values)}
    return {tensor.name: _step_tensor(tensor, known) for tensor in tensors}


def _tensors_before_writes(graph: tf.Graph, ops: Sequence[tf.Operation], fed: Collection[str]) -> List[tf.Tensor]:
    ran = graph_runs.executed(ops, fed)
    left_out = graph_runs.after_writes(ran) | graph_runs.in_loops_and_branches(ran)
    return [tensor for op in graph.get_operations() if op in ran and op not in left_out for tensor in op.outputs
            if tensor.dtype.base_dtype.is_floating and tensor.name not in fed and graph.is_fetchable(tensor)]


def _step_tensor(tensor: tf.Tensor, known: Mapping[str, np.ndarray]) -> StepTensor:
    kept = sample(known[tensor.name], MOST_VALUES)
    terms = [known.get(each.name) for each in tensor.op.inputs[:None if tensor.op.type == "AddN" else 1]]
    remainder = None
    if tensor.op.type in SUMS and all(term is not None for term in terms) and known[tensor.name].size:
        total = sum(float(np.abs(term).astype(np.float64).sum()) for term in terms if term is not None)
        remainder = kept.largest * known[tensor.name].size / total if total else None
    return StepTensor(list(kept.shape), kept.digest, kept.norm, kept.largest, remainder,
                      [float(value) for value in kept.values])


def _save(path: str, variables: Mapping[str, Any], feeds: Mapping[str, Any]) -> None:
    values = {**{"variable " + name: value for name, value in variables.items()},
              **{"feed " + name: value for name, value in feeds.items()}}
    arrays: Dict[str, Any] = {name: np.asarray(value) for name, value in values.items()}
    with open(path, "wb") as file:
        np.savez(file, **{name: array for name, array in arrays.items() if array.dtype.kind in "fiub"})


def _load(path: str, feeds: Mapping[str, Any]) -> Any:
    """Returns the variables in the file, and `feeds` with the values in the file."""
    with np.load(path, allow_pickle=False) as arrays:
        values = dict(arrays)
    variables = {name[len("variable "):]: value for name, value in values.items() if name.startswith("variable ")}
    return variables, {name: values.get("feed " + name, value) for name, value in feeds.items()}
