"""Writes contrib_names.txt beside this file: every public name of tf.contrib, by module. Needs TensorFlow 1.15.

    python docs/generate/record_contrib_names.py
"""

import importlib
import os
import types

import tensorflow as tf

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrib_names.txt")
# Public by their names, and leavings of `from __future__ import` and of imports.
NO_NAMES = {"absolute_import", "division", "print_function"}


def modules():
    """The names of the modules of tf.contrib that load here."""
    tf.contrib.layers  # noqa: B018 - what is looked up by name is loaded at the first use
    for name in sorted(dir(tf.contrib)):
        if not name.startswith("_") and isinstance(getattr(tf.contrib, name), types.ModuleType):
            yield name


def names(module):
    """The public names of a module of tf.contrib that are no modules, in order."""
    loaded = importlib.import_module("tensorflow.contrib." + module)
    return [name for name in sorted(dir(loaded)) if not name.startswith("_") and name not in NO_NAMES
            and not isinstance(getattr(loaded, name), types.ModuleType)]


def main():
    """Writes the file."""
    with open(FILE, "w") as file:
        for module in modules():
            file.write(f"{module}: {' '.join(names(module))}\n")


if __name__ == "__main__":
    main()
