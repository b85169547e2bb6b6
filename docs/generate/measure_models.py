"""Measures the models of `write_models.py`:
converted, run in plain TensorFlow 2, compared with 1.15's values.

    OLD/bin/python docs/generate/write_models.py FOLDER --sources SOURCES
    python docs/generate/measure_models.py FOLDER [NAME ...]

prints the table of docs/commands/model.md: the largest absolute differences. Set
TF_ENABLE_ONEDNN_OPTS=0 for a comparison with the arithmetic of 1.15.
"""

import contextlib
import io
import json
import os
import pickle
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [ROOT, os.path.join(ROOT, "tests", "helpers", "programs")]

from plain_tensorflow import PlainTensorFlow  # noqa: E402, importable because of the line above
from tf1grad.cli import main as command  # noqa: E402

FORMATS = {
    "SavedModel": "saved",
    "meta graph": "model.ckpt.meta",
    "frozen graph": "frozen.pb",
    "Keras HDF5": "model.h5",
    "TF-Hub module": "module",
}


def converted(path, out, options):
    """Returns "" after a conversion, else the message of its error."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = command.main(["model", "convert", path, out, "--no-check", *options])
    return said.getvalue().strip().splitlines()[-1] if code else ""


def compared(path, kind, is_frozen, plain):
    """Returns the largest difference of a converted model and its largest value,
    or the error's message and 0.
    """
    with open(os.path.join(path, "values"), "rb") as file:
        inputs, outputs = pickle.load(file, encoding="latin1")
    with open(os.path.join(path, "names.json")) as file:
        names = json.load(file)
    options = (
        []
        if not names or kind == "SavedModel" and not is_frozen
        else [
            f"--{role}=" + ",".join(f"{name}={tensor}" for name, tensor in names[role].items())
            for role in names
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.pb" if is_frozen else "out")
        error = converted(os.path.join(path, FORMATS[kind]), out, options)
        if error:
            return error, 0.0
        if is_frozen:
            fed = {names["inputs"][name]: value for name, value in inputs.items()}
            found = plain.values(out, fed, names["outputs"])
        elif kind == "TF-Hub module":
            found = plain.values(out, inputs, signature="default", tags=())
        else:
            found = plain.values(out, inputs)
    pairs = (
        [(value, found[name]) for name, value in outputs.items()]
        if set(outputs) == set(found)
        else list(zip(outputs.values(), found.values()))
    )
    return (
        max(np.abs(np.subtract(one, other, dtype=np.float64)).max() for one, other in pairs),
        max(np.abs(value).max() for value in outputs.values()),
    )


def rows(folder, names, plain):
    """Yields a row for each model and format."""
    for name in names or sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        for kind, file in FORMATS.items():
            if os.path.exists(os.path.join(path, file)):
                cells = [
                    compared(path, kind, is_frozen, plain)
                    for is_frozen in (False, True)
                    if not is_frozen or os.path.exists(os.path.join(path, FORMATS["frozen graph"]))
                ]
                texts = [cell if isinstance(cell, str) else f"{cell:.2g}" for cell, _ in cells] + [
                    "",
                    "",
                ]
                yield [
                    name.replace("_", " "),
                    kind,
                    *texts[:2],
                    f"{max(largest for _, largest in cells):.2g}",
                ]


def main():
    """Prints the table."""
    with tempfile.TemporaryDirectory() as scratch:
        plain = PlainTensorFlow(scratch)
        for row in rows(sys.argv[1], sys.argv[2:], plain):
            print("| " + " | ".join(row) + " |", flush=True)
        plain.close()


if __name__ == "__main__":
    main()
