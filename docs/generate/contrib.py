"""Generates the table of all tf.contrib names: TensorFlow 1.15's recorded names, and the
replacements `run` uses.
"""

import collections
import os

from tf1grad.programs.names import provisions

NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrib_names.txt")
KINDS = {
    "tensorflow": "TensorFlow",
    "tf1grad": "tf1grad",
    "library": "another package",
    "original": "TensorFlow 1.15 alone",
    "gone": "nothing",
}


def recorded():
    """Returns the public names of TensorFlow 1.15.5's tf.contrib by module."""
    with open(NAMES) as file:
        return {
            module: names.split() for module, _, names in (line.partition(": ") for line in file)
        }


def provision(module, name):
    """Returns the replacement of a name in a module of tf.contrib."""
    return provisions.provision_of(f"tensorflow.contrib.{module}.{name}")


def table():
    """Returns a heading and a collapsible table for each module."""
    return "\n\n".join(
        _module(module, names) for module, names in sorted(recorded().items()) if names
    )


def _module(module, names):
    rows = ["| name | replacement |", "|---|---|"]
    rows += [
        f'| <a id="{_full(module, name)}"></a>`{name}` | {_today(module, name)} |' for name in names
    ]
    heading = f'## `tf.contrib.{module}`\n\n??? note "{len(names)} names"\n\n'
    return heading + "\n".join("    " + row for row in rows)


def search_entries():
    """Returns an entry of the search for each name, which leads to its row;
    but for names that recipes are about.
    """
    return [
        {
            "location": f"contrib/#{_full(module, name)}",
            "title": f"<code>{_full(module, name)}</code>",
            "text": _today(module, name),
            "boost": 0.3,  # some have the words of other pages, such as `learning_rate_...`
        }
        for module, names in recorded().items()
        for name in names
        if provision(module, name).kind != "tf1grad"
    ]


def _full(module, name):
    return f"tf.contrib.{module}.{name}"


def _today(module, name):
    found = provision(module, name)
    if found.kind == "gone":
        return "nothing: " + found.advice
    if found.kind == "original":
        advice = provisions.without_1_15(f"tensorflow.contrib.{module}.{name}")
        return f"TensorFlow 1.15 alone; or {advice}"
    return f"`{found.target}`" + (
        f", `pip install {found.requirement}`" if found.requirement else ""
    )


def summary():
    """Returns a table that counts the names by provider."""
    kinds = collections.Counter(
        provision(module, name).kind for module, names in recorded().items() for name in names
    )
    rows = ["| provided by | names |", "|---|---|"]
    rows += [f"| {KINDS[kind]} | {count} |" for kind, count in kinds.most_common()]
    return "\n".join(rows + [f"| **all** | **{sum(kinds.values())}** |"])
