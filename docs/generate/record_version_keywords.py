"""Writes `version_1_keywords.txt` in tf1grad/programs/names:
the keywords that tell that a file is for version 1.

They are those that a function of TensorFlow 1.15 takes, and that the function of the same name in
its own `compat.v2` does not take. Needs TensorFlow 1.15:

    python docs/generate/record_version_keywords.py
"""

import inspect
import pathlib
import types

import tensorflow as tf

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE.parents[1] / "tf1grad" / "programs" / "names" / "version_1_keywords.txt"
MODULES = (
    "", "image", "io", "linalg", "math", "nn", "random", "signal", "sparse", "strings", "train"
)  # fmt: skip
TAKEN_AGAIN = ("l2_normalize",)  # by later releases of version 2


def main():
    """Writes the file."""
    with open(FILE, "w", encoding="ascii") as file:
        for module in MODULES:
            old, new = _part(tf, module), _part(tf.compat.v2, module)
            for name in sorted(set(dir(old)) & set(dir(new))):
                lost = _lost(getattr(old, name), getattr(new, name))
                if lost and not name.startswith("_") and name not in TAKEN_AGAIN:
                    file.write(f"{'.'.join(filter(None, [module, name]))}: {' '.join(lost)}\n")


def _part(root, module):
    return getattr(root, module) if module else root


def _lost(old, new):
    """Returns the keywords of a function that the new one does not take."""
    if not all(isinstance(each, types.FunctionType) for each in (old, new)):
        return []
    before, today = (inspect.signature(each).parameters for each in (old, new))
    if any(each.kind is each.VAR_KEYWORD for each in today.values()):
        return []
    named = [name for name, each in before.items() if each.kind is not each.VAR_KEYWORD]
    return [name for name in named if name not in today and name != "name"]


if __name__ == "__main__":
    main()
