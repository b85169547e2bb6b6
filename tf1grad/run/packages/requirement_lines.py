"""Reads lines of requirements.txt, as pip and uv understand them,
and says of each whether it can be asked for.

The lines that name a package of the index go to uv as they are. The others do not, since uv would
obey them: it would ask an index that a stranger's file names, build a folder, or start git.
"""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement

from tf1grad.run.packages.releases import SOURCES

NO_PACKAGE = "it is not a package of the index with a version"
OF_INDEX = "packages come from the index that you have configured for uv or pip"
_OPTION = "options of pip in it are not obeyed"
_NO_SHA256 = "it has no sha256 checksum, and no other is compared"
WITHOUT_VERSION = "{!r} is no version today, so any release of {} is taken"

_INCLUDE = re.compile(r"(?:-r|--requirement)(?:\s*=\s*|\s*)(.+)", re.S)
_CONSTRAIN = re.compile(r"(?:-c|--constraint)(?:\s*=\s*|\s*)(.+)", re.S)
_EDITABLE = re.compile(r"(?:-e|--editable)(?:\s*=\s*|\s*)(.+)", re.S)
_INDEX = re.compile(r"-i|-f|--(?:extra-)?index-url|--find-links|--no-index|--trusted-host")
_HASH = re.compile(r"--hash[=\s]+(\w+):([0-9a-fA-F]+)")
_PATH = re.compile(r"[./~\\]|[^@;]*[/\\]")
_FILES = (".whl", ".txt", *SOURCES)


class RequirementLine(NamedTuple):
    """Describes a declared line: one to ask for has a `requirement`, or names a file that it
    includes or constrains by.

    `problem` is why it is left out, or what is not obeyed of it. `what` is the package or address
    as one word.
    """

    text: str
    requirement: Requirement | None = None
    hashes: tuple[str, ...] = ()
    includes: str = ""
    constrains: str = ""
    problem: str = ""
    what: str = ""


def logical_lines(text: str) -> Iterator[str]:
    """Yields the lines of a requirements.txt: joined where a backslash
    ends them, without comments.
    """
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        if line:
            yield line


def read(text: str) -> RequirementLine:
    """Returns a line with what it asks for, or with the reason why it is left out."""
    included, constrained = _INCLUDE.match(text), _CONSTRAIN.match(text)
    if included:
        return RequirementLine(text, includes=included.group(1).strip("'\" "))
    if constrained:
        return RequirementLine(text, constrains=constrained.group(1).strip("'\" "))
    if text.startswith("-"):
        return _of_option(text)
    wanted = re.sub(r"\s--\w.*", "", text)
    valid = _parsed(wanted)
    found = valid or _without_version(wanted)
    if found is None or found.url or _names_file(wanted):
        return RequirementLine(text, problem=NO_PACKAGE, what="".join(wanted.split()))
    hashes = [digest.lower() for kind, digest in _HASH.findall(text) if kind == "sha256"]
    if "--hash" in text and not hashes:
        return RequirementLine(text, problem=_NO_SHA256, what=found.name)
    problem = "" if valid else WITHOUT_VERSION.format(wanted, found.name)
    return RequirementLine(text, found, tuple(hashes), problem=problem)


def parse_requirement(line: str) -> Requirement | None:
    """Returns a line as a requirement; one that is not valid today, such as "pytz>=2011k",
    without its versions.
    """
    return _parsed(line) or _without_version(line)


def _parsed(line: str) -> Requirement | None:
    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _without_version(line: str) -> Requirement | None:
    name = re.match(r"[A-Za-z0-9][\w.-]*(?=\s*[<>=!~(]=?)", line)
    return Requirement(name.group()) if name and "extra" not in line else None


def _of_option(text: str) -> RequirementLine:
    editable = _EDITABLE.match(text)
    if editable:
        return RequirementLine(text, problem=NO_PACKAGE, what=editable.group(1).split()[0])
    return RequirementLine(text, problem=OF_INDEX if _INDEX.match(text) else _OPTION)


def _names_file(line: str) -> bool:
    """Says whether pip would take a line for a path: of a folder, a wheel or another archive."""
    return bool(_PATH.match(line)) or line.split(";")[0].strip().lower().endswith(_FILES)
