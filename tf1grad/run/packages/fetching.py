"""Puts the packages that a program declares in front of the installed ones,
for this process; fetches them once.

Each release lies in a part of the period layer that all programs share (`stored`). A program has a
part with its lock file alone, which is named after what it declares: a changed requirements.txt has
another part, and a second run fetches nothing. An environment that lacks an installed package of
the plan has another part too, with a plan of its own. One process fetches for a program, and
others that want the same wait.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import os
import pathlib
import re
import sys
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from tf1grad.programs._errors import UsageError
from tf1grad.programs.names.packages import normalized
from tf1grad.programs.period import folder, layer, numpy_1_behavior, parts
from tf1grad.programs.process import copied_folders, messages
from tf1grad.programs.source import library_text
from tf1grad.run.packages import (
    COMPILED_TITLE,
    declaring_files,
    installed,
    moved_parts,
    stored,
)
from tf1grad.run.packages.declaring_files import DeclaringFile

if TYPE_CHECKING:
    from tf1grad.programs.period import sources
    from tf1grad.run.packages.choices import PackagePlan
    from tf1grad.run.packages.declared import Declared

OPTION = "--packages installed"
PREFIX = "packages-"  # of the names of these parts
LOCK = "tf1grad.lock"  # in each part
_MISSING = "{} cannot be had: {}"
_ASKED = " (the package index was asked on {}; if you remove {}, the next run asks again)"
# In a lock file: a package that does not exist, and the day on which the index said so.
_MISSING_LINE = re.compile(r"^# missing on (\S+): (\S+): (.*)", re.M)
_FORMAT = "7"  # of the parts; another one is fetched anew
# The day on which Keras 2.3 was uploaded, and the last release before it.
_KERAS_2_3, _BEFORE_2_3 = "2019-09-17", "2.2.4"
CHANGED = "{} declares other packages than when {} was written, which counts. Remove that file to have it written again"
# Of a lock file: a release that was installed where it was written, and is not brought.
_INSTALLED_LINE = re.compile(r"^# installed: (\S+)==(\S+)", re.M)
LACKING = "it was installed where {} was written, and is not here"
INSTALL = "{} takes {} from the environment, which lacks it: pip install {}"
# Of a lock file: the digest of what is declared.
_DECLARED = re.compile(r"^# declared: (\w+)", re.M)
# What this process wants and cannot be had, and why.
_missing: dict[str, str] = {}


class Wanted(NamedTuple):
    """Describes what a process wants: the texts that declare it, the program's folder,
    and options of `run`.
    """

    texts: list[DeclaringFile]
    folder: str
    date: str | None
    lock: str  # the text of a lock file, or ""
    numpy: str
    lock_path: str = ""
    is_declared: bool = True  # False where the program imports it alone

    @property
    def title(self) -> str:
        """What declares it, as messages call it."""
        return self.lock_path or declaring_files.title_of(self.texts)


def find_wanted(
    program: str, numpy: str, date: str | None = None, lock: tuple[str, str] | None = None
) -> Wanted:
    """Returns what the program at a path wants;
    `date` and `lock`, a name and its path, are options of `run`.
    """
    around = program if os.path.isdir(program) else os.path.dirname(os.path.abspath(program))
    texts = declaring_files.find_declaring_files(program)
    lock_path, lock_file = lock or ("", "")
    lock_text = _text_of_lock(lock_file) if lock_file else ""
    around = copied_folders.original_of(around)  # the layer is one for both
    return Wanted(texts, around, date, lock_text, numpy, lock_path)


def put_on_path(wanted: Wanted, position: int) -> list[str]:
    """Puts what is wanted in front, at this `position` in `sys.path`;
    returns the modules of the program's date.

    Those are to be served as the program is. Nothing happens where nothing is declared. Raises
    `Failed`.
    """
    part = _part(wanted)
    text = _text_of(wanted, part)
    missing = layer.missing_parts([part, *(each.part for each in stored.in_lock(text))])
    if missing:
        for line in layer.find_damages(missing):
            messages.say(line)
        if not _fetch(wanted, part, text):
            return []
        text = _text_of(wanted, part)
    place = folder.find(part.name) or ""
    for day, what, why in _MISSING_LINE.findall(text):
        _missing[what] = why
        if not missing:
            messages.warn_once(what, _MISSING.format(what, why) + _ASKED.format(day, place))
    for lacking in _find_lacking(text):
        _missing[lacking] = LACKING.format(wanted.title)
        messages.warn_once(lacking, INSTALL.format(wanted.title, lacking, lacking))
    if wanted.lock and _DECLARED.findall(text) not in ([], [_digest(wanted.texts)]):
        declaring = wanted._replace(lock_path="").title
        messages.warn_once(wanted.lock_path, CHANGED.format(declaring, wanted.lock_path))
    of_then: list[str] = []
    compiled: list[str] = []
    for release in sorted(stored.in_lock(text), key=lambda each: each.is_of_then):  # then in front
        packages = stored.packages_of(release.part)
        title = f"{release.part.title}, of {part.title} (left out by {OPTION})"
        layer.put_folder_on_path(packages, position, title)
        of_then += modules(packages) if release.is_of_then else []
        compiled += modules(packages) if release.section == COMPILED_TITLE else []
    if compiled:
        moved_parts.install(compiled)
    return sorted(of_then)


def find_missing(module: str) -> tuple[str, str] | None:
    """Returns what this process wants under the name of a module and cannot
    be had, and why; or None.

    That is a requirement, or an address such as git+https://example.org/module.git.
    """
    named = re.compile(rf"(^|/){re.escape(normalized(module))}(-git|[^\w-]|$)")
    return next((each for each in _missing.items() if named.search(normalized(each[0]))), None)


def modules(packages: str) -> list[str]:
    """Returns the names of the modules in a folder of packages."""
    names = os.listdir(packages) if os.path.isdir(packages) else []
    names = [name for name in names if not name.endswith(("-info", "__pycache__"))]
    return sorted({name.partition(".")[0] for name in names})


def _fetch(wanted: Wanted, part: parts.PeriodPart, text: str) -> bool:
    """Fetches what is wanted, or named in the `text` of a lock file;
    says False where nothing is, or may be fetched.
    """
    if not (wanted.texts or wanted.lock):
        return False
    from tf1grad.programs.period import sources
    from tf1grad.run.packages import declared, plan, resolver, toml_files

    if not text:
        try:
            needs = declared.read(wanted.texts)
        except sources.Failed:  # what reads a file has to be fetched
            if not sources.is_offline():
                raise
            messages.say(f"{part.title} are the installed ones, since {sources.OFFLINE} is set")
            return False
        if not plan.own_requirements(needs):
            _say_notes(needs)
            return False
    missing = layer.missing_parts([each.part for each in stored.in_lock(text)])
    if text and not missing:
        keep(wanted, text)
        return True
    if sources.is_offline():
        messages.say(f"{part.title} are the installed ones, since {sources.OFFLINE} is set")
        return False
    toml_files.add_reader()
    source = functools.partial(_files, wanted, text, resolver.find_uv())
    if folder.find(part.name) is not None:  # one of its releases is damaged
        from tf1grad.programs.period import installation

        installation.remove([part.name])
    layer.install([part], source)
    return True


def keep(wanted: Wanted, text: str) -> None:
    """Writes the part of what is wanted, whose lock file has this text and
    whose releases are there.
    """
    from tf1grad.programs.period import installation

    files = [(LOCK, text.encode)]
    installation.install(
        [_part(wanted)], lambda part, staging: iter(files), messages.say, is_announced=True
    )


def lock_of(wanted: Wanted) -> str:
    """Returns the text of the lock file of what is wanted;
    "" where nothing is, or it is not fetched yet.
    """
    return _text_of(wanted, _part(wanted))


def _text_of(wanted: Wanted, part: parts.PeriodPart) -> str:
    place = folder.find(part.name)
    return wanted.lock or ("" if place is None else library_text.text_in_file(place, LOCK))


def every_part() -> list[str]:
    """Returns the folders with the lock files of all programs,
    and those of all releases, sorted.
    """
    names: set[str] = set()
    for place in folder.places():
        for prefix in (PREFIX, stored.PREFIX):
            found = glob.glob(os.path.join(glob.escape(place), prefix + "*"))
            names.update(map(os.path.basename, found))
    names = {name for name in names if not name.endswith(folder.TEMPORARY)}
    return sorted(part for name in names for part in folder.having(name))


def has_pure(path: str) -> bool:
    """Says whether a path is in a package that was brought and is pure,
    whose release `--date` chooses.
    """
    place = next((each for each in every_part() if path.startswith(os.path.join(each, ""))), None)
    return place is not None and stored.is_pure(place)


def title_of(place: str) -> str:
    """Returns the first line of the lock file in the folder of a program,
    or the release in that of a package.
    """
    first = library_text.text_in_file(place, LOCK).partition("\n")[0]
    return first.strip("# .") or stored.title_of(place)


def date_of(lock: str) -> str | None:
    """Returns the date that the text of a lock file names, or None."""
    found = re.search(r"as of (\d{4}-\d\d-\d\d)", lock)
    return found and found.group(1)


def keras_of(lock: str) -> str:
    """Returns the release of Keras that the text of a lock file names,
    else one for its date; or "".
    """
    found = re.search(r"^# keras (\S+) comes with", lock, re.M)
    if found:
        return found.group(1)
    return _BEFORE_2_3 if (date_of(lock) or _KERAS_2_3) < _KERAS_2_3 else ""


def _part(wanted: Wanted) -> parts.PeriodPart:
    """Returns the part of what is wanted: one whose plan finds its installed packages here too."""
    facts: list[Any] = [_FORMAT, sys.version_info[:2]]
    if wanted.lock:
        return _part_of_facts(wanted, [*facts, wanted.lock])
    # The last commit may date it.
    repository = declaring_files.repository_of(wanted.folder) if wanted.folder else None
    facts += wanted._replace(lock_path="", folder=repository or "")
    while True:
        part = _part_of_facts(wanted, facts)
        lacking = _find_lacking(_text_of(wanted, part))
        if not lacking:  # a part that is not fetched yet lacks nothing
            return part
        facts += lacking


def _part_of_facts(wanted: Wanted, facts: list[Any]) -> parts.PeriodPart:
    name = PREFIX + hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
    return parts.PeriodPart(name, f"the packages of {wanted.title}", (), 0, 0, str)


def _find_lacking(text: str) -> list[str]:
    """Returns the releases that the text of a lock file takes from an environment, and that this
    one lacks; another release of the package counts as the same.
    """
    found = _INSTALLED_LINE.findall(text)
    here = installed.find_names() if found else set()
    return [f"{name}=={version}" for name, version in found if name not in here]


def _text_of_lock(path: str) -> str:
    try:
        return pathlib.Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--lock: {path}: it cannot be read any more: {error}") from error


def _digest(texts: list[DeclaringFile]) -> str:
    # Not their repr: lock files hold the digest, and the class may get another name.
    return hashlib.sha256(repr([tuple(each) for each in texts]).encode()).hexdigest()[:12]


def _files(
    wanted: Wanted, text: str, uv: str, part: parts.PeriodPart, staging: str
) -> Iterator[sources.File]:
    """Stores the releases that a program needs, and then yields the file of its part.

    `text` is that of a lock file, or "" where the releases have to be chosen.
    """
    from tf1grad.programs.period import sources
    from tf1grad.run.packages import choices, declared, lock_file, plan
    from tf1grad.run.packages.releases import NoSolution
    from tf1grad.run.packages.resolver import Resolver

    resolver = Resolver(uv, staging)
    unpacked: dict[str, str] = {}
    if text:
        releases = [each for kind in lock_file.read(text, wanted.title).values() for each in kind]
    else:
        needs = declared.read(wanted.texts)
        made = plan.make(
            needs, wanted.folder, wanted.date, wanted.numpy, resolver, wanted.is_declared
        )
        text = lock_file.text_of(made, wanted.title, needs.notes, _digest(wanted.texts))
        _say(made, wanted.numpy)
        _say_notes(needs)
        releases = made.releases(choices.THEN, choices.TODAY, choices.COMPILED)
        unpacked = {each.name: made.read[each.name] for each in made.releases(choices.THEN)}
    parts_of = {each.name: stored.part_of(each) for each in releases}
    missing = [each for each in releases if folder.find(parts_of[each.name].name) is None]
    try:
        unpacked.update(resolver.install(each for each in missing if each.name not in unpacked))
    except (NoSolution, sources.Failed) as error:
        raise sources.Failed(f"{wanted.title}: {error}") from error
    for release in missing:
        _store(parts_of[release.name], unpacked[release.name])
    yield LOCK, text.encode


def _store(part: parts.PeriodPart, unpacked: str) -> None:
    from tf1grad.programs.period import installation

    def files(part: parts.PeriodPart, staging: str) -> Iterator[sources.File]:
        for path in pathlib.Path(unpacked).rglob("*"):
            if path.is_file():
                inner = path.relative_to(unpacked).as_posix()
                yield f"{parts.PACKAGES}/{inner}", path.read_bytes

    installation.install([part], files, messages.say, is_announced=True)


def _say(plan: PackagePlan, numpy: str) -> None:
    """Says what is brought, of which date, and what is not."""
    from tf1grad.run.packages.choices import COMPILED, NONE, THEN, TODAY

    for kind, title, option in (
        (THEN, f"as of {plan.date.text}, {plan.date.why}", f"`{OPTION}` or `--date DAY`"),
        (TODAY, "of today", f"`{OPTION}`"),
        (COMPILED, f"compiled for this Python and NumPy {numpy}", f"`{numpy_1_behavior.OPTION}`"),
    ):
        releases = plan.releases(kind)
        names = ", ".join(f"{each.name} {each.version}" for each in releases)
        new = [each for each in releases if folder.find(stored.part_of(each).name) is None]
        size = sum(each.size for each in new) / 1e6
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
