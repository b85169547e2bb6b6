"""Reads what a program declares that it needs; nothing of the program is imported or executed."""

from __future__ import annotations

import ast
import configparser
import re
from typing import Any, Callable, Iterable, Iterator, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement

from tf1grad.old_programs.names import packages
from tf1grad.old_programs.packages import toml_files
from tf1grad.old_programs.packages.declaring_files import CONDA, INCLUDED, Text

# In conda's name of a build, such as py36_0, np110py35_1 or pyh9f0ad1d_0.
_BUILT_FOR_PYTHON = re.compile(r"py(?=[\dh_p])")


class Declared(NamedTuple):
    """Holds the requirements of a program, each once, the names of those that are conda's, and the lines left out.

    `refused` are lines that are no package of the index with a version: options, addresses, and whatever else.
    """

    requirements: list[Requirement]
    of_conda: set[str]  # normalized names from an environment.yml: they may be conda's alone
    refused: list[str]


def read(texts: Iterable[Text]) -> Declared:
    """Returns what the texts of `declaring_files` declare."""
    requirements: dict[str, Requirement] = {}
    of_conda: set[str] = set()
    refused = []
    for place, text in texts:
        for line in filter(
            None, map(_without_comment, _READERS.get(place, _of_requirements)(text))
        ):
            found = requirement(line)
            if found is None or found.url:
                refused.append(f"{line} ({place})")
            elif found.marker is None or found.marker.evaluate({"extra": ""}):
                found.name = packages.package_of(found.name).name
                key = packages.normalized(found.name)
                if place in CONDA and key not in requirements:
                    of_conda.add(key)
                if not requirements.get(key) or not requirements[key].specifier:
                    requirements[key] = found
    return Declared(list(requirements.values()), of_conda, refused)


def requirement(line: str) -> Requirement | None:
    """Returns a line as a requirement; one that is not valid today, such as "pytz>=2011k", without its versions."""
    try:
        return Requirement(line)
    except InvalidRequirement:
        name = re.match(r"[A-Za-z0-9][\w.-]*(?=\s*[<>=!~(]=?)", line)
        return Requirement(name.group()) if name and "extra" not in line else None


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line).strip()


def _of_requirements(text: str) -> Iterator[str]:
    """Yields the lines of a requirements.txt, without the files that it includes, which have texts of their own."""
    for line in text.replace("\\\n", " ").splitlines():
        if not INCLUDED.match(line):
            yield re.sub(r"\s--(hash|global-option|install-option)\b.*", "", line)


def _of_setup(text: str) -> list[str]:
    """Returns the strings that a setup.py gives as `install_requires`, or in a list of such a name."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    values = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            values += [each.value for each in node.keywords if each.arg == "install_requires"]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if "require" in node.targets[0].id.lower():
                values.append(node.value)
    return [text for value in values for text in _strings(value)]


def _strings(node: ast.AST) -> Iterator[str]:
    """Yields the strings of a list or of added lists; none of a call, such as the name of a file that is opened."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for element in node.elts:
            yield from _strings(element)
    elif isinstance(node, ast.BinOp):
        yield from _strings(node.left)
        yield from _strings(node.right)


def _of_configuration(text: str) -> list[str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    return parser.get("options", "install_requires", fallback="").splitlines()


def _of_conda(text: str) -> Iterator[str]:
    """Yields what an environment.yml lists, without packages that conda built for any language, such as openssl."""
    for item in re.findall(r"^\s*- +([\w.-]+ *(?:[=<>!~].*)?)$", text, re.M):
        build = re.search(r"=[\w.]+=(\w+)$", item.strip())
        is_of_python = build is None or _BUILT_FOR_PYTHON.search(build.group(1))
        if is_of_python and item.strip() not in ("defaults", "conda-forge"):
            # conda writes one equals sign, and a build after a second
            yield re.sub(r"(?<![=<>!~])=([\w.]+)(=\w+)?$", r"==\1", item.strip().replace(" ", ""))


def _of_project(text: str) -> list[str]:
    project = _toml(text)
    poetry = project.get("tool", {}).get("poetry", {}).get("dependencies", {})
    own = project.get("project", {}).get("dependencies", [])
    return [line for line in own if isinstance(line, str)] + _of_table(poetry)


def _of_pipfile(text: str) -> list[str]:
    return _of_table(_toml(text).get("packages", {}))


def _of_table(table: dict[str, Any]) -> list[str]:
    """Returns the requirements in a table of names and versions, as Poetry and Pipenv write them."""
    lines = []
    for name, value in table.items():
        version = value.get("version", "") if isinstance(value, dict) else value
        version = re.sub(r"^[\^~](?=\d)", ">=", version) if isinstance(version, str) else ""
        version = f"=={version}" if re.match(r"\d", version) else version
        lines.append(name + version.replace("*", "").rstrip("=<>!~ "))
    return lines


def _toml(text: str) -> dict[str, Any]:
    try:
        return toml_files.read(text)
    except ValueError:  # a file that is not TOML
        return {}


_READERS: dict[str, Callable[[str], Iterable[str]]] = {
    "setup.py": _of_setup,
    "setup.cfg": _of_configuration,
    "pyproject.toml": _of_project,
    **dict.fromkeys(CONDA, _of_conda),
    "Pipfile": _of_pipfile,
}
