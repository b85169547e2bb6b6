"""Finds the releases of a program's date: of what it declares,
and level by level of what those need.

All packages are asked for in one run of uv. Where uv has no solution, it names packages; these are
set aside, and the others are asked for again.
"""

from __future__ import annotations

from importlib import metadata
from typing import AbstractSet, Iterable, Mapping, NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tf1grad.programs._compat import version_of_package
from tf1grad.programs.names import known_modules, packages
from tf1grad.programs.names.packages import normalized
from tf1grad.programs.process import messages
from tf1grad.run.packages import ALL, NO_DATE, UNDECLARED, installed, reading
from tf1grad.run.packages.declared import Declared
from tf1grad.run.packages.program_date import WITHOUT, ProgramDate, is_exact
from tf1grad.run.packages.releases import NoSolution, Release
from tf1grad.run.packages.resolver import WITHOUT_DATES, Resolution, Resolver

MISMATCH = (
    "Hash mismatch: no file of {} on the package index has a checksum that the program declares"
)
# The day before TensorFlow 2.1. Of then are the last releases of many libraries that could be
# imported with 1.15.
BEFORE_2_1 = "2020-01-07"
OLDER = "{0} {1} is taken: {0} {2}, of the program's date, requires TensorFlow 2. A pin of it would be obeyed"
READING = "reading {} of then ({:.1f} MB to download): {}"

Needs = Mapping[str, "list[Requirement]"]


class PlanFacts(NamedTuple):
    """Holds what a plan starts from: what the program declares and what is installed,
    by normalized names.

    `never` are packages that are not replaced, since the installed TensorFlow needs them.
    `replaced` are installed ones that are compiled for another NumPy.
    """

    own: Mapping[str, Requirement]
    constraints: Mapping[str, SpecifierSet]
    hashes: Mapping[str, list[str]]
    of_conda: set[str]
    policy: str | None
    numpy: str
    resolver: Resolver
    installed: dict[str, installed.InstalledPackage]
    never: set[str]
    replaced: set[str]

    def is_pinned(self, name: str) -> bool:
        """Says whether the program asks for one release of a package."""
        return name in self.own and is_exact(self.own[name])

    def version_here(self, name: str) -> str | None:
        """Returns the installed version of a package that is not replaced, or None."""
        return None if name in self.replaced else version_of_package(name)

    def asked(self, name: str, needs: Needs) -> list[Requirement]:
        """Returns what the program and other packages ask of a package."""
        own = [self.own[name]] if name in self.own else []
        return own + list(needs.get(name, ()))

    def with_checksums(self, release: Release) -> Release | None:
        """Returns a release with the files that have a checksum of the program;
        None where it has none of those.

        Checksums are of the release that the program asks for, so another one is returned as it is.
        """
        hashes = self.hashes.get(release.name)
        own = self.own.get(release.name)
        if not hashes or own is None or not own.specifier.contains(release.version, True):
            return release
        files = [file for file in release.files if file.sha256 in hashes]
        return (
            release._replace(files=files, hashes=[file.sha256 for file in files]) if files else None
        )


class OfThen(NamedTuple):
    """Holds the releases of a date, those that were read, and why others were not,
    by the names of packages.

    `refused` are packages of which no release fits. `unread` are releases, by their pins, that
    cannot be unpacked. `left` are the versions of the date that require TensorFlow 2, and in the
    place of which older ones are taken.
    """

    facts: PlanFacts
    date: ProgramDate
    releases: Mapping[str, Release]
    read: Mapping[str, reading.ReadPackage]
    unread: Mapping[str, str]
    refused: Mapping[str, str]
    needs: Needs
    left: Mapping[str, str]

    def is_taken(self, name: str) -> bool:
        """Says whether a package is taken as of the date."""
        return _is_of_then(name, self.facts, self.read)

    def compiled(self) -> set[str]:
        """Returns the packages that are compiled, or that cannot be unpacked,
        and what those need here.
        """
        return _compiled(self.facts, self.releases, self.unread)

    def reason(self, name: str) -> str:
        """Returns why a package cannot be had as of the date, or ""."""
        release = self.releases.get(name)
        return self.unread.get(release.pin, "") if release else self.refused.get(name, "")


def collect_facts(
    declared: Declared, policy: str | None, numpy: str, resolver: Resolver
) -> PlanFacts:
    """Returns what a plan starts from; TensorFlow, NumPy and what came into Python are left out."""
    own = {normalized(each.name): each for each in declared.requirements}
    every = installed.find_installed()
    is_layers = not numpy.endswith("*")
    return PlanFacts(
        {name: each for name, each in own.items() if not packages.is_left_out(name)},
        {normalized(each.name): each.specifier for each in declared.constraints},
        declared.hashes,
        declared.of_conda,
        policy,
        numpy,
        resolver,
        every,
        installed.needed_by_tensorflow(every),
        set(installed.built_on_numpy(every).values()) if is_layers else set(),
    )


def resolve(facts: PlanFacts, date: ProgramDate, refused: Mapping[str, str]) -> OfThen:
    """Reads, level by level, the releases of the program's date, and what they need.

    `refused` are packages of which is known that no release fits. The date moves on to `WITHOUT`
    where that makes the difference: the program is younger than its pins. A release that requires
    TensorFlow 2 gives way to an older one.
    """
    read: dict[str, reading.ReadPackage] = {}
    unread: dict[str, str] = {}
    releases: dict[str, Release] = {}
    asked: dict[str, str] = {}
    left: dict[str, str] = {}
    while True:
        needs = _needs(facts, read)
        bounded = _bounded(needs, {name: read[name].release for name in left})
        lines = {name: line_of(name, facts.asked(name, bounded)) for name in (*facts.own, *needs)}
        # What was read asks for nothing new: no further level.
        if lines == asked:
            return OfThen(facts, date, releases, read, unread, refused, needs, left)
        asked = lines
        date, answer = _ask_by_date(facts, bounded, date, refused)
        taken = {each.name: facts.with_checksums(each) for each in answer.releases}
        mismatches = {
            each.name: MISMATCH.format(each.pin) for each in answer.releases if not taken[each.name]
        }
        refused = {**refused, **answer.refused, **mismatches}
        releases = {name: each for name, each in taken.items() if each}
        for release in _to_read(facts, releases, read, unread):
            try:
                package = _read(release, facts, needs)
            except NoSolution as error:  # it is compiled, or damaged
                unread[release.pin] = str(error)
                continue
            # Once for each package: from the next level on, its older release is asked for.
            older = None if release.name in left else _older(package, facts, needs, date)
            read[release.name] = older or package
            if older:
                left[release.name] = release.version
                messages.say(OLDER.format(release.name, older.release.version, release.version))


def _read(release: Release, facts: PlanFacts, needs: Needs) -> reading.ReadPackage:
    extras = {extra for each in facts.asked(release.name, needs) for extra in each.extras}
    return reading.read(release, sorted(extras), facts.resolver)


def _older(
    package: reading.ReadPackage, facts: PlanFacts, needs: Needs, date: ProgramDate
) -> reading.ReadPackage | None:
    """Returns an older release in the place of one that requires TensorFlow 2;
    None where there is none.

    That is the newest of `BEFORE_2_1`, or else of the major version before. What is asked of the
    package holds.
    """
    release = package.release
    name = release.name
    is_free = name not in packages.IN_LAYER and not facts.is_pinned(name)
    if not (is_free and package.requires_2 and _is_of_then(name, facts, {name: package})):
        return None
    first_of_major = Requirement(f"{name}<{Version(release.version).major}")
    for day, bounds in ((min(date.text, BEFORE_2_1), []), (date.text, [first_of_major])):
        line = line_of(name, [*facts.asked(name, needs), *bounds])
        try:
            (found,) = facts.resolver.resolve_of_then([line], day)
            older = _read(found, facts, needs)
        except NoSolution:  # all releases are newer, or are not for any system
            continue
        if not older.requires_2:
            return older
    return None


def _bounded(needs: Needs, older: Mapping[str, Release]) -> Needs:
    """Returns what is needed, where of these packages these releases are."""
    pins = {name: [Requirement(release.pin)] for name, release in older.items()}
    return {**needs, **{name: [*needs.get(name, ()), *pin] for name, pin in pins.items()}}


def line_of(name: str, asked: Iterable[Requirement], *, is_bounded: bool = True) -> str:
    """Returns a line of requirements with all extras that are asked for, and with all bounds."""
    extras: set[str] = set()
    bounds = SpecifierSet()
    for each in asked:
        extras |= each.extras
        bounds &= each.specifier if is_bounded else SpecifierSet()
    return f"{name}[{','.join(sorted(extras))}]{bounds}" if extras else f"{name}{bounds}"


def _is_of_then(name: str, facts: PlanFacts, read: Mapping[str, reading.ReadPackage]) -> bool:
    package = read.get(name)
    # What was not read, or fails on this Python, can only be of today.
    if package is None or package.fails_here or facts.policy == NO_DATE:
        return False
    if facts.policy == ALL or facts.is_pinned(name) or package.stands_on_tensorflow:
        return True
    return not package.needs_today and (package.stands_on_numpy or facts.policy == UNDECLARED)


def _compiled(
    facts: PlanFacts, releases: Mapping[str, Release], unread: Mapping[str, str]
) -> set[str]:
    names = {name for name, release in releases.items() if release.is_compiled}
    names |= facts.replaced & releases.keys()
    unpacked = {pin.partition("==")[0] for pin in unread}
    return names | installed.closure(names, facts.installed) | unpacked


def _needs(
    facts: PlanFacts, read: Mapping[str, reading.ReadPackage]
) -> dict[str, list[Requirement]]:
    """Returns what the packages that are of then need,
    and what the extras of installed ones need.
    """
    every: list[Requirement] = []
    for name, package in read.items():
        if _is_of_then(name, facts, read):
            every += package.requirements
            every += map(Requirement, known_modules.UNDECLARED.get(name, ()))
    for name, own in facts.own.items():
        # An installed package is not read: its metadata tell what its extras need.
        if own.extras and facts.version_here(name):
            every += _needs_of_extras(name, own.extras)
    found: dict[str, list[Requirement]] = {}
    for each in every:
        name = normalized(each.name)
        if not packages.is_left_out(name):
            found.setdefault(name, []).append(_constrained(each, facts))
    return found


def _needs_of_extras(name: str, extras: Iterable[str]) -> list[Requirement]:
    lines = metadata.requires(name) or []
    return reading.requirements_of([line for line in lines if "extra" in line], extras)


def _constrained(requirement: Requirement, facts: PlanFacts) -> Requirement:
    bounds = facts.constraints.get(normalized(requirement.name), SpecifierSet())
    return Requirement(line_of(requirement.name, [requirement, Requirement(f"x{bounds}")]))


def _ask_by_date(
    facts: PlanFacts, needs: Needs, date: ProgramDate, refused: Mapping[str, str]
) -> tuple[ProgramDate, Resolution]:
    """Asks for everything that is not refused, as of the date;
    if that lacks something, as of `WITHOUT`.
    """
    answer = _ask(facts, needs, {*facts.own, *needs} - refused.keys(), date)
    later = ProgramDate(WITHOUT, "all that it declares exists")
    if answer.refused and date < later:
        then = _ask(facts, needs, answer.refused, later)
        if then.releases:
            # The later date had what was missing. All are asked for again, so that one date holds
            # for all.
            names = {*facts.own, *needs} - refused.keys() - then.refused.keys()
            moved = _ask(facts, needs, names, later)
            return later, Resolution(moved.releases, {**then.refused, **moved.refused})
        return date, Resolution(answer.releases, then.refused)
    return date, answer


def _ask(facts: PlanFacts, needs: Needs, names: Iterable[str], date: ProgramDate) -> Resolution:
    """Asks for packages as of a date; what other packages need gives way to
    what the program declares.
    """
    lines = {name: line_of(name, facts.asked(name, needs)) for name in sorted(names)}
    answer = _releases(facts, lines, date)
    softer = {name: line_of(name, facts.asked(name, {})) for name in answer.refused}
    softer = {name: line for name, line in softer.items() if line != lines[name]}
    if not softer:
        return answer
    again = _releases(facts, softer, date)
    return _merged(answer, again, softer.keys())


def _releases(facts: PlanFacts, lines: Mapping[str, str], date: ProgramDate) -> Resolution:
    """Returns the releases of a date; with `--date none` also those without an upload time."""
    answer = facts.resolver.resolve_most(lines, date.text)
    if facts.policy != NO_DATE:
        return answer
    undated = {name: lines[name] for name, why in answer.refused.items() if why == WITHOUT_DATES}
    return _merged(answer, facts.resolver.resolve_most(undated, None), undated.keys())


def _merged(answer: Resolution, again: Resolution, names: AbstractSet[str]) -> Resolution:
    """Returns an answer where another one takes its place for the refused packages `names`."""
    kept = {name: why for name, why in answer.refused.items() if name not in names}
    return Resolution([*answer.releases, *again.releases], {**kept, **again.refused})


def _to_read(
    facts: PlanFacts,
    releases: Mapping[str, Release],
    read: Mapping[str, reading.ReadPackage],
    unread: Mapping[str, str],
) -> list[Release]:
    """Returns the releases that may be taken as of then, and are not yet read; says so."""
    skipped = (facts.never - packages.IN_LAYER) | _compiled(facts, releases, unread)
    new = [release for name, release in releases.items() if name not in skipped]
    new = [
        each
        for each in new
        if each.name not in read or read[each.name].release.version != each.version
    ]
    if new:
        names = ", ".join(each.pin for each in new)
        size = sum(each.size for each in new) / 1e6
        messages.say(READING.format(messages.counted(len(new), "package"), size, names))
    return new
