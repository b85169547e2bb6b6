"""Generates the table of all ops of TensorFlow 1.15:
kernels of today, tf1grad's functions, and advice for the others.

`record_ops.py` recorded the ops; the newest TensorFlow of the tests is today's.
"""

import collections
import os

from tf1grad.run.gone_ops import advice
from tf1grad.run.gone_ops.signatures import signatures
from tf1grad.run.gone_ops.table import OF_TENSORFLOW

NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops.txt")
KERNEL, FUNCTION, NOTHING = "TensorFlow 2", "a function of tf1grad", "nothing"


def recorded():
    """Returns the names of TensorFlow 1.15.5's ops by library."""
    with open(NAMES) as file:
        return {
            library: names.split() for library, _, names in (line.partition(": ") for line in file)
        }


def provider(op):
    """Returns what provides an op today: `KERNEL`, `FUNCTION` or `NOTHING`."""
    if op in OF_TENSORFLOW:
        return FUNCTION
    return NOTHING if op in signatures() else KERNEL


def summary():
    """Returns a table that counts the ops by provider."""
    counts = collections.Counter(provider(op) for names in recorded().values() for op in names)
    rows = [f"| {kind} | {counts[kind]} |" for kind in (KERNEL, FUNCTION, NOTHING)]
    return "\n".join(
        ["| provided by | ops |", "|---|---|", *rows, f"| **all** | **{sum(counts.values())}** |"]
    )


def table():
    """Returns a collapsible table for each library, first what TensorFlow 2 does not provide."""
    return "\n\n".join(_library(library, names) for library, names in sorted(recorded().items()))


def _library(library, names):
    home = "TensorFlow 1.15" if library == "core" else "tf." + library
    gone = [name for name in names if provider(name) != KERNEL]
    rows = ["| op | today |", "|---|---|", *(f"| `{name}` | {_today(name)} |" for name in gone)]
    kept = [name for name in names if provider(name) == KERNEL]
    text = "\n".join(rows) if gone else ""
    if kept:
        text += "\n\nThe same in TensorFlow 2: " + ", ".join(f"`{name}`" for name in kept) + "."
    indented = "\n".join("    " + line if line else "" for line in text.strip().splitlines())
    return f'??? note "{home}: {len(names)} ops"\n\n{indented}'


def _today(op):
    return FUNCTION if op in OF_TENSORFLOW else advice.advise(op)
