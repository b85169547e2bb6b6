"""Runs cases, of which TensorFlow 1.15.5's values are recorded, in one mode:
"graph", "eager" or "v2", its behavior.

    recorded_cases.py MODE NAME...    prints the values of these cases of `MODULES` as JSON
    recorded_cases.py --record        with TensorFlow 1.15: writes tests/recorded/cases.json, {"name
                                      mode": value}

A case is a function, which may ask for a `folder` of its own, a `session` and a tensor `x`.
"""

import contextlib
import importlib
import inspect
import json
import subprocess
import sys
import tempfile

MODULES = (
    "graph_cases",
    "name_cases",
    "data_cases",
    "keras_cases",
    "checkpoint_cases",
    "contrib_cases",
    "eager_cases",
    "singular_cases",
)


def case(*modes):
    """Marks a function as a case in these modes."""

    def mark(function):
        function.modes = modes
        return function

    return mark


def cases(mode):
    """Returns the cases of a mode by name."""
    found = {}
    for module in map(importlib.import_module, MODULES):
        found.update(
            (name, value)
            for name, value in vars(module).items()
            if mode in getattr(value, "modes", ())
        )
    return found


def value_of(tf, np, function, mode):
    """Returns the value of a case, or the error that it raises."""
    tf.keras.backend.clear_session()
    if mode == "graph":
        tf.reset_default_graph()
        tf.disable_resource_variables()  # boosted trees switch them on
    np.random.seed(3)
    with contextlib.ExitStack() as stack:
        given = {
            "folder": tempfile.mkdtemp,
            "x": lambda: tf.constant([1.0, 2.0, 3.0]),
            "session": lambda: stack.enter_context(tf.Session()),
        }
        try:
            return function(
                **{name: given[name]() for name in inspect.signature(function).parameters}
            )
        except Exception as error:
            return repr(error)


def main(mode, wanted):
    """Prints the values of the cases that are wanted, or of all."""
    import numpy as np
    import tensorflow as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    if mode != "graph":
        {"eager": tf.enable_eager_execution, "v2": tf.enable_v2_behavior}[mode]()
    found = {
        name: value_of(tf, np, function, mode)
        for name, function in cases(mode).items()
        if not wanted or name in wanted
    }
    print(
        json.dumps(
            found,
            default=lambda value: np.asarray(getattr(value, "numpy", lambda: value)()).tolist(),
        )
    )


def record():
    """Runs each mode in a process, and records what they print."""
    import records

    found = {}
    for mode in ("graph", "eager", "v2"):
        printed = subprocess.run(
            [sys.executable, __file__, mode], stdout=subprocess.PIPE, check=True
        ).stdout
        values = json.loads(printed.decode().splitlines()[-1])
        found.update((f"{name} {mode}", value) for name, value in values.items())
    records.write("cases", dict(sorted(found.items())))


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        record()
    else:
        main(sys.argv[1], sys.argv[2:])
