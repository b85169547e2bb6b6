"""Writes tf1grad/v1.pyi, the names of TensorFlow 1.15 that type checkers and editors know.
Needs TensorFlow 1.15.

python docs/generate/record_v1_names.py
"""

import inspect
import os
import types

import tensorflow as tf

FILE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    "tf1grad",
    "v1.pyi",
)
HEADER = '''"""The names of TensorFlow 1.15.5, which docs/generate/record_v1_names.py writes. A module is a class here."""

from typing import Any

'''
# Modules that load when they are asked for, or that have all names again.
OF_ANY_NAME = {"contrib", "compat", "flags", "mock", "raw_ops"}
PUBLIC = ("._api.v1.", ".api._v1.")  # in the full names of modules that have the public names
LEFT_OVER = {"absolute_import", "division", "print_function"}


def lines(module, indentation=""):
    """Yields the lines of a module of TensorFlow's public names."""
    for name in sorted(dir(module)):
        if name.startswith("_") and name != "__version__" or name in LEFT_OVER:
            continue
        value = getattr(module, name)
        if isinstance(value, types.ModuleType) and name not in OF_ANY_NAME:
            is_public = any(part in value.__name__ for part in PUBLIC)
            below = list(lines(value, indentation + "    ")) if is_public else []
            if below:
                yield f"{indentation}class {name}:"
                yield from below
        elif inspect.isclass(value):
            yield f"{indentation}class {name}(Any): ..."
        else:
            yield f"{indentation}{name}: Any"


def text():
    """Returns the text of tf1grad/v1.pyi."""
    return HEADER + "\n".join(lines(tf)) + "\n"


def main():
    """Writes tf1grad/v1.pyi."""
    with open(FILE, "w") as file:
        file.write(text())


if __name__ == "__main__":
    main()
