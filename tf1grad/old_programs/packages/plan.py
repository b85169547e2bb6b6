"""Chooses a release for each package that a program needs, by two dates.

Packages that stand on TensorFlow, Keras, NumPy or SciPy, and those that the program pins, are of the program's date.
So are all pure ones that come because of an import alone. Those that stand on Matplotlib or pandas are of today, as
these are. So are all others: the installed ones, or else the newest that fit. What the installed TensorFlow needs is
never replaced. Compiled packages cannot be of the program's date: theirs is one at which they fit this Python and this
NumPy, and not before the program.
"""

from __future__ import annotations

import sys
from typing import Dict, Iterable, Mapping, NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tf1grad.old_programs._compat import version_of_package
from tf1grad.old_programs.names import packages
from tf1grad.old_programs.names.packages import normalized
from tf1grad.old_programs.packages import ALL, NO_DATE, UNDECLARED, of_then, reading, release_date
from tf1grad.old_programs.packages.declared import Declared
from tf1grad.old_programs.packages.of_then import Facts, OfThen
from tf1grad.old_programs.packages.release_date import Date
from tf1grad.old_programs.packages.releases import NoSolution, Release
from tf1grad.old_programs.packages.resolver import WITHOUT_DATES, Resolver
from tf1grad.old_programs.packages.uv_errors import CONTRADICTION
from tf1grad.old_programs.period import parts, sources
from tf1grad.old_programs.process import messages

THEN, TODAY, COMPILED, INSTALLED, LAYER, NONE = (
    "then",
    "today",
    "compiled",
    "installed",
    "layer",
    "none",
)
# For an old program: some months after the release of each Python, when compiled packages had followed. That of 3.12 is
# before pandas 2.2, which merges rows in another order.
COMPILED_WITH_NUMPY_1 = {(3, 10): "2022-03-15", (3, 11): "2023-03-24", (3, 12): "2024-01-15"}
COMPILED_WITH_NUMPY_2 = "2025-03-15"
SERVES = "; it can answer a network, and lacks later security fixes"
ONLY_CONDA = "the package index has no such release, and its package of that name may be another one than conda's"
CHOOSING = "choosing releases of {}, of {}"
ONLY_WHEELS = ("--only-binary", ":all:")


class Choice(NamedTuple):
    """Describes what is taken for a package, and why: `wanted` is a version such as ">=1.2", or "".

    `kind` is THEN, TODAY, COMPILED (for this Python and NumPy), INSTALLED, LAYER (the period layer has it) or NONE;
    `release` is set for the first three.
    """

    name: str
    wanted: str
    kind: str
    version: str
    why: str
    release: Release | None = None

    def is_against_pin(self) -> bool:
        """Says whether one release is wanted, and another one taken."""
        pinned = SpecifierSet(self.wanted)
        return "==" in self.wanted and not pinned.contains(self.version, True)


Choices = Dict[str, Choice]  # by the normalized names of the packages


class Plan(NamedTuple):
    """Holds the choices, sorted by name, the date, and the folders of the packages that were read, by name."""

    date: Date
    choices: list[Choice]
    read: dict[str, str]

    def releases(self, *kinds: str) -> list[Release]:
        """Returns the releases of these kinds."""
        return [each.release for each in self.choices if each.kind in kinds and each.release]


def own_requirements(declared: Declared) -> list[Requirement]:
    """Returns what a program declares, without TensorFlow, NumPy and what came into Python."""
    return [each for each in declared.requirements if not packages.is_left_out(each.name)]


def _dated(declared: Declared) -> list[Requirement]:
    """Returns what a program declares whose pins date it: its own requirements, TensorFlow and NumPy."""
    others = (*packages.TENSORFLOW, "numpy")
    own = own_requirements(declared)
    return own + [each for each in declared.requirements if normalized(each.name) in others]


def make(
    declared: Declared,
    program_folder: str,
    date: str | None,
    numpy: str,
    resolver: Resolver,
    is_declared: bool = True,
) -> Plan:
    """Chooses releases for what a program declares; files are unpacked in the resolver's folder.

    `date` is a day, "all" (all pure packages are of the program's date), "none" (none is) or None. `numpy` is the
    version of the NumPy that the program gets. If not `is_declared`, the program imports it alone: all pure
    packages are of the program's date then, but those that stand on Matplotlib or pandas. Raises `sources.Failed`
    where the index gives no upload times.
    """
    absent: dict[str, str] = {}
    day = Date(str(date), "--date")
    if is_declared:
        number = messages.counted(len(own_requirements(declared)), "package")
        messages.say(CHOOSING.format(number, resolver.address))
    if date in (None, ALL, NO_DATE):
        day, absent = release_date.of_program(_dated(declared), program_folder, resolver)
    policy = date if is_declared or date in (ALL, NO_DATE) else UNDECLARED
    facts = of_then.facts_of(declared, policy, numpy, resolver)
    absent = {name: why for name, why in absent.items() if name in facts.own}
    then = of_then.resolve(facts, day, absent)
    if not then.releases and WITHOUT_DATES in then.refused.values():
        raise sources.Failed(WITHOUT_DATES)
    choices = {name: _choice_of_then(name, facts, then) for name in then.releases}
    choices.update({name: _refusal(name, facts, then) for name in then.refused})
    choices = _with_today(facts, then, choices)
    choices, of_today = _with_sources(facts, then, choices)
    folders = {name: package.folder for name, package in {**then.read, **of_today}.items()}
    return Plan(then.date, [choices[name] for name in sorted(choices)], folders)


def _choice_of_then(name: str, facts: Facts, then: OfThen) -> Choice:
    """Returns the release of then, or the one that the layer or the environment has; else `NONE`, for today."""
    release, asked = then.releases[name], facts.asked(name, then.needs)
    wanted = ",".join(sorted({str(each.specifier) for each in asked} - {""}))
    if name == "keras" and _is_old_keras(release, facts, then):
        why = f"uploaded {release.uploaded}; it is asked for, and the period layer has none that is near"
        return Choice(name, wanted, THEN, release.version, why, release)
    if name in packages.IN_LAYER:
        is_keras = name == "keras"
        version = parts.release(parts.keras_for(release.version)) if is_keras else release.version
        return Choice(name, wanted, LAYER, version, "the period layer has it")
    here = facts.version_here(name)
    if name in facts.never and here:
        return Choice(name, wanted, INSTALLED, here, "the installed TensorFlow needs it")
    if then.is_taken(name, facts):
        why = f"uploaded {release.uploaded}; {_reason_of_then(name, facts, then)}"
        why += SERVES * then.read[name].serves
        return Choice(name, wanted, THEN, release.version, why, release)
    is_fitting = here and all(each.specifier.contains(here, True) for each in asked)
    if here and (is_fitting or name in then.compiled(facts)):
        return Choice(name, wanted, INSTALLED, here, "it is installed")
    return Choice(name, wanted, NONE, "", then.reason(name))


def _refusal(name: str, facts: Facts, then: OfThen) -> Choice:
    """Returns the choice for a package of which no release of then fits: it is there, or `NONE` with the reason."""
    asked = facts.asked(name, then.needs)
    here = facts.version_here(name)
    wanted = str(facts.own[name].specifier) if name in facts.own else ""
    if name in packages.IN_LAYER:
        version = parts.release(parts.keras_for("")) if name == "keras" else ""
        return Choice(name, wanted, LAYER, version, "the period layer has it")
    if name in facts.never and here:
        return Choice(name, wanted, INSTALLED, here, "the installed TensorFlow needs it")
    if here and all(each.specifier.contains(here, True) for each in asked):
        return Choice(name, wanted, INSTALLED, here, "it is installed")
    why = ONLY_CONDA if name in facts.of_conda else then.refused[name]
    return Choice(name, wanted, NONE, "", why)


def _is_for_today(choice: Choice, facts: Facts, then: OfThen) -> bool:
    """Says whether another release may be taken for a package that has none of then.

    None is guessed for bounds that contradict each other, for another checksum, or for a package of conda.
    """
    if choice.kind != NONE:
        return False
    why = then.refused.get(choice.name, "")
    is_final = CONTRADICTION in why or why.startswith(of_then.MISMATCH.partition(":")[0])
    return not is_final and not (why and choice.name in facts.of_conda)


def _reason_of_then(name: str, facts: Facts, then: OfThen) -> str:
    if facts.is_pinned(name):
        return "the program pins it"
    if then.read[name].stands_on_tensorflow:
        left = then.left.get(name)
        return "it stands on TensorFlow" + (f", and {left} requires TensorFlow 2" if left else "")
    return "it stands on NumPy" if then.read[name].stands_on_numpy else "so are all pure ones"


def _is_old_keras(release: Release, facts: Facts, then: OfThen) -> bool:
    """Says whether the program or a package asks for a Keras before 2.2, and refuses that of the layer."""
    is_old = packages.numbers(release.version) < [2, 2]
    of_layer = parts.release(parts.keras_for(release.version))
    asked = facts.asked("keras", then.needs)
    is_refused = any(not each.specifier.contains(of_layer) for each in asked)
    return is_old and is_refused and then.is_taken("keras", facts)


def _with_today(facts: Facts, then: OfThen, choices: Choices) -> Choices:
    """Returns the choices with releases for what is neither of then nor installed."""
    names = {name for name, each in choices.items() if _is_for_today(each, facts, then)}
    compiled = names & (then.compiled(facts) | facts.replaced)
    choices = _take(COMPILED, sorted(compiled), facts, then, choices)
    return _take(TODAY, sorted(names - compiled), facts, then, choices)


def _with_sources(
    facts: Facts, then: OfThen, choices: Choices
) -> tuple[Choices, dict[str, reading.Package]]:
    """Returns the choices with today's source packages where there is neither a wheel nor one of then, and these."""
    read: dict[str, reading.Package] = {}
    for name in sorted(each.name for each in choices.values() if _is_for_today(each, facts, then)):
        python = "{}.{}".format(*sys.version_info)
        try:
            (release,) = facts.resolver.resolve(
                [name], date=None, python=python, options=["--no-deps"]
            )
            read[name] = reading.read(release, [], facts.resolver)
        except NoSolution:
            continue
        why = f"uploaded {release.uploaded}; there is no older one"
        choice = choices[name]._replace(version=release.version, why=why, release=release)
        kind = THEN if read[name].stands_on_tensorflow else TODAY
        choices = {**choices, name: choice._replace(kind=kind)}
        needs = {normalized(each.name) for each in read[name].requirements}
        needs = {each for each in needs if not packages.is_left_out(each)}
        needs -= packages.IN_LAYER | choices.keys() | facts.installed.keys()
        choices = _take(TODAY, sorted(needs), facts, then, choices)
    return choices, read


def _take(kind: str, names: Iterable[str], facts: Facts, then: OfThen, choices: Choices) -> Choices:
    """Returns the choices with releases for packages, and for what these need: those of the first stage that has one.

    Asked for are (1) what is wanted, by the kind's date, (2) what is wanted, of today, (3) any release by the date, and
    (4) any of today. In each stage all packages are asked for at once.
    """
    date, _ = _date_of(kind, facts)
    reasons = dict.fromkeys(names, "")
    for day, is_bounded in dict.fromkeys(
        [(date, True), (None, True), (date, False), (None, False)]
    ):
        attempts = {name: [name] for name in reasons}
        if is_bounded:
            attempts = {name: [_line(name, facts, then)] for name in reasons}
            for name in filter(facts.is_pinned, attempts if day == date else ()):
                attempts[name].append(name)  # a pin that has no release has none of today either
        choices, refused = _take_together(kind, attempts, day, facts, then, choices)
        reasons = {name: reasons[name] or why for name, why in refused.items()}
        if not reasons:
            return choices
    without = {name: _without_wheel(name, why, then, choices) for name, why in reasons.items()}
    return {**choices, **without}


def _take_together(
    kind: str,
    attempts: Mapping[str, list[str]],
    date: str | None,
    facts: Facts,
    then: OfThen,
    choices: Choices,
) -> tuple[Choices, dict[str, str]]:
    """Returns the choices with the releases of packages that fit together, and why others have none.

    `attempts` are the lines for each package: where uv names it as impossible, its next line is asked for, and all
    others again.
    """
    refused: dict[str, str] = {}
    rest = {name: list(lines) for name, lines in attempts.items()}
    while rest:
        lines = [each[0] for each in rest.values()]
        try:
            found = _ask_today(lines, date, facts, choices)
            bad, why = {each.name for each in found if _is_unusable(each, then)}, ""
            if not bad:
                return _added_with_compiled(kind, lines, date, facts, then, choices, found), refused
        except NoSolution as error:
            bad, why = error.packages, str(error)
        unfit = bad & rest.keys() or set(rest)
        if not bad & rest.keys() and len(rest) > 1:  # it is about a need of one of them
            for name, each in rest.items():
                choices, alone = _take_together(kind, {name: each}, date, facts, then, choices)
                refused.update(alone)
            return choices, refused
        for name in unfit:
            del rest[name][0]
            if not rest[name]:
                del rest[name]
                refused[name] = why
    return choices, refused


def _line(name: str, facts: Facts, then: OfThen) -> str:
    """Returns what is asked of a package of today: any release, where those of then do not run."""
    package = then.read.get(name)
    is_free = facts.policy == NO_DATE or (package is not None and package.makes_code)
    return of_then.line_of(name, facts.asked(name, then.needs), is_bounded=not is_free)


def _date_of(kind: str, facts: Facts) -> tuple[str | None, str]:
    """Returns the date of packages of a kind, and why."""
    if kind == TODAY:
        return None, "today's release"
    date = COMPILED_WITH_NUMPY_2
    if facts.numpy.startswith("1."):
        date = COMPILED_WITH_NUMPY_1.get(sys.version_info[:2], date)
    return date, f"compiled packages are of the time of this Python, for NumPy {facts.numpy}"


def _is_unusable(release: Release, then: OfThen) -> bool:
    """Says whether a release cannot be unpacked, or is older than that of then, which has no wheel for this Python."""
    of_date = then.releases.get(release.name)
    is_older = of_date is not None and Version(release.version) < Version(of_date.version)
    return release.pin in then.unread or is_older


def _added_with_compiled(
    kind: str,
    lines: Iterable[str],
    date: str | None,
    facts: Facts,
    then: OfThen,
    choices: Choices,
    found: list[Release],
) -> Choices:
    """Returns the choices with the releases found; compiled ones that those of today need come by their own date."""
    needed = [each.name for each in found if kind == TODAY and _is_new_compiled(each, choices)]
    if needed:
        choices = _take(COMPILED, needed, facts, then, choices)
        found = _ask_today(lines, date, facts, choices)
    for release in found:
        choices = _added(kind, release, facts, then, choices)
    return choices


def _is_new_compiled(release: Release, choices: Choices) -> bool:
    """Says whether a compiled release is of a package that is neither chosen nor installed."""
    name = release.name
    is_open = name not in choices or choices[name].kind == NONE
    is_wanted = release.is_compiled and name != "numpy" and is_open
    return is_wanted and version_of_package(name) is None


def _ask_today(
    lines: Iterable[str], date: str | None, facts: Facts, choices: Choices
) -> list[Release]:
    known = [each.release.pin for each in choices.values() if each.release]
    without_date = ["--exclude-newer-package", "numpy=2099-12-31"] if date else []
    return facts.resolver.resolve(
        lines,
        date=date,
        python="{}.{}".format(*sys.version_info),
        options=[*ONLY_WHEELS, *without_date],
        overrides=[f"numpy=={facts.numpy}", *known],
    )


def _added(kind: str, release: Release, facts: Facts, then: OfThen, choices: Choices) -> Choices:
    """Returns the choices with a release, unless its package is decided, installed or left out."""
    name = release.name
    before = choices.get(name)
    is_decided = before is not None and before.kind != NONE
    if name == "numpy" or packages.is_left_out(name) or is_decided:
        return choices
    here = version_of_package(name)
    if here and before is None:
        return {**choices, name: Choice(name, "", INSTALLED, here, "it is installed")}
    wanted, why = before.wanted if before else "", _date_of(kind, facts)[1]
    if kind == TODAY and then.refused.get(name):
        why = f"{why}; uv says: {then.refused[name]}"
    checked = facts.with_checksums(release)
    if checked is None:
        mismatch = of_then.MISMATCH.format(release.pin)
        return {**choices, name: Choice(name, wanted, NONE, "", mismatch)}
    return {**choices, name: Choice(name, wanted, kind, release.version, why, checked)}


def _without_wheel(name: str, reason: str, then: OfThen, choices: Choices) -> Choice:
    """Returns the release of the program's date of a pure package that has no wheel today; else `NONE`, and why."""
    choice = choices.get(name, Choice(name, "", NONE, "", ""))
    release = then.releases.get(name)
    if release is None or name not in then.read:
        return choice._replace(why=choice.why or reason)
    why = f"uploaded {release.uploaded}; today's release has no wheel"
    return choice._replace(kind=THEN, version=release.version, why=why, release=release)
