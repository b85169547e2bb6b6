"""Writes and reads a lock file: the releases that a program gets, with hashes, as requirements that pip and uv take."""

from __future__ import annotations

import datetime
import re
from typing import Iterable

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.packages import COMPILED_TITLE, plan as plans, resolver
from tf1grad.old_programs.packages.plan import COMPILED, LAYER, THEN, TODAY, Plan
from tf1grad.old_programs.packages.resolver import Release

_SECTIONS = {
    THEN: "of the program's date",
    TODAY: "of today",
    COMPILED: COMPILED_TITLE,
}
_HEAD = """\
# What `tf1grad run` brings for {}, as of {} ({}).
# `tf1grad run --lock` with this file takes exactly these releases."""
REFUSED = "it is not a package of the index with a version"
_LINE = re.compile(r"([\w.-]+)==(\S+)((?: --hash=sha256:[0-9a-f]{64})+)$")


def text_of(plan: Plan, program: str, refused: Iterable[str]) -> str:
    """Returns the lock file of a plan for a program, by the name that messages give it.

    `refused` are the lines that `declared` left out.
    """
    lines = [_HEAD.format(program, plan.date.text, plan.date.why)]
    missing = [(line.split()[0], REFUSED) for line in refused]
    for choice in plan.choices:
        if choice.kind == LAYER and choice.name == "keras":
            lines.append(f"# keras {choice.version} comes with the period layer")
        elif choice.kind == plans.NONE:
            missing.append((choice.name + choice.wanted, choice.why))
    today = datetime.date.today()
    lines += [f"# missing on {today}: {what}: {why}" for what, why in missing]
    for kind, title in _SECTIONS.items():
        lines.append(f"# {title}")
        lines += map(resolver.hashed, plan.releases(kind))
    return "\n".join([*lines, ""])


def read(text: str, path: str) -> dict[str, list[Release]]:
    """Returns the releases of a lock file by kind; a `UsageError` names the first line of another form."""
    found: dict[str, list[Release]] = {kind: [] for kind in _SECTIONS}
    titles = {f"# {title}": kind for kind, title in _SECTIONS.items()}
    kind = TODAY
    for number, line in enumerate(text.splitlines(), 1):
        kind = titles.get(line, kind)
        match = _LINE.match(line)
        if match:
            hashes = re.findall(r"sha256:(\w+)", match.group(3))
            found[kind].append(Release(match.group(1), match.group(2), "", 0, False, hashes))
        elif line.strip() and not line.startswith("#"):
            raise UsageError(
                f"--lock: {path}, line {number} is not a release with its hash: {line!r}. A new file is written where "
                "there is none"
            )
    return found
