"""Chooses a release for each package that a program needs, by two dates.

Packages that stand on TensorFlow, Keras, NumPy or SciPy, and those that the program pins, are of the program's date.
So are all pure ones that come because of an import alone. All others are of today: the installed ones, or else the
newest that fit. What the installed TensorFlow needs is never replaced. Compiled packages cannot be of the program's
date: theirs is one at which they fit this Python and this NumPy, and not before the program.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Iterable, NamedTuple, Sequence

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tf1grad.old_programs._compat import version_of_package
from tf1grad.old_programs.names import known_modules, packages
from tf1grad.old_programs.names.packages import normalized
from tf1grad.old_programs.packages import ALL, NO_DATE, installed, reading, release_date
from tf1grad.old_programs.packages.declared import Declared
from tf1grad.old_programs.packages.release_date import WITHOUT, Date, is_exact
from tf1grad.old_programs.packages.releases import NoSolution, Release
from tf1grad.old_programs.packages.resolver import Resolver
from tf1grad.old_programs.period import parts

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
    version of the NumPy that the program gets. If not `is_declared`, the program imports it alone: all pure packages
    are of the program's date then.
    """
    own = own_requirements(declared)
    if date in (None, ALL, NO_DATE):
        day = release_date.of_program(own, program_folder, resolver)
    else:
        day = Date(str(date), "--date")
    policy = date if is_declared or date == NO_DATE else ALL
    planner = _Planner(own, declared.of_conda, day, policy, numpy, resolver)
    planner.choose_of_then()
    planner.choose_of_today()
    choices = [planner.choices[name] for name in sorted(planner.choices)]
    folders = {name: package.folder for name, package in planner.read.items()}
    return Plan(planner.date, choices, folders)


class _Planner:
    def __init__(
        self,
        own: list[Requirement],
        of_conda: set[str],
        date: Date,
        policy: str | None,
        numpy: str,
        resolver: Resolver,
    ) -> None:
        self.date = date
        self._own, self._of_conda, self._policy, self._numpy = own, of_conda, policy, numpy
        self._resolver = resolver
        self._installed = installed.every()
        self._never = installed.needed_by_tensorflow(self._installed)
        self._replaced: set[str] = set()
        if not numpy.endswith("*"):  # it is the layer's
            self._replaced.update(installed.built_on_numpy(self._installed).values())
        self.read: dict[str, reading.Package] = {}
        self._compiled: set[str] = set()
        self._failed: dict[str, str] = {}  # why releases could not be read
        self._unreadable: set[str] = set()  # their pins
        self._missing: set[str] = set()  # what the index lacks
        self.choices: dict[str, Choice] = {}
        self._of_then: dict[str, Release] = {}

    def choose_of_then(self) -> None:
        """Reads, level by level, the releases of the program's date, and what they need."""
        while True:
            self._of_then = {each.name: each for each in self._resolved_of_then()}
            new = [each for each in self._of_then.values() if self._is_unread(each)]
            if not new:
                break
            for release in new:
                self._read_release(release)
        for name, release in self._of_then.items():
            self.choices[name] = self._choice_of_then(name, release)

    def choose_of_today(self) -> None:
        """Chooses releases for what is neither of then nor installed, compiled packages by their own date."""
        missing = {name for name, each in self.choices.items() if each.kind == NONE}
        missing -= self._missing & self._of_conda
        compiled = sorted(missing & (self._compiled | self._replaced))
        self._take_compiled(compiled)
        self._take(sorted(missing.difference(compiled)), [None], TODAY, "today's release")

    def _take_compiled(self, names: Sequence[str]) -> None:
        date = COMPILED_WITH_NUMPY_2
        if self._numpy.startswith("1."):
            date = COMPILED_WITH_NUMPY_1.get(sys.version_info[:2], date)
        why = f"compiled packages are of the time of this Python, for NumPy {self._numpy}"
        self._take(names, [date, None], COMPILED, why)

    def _needs(self) -> list[Requirement]:
        """Returns what the packages that are of then need."""
        needs: list[Requirement] = []
        for name, package in self.read.items():
            if self._is_of_then(name):
                needs += package.requirements
                needs += map(Requirement, known_modules.UNDECLARED.get(name, ()))
        needs = [each for each in needs if normalized(each.name) not in self._missing]
        return [each for each in needs if not packages.is_left_out(each.name)]

    def _asked(self, name: str) -> list[Requirement]:
        every = self._own + self._needs()
        return [each for each in every if normalized(each.name) == name]

    def _is_pinned(self, name: str) -> bool:
        return any(is_exact(each) for each in self._own if normalized(each.name) == name)

    def _is_of_then(self, name: str) -> bool:
        package = self.read.get(name)
        if package is None or package.makes_code or self._policy == NO_DATE:
            return False
        has_date = package.stands_on_tensorflow or package.stands_on_numpy
        return self._policy == ALL or self._is_pinned(name) or has_date

    def _is_unread(self, release: Release) -> bool:
        name = release.name
        if release.is_compiled:
            self._compiled.update(installed.closure([name], self._installed), [name])
        known = self.read.get(name)
        is_other = known is None or known.release.version != release.version
        skipped = (self._never - packages.IN_LAYER) | self._compiled | set(self._failed)
        return is_other and name not in skipped

    def _read_release(self, release: Release) -> None:
        extras = [extra for each in self._asked(release.name) for extra in each.extras]
        try:
            package = reading.read(release, extras, self._resolver)
            self.read[release.name] = package
        except NoSolution as error:  # it is compiled, or damaged
            self._compiled.add(release.name)
            self._failed[release.name] = str(error)
            self._unreadable.add(release.pin)

    def _resolved_of_then(self) -> list[Release]:
        needs = self._needs()
        own = _lines(self._own)
        for lines in (own + _lines(needs), own + [each.name for each in needs]):
            with contextlib.suppress(NoSolution):
                return self._ask_of_then(lines)
        self._own = [each for each in self._own if self._exists(each)]
        own_names = {normalized(each.name) for each in self._own}
        others = dict.fromkeys(each.name for each in needs)
        names = [name for name in others if self._exists(Requirement(name))]
        names = [name for name in names if normalized(name) not in own_names]
        return self._ask_of_then(_lines(self._own)) + self._ask_of_then(names)

    def _ask_of_then(self, lines: Iterable[str]) -> list[Release]:
        lines = list(dict.fromkeys(lines))
        return self._resolver.resolve_of_then(lines, self.date.text) if lines else []

    def _exists(self, requirement: Requirement) -> bool:
        """Says whether the index has what a line asks for; if not, that is a choice.

        The date moves on to `WITHOUT` where that makes the difference: the program is younger than its pins.
        """
        name, wanted = normalized(requirement.name), str(requirement.specifier)
        before = self.date
        for date in (self.date, Date(WITHOUT, "all that it declares exists")):
            try:
                self.date = max(self.date, date)
                self._ask_of_then(_lines([requirement]))
                return True
            except NoSolution as error:
                reason = str(error)
        self.date = before
        self._missing.add(name)
        reason = ONLY_CONDA if name in self._of_conda else reason
        self.choices[name] = Choice(name, wanted, NONE, "", reason)
        return False

    def _choice_of_then(self, name: str, release: Release) -> Choice:
        asked = self._asked(name)
        wanted = ",".join(sorted({str(each.specifier) for each in asked} - {""}))
        if name == "keras" and self._is_old_keras(release):
            why = f"uploaded {release.uploaded}; it is pinned, and the period layer has none that is near"
            return Choice(name, wanted, THEN, release.version, why, release)
        if name in packages.IN_LAYER:
            version = release.version
            if name == "keras":
                version = parts.release(parts.keras_for(version))
            return Choice(name, wanted, LAYER, version, "the period layer has it")
        here = None if name in self._replaced else version_of_package(name)
        if name in self._never and here:
            return Choice(name, wanted, INSTALLED, here, "the installed TensorFlow needs it")
        if self._is_of_then(name):
            why = f"uploaded {release.uploaded}; {self._reason_of_then(name)}"
            if self.read[name].serves:
                why += SERVES
            return Choice(name, wanted, THEN, release.version, why, release)
        is_fitting = here and all(each.specifier.contains(here, True) for each in asked)
        if here and (is_fitting or name in self._compiled):
            return Choice(name, wanted, INSTALLED, here, "it is installed")
        return Choice(name, wanted, NONE, "", self._failed.get(name, ""))

    def _reason_of_then(self, name: str) -> str:
        if self._is_pinned(name):
            return "the program pins it"
        if self.read[name].stands_on_tensorflow:
            return "it stands on TensorFlow"
        return "it stands on NumPy" if self.read[name].stands_on_numpy else "so are all pure ones"

    def _is_old_keras(self, release: Release) -> bool:
        """Says whether the program or a package pins Keras 2.0 or 2.1, whose layers differ from those of 2.2."""
        if not self._is_of_then("keras"):
            return False
        is_old = [2, 0] <= packages.numbers(release.version) < [2, 2]
        return is_old and any(map(is_exact, self._asked("keras")))

    def _take(self, names: Sequence[str], dates: Sequence[str | None], kind: str, why: str) -> None:
        """Takes the releases of the first of the `dates` that fits, with what they need."""
        for name in names:
            package = self.read.get(name)
            is_free = self._policy == NO_DATE or (package is not None and package.makes_code)
            asked = [] if is_free else _lines(self._asked(name))
            for lines, date in [(lines, date) for lines in (asked, [name]) for date in dates]:
                try:
                    found = self._ask_today(lines or [name], date)
                except NoSolution as error:
                    self._failed.setdefault(name, str(error))
                    continue
                if any(each.pin in self._unreadable for each in found):
                    continue
                if any(map(self._is_before_then, found)):
                    continue
                needed = self._compiled_of(found) if kind == TODAY else []
                if needed:
                    self._take_compiled(needed)
                    found = self._ask_today(lines or [name], date)
                self._add(found, kind, why)
                break
            else:
                self._take_without_wheel(name)

    def _is_before_then(self, release: Release) -> bool:
        """Says whether a release is older than that of the program's date, which has no wheel for this Python."""
        of_then = self._of_then.get(release.name)
        return of_then is not None and Version(release.version) < Version(of_then.version)

    def _compiled_of(self, releases: Iterable[Release]) -> list[str]:
        """Returns the compiled packages among releases that are neither chosen nor installed."""
        names = [each.name for each in releases if each.is_compiled and each.name != "numpy"]
        unknown = Choice("", "", NONE, "", "")
        new = [name for name in names if self.choices.get(name, unknown).kind == NONE]
        return [name for name in new if version_of_package(name) is None]

    def _ask_today(self, lines: Iterable[str], date: str | None) -> list[Release]:
        known = [each.release.pin for each in self.choices.values() if each.release]
        numpy = f"numpy=={self._numpy}"
        options = (
            [*ONLY_WHEELS, "--exclude-newer-package", "numpy=2099-12-31"] if date else ONLY_WHEELS
        )
        return self._resolver.resolve(
            lines,
            date=date,
            python="{}.{}".format(*sys.version_info),
            options=list(options),
            overrides=[numpy, *known],
        )

    def _add(self, releases: Iterable[Release], kind: str, why: str) -> None:
        for release in releases:
            name = release.name
            is_decided = name in self.choices and self.choices[name].kind != NONE
            if name == "numpy" or packages.is_left_out(name) or is_decided:
                continue
            wanted = self.choices[name].wanted if name in self.choices else ""
            here = version_of_package(name)
            if here and name not in self.choices:
                self.choices[name] = Choice(name, wanted, INSTALLED, here, "it is installed")
            else:
                self.choices[name] = Choice(name, wanted, kind, release.version, why, release)

    def _take_without_wheel(self, name: str) -> None:
        """Takes the release of the program's date of a pure package that has no wheel."""
        unknown = Choice(name, "", NONE, "", "")
        choice, release = self.choices.get(name, unknown), self._of_then.get(name)
        if name in self.read and release is not None:
            why = f"uploaded {release.uploaded}; today's release has no wheel"
            self.choices[name] = choice._replace(
                kind=THEN, version=release.version, why=why, release=release
            )
        elif not self._take_source(name):
            self.choices[name] = choice._replace(why=self._failed.get(name, choice.why))

    def _take_source(self, name: str) -> bool:
        """Takes today's source package where there is nothing of the program's date; says whether that is possible."""
        try:
            (release,) = self._resolver.resolve(
                [name], date=None, python="{}.{}".format(*sys.version_info), options=["--no-deps"]
            )
            package = self.read[name] = reading.read(release, [], self._resolver)
        except NoSolution:
            return False
        kind = THEN if package.stands_on_tensorflow else TODAY
        wanted = self.choices[name].wanted if name in self.choices else ""
        why = f"uploaded {release.uploaded}; there is no older one"
        self.choices[name] = Choice(name, wanted, kind, release.version, why, release)
        needs = {normalized(each.name) for each in package.requirements}
        needs = {each for each in needs if not packages.is_left_out(each)}
        needs -= packages.IN_LAYER | self.choices.keys() | self._installed.keys()
        self._take(sorted(needs), [None], TODAY, "today's release")
        return True


def _lines(requirements: Iterable[Requirement]) -> list[str]:
    return [f"{each.name}{each.specifier}" for each in requirements]
