"""Starts one of the three recorders in the process of a script. It needs no TensorFlow before."""

from __future__ import annotations

import importlib
import platform
import sys
from typing import Any, Mapping

from tf1grad.programs import _compat

STEPS, GRAPHS, FETCHES = "StepRecorder", "GraphRecorder", "FetchRecorder"
_MODULES = {STEPS: "step_recorder", GRAPHS: "graph_recorder", FETCHES: "fetch_recorder"}


def start(options: Mapping[str, Any], seed: int | None) -> None:
    """Starts the recorder that the option `kind` names, with the other options as its arguments.

    Graphs with unseeded random ops get the `seed`, if that is not None.
    """
    # Imported here because they import TensorFlow and NumPy.
    import numpy as np

    from tf1grad.verify import external_evaluations
    from tf1grad.verify.recorder import TrainingRecorder

    arguments = dict(options)
    kind = arguments.pop("kind")
    module = importlib.import_module("tf1grad.verify." + _MODULES[kind])
    recorder = getattr(module, kind)(**arguments)
    facts = recorder.record.facts
    facts.executable, facts.python = sys.executable, platform.python_version()
    facts.numpy, facts.tensorflow = np.__version__, _compat.release()
    recorder.start(seed)
    if isinstance(recorder, TrainingRecorder):
        external_evaluations.start(recorder)
