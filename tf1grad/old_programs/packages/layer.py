"""Puts the packages that a program declares in front of the installed ones, for this process; fetches them once.

They lie in a part of the period layer, which is named after what the program declares. A changed requirements.txt
has another part, and a second run fetches nothing. One process fetches, under the layer's lock, and others wait.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import os
import pathlib
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple

from tf1grad.old_programs.names.packages import normalized
from tf1grad.old_programs.packages import COMPILED_TITLE, declaring_files
from tf1grad.old_programs.packages.declaring_files import Text
from tf1grad.old_programs.period import folder, layer, numpy_1_behavior, parts
from tf1grad.old_programs.process import copied_folders, messages
from tf1grad.old_programs.source import library_text

if TYPE_CHECKING:
    from tf1grad.old_programs.packages.declared import Declared
    from tf1grad.old_programs.packages.plan import Plan
    from tf1grad.old_programs.period import sources

OPTION = "--packages installed"
PREFIX = "packages-"  # of the names of these parts
LOCK = "tf1grad.lock"  # in each part
_MISSING = "{} cannot be had: {}"
_ASKED = " (the package index was asked on {}; if you remove {}, the next run asks again)"
# In a lock file: a package that does not exist, and the day on which the index said so.
_MISSING_LINE = re.compile(r"^# missing on (\S+): (\S+): (.*)", re.M)
_FORMAT = "4"  # of the parts; another one is fetched anew
# The day on which Keras 2.3 was uploaded, and the last release before it.
_KERAS_2_3, _BEFORE_2_3 = "2019-09-17", "2.2.4"
# Of a part: the packages of the program's date, and those of today.
OF_THEN, OF_TODAY = "then", parts.PACKAGES
# What this process wants and cannot be had, and why.
_missing: dict[str, str] = {}


class Wanted(NamedTuple):
    """Describes what a process wants: the texts that declare it, the program's folder, and options of `run`."""

    texts: list[Text]
    folder: str
    date: str | None
    lock: str  # the text of a lock file, or ""
    numpy: str
    lock_path: str = ""
    is_declared: bool = True  # False where the program imports it alone

    @property
    def title(self) -> str:
        """What declares it, as messages call it."""
        return self.lock_path or ", ".join(
            each.place for each in self.texts if not each.is_included
        )


def wanted_by(program: str, options: Mapping[str, Any], numpy: str) -> Wanted:
    """Returns what the program at a path wants under the options of `run`."""
    around = program if os.path.isdir(program) else os.path.dirname(os.path.abspath(program))
    texts = declaring_files.of_program(program)
    lock_path, lock = options["lock"] or ("", "")
    around = copied_folders.original_of(around)  # the layer is one for both
    return Wanted(texts, around, options["date"], lock, numpy, lock_path)


def put_on_path(wanted: Wanted, position: int) -> list[str]:
    """Puts what is wanted in front, at this `position` in `sys.path`; returns the modules of the program's date.

    Those are to be served as the program is. Nothing happens where nothing is declared. Raises `Failed`.
    """
    part = _part(wanted)
    is_fetched = folder.find(part.name) is None
    if is_fetched:
        for line in layer.damages([part]):
            messages.say(line)
        if not _fetch(wanted, part):
            return []
    place = folder.find(part.name) or ""
    for day, what, why in _MISSING_LINE.findall(library_text.text_of(place, LOCK)):
        _missing[what] = why
        if not is_fetched:
            messages.warn_once(what, _MISSING.format(what, why) + _ASKED.format(day, place))
    for name in (OF_TODAY, OF_THEN):
        packages = os.path.join(place, name)
        layer.put_folder_on_path(packages, position, f"{part.title} (left out by {OPTION})")
    return modules(os.path.join(place, OF_THEN))


def missing(module: str) -> tuple[str, str] | None:
    """Returns what this process wants under the name of a module and cannot be had, and why; or None.

    That is a requirement, or an address such as git+https://example.org/module.git.
    """
    named = re.compile(rf"(^|/){re.escape(normalized(module))}(-git|[^\w-]|$)")
    return next((each for each in _missing.items() if named.search(normalized(each[0]))), None)


def modules(packages: str) -> list[str]:
    """Returns the names of the modules in a folder of packages."""
    names = os.listdir(packages) if os.path.isdir(packages) else []
    return sorted({name.partition(".")[0] for name in names if not name.endswith("-info")})


def _fetch(wanted: Wanted, part: parts.Part) -> bool:
    """Fetches what is wanted; says False where there is nothing, or the user forbade it."""
    if not (wanted.texts or wanted.lock):
        return False
    from tf1grad.old_programs.packages import declared, plan, resolver, toml_files
    from tf1grad.old_programs.period import sources

    if not wanted.lock:
        needs = declared.read(wanted.texts)
        if not plan.own_requirements(needs):
            _say_notes(needs)
            return False
    if sources.is_offline():
        messages.say(f"{part.title} are the installed ones, since {sources.OFFLINE} is set")
        return False
    toml_files.add_reader()
    layer.install([part], functools.partial(_files, wanted, resolver.uv()))
    return True


def lock_of(wanted: Wanted) -> str:
    """Returns the text of the lock file of what was put on the path; "" where nothing is wanted."""
    place = folder.find(_part(wanted).name)
    return "" if place is None else library_text.text_of(place, LOCK)


def every_part() -> list[str]:
    """Returns the folders of the packages of all programs, sorted."""
    names: set[str] = set()
    for place in folder.places():
        found = glob.glob(os.path.join(glob.escape(place), PREFIX + "*"))
        names.update(map(os.path.basename, found))
    return sorted(part for name in names for part in folder.having(name))


def has_pure(path: str) -> bool:
    """Says whether a path is in a part with pure packages, whose releases `--date` chooses."""
    for place in every_part():
        if path.startswith(os.path.join(place, "")):
            return "==" in library_text.text_of(place, LOCK).partition(f"# {COMPILED_TITLE}")[0]
    return False


def title_of(place: str) -> str:
    """Returns the first line of the lock file in the folder of a program's packages."""
    first = library_text.text_of(place, LOCK).partition("\n")[0]
    return first.strip("# .") or "packages of a program"


def date_of(lock: str) -> str | None:
    """Returns the date that the text of a lock file names, or None."""
    found = re.search(r"as of (\d{4}-\d\d-\d\d)", lock)
    return found and found.group(1)


def keras_of(lock: str) -> str:
    """Returns the release of Keras that the text of a lock file names, else one for its date; or ""."""
    found = re.search(r"^# keras (\S+) comes with", lock, re.M)
    if found:
        return found.group(1)
    return _BEFORE_2_3 if (date_of(lock) or _KERAS_2_3) < _KERAS_2_3 else ""


def _part(wanted: Wanted) -> parts.Part:
    facts = [_FORMAT, *wanted._replace(lock_path=""), sys.version_info[:2]]
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
    return parts.Part(PREFIX + digest, f"the packages of {wanted.title}", (), 0, 0, str)


def _files(wanted: Wanted, uv: str, part: parts.Part, staging: str) -> Iterator[sources.File]:
    """Yields the files of the part; what is fetched is unpacked in the folder `staging`."""
    from tf1grad.old_programs.packages import declared, lock_file, plan
    from tf1grad.old_programs.packages.releases import NoSolution
    from tf1grad.old_programs.packages.resolver import Resolver
    from tf1grad.old_programs.period import sources

    resolver = Resolver(uv, staging)
    of_then = os.path.join(staging, OF_THEN)
    if wanted.lock:
        locked = lock_file.read(wanted.lock, wanted.lock_path)
        text, of_today = wanted.lock, locked[plan.TODAY] + locked[plan.COMPILED]
        of_locked = locked[plan.THEN]
    else:
        of_locked = []
        needs = declared.read(wanted.texts)
        made = plan.make(
            needs, wanted.folder, wanted.date, wanted.numpy, resolver, wanted.is_declared
        )
        text = lock_file.text_of(made, wanted.title, needs.notes)
        of_today = made.releases(plan.TODAY, plan.COMPILED)
        _say(made, wanted.numpy)
        _say_notes(needs)
        for release in made.releases(plan.THEN):
            shutil.copytree(made.read[release.name], of_then, dirs_exist_ok=True)
    try:
        resolver.install(of_locked, of_then)
        resolver.install(of_today, os.path.join(staging, OF_TODAY))
    except (NoSolution, sources.Failed) as error:
        raise sources.Failed(f"{wanted.title}: {error}") from error
    yield LOCK, text.encode
    for name in (OF_THEN, OF_TODAY):
        yield from _below(os.path.join(staging, name), name)


def _below(top: str, name: str) -> Iterator[sources.File]:
    for path in pathlib.Path(top).rglob("*"):
        inner = path.relative_to(top).as_posix()
        if path.is_file():
            yield f"{name}/{inner}", path.read_bytes


def _say(plan: Plan, numpy: str) -> None:
    """Says what is brought, of which date, and what is not."""
    from tf1grad.old_programs.packages.plan import COMPILED, NONE, THEN, TODAY

    for kind, title, option in (
        (THEN, f"as of {plan.date.text}, {plan.date.why}", f"`{OPTION}` or `--date DAY`"),
        (TODAY, "of today", f"`{OPTION}`"),
        (COMPILED, f"compiled for this Python and NumPy {numpy}", f"`{numpy_1_behavior.OPTION}`"),
    ):
        releases = plan.releases(kind)
        names = ", ".join(f"{each.name} {each.version}" for each in releases)
        size = sum(each.size for each in releases) / 1e6
        if releases:
            count = messages.counted(len(releases), "package")
            messages.say(f"{count} {title} ({size:.1f} MB to download): {names}")
            messages.warn_once(title, f"{option} changes that")
    for choice in plan.choices:
        if choice.kind == NONE:
            messages.say(_MISSING.format(choice.name + choice.wanted, choice.why))
        elif choice.kind != THEN and choice.is_against_pin():
            messages.say(
                f"{choice.name} is {choice.version}, and not {choice.wanted.lstrip('=')} as it asks: {choice.why}"
            )


def _say_notes(needs: Declared) -> None:
    """Says what of the declarations is not read as it is written."""
    for note in needs.notes:
        messages.say(str(note))
