"""Reads an environment.yml with PyYAML: the installed one, or that of the layer's Keras,
which is fetched for it.

It is not a requirement of tf1grad: few programs have such a file, and none needs PyYAML to start.
Only the nodes of the file are read, so no tag of it makes an object, and no alias is copied.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
from typing import Any, Iterator

from tf1grad.programs._compat import is_installed
from tf1grad.programs.period import folder, layer, parts
from tf1grad.run.packages.requirement_lines import NO_PACKAGE, RequirementLine

_NOT_YAML = "it is not YAML: {}"
_NO_LIST = "it has no list of dependencies"
# A channel, a name, a version and a build, as in conda-forge::h5py=2.8.0=py36_0 or "h5py 2.8
# py36_0".
_ITEM = re.compile(
    r"(?:[\w./-]+::)?([\w.-]+)\s*(?:(={1,2}|\s)\s*([\d*][\w.*+!]*)(?:\s*[=\s]\s*(\w+))?|([<>!~=][^|\[\]()=]?[^|\[\]()]*))?$"
)
# In conda's name of a build, such as py36_0, np110py35_1 or pyh9f0ad1d_0.
_BUILT_FOR_PYTHON = re.compile(r"py(?=[\dh_p])")


def read(text: str) -> Iterator[tuple[RequirementLine, bool]]:
    """Yields what an environment.yml lists, each with whether it is conda's, and not below `pip:`.

    Packages that conda built for no Python, such as openssl, are left out unsaid. Raises
    `sources.Failed` where PyYAML has to be fetched and is not.
    """
    with _with_yaml() as yaml:
        try:
            top = yaml.compose(text, Loader=yaml.SafeLoader)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            problem = " ".join(str(error).split()) or type(error).__name__
            yield RequirementLine("", problem=_NOT_YAML.format(problem)), True
            return
        listed = _values(top).get("dependencies")
        if listed is None or not _is(listed, "sequence"):
            yield RequirementLine("", problem=_NO_LIST), True
            return
        for item in listed.value:
            yield from _of_item(item)


def _of_item(item: Any) -> Iterator[tuple[RequirementLine, bool]]:
    if _is(item, "scalar"):
        line = _of_conda(item.value.strip())
        if line is not None:
            yield line, True
        return
    for kind, listed in _values(item).items():
        for each in listed.value if kind == "pip" and _is(listed, "sequence") else ():
            if _is(each, "scalar"):
                yield RequirementLine(each.value.strip()), False


def _of_conda(item: str) -> RequirementLine | None:
    """Returns a package of conda as pip writes it; None where it is built for no Python."""
    found = _ITEM.match(item)
    if found is None:
        return RequirementLine(item, problem=NO_PACKAGE, what="".join(item.split()))
    name, sign, version, build, bounds = found.groups()
    if build and not _BUILT_FOR_PYTHON.search(build):
        return None
    if bounds:
        return RequirementLine(f"{name}{bounds}".replace(" ", ""))
    if not version or version == "*":
        return RequirementLine(name)
    is_release = sign == "==" or build or version.count(".") >= 2
    return RequirementLine(
        f"{name}=={version}" if is_release or "*" in version else f"{name}=={version}.*"
    )


def _is(node: object, kind: str) -> bool:
    return getattr(node, "id", None) == kind


def _values(node: Any) -> dict[str, Any]:
    """Returns the values of a mapping by their keys; nothing for another node."""
    if not _is(node, "mapping"):
        return {}
    return {key.value: value for key, value in node.value if _is(key, "scalar")}


@contextlib.contextmanager
def _with_yaml() -> Iterator[Any]:
    """Yields the module yaml; the layer's is not left to the program,
    which would find it in the first run only.
    """
    if "yaml" in sys.modules or is_installed("yaml"):
        yield importlib.import_module("yaml")
        return
    layer.fetch([parts.KERAS])
    place = os.path.join(folder.find(parts.KERAS.name) or "", parts.PACKAGES)
    sys.path.insert(0, place)
    try:
        yield importlib.import_module("yaml")
    finally:
        sys.path.remove(place)
        for name in [each for each in sys.modules if each.partition(".")[0] == "yaml"]:
            del sys.modules[name]
