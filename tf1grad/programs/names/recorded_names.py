"""Finds what Python and other libraries have lost in the lists `python_names.txt`
and `library_names.txt`.

`docs/generate/record_python_names.py` and `record_library_names.py` write the lists: the one from
typeshed, which has Python's names by version, the other by comparing releases. A name with a row in
`names/*_rows.py` has more: what `run` and `upgrade` do for it. Here it has its last release, and
where its library says what to use.
"""

from __future__ import annotations

import functools
import os
from typing import NamedTuple

from tf1grad.programs.names.dotted_names import prefixes
from tf1grad.programs.names.rows import NOT, Row

_NOTHING = NOT + "nothing stands for it"
# Functions that SciPy had at its top, beside those of NumPy.
_NOT_OF_NUMPY = ("ifft", "logn", "rand", "randn", "show_numpy_config")
# What another package provides under the same name, if it is installed.
_PROVIDED = {"distutils": "setuptools"}


class _Lists(NamedTuple):
    """The recorded names and keywords (`function(keyword=)`),
    each with the first release that is known to lack it.
    """

    names: dict[str, str]
    keywords: dict[str, str]
    modules: set[str]  # of Python


def row_of(name: str) -> Row | None:
    """Returns the row of a dotted name, or of the longest part of it that is recorded;
    None for any other name.
    """
    for start, _ in prefixes(name):
        since = _lists().names.get(start)
        if since is not None:
            return _row(start, "module" if start in _lists().modules else "name", since)
    return None


def method_of(owner: str, name: str) -> Row | None:
    """Returns the row of a method of a class; None if the class still has it, or is not known."""
    since = _lists().names.get(f"{owner}.{name}")
    return None if since is None else _row(f"{owner}.{name}", "method", since)


def keyword_of(function: str, keyword: str) -> Row | None:
    """Returns the row of a keyword that a function no longer takes."""
    name = f"{function}({keyword}=)"
    since = _lists().keywords.get(name)
    return None if since is None else _row(name, "keyword", since)


@functools.lru_cache(maxsize=None)
def classes() -> frozenset[str]:
    """Returns the dotted names that have lost an attribute: classes among them."""
    return frozenset(name.rpartition(".")[0] for name in _lists().names)


def all_names() -> list[tuple[str, str]]:
    """Returns every recorded name and keyword with the first release that is known to lack it."""
    lists = _lists()
    return [*lists.names.items(), *lists.keywords.items()]


def _row(old: str, kind: str, since: str) -> Row:
    title, _, version = since.replace("by ", "").rpartition(" ")
    root = old.partition(".")[0]
    if root in _PROVIDED:
        package = _PROVIDED[root]
        remedy = f"Install {package}, which provides it."
        return Row(old, kind, None, "deprecated in " + since, _NOTHING, _NOTHING, remedy, package)
    name = old.partition(".")[2]
    is_numpy = name.islower() and name not in _NOT_OF_NUMPY
    if root == "scipy" and is_numpy and f"numpy.{name}" not in _lists().names:
        today = f"numpy.{name}"  # SciPy had NumPy's names
        if "." not in name and kind == "name":
            return Row(old, kind, today, since, _NOTHING, "rename", f"Use {today}.")
    page = f"docs.python.org/3/whatsnew/{version}.html says"
    notes = page if title == "Python" else f"The release notes of {title} say"
    return Row(old, kind, None, since, _NOTHING, _NOTHING, f"{notes} what to use.")


@functools.lru_cache(maxsize=None)
def _lists() -> _Lists:
    lists = _Lists({}, {}, set())
    for line in _lines("python_names.txt"):
        version, _, rest = line.partition(" ")
        module, _, names = rest.partition(": ")
        if not names:
            lists.modules.add(module)
            lists.names[module] = f"Python {version}"
        for name in names.split():
            lists.names[f"{module}.{name}"] = f"Python {version}"
    release = ""
    for line in _lines("library_names.txt"):
        if line.startswith("= "):
            release = "by " + line[2:]
            continue
        owner, _, names = line.partition(": ")
        for name in names.split():
            if owner.endswith("()"):
                lists.keywords[f"{owner[:-2]}({name}=)"] = release
            else:
                lists.names[f"{owner}.{name}"] = release
    return lists


def _lines(file: str) -> list[str]:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
    with open(path, encoding="utf-8") as text:
        return text.read().splitlines()
