"""Reads what a program declares that it needs; nothing of the program is imported or executed."""

from __future__ import annotations

import ast
import configparser
import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional

from packaging.requirements import InvalidRequirement, Requirement

from tf1grad.old_programs.names import packages
from tf1grad.old_programs.packages.declaring_files import INCLUDED, Text


class Declared(NamedTuple):
    """Holds the requirements of a program, each once, the places that ask for them, and the lines that are left out.

    `refused` are lines that are no package of the index with a version: options, addresses, and whatever else.
    """

    requirements: List[Requirement]
    places: Dict[str, str]  # of the requirement's normalized name
    refused: List[str]


def read(texts: Iterable[Text]) -> Declared:
    """Returns what the texts of `declaring_files` declare."""
    requirements: Dict[str, Requirement] = {}
    places: Dict[str, str] = {}
    refused = []
    for place, text in texts:
        for line in filter(None, map(_without_comment, _reader_of(place)(text))):
            found = requirement(line)
            if found is None or found.url:
                refused.append(f"{line} ({place})")
            elif found.marker is None or found.marker.evaluate({"extra": ""}):
                found.name = packages.package_of(found.name).name
                key = packages.normalized(found.name)
                places.setdefault(key, place)
                if not requirements.get(key) or not requirements[key].specifier:
                    requirements[key] = found
    return Declared(list(requirements.values()), places, refused)


def requirement(line: str) -> Optional[Requirement]:
    """Returns a line as a requirement; one that is not valid today, such as "pytz>=2011k", without its versions."""
    try:
        return Requirement(line)
    except InvalidRequirement:
        name = re.match(r"[A-Za-z0-9][\w.-]*(?=\s*[<>=!~(]=?)", line)
        return Requirement(name.group()) if name and "extra" not in line else None


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line).strip()


def _reader_of(place: str) -> Callable[[str], Iterable[str]]:
    return _READERS.get(place, _of_requirements)


def _of_requirements(text: str) -> Iterator[str]:
    """Yields the lines of a requirements.txt, without the files that it includes, which have texts of their own."""
    for line in text.replace("\\\n", " ").splitlines():
        if not INCLUDED.match(line):
            yield re.sub(r"\s--(hash|global-option|install-option)\b.*", "", line)


def _of_setup(text: str) -> List[str]:
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
    parts = [part for value in values for part in ast.walk(value)]
    return [
        part.value
        for part in parts
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def _of_configuration(text: str) -> List[str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    return parser.get("options", "install_requires", fallback="").splitlines()


def _of_conda(text: str) -> Iterator[str]:
    for item in re.findall(r"^\s*- +([\w.-]+ *(?:[=<>!~].*)?)$", text, re.M):
        if item.strip() not in ("defaults", "conda-forge"):
            # conda writes one equals sign, and a build after a second
            yield re.sub(r"(?<![=<>!~])=([\w.]+)(=\w+)?$", r"==\1", item.strip().replace(" ", ""))


def _of_project(text: str) -> List[str]:
    project = _toml(text)
    poetry = project.get("tool", {}).get("poetry", {}).get("dependencies", {})
    own = project.get("project", {}).get("dependencies", [])
    return [line for line in own if isinstance(line, str)] + _of_table(poetry)


def _of_pipfile(text: str) -> List[str]:
    return _of_table(_toml(text).get("packages", {}))


def _of_table(table: Dict[str, Any]) -> List[str]:
    """Returns the requirements in a table of names and versions, as Poetry and Pipenv write them."""
    lines = []
    for name, value in table.items():
        version = value.get("version", "") if isinstance(value, dict) else value
        version = re.sub(r"^[\^~](?=\d)", ">=", version) if isinstance(version, str) else ""
        version = f"=={version}" if re.match(r"\d", version) else version
        lines.append(name + version.replace("*", "").rstrip("=<>!~ "))
    return lines


def _toml(text: str) -> Dict[str, Any]:
    from tf1grad.old_programs.packages.resolver import read_toml

    try:
        return read_toml(text)
    except ValueError:  # a file that is not TOML
        return {}


_READERS: Dict[str, Callable[[str], Iterable[str]]] = {
    "setup.py": _of_setup,
    "setup.cfg": _of_configuration,
    "pyproject.toml": _of_project,
    "environment.yml": _of_conda,
    "environment.yaml": _of_conda,
    "Pipfile": _of_pipfile,
}
