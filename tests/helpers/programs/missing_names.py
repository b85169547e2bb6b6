"""Lists the names that TensorFlow 1.15's modules take from installed modules and that are not there, under `run`.

Prints JSON: the number of names, and those that are missing, each with the first served module that takes it.
"""

import ast
import json
import os
import re

import tensorflow as tf  # noqa: F401  the op layer is put in place when the user's script imports it

from tf1grad.old_programs.originals import loader, missing_objects

ROOT = os.path.join(loader.home(), "tensorflow_core")
# Tests, and packages that list names only.
LEFT_OUT = re.compile(r".*_test(_base)?$|python\.keras\.api\b")


def served_modules():
    """Yields the path, below `tensorflow`, and the file of each module of 1.15's `python` that is served."""
    for path in sorted(loader.SERVED):
        file = loader.source(path)
        if file and not LEFT_OUT.match(path):
            yield path, os.path.join(ROOT, file)


def imported(tree):
    """Yields (name in the module, path of the imported object), for imports of TensorFlow's modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tensorflow.python"):
            for each in node.names:
                yield each.asname or each.name, node.module.partition(".")[2], each.name
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "LazyLoader":
            package, _, attribute = node.args[2].value.partition(".")[2].rpartition(".")
            yield node.args[0].value, package, attribute


def main():
    """Prints what is missing."""
    taken, missing = set(), {}
    for path, file in served_modules():
        with open(file, encoding="utf-8") as opened:
            tree = ast.parse(opened.read())
        modules = {}
        for name, package, attribute in imported(tree):
            full = f"{package}.{attribute}"
            if attribute == "*":
                continue
            value = loader.name(package, attribute)
            taken.add(full)
            if isinstance(value, missing_objects.Missing):
                missing.setdefault(full, path)
            elif isinstance(value, type(os)) and not isinstance(value, loader.Original) and not loader.source(full):
                modules[name] = full, value
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                full, module = modules[node.value.id]
                taken.add(f"{full}.{node.attr}")
                try:
                    getattr(module, node.attr)
                except (AttributeError, ImportError):
                    missing.setdefault(f"{full}.{node.attr}", path)
    print(json.dumps([len(taken), [f"{name} {path}" for name, path in sorted(missing.items())]]))


main()
