"""Writes and reads a lock file: the releases that a program gets, with hashes,
as requirements that pip and uv take.
"""

from __future__ import annotations

import datetime
import os
import pathlib
import re
import stat
import sys
import sysconfig
from typing import Iterable

from packaging.version import InvalidVersion, Version

from tf1grad.programs._errors import UsageError
from tf1grad.programs.names import packages
from tf1grad.run.packages import TITLES, resolver
from tf1grad.run.packages.choices import COMPILED, INSTALLED, NONE, PERIOD, THEN, TODAY, PackagePlan
from tf1grad.run.packages.declared import Note
from tf1grad.run.packages.releases import Release

_SECTIONS = dict(zip((THEN, TODAY, COMPILED), TITLES))
_HEAD = """\
# What `tf1grad run` brings for {}, as of {} ({}).
# `tf1grad run --lock` with this file takes exactly these releases."""
_FOR = "# The compiled ones are for "
_OF_ANOTHER = "its compiled packages are for {}, and this is {}. Without the option a run chooses those for this Python"
_LINE = re.compile(r"(\w[\w.-]*)==(\S+)((?: --hash=sha256:[0-9a-f]{64})+)$", re.ASCII)
MOST_BYTES = 10**7


def text_of(plan: PackagePlan, program: str, notes: Iterable[Note], declared: str) -> str:
    """Returns the lock file of a plan for a program, by the name that messages give it.

    `notes` are about what `declared` did not read as it is written; `declared` is the digest of all
    that declares.
    """
    lines = [_HEAD.format(program, plan.date.text, plan.date.why), f"# declared: {declared}"]
    missing = [(each.package, each.why) for each in notes if each.package]
    for choice in plan.choices:
        if choice.kind == PERIOD and choice.name == "keras":
            lines.append(f"# keras {choice.version} comes with the period layer")
        elif choice.kind == INSTALLED:
            lines.append(f"# installed: {choice.name}=={choice.version}")
        elif choice.kind == NONE:
            missing.append((choice.name + choice.wanted, choice.why))
    today = datetime.date.today()
    lines += [f"# missing on {today}: {what}: {why}" for what, why in missing]
    if plan.releases(COMPILED):
        lines.append(_FOR + _this_python())
    for kind, title in _SECTIONS.items():
        lines.append(f"# {title}")
        lines += map(resolver.hashed, plan.releases(kind))
    return "\n".join([*lines, ""])


def load(path: str) -> str:
    """Returns the text of a lock file; a `UsageError` says why it is none."""
    try:
        found = os.stat(path)
        # Reading a pipe waits for ever, and a device may have no end.
        if not stat.S_ISREG(found.st_mode):
            raise _refused(path, "it is not a regular file")
        if found.st_size > MOST_BYTES:
            raise _refused(path, f"it has {found.st_size / 1e6:.0f} MB")
        text = pathlib.Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _refused(path, f"it cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _refused(path, f"it is not text in UTF-8 (byte {error.start})") from error
    read(text, path)
    return text


def read(text: str, path: str) -> dict[str, list[Release]]:
    """Returns the releases of a lock file by kind.

    A `UsageError` names the first line of another form, or another Python for which releases are
    compiled.
    """
    found: dict[str, list[Release]] = {kind: [] for kind in _SECTIONS}
    titles = {f"# {title}": kind for kind, title in _SECTIONS.items()}
    lines_of: dict[str, int] = {}  # the packages, by their normalized names
    kind = None
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        kind = titles.get(line, kind)
        of_python = line[len(_FOR) :] if line.startswith(_FOR) else _this_python()
        if of_python != _this_python():
            raise _refused(path, _OF_ANOTHER.format(of_python, _this_python()))
        if line and not line.startswith("#"):
            release = _release(line, f"{path}, line {number}")
            first = lines_of.setdefault(release.name, number)
            if first != number:
                raise _refused(f"{path}, line {number}", f"line {first} has {release.name} too")
            found[kind or TODAY].append(release)
    if kind is None and not lines_of:
        raise _refused(path, "it has neither a release nor the titles that `run` writes")
    return found


def _this_python() -> str:
    return "Python {}.{} on {}".format(*sys.version_info[:2], sysconfig.get_platform())


def _release(line: str, place: str) -> Release:
    match = _LINE.match(line)
    if match is None:
        raise _refused(place, f"it is not a release with its hash: {line[:100]!r}")
    name, version, hashes = match.groups()
    if packages.is_left_out(name):
        raise _refused(place, f"`run` brings no {name}: Python, TensorFlow or its layer has it")
    try:
        Version(version)
    except InvalidVersion:
        raise _refused(place, f"{version!r} is no version") from None
    found = re.findall(r"sha256:(\w+)", hashes)
    return Release(packages.normalized(name), version, "", 0, False, found)


def _refused(place: str, why: str) -> UsageError:
    return UsageError(f"--lock: {place}: {why}. A new file is written where there is none")
