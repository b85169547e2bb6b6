"""Looks up public names in 1.15's op layer,
by the files in which TensorFlow 1.15 listed its public names.
"""

from __future__ import annotations

import functools
import os
import pathlib
import re
from typing import Any

from tf1grad.programs import _compat
from tf1grad.programs.names.dotted_names import join
from tf1grad.programs.period import folder
from tf1grad.run.originals import loader, name_map
from tf1grad.run.originals.missing_objects import MissingObject

_LINE = re.compile(r"^from ([\w.]+) import (\w+)(?: as (\w+))?$", re.MULTILINE)
# The modules that define public names; submodules, which `api` has, are not among the names.
_DEFINING = re.compile(
    rf"(?:tensorflow\.)?((?:{folder.ESTIMATOR}\.)?python\.(?!(?:estimator|keras)\.api\b)[\w.]+)"
)


def op_layer_value(path: str, name: str) -> Any:
    """Returns 1.15's `name` in the public module `path` ("" for `tf` itself),
    or None where the op layer lacks it.

    An AttributeError says that a module of `tf.keras` had no such name in 1.15, a `DoesNotLoad`
    that 1.15's module fails here.
    """
    if name == "Tensor" and path in ("", "compat.v2"):
        return _compat.resolve("tensorflow.python.framework.ops.Tensor")  # the user's class
    found = _table(path).get(name)
    if found is None:
        if (
            "keras" in path.split(".")
            and not name.startswith("_")
            and join(path, name) not in modules()
        ):
            raise AttributeError(f"module 'tensorflow.{path}' has no attribute {name!r}")
        return None
    module, attribute = found
    if module.startswith(folder.ESTIMATOR):
        return _compat.resolve(f"{module}.{attribute}")
    full = join(module, attribute)
    is_generated = module.rpartition(".")[2].startswith("gen_")
    if not (
        loader.source(module)
        or name_map.find(full, for_users=True)
        or is_generated
        or _is_dropped(path, name)
    ):
        return None
    if loader.source(module) and not is_generated:
        return getattr(loader.module(module), attribute)
    value = loader.name(module, attribute)
    return None if isinstance(value, MissingObject) else value


def _is_dropped(path: str, name: str) -> bool:
    """Says whether the installed TensorFlow lacks a public name."""
    try:
        getattr(_compat.version_1(path), name)
    except (AttributeError, ImportError):
        return True
    return False


def names_in(path: str) -> list[str]:
    """Returns the names that TensorFlow 1.15 listed for the public module `path`,
    without those of its submodules.
    """
    later = ["flags"] if path == "app" else []  # 1.15 set it when all was imported
    listed = [
        alias or name
        for module, name, alias in _LINE.findall(_text(path))
        if module.startswith(("tensorflow.", folder.ESTIMATOR + "."))
    ]
    return [name for name in listed if not name.startswith("_")] + later


@functools.lru_cache(maxsize=None)
def modules() -> set[str]:
    """Returns the paths of the public modules of TensorFlow 1.15."""
    found = {"compat.v2"}
    for above in ("", "compat.v2"):
        for part in ("", "keras", "estimator"):
            root = _folder(join(above, part))
            for place, folders, files in os.walk(root):
                folders[:] = [each for each in folders if each not in ("compat", "__pycache__")]
                if "__init__.py" in files and place != root:
                    found.add(join(above, part, os.path.relpath(place, root).replace(os.sep, ".")))
            found.add(join(above, part))
    return found - {""}


def _folder(path: str) -> str:
    """Returns the folder of the public module `path`, also of `compat.v2`,
    or of a Keras or `estimator`.
    """
    parts = path.split(".")
    is_second = parts[:2] == ["compat", "v2"]
    parts = parts[2 * is_second :]
    version = "_v2" if is_second else "_v1"
    if parts[:1] == ["keras"]:
        return loader.kept("python", "keras", "api", version, *parts)
    if parts[:1] == ["estimator"]:
        of_estimator = os.path.join(loader.home(), folder.ESTIMATOR, "python", "estimator")
        return os.path.join(of_estimator, "api", version, *parts)
    return loader.kept("_api", "v1", *["compat", "v2"] * is_second, *parts)


@functools.lru_cache(maxsize=None)
def _table(path: str) -> dict[str, tuple[str, str]]:
    """Returns the names of the public module `path`,
    each with the module that defines it and its name there.
    """
    found = {}
    for module, name, alias in _LINE.findall(_text(path)):
        defining = _DEFINING.fullmatch(module)
        if defining:
            found[alias or name] = defining.group(1), name
    return found


def _text(path: str) -> str:
    """Returns the file that lists the names of the public module `path`; "" where there is none."""
    file = os.path.join(_folder(path), "__init__.py" if path else "v1.py")
    if not os.path.isfile(file):
        return ""
    return pathlib.Path(file).read_text(encoding="utf-8")
