"""Reads what pyproject.toml, Pipfile, Pipfile.lock,
setup.cfg and the metadata of a script declare.
"""

from __future__ import annotations

import configparser
import json
import re
import sys
from typing import Any, Generator, Iterable, Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from tf1grad.programs.names.packages import normalized
from tf1grad.run.packages import toml_files
from tf1grad.run.packages.requirement_lines import NO_PACKAGE, OF_INDEX, RequirementLine

_WHOLE = ""  # the file
_NOT_TOML = "it is not TOML: {}"
_NOT_JSON = "it is not the JSON that Pipenv writes"
_NOT_INI = "it cannot be read: {}"
_OTHER_GROUPS = "only the groups that uv installs by default are read: those of [tool.uv] default-groups, else dev"
_COMPUTED = "setuptools computes it, and is not started"
# In the table of a package: it comes from there, and not from the index.
_ELSEWHERE = ("git", "hg", "svn", "bzr", "path", "file", "url", "editable", "workspace")


def read_project(text: str) -> Iterator[RequirementLine]:
    """Yields what a pyproject.toml declares: its project's dependencies, uv's default groups,
    Poetry's dependencies.
    """
    contents = yield from _toml(text)
    project, tool = _table(contents, "project"), _table(contents, "tool")
    of_uv = _table(tool, "uv")
    lines = [*_texts(project.get("dependencies"))]
    lines += yield from _default_groups(_table(contents, "dependency-groups"), of_uv)
    yield from _without_sources(lines, of_uv)
    if "dependencies" in _texts(project.get("dynamic")):
        yield RequirementLine("dynamic dependencies", problem=_COMPUTED)
    poetry = _table(tool, "poetry")
    yield from _of_table(_table(poetry, "dependencies"))
    yield from _other_indexes(poetry.get("source"), "url")


def read_script(text: str) -> Iterator[RequirementLine]:
    """Yields what the metadata of a script declare (PEP 723)."""
    contents = yield from _toml(text)
    of_uv = _table(_table(contents, "tool"), "uv")
    yield from _without_sources(_texts(contents.get("dependencies")), of_uv)


def read_pipfile(text: str) -> Iterator[RequirementLine]:
    """Yields the packages of a Pipfile; those for development are left out."""
    contents = yield from _toml(text)
    yield from _of_table(_table(contents, "packages"), _first_index(contents.get("source")))
    yield from _other_indexes(contents.get("source"), "url")


def read_pipfile_lock(text: str) -> Iterator[RequirementLine]:
    """Yields the releases of a Pipfile.lock with their checksums;
    those for development are left out.
    """
    try:
        contents = json.loads(text)
    except (ValueError, RecursionError):
        contents = None
    if not isinstance(contents, dict):
        yield RequirementLine(_WHOLE, problem=_NOT_JSON)
        return
    indexes = _table(contents, "_meta").get("sources")
    yield from _of_table(_table(contents, "default"), _first_index(indexes))
    yield from _other_indexes(indexes, "url")


def read_configuration(text: str) -> Iterator[RequirementLine]:
    """Yields `install_requires` of a setup.cfg."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        yield RequirementLine(_WHOLE, problem=_NOT_INI.format(str(error).partition("\n")[0]))
        return
    wanted = parser.get("options", "install_requires", fallback="")
    if re.match(r"\s*file:", wanted):
        yield RequirementLine(f"install_requires = {wanted.strip()}", problem=_COMPUTED)
        return
    separator = "\n" if "\n" in wanted.strip() else ";"
    yield from (RequirementLine(line.strip()) for line in wanted.split(separator) if line.strip())


def _toml(text: str) -> Generator[RequirementLine, None, dict[str, Any]]:
    """Yields a line where the text is no TOML, and returns its contents."""
    try:
        return toml_files.read(text)
    except (ValueError, RecursionError) as error:
        yield RequirementLine(_WHOLE, problem=_NOT_TOML.format(error))
        return {}


def _table(contents: object, name: str) -> dict[str, Any]:
    found = contents.get(name) if isinstance(contents, dict) else None
    return found if isinstance(found, dict) else {}


def _texts(values: object) -> list[str]:
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []


def _default_groups(
    groups: dict[str, Any], of_uv: dict[str, Any]
) -> Generator[RequirementLine, None, list[str]]:
    """Yields a line that names the groups that are not read,
    and returns the requirements of the others.
    """
    default = of_uv.get("default-groups", ["dev"])
    names = (
        list(groups) if default == "all" else [each for each in _texts(default) if each in groups]
    )
    found: list[str] = []
    seen: set[str] = set()
    while names:
        name = names.pop(0)
        if name not in seen:
            seen.add(name)
            members = groups.get(name, [])
            found += _texts(members)
            included = [_table({"": each}, "").get("include-group") for each in members]
            names += [each for each in included if isinstance(each, str)]
    others = [name for name in groups if name not in seen]
    if others:
        yield RequirementLine(f"[dependency-groups] {', '.join(others)}", problem=_OTHER_GROUPS)
    return found


def _without_sources(lines: Iterable[str], of_uv: dict[str, Any]) -> Iterator[RequirementLine]:
    """Yields lines; one for which [tool.uv.sources] names another place than the
    index is not asked of that.
    """
    sources = set(map(normalized, _table(of_uv, "sources")))
    for line in lines:
        name = normalized(re.sub(r"[^\w.-].*", "", line.strip(), flags=re.S))
        if name in sources:
            yield RequirementLine(
                f"{line}, which [tool.uv.sources] has", problem=NO_PACKAGE, what=name
            )
        else:
            yield RequirementLine(line)
    yield from _other_indexes(of_uv.get("index"), "url")


def _first_index(indexes: object) -> str | None:
    """Returns the name of the first index of a Pipfile,
    of which packages without an `index` are.
    """
    first = indexes[0] if isinstance(indexes, list) and indexes else None
    return first.get("name") if isinstance(first, dict) else None


def _other_indexes(indexes: object, key: str) -> Iterator[RequirementLine]:
    """Yields a line for each index that is not PyPI."""
    for each in indexes if isinstance(indexes, list) else []:
        address = each.get(key) if isinstance(each, dict) else None
        if isinstance(address, str) and "//pypi.org/" not in address + "/":
            yield RequirementLine(address, problem=OF_INDEX)


def _of_table(table: dict[str, Any], first_index: str | None = None) -> Iterator[RequirementLine]:
    """Yields the requirements in a table of names and versions, as Poetry and Pipenv write them."""
    for name, value in table.items():
        facts = value if isinstance(value, dict) else {"version": value}
        index = facts.get("index", facts.get("source"))
        is_elsewhere = any(each in facts for each in _ELSEWHERE)
        version = _version(facts.get("version", "*"))
        if is_elsewhere or version is None or (index is not None and index != first_index):
            yield RequirementLine(f"{name} = {_shown(value)}", problem=NO_PACKAGE, what=name)
        elif facts.get("optional") is not True and _is_for_this_python(facts.get("python", "*")):
            extras = ",".join(_texts(facts.get("extras")))
            marker = facts.get("markers") or facts.get("marker")
            line = name + (f"[{extras}]" if extras else "") + version
            line += f"; {marker}" if isinstance(marker, str) else ""
            yield RequirementLine(
                " ".join([line, *(f"--hash={each}" for each in _texts(facts.get("hashes")))])
            )


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_shown(each)}" for key, each in value.items()) + "}"
    return json.dumps(value, default=str)


def _version(value: object) -> str | None:
    """Returns bounds as pip writes them, such as ">=1.2,<2" for Poetry's "^1.2";
    None where they are not read.
    """
    if not isinstance(value, str):
        return None
    bounds = [_bound(each.strip()) for each in value.split(",")]
    text = ",".join(bound for bound in bounds if bound)
    try:
        return str(SpecifierSet(text)) if text else ""
    except InvalidSpecifier:
        return None


def _bound(text: str) -> str:
    if text in ("*", ""):
        return ""
    found = re.fullmatch(r"([\^~])\s*(\d+(?:\.\d+)*)", text)
    if found is None:
        return f"=={text}" if text[0].isdigit() else text
    sign, version = found.groups()
    numbers = [int(number) for number in version.split(".")]
    if sign == "~":
        kept = min(len(numbers), 2)
    else:  # the first number that is not 0 stays
        kept = next((place for place, number in enumerate(numbers, 1) if number), len(numbers))
    above = [*numbers[: kept - 1], numbers[kept - 1] + 1]
    return f">={version},<{'.'.join(map(str, above))}"


def _is_for_this_python(value: object) -> bool:
    bounds = _version(value)
    return bounds is None or SpecifierSet(bounds).contains("{}.{}.{}".format(*sys.version_info))
