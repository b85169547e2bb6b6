"""Takes releases of today, and compiled ones,
for what neither the program's date nor the environment has.

The packages of a kind are asked for together, so that their releases fit together. Each function
takes choices and returns new ones.
"""

from __future__ import annotations

import re
import sys
from typing import Iterable, Mapping, NamedTuple, Sequence

from packaging.version import Version

from tf1grad.programs._compat import version_of_package
from tf1grad.programs.names import packages
from tf1grad.programs.names.packages import normalized
from tf1grad.run.packages import NO_DATE, of_then, reading
from tf1grad.run.packages.choices import (
    COMPILED,
    INSTALLED,
    NONE,
    THEN,
    TODAY,
    Choice,
    Choices,
)
from tf1grad.run.packages.of_then import OfThen, PlanFacts
from tf1grad.run.packages.releases import NoSolution, Release, best_file
from tf1grad.run.packages.uv_errors import CONTRADICTION

# For an old program: some months after the release of each Python, when compiled packages had
# followed. That of 3.12 is before pandas 2.2, which merges rows in another order.
COMPILED_WITH_NUMPY_1 = {(3, 10): "2022-03-15", (3, 11): "2023-03-24", (3, 12): "2024-01-15"}
COMPILED_WITH_NUMPY_2 = "2025-03-15"
ONLY_WHEELS = ("--only-binary", ":all:")
# Bounds above which no release is taken: its newest one tells whether they have a wheel.
_ENDS = re.compile(r"(?<![!>])=(?!=)|<|~=")
PYTHON = "{}.{}".format(*sys.version_info)
WITHOUT_WHEEL = f"the package index has no wheel of it for Python {PYTHON}"


class _Stage(NamedTuple):
    """Describes how packages are asked for: as of a `date`, or of today;
    within what is asked of them, or freely.
    """

    date: str | None
    is_bounded: bool


def add_wheels(then: OfThen, choices: Choices) -> Choices:
    """Returns the choices with wheels for what is neither of then nor installed."""
    names = {name for name, choice in choices.items() if _is_open(choice, then)}
    compiled = names & (then.compiled() | then.facts.replaced)
    # The compiled ones come first: what the others need of them is then decided.
    choices = _take(COMPILED, sorted(compiled), then, choices)
    return _take(TODAY, sorted(names - compiled), then, choices)


def add_sources(then: OfThen, choices: Choices) -> tuple[Choices, dict[str, reading.ReadPackage]]:
    """Returns the choices with today's source packages where there is neither a wheel
    nor one of then, and these.
    """
    names = sorted(name for name, choice in choices.items() if _is_open(choice, then))
    read: dict[str, reading.ReadPackage] = {}
    for release in _of_any_kind(names, then.facts):
        try:
            read[release.name] = reading.read(release, [], then.facts.resolver)
        except NoSolution:
            continue
        choices = _with_source(read[release.name], then, choices)
    return choices, read


def _is_open(choice: Choice, then: OfThen) -> bool:
    """Says whether another release may be taken for a package that has none of then."""
    if choice.kind != NONE:
        return False
    why = then.refused.get(choice.name, "")
    # No version meets bounds that contradict each other, and no other file has the declared
    # checksum.
    if CONTRADICTION in why or why.startswith(of_then.MISMATCH.partition(":")[0]):
        return False
    # The package of the index may be another one than conda's.
    return not (why and choice.name in then.facts.of_conda)


def _of_any_kind(names: list[str], facts: PlanFacts) -> list[Release]:
    """Returns today's releases of packages, which may be source packages,
    of those that have one.
    """
    if not names:
        return []
    try:
        return facts.resolver.resolve(names, date=None, python=PYTHON, options=["--no-deps"])
    except NoSolution:
        if len(names) == 1:
            return []
    return [release for name in names for release in _of_any_kind([name], facts)]


def _with_source(package: reading.ReadPackage, then: OfThen, choices: Choices) -> Choices:
    """Returns the choices with a source package of today,
    and with what it needs and nothing has.
    """
    release = package.release
    choice = choices[release.name]._replace(
        # It is served TensorFlow 1.15 where it stands on it, whatever its date.
        kind=THEN if package.stands_on_tensorflow else TODAY,
        version=release.version,
        why=f"uploaded {release.uploaded}; there is no older one",
        release=release,
    )
    choices = {**choices, release.name: choice}
    needs = {normalized(each.name) for each in package.requirements}
    needs = {each for each in needs if not packages.is_left_out(each)}
    needs -= packages.IN_LAYER | choices.keys() | then.facts.installed.keys()
    return _take(TODAY, sorted(needs), then, choices)


def _take(kind: str, names: Sequence[str], then: OfThen, choices: Choices) -> Choices:
    """Returns the choices with releases for packages, and for what these need:
    of the first stage that has them.
    """
    date = _date_of(kind, then.facts)
    # A release within the bounds is better than one of the date. Those of today have no date, so
    # two stages are left.
    stages = [_Stage(date, True), _Stage(None, True), _Stage(date, False), _Stage(None, False)]
    without_wheel = _without_wheel_for(names, then)
    reasons = {name: without_wheel.get(_line(name, then), "") for name in names}
    failed = {(stage.date, line) for stage in stages for line in without_wheel}
    for stage in dict.fromkeys(stages):
        lines = {name: _lines(name, stage, stage.date == date, then) for name in reasons}
        # The same line has no release as of the same date.
        lines = {
            name: [line for line in each if (stage.date, line) not in failed]
            for name, each in lines.items()
        }
        asked = {name: each for name, each in lines.items() if each}
        choices, refused = _take_together(kind, asked, stage.date, then, choices)
        failed |= {(stage.date, line) for name in refused for line in asked[name]}
        # The first reason is about what was asked.
        reasons = {
            name: why or refused.get(name, "")
            for name, why in reasons.items()
            if name in refused or name not in asked
        }
        if not reasons:
            return choices
    without = {name: _without_wheel(name, why, then, choices) for name, why in reasons.items()}
    return {**choices, **without}


def _without_wheel_for(names: Iterable[str], then: OfThen) -> dict[str, str]:
    """Returns the lines that no wheel for this Python can meet, and why.

    It is one run of uv, and another one for each line that no file meets. Lines without an upper
    bound are left out.
    """
    lines = {name: _line(name, then) for name in names}
    lines = {name: line for name, line in lines.items() if _ENDS.search(line)}
    without: dict[str, str] = {}
    while len(lines) > 1:  # one alone is asked for anyway
        try:
            found = then.facts.resolver.resolve(
                lines.values(), date=None, python=PYTHON, options=["--no-deps"]
            )
        except NoSolution as error:
            named = error.packages & lines.keys()
            if not named:  # then each is asked for
                break
            without.update({lines.pop(name): str(error) for name in named})
            continue
        files = {release.name: best_file(release.files) for release in found}
        is_source = {
            name for name, file in files.items() if file and not file.name.endswith(".whl")
        }
        return {**without, **{lines[name]: WITHOUT_WHEEL for name in is_source & lines.keys()}}
    return without


def _lines(name: str, stage: _Stage, is_first: bool, then: OfThen) -> list[str]:
    """Returns the lines by which a package is asked for in a stage:
    the next one where there is none for the one.
    """
    if _stays(name, then):
        # Only what is asked of it replaces it, and with `--date none` nothing.
        is_free = then.facts.policy == NO_DATE or not stage.is_bounded
        return [] if is_free else [_line(name, then)]
    if not stage.is_bounded:
        return [name]
    line = _line(name, then)
    # A pin that has no release by the date of its kind has none of today either.
    return [line, name] if is_first and then.facts.is_pinned(name) else [line]


def _stays(name: str, then: OfThen) -> bool:
    """Says whether an installed package stays unless this Python can have what is asked of it:
    it is compiled, and no release of then is as asked.
    """
    here = then.facts.installed.get(name)
    is_compiled = here is not None and here.is_compiled
    return is_compiled and name in then.refused and then.facts.version_here(name) is not None


def _line(name: str, then: OfThen) -> str:
    """Returns a package with its bounds; without them where releases of then do
    not run, or are not wanted.
    """
    package = then.read.get(name)
    is_free = then.facts.policy == NO_DATE or (package is not None and package.fails_here)
    return of_then.line_of(name, then.facts.asked(name, then.needs), is_bounded=not is_free)


def _take_together(
    kind: str, lines: Mapping[str, list[str]], date: str | None, then: OfThen, choices: Choices
) -> tuple[Choices, dict[str, str]]:
    """Returns the choices with the releases of packages that fit together,
    and why others have none.

    `lines` are those of each package: where its first cannot be had, the next is asked for, and all
    others again.
    """
    if not lines:
        return choices, {}
    asked = [each[0] for each in lines.values()]
    try:
        found = _ask(asked, date, then.facts, choices)
        unfit = {each.name for each in found if _is_unusable(each, then)}
        why = ""
        if not unfit:
            return _with_releases(kind, asked, date, then, choices, found), {}
    except NoSolution as error:
        unfit, why = error.packages, str(error)
    unfit &= lines.keys()
    if not unfit and len(lines) > 1:
        # uv names none of them: it is about a need of one. Alone, each shows whether it has that
        # need.
        return _take_each(kind, lines, date, then, choices)
    unfit = unfit or set(lines)
    rest = {name: each[1:] if name in unfit else each for name, each in lines.items()}
    refused = {name: why for name, each in rest.items() if not each}
    rest = {name: each for name, each in rest.items() if each}
    choices, others = _take_together(kind, rest, date, then, choices)
    return choices, {**refused, **others}


def _take_each(
    kind: str, lines: Mapping[str, list[str]], date: str | None, then: OfThen, choices: Choices
) -> tuple[Choices, dict[str, str]]:
    refused: dict[str, str] = {}
    for name, each in lines.items():
        choices, alone = _take_together(kind, {name: each}, date, then, choices)
        refused = {**refused, **alone}
    return choices, refused


def _ask(
    lines: Iterable[str], date: str | None, facts: PlanFacts, choices: Choices
) -> list[Release]:
    """Asks for wheels for this Python, beside the NumPy of the program and the
    releases that are chosen.
    """
    known = [each.release.pin for each in choices.values() if each.release]
    # The layer's NumPy may be newer than the date of the compiled packages.
    any_numpy = ["--exclude-newer-package", "numpy=2099-12-31"] if date else []
    return facts.resolver.resolve(
        lines,
        date=date,
        python=PYTHON,
        options=[*ONLY_WHEELS, *any_numpy],
        overrides=[f"numpy=={facts.numpy}", *known],
    )


def _is_unusable(release: Release, then: OfThen) -> bool:
    """Says whether a release cannot be unpacked, or is older than that of then,
    which has no wheel for this Python.
    """
    of_date = then.releases.get(release.name)
    is_older = of_date is not None and Version(release.version) < Version(of_date.version)
    return release.pin in then.unread or is_older


def _with_releases(
    kind: str,
    lines: Iterable[str],
    date: str | None,
    then: OfThen,
    choices: Choices,
    found: list[Release],
) -> Choices:
    """Returns the choices with the releases found;
    compiled ones that those of today need come by their own date.
    """
    needed = [each.name for each in found if kind == TODAY and _is_new_compiled(each, choices)]
    if needed:
        choices = _take(COMPILED, needed, then, choices)
        # Beside those, other releases may fit.
        found = _ask(lines, date, then.facts, choices)
    for release in found:
        choices = _with_release(kind, release, then, choices)
    return choices


def _is_new_compiled(release: Release, choices: Choices) -> bool:
    """Says whether a compiled release is of a package that is neither chosen nor installed."""
    name = release.name
    is_open = name not in choices or choices[name].kind == NONE
    is_wanted = release.is_compiled and name != "numpy" and is_open
    return is_wanted and version_of_package(name) is None


def _with_release(kind: str, release: Release, then: OfThen, choices: Choices) -> Choices:
    """Returns the choices with a release, unless its package is decided, installed or left out."""
    name = release.name
    before = choices.get(name)
    is_decided = before is not None and before.kind != NONE
    if name == "numpy" or packages.is_left_out(name) or is_decided:
        return choices
    here = version_of_package(name)
    # It is a need of another package; what the program asks for has a choice by now.
    if here and before is None:
        return {**choices, name: Choice(name, "", INSTALLED, here, "it is installed")}
    wanted = before.wanted if before else ""
    checked = then.facts.with_checksums(release)
    if checked is None:
        mismatch = of_then.MISMATCH.format(release.pin)
        return {**choices, name: Choice(name, wanted, NONE, "", mismatch)}
    why = _why(kind, then.facts)
    if kind == TODAY and then.refused.get(name):
        why = f"{why}; uv says: {then.refused[name]}"
    return {**choices, name: Choice(name, wanted, kind, release.version, why, checked)}


def _without_wheel(name: str, reason: str, then: OfThen, choices: Choices) -> Choice:
    """Returns the release of the program's date of a pure package that has no wheel today,
    or the installed one where that stays; else `NONE`, and why.
    """
    choice = choices.get(name, Choice(name, "", NONE, "", ""))
    here = then.facts.version_here(name)
    if here and _stays(name, then):
        return choice._replace(kind=INSTALLED, version=here, why="it is installed")
    release = then.releases.get(name)
    if release is None or name not in then.read:
        return choice._replace(why=choice.why or reason)
    why = f"uploaded {release.uploaded}; today's release has no wheel"
    return choice._replace(kind=THEN, version=release.version, why=why, release=release)


def _date_of(kind: str, facts: PlanFacts) -> str | None:
    """Returns the date of packages of a kind; None for today."""
    if kind == TODAY:
        return None
    if facts.numpy.startswith("1."):
        return COMPILED_WITH_NUMPY_1.get(sys.version_info[:2], COMPILED_WITH_NUMPY_2)
    return COMPILED_WITH_NUMPY_2


def _why(kind: str, facts: PlanFacts) -> str:
    if kind == TODAY:
        return "today's release"
    return f"compiled packages are of the time of this Python, for NumPy {facts.numpy}"
