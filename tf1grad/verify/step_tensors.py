"""Fetches the floating-point tensors that a training step computes before it writes,
at given variables and feeds.
"""

from __future__ import annotations

import os
from typing import Any, Mapping

import numpy as np

from tf1grad._compat import tf
from tf1grad.programs._samples import Sample, sample
from tf1grad.verify import run_dependencies
from tf1grad.verify.extra_fetches import read_initialized
from tf1grad.verify.observed_sessions import SessionRun

LOOP_STARTS = ("Enter", "RefEnter")  # TensorFlow says that these can be fetched
MOST_VALUES = 64  # of each tensor; of a larger one an even sample is kept


def fetch_step(run: SessionRun, path: str) -> dict[str, Sample]:
    """Returns samples of the tensors that a step computes before anything is written.

    The variables and feeds are read from the file at `path` if it exists, and else written there.
    """
    session, feeds = run.session, run.feeds
    variables = {
        variable.name: variable
        for variable in session.graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
    }
    if os.path.exists(path):
        feeds = _restore(session, variables, feeds, path)
    else:
        _save(path, {**read_initialized(session, variables), **feeds})
    ran = run.ops()
    ran -= run_dependencies.after_writes(ran)
    tensors = [
        tensor
        for op in session.graph.get_operations()
        if op in ran and op.type not in LOOP_STARTS
        for tensor in op.outputs
        if tensor.dtype.base_dtype.is_floating
        and tensor.name not in feeds
        and session.graph.is_fetchable(tensor)
    ]
    try:
        values = session.run(tensors, feeds)
    except tf.errors.OpError:  # such as a tensor of a branch that is not taken
        return {}
    return {tensor.name: sample(value, MOST_VALUES) for tensor, value in zip(tensors, values)}


def _save(path: str, values: Mapping[str, Any]) -> None:
    """Writes the arrays of numbers among values to a file."""
    arrays = {name: np.asarray(value) for name, value in values.items()}
    with open(path, "wb") as file:
        np.savez(file, **{name: each for name, each in arrays.items() if each.dtype.kind in "fiub"})


def _restore(
    session: tf.Session, variables: Mapping[str, tf.Variable], feeds: Mapping[str, Any], path: str
) -> dict[str, Any]:
    """Assigns the variables in the file, and returns `feeds` with the values in the file."""
    with np.load(path, allow_pickle=False) as arrays:
        state = dict(arrays)
    for name, variable in variables.items():
        inputs: list[Any] = list(variable.initializer.inputs)
        # An assignment, to a variable: what initializes copies on several devices groups theirs.
        if name in state and len(inputs) == 2:
            session.run(variable.initializer, {inputs[1]: state[name]})
    return {name: state.get(name, value) for name, value in feeds.items()}
