"""Writes contrib_names.txt beside this file: every public name of tf.contrib by module.
Needs TensorFlow 1.15.

python docs/generate/record_contrib_names.py
"""

import os
import types

import tensorflow as tf

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrib_names.txt")
# Left over from `from __future__ import`, although their names look public.
LEFT_OVER = {"absolute_import", "division", "print_function"}


def modules():
    """Yields the names of the modules of tf.contrib that load here."""
    tf.contrib.layers  # noqa: B018 - tf.contrib loads its modules at the first attribute access
    for name in sorted(dir(tf.contrib)):
        if not name.startswith("_") and isinstance(getattr(tf.contrib, name), types.ModuleType):
            yield name


def names(module):
    """Returns the sorted public names of a module of tf.contrib, without modules."""
    loaded = getattr(tf.contrib, module)
    return [
        name
        for name in sorted(dir(loaded))
        if not name.startswith("_")
        and name not in LEFT_OVER
        and not isinstance(getattr(loaded, name), types.ModuleType)
    ]


def main():
    """Writes contrib_names.txt."""
    with open(FILE, "w") as file:
        for module in modules():
            file.write(f"{module}: {' '.join(names(module))}\n")


if __name__ == "__main__":
    main()
