"""Compares what TensorFlow 1.15's modules get from the installed TensorFlow,
under `run`, with what they had.

Prints as JSON the number of classes and names, and a list of differences. `missing`: a name that a
served module takes from an installed one and that is not there. `lost`: a method that 1.15's
modules, or contrib, name and that the installed class does not have.
"""

import ast
import inspect
import json
import os
import re

import tensorflow as tf  # noqa: F401  the op layer is put in place when the user's script imports it

from tf1grad.run.originals import loader, missing_objects

ROOT = os.path.join(loader.home(), "tensorflow_core")
# Not imported by 1.15's modules that are served, or of use only on TPUs or in tests.
LEFT_OUT = re.compile(
    r"python\.(debug|tools|tpu|autograph|tf2xla|user_ops|data\.benchmarks|compiler|lib|saved_model"
    r"|platform|distribute\.(combinations|multi_worker_test_base))\b|.*_test$|.*_pb2$|.*\bgen_\w+$"
)
NAMES_LEFT_OUT = re.compile(r".*_test(_base)?$|python\.keras\.api\b")


def all_modules():
    """Yields the path of each module of TensorFlow 1.15's `python` with its file."""
    for place, _, files in os.walk(os.path.join(ROOT, "python")):
        for file in files:
            path = os.path.relpath(os.path.join(place, file), ROOT)[:-3].replace(os.sep, ".")
            if file.endswith(".py") and file != "__init__.py" and not LEFT_OUT.match(path):
                yield path, os.path.join(place, file)


def text(file):
    """Returns the text of a file."""
    with open(file, encoding="utf-8") as opened:
        return opened.read()


def names_in_use(modules):
    """Returns the attributes that served modules and contrib name."""
    used = set()
    for path, file in modules:
        if loader.source(path):
            used.update(re.findall(r"\.(\w+)", text(file)))
    for place, _, files in os.walk(os.path.join(ROOT, "contrib")):
        for file in files:
            if file.endswith(".py"):
                used.update(re.findall(r"\.(\w+)", text(os.path.join(place, file))))
    return used


def differences_of(path, node, installed, used):
    """Yields the differences of one class, without those of methods that it inherits."""
    for function in node.body:
        name = getattr(function, "name", "__")
        is_method = isinstance(function, ast.FunctionDef) and not name.startswith("__")
        if is_method and name in used and not hasattr(installed, name):
            yield "lost", path, node.name, name


def imported(tree):
    """Yields (name in the module, package of the imported object, its name),
    for imports of TensorFlow's modules.
    """
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("tensorflow.python")
        ):
            for each in node.names:
                yield each.asname or each.name, node.module.partition(".")[2], each.name
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", getattr(node.func, "attr", "")) == "LazyLoader"
        ):
            yield (node.args[0].value, *node.args[2].value.partition(".")[2].rpartition(".")[::2])


def taken_names(tree):
    """Yields (full name, whether it is there),
    for the names of installed modules that a served module takes.
    """
    modules = {}
    for name, package, attribute in imported(tree):
        full = f"{package}.{attribute}"
        if attribute != "*":
            value = loader.name(package, attribute)
            yield full, not isinstance(value, missing_objects.MissingObject)
            if (
                isinstance(value, type(os))
                and not isinstance(value, loader.Original)
                and not loader.source(full)
            ):
                modules[name] = full, value
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
        ):
            full, module = modules[node.value.id]
            try:
                getattr(module, node.attr)
            except (AttributeError, ImportError):
                yield f"{full}.{node.attr}", False
            else:
                yield f"{full}.{node.attr}", True


def main():
    """Prints all differences and the numbers of classes and names."""
    modules = sorted(all_modules())
    used, found, count, taken = names_in_use(modules), [], 0, {}
    for path in filter(loader.source, sorted(loader.SERVED)):
        if not NAMES_LEFT_OUT.match(path):
            taken.update(taken_names(ast.parse(text(os.path.join(ROOT, loader.source(path))))))
    found.extend(("missing", name) for name, is_there in taken.items() if not is_there)
    for path, file in modules:
        if loader.source(path):
            continue
        try:
            module = loader.module(path)
        except ImportError:
            continue
        for node in (node for node in ast.parse(text(file)).body if isinstance(node, ast.ClassDef)):
            installed = getattr(module, node.name, None)
            if inspect.isclass(installed):
                count += 1
                found.extend(differences_of(path, node, installed, used))
    print(json.dumps([count, len(taken), sorted(set(map(" ".join, found)))]))


main()
