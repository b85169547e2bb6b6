"""Describes what is taken for each package, and why."""

from __future__ import annotations

from typing import Dict, NamedTuple

from packaging.specifiers import SpecifierSet

from tf1grad.run.packages.program_date import ProgramDate
from tf1grad.run.packages.releases import Release

# Kinds of choices: of the program's date; of today; compiled for this Python and NumPy; the
# installed release; the period layer has it; it cannot be had.
THEN = "then"
TODAY = "today"
COMPILED = "compiled"
INSTALLED = "installed"
PERIOD = "period layer"
NONE = "none"


class Choice(NamedTuple):
    """Describes what is taken for a package, and why: `wanted` is a version such as ">=1.2", or "".

    `kind` is one of the constants above; `release` is set for the first three.
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


class PackagePlan(NamedTuple):
    """Holds the choices, sorted by name, the date,
    and the folders of the packages that were read, by name.
    """

    date: ProgramDate
    choices: list[Choice]
    read: dict[str, str]

    def releases(self, *kinds: str) -> list[Release]:
        """Returns the releases of these kinds."""
        return [each.release for each in self.choices if each.kind in kinds and each.release]
