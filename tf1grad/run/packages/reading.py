"""Reads releases, one at a time: what they require and which modules they bring.
Nothing of them is executed.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import metadata
from typing import Iterable, NamedTuple

from packaging.requirements import Requirement

from tf1grad.programs.names import packages
from tf1grad.programs.names.packages import normalized
from tf1grad.programs.source import library_text
from tf1grad.run.packages import requirement_lines
from tf1grad.run.packages.releases import Release
from tf1grad.run.packages.resolver import Resolver

# Code objects made by position, as cloudpickle of then did: every new Python has other positions.
_MAKES_CODE = rb"\bCodeType\(\s*\w"
# As the package `future` of then did: Python 3.13 dropped that module, and nothing serves it.
_TRANSLATES = rb"^(?:from|import)[ \t]+lib2to3\b"
_FAILS_HERE = re.compile(
    _MAKES_CODE + (b"|" + _TRANSLATES if sys.version_info >= (3, 13) else b""), re.M
)
# Its results may be arrays of NumPy or matrices of SciPy, which change with its releases.
_ON_NUMPY = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?:numpy|scipy)\b", re.M)
# Releases that name no requirement at all, such as seaborn before 0.9, are known by their text.
_ON_PLOTS = re.compile(rb"^(?:from|import)[ \t]+(?:matplotlib|pandas)\b", re.M)
# A constant with the least TensorFlow, with which the package compares the one that it finds when
# it is imported. tensorflow-probability and TensorFlow Addons have one, and their metadata require
# no TensorFlow.
_REQUIRES_2 = re.compile(
    rb"^[ \t]*\w*(?:required|min)\w*_(?:tf|tensorflow)_version[ \t]*=[ \t]*['\"]2\.", re.M | re.I
)
# Modules that answer a network.
_SERVES = re.compile(
    rb"^[ \t]*(?:from|import)[ \t]+(?:BaseHTTPServer|SimpleHTTPServer|SocketServer|aiohttp|bottle|cherrypy|fastapi|"
    rb"flask|http\.server|sanic|socketserver|tornado|twisted|uvicorn|werkzeug|wsgiref|zmq)\b|\.listen\(",
    re.M,
)


class ReadPackage(NamedTuple):
    """Describes a release that was read: its folder, its requirements here,
    whether it stands on TensorFlow or Keras.

    `stands_on_numpy` is True where it imports NumPy or SciPy, wherever in its text. `needs_today`
    is True where it requires Matplotlib or pandas, or imports them and declares nothing: theirs are
    of today, and have dropped what packages of then call. `fails_here` is True where it builds code
    objects, or imports lib2to3, which Python dropped. `serves` is True where its text imports a
    server, or listens: what lies there as of then has holes that were closed since. `requires_2` is
    True where its metadata or its text require TensorFlow 2.
    """

    release: Release
    folder: str
    requirements: list[Requirement]
    stands_on_tensorflow: bool
    stands_on_numpy: bool
    needs_today: bool
    fails_here: bool
    serves: bool
    requires_2: bool


def read(release: Release, extras: Iterable[str], resolver: Resolver) -> ReadPackage:
    """Unpacks a release below the resolver's folder and reads it;
    `NoSolution` where that is not possible.
    """
    target = resolver.install([release])[release.name]
    distribution = next(iter(metadata.distributions(path=[target])))
    requirements = requirements_of(distribution.requires or [], extras)
    tops = [os.path.join(target, name) for name in os.listdir(target)]
    tops = [path for path in tops if not path.endswith("-info")]
    names = {normalized(each.name) for each in requirements}
    headers = (distribution.read_text("METADATA") or "").partition("\n\n")[0]
    declares_2 = packages.requires_version_2(release.name, release.version, headers)
    patterns = [_ON_NUMPY, _FAILS_HERE, _SERVES, _REQUIRES_2, _ON_PLOTS]
    signs = [library_text.has(path, patterns) for path in tops]
    on_numpy, fails_here, serves, text_requires_2, on_plots = (
        any(of_file[position] for of_file in signs) for position in range(len(patterns))
    )
    return ReadPackage(
        release,
        target,
        requirements,
        bool(names.intersection(["keras", *packages.TENSORFLOW]))
        or any(library_text.read_signs(path).uses_tensorflow for path in tops),
        on_numpy,
        bool(names.intersection(["matplotlib", "pandas"])) or not names and on_plots,
        fails_here,
        serves,
        text_requires_2 if declares_2 is None else declares_2,
    )


def requirements_of(lines: Iterable[str], extras: Iterable[str]) -> list[Requirement]:
    """Returns the requirements that hold on this Python, with those of the extras."""
    found = []
    for each in filter(None, map(requirement_lines.parse_requirement, lines)):
        conditions = [{"extra": extra} for extra in ("", *extras)]
        if not each.url and (each.marker is None or any(map(each.marker.evaluate, conditions))):
            found.append(each)
    return found
