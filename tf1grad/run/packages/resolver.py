"""Asks uv which releases fit requirements, as of a date; nothing is built."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import urllib.parse
from typing import AbstractSet, Any, Iterable, Mapping, NamedTuple, Sequence

from tf1grad.programs.names.packages import normalized
from tf1grad.programs.period import folder, helper_processes, parts
from tf1grad.programs.process import messages
from tf1grad.run.packages import archives, indexes, toml_files, uv_errors
from tf1grad.run.packages.releases import File, NoSolution, Release, best_file

PYTHON_OF_THEN = "3.7"  # the newest that TensorFlow 1 ran on
# uv would start each Python that it finds, to look for `PYTHON_OF_THEN`.
COMPILE = ("compile", "--python", sys.executable)
ASKED = "asking {} for releases, {} so far"  # on a terminal
WITHOUT_DATES = "the package index gives no upload times, which a date needs. `--date none` takes today's releases"


class Resolution(NamedTuple):
    """Holds the releases that uv chose, and why it has none of other packages,
    by their normalized names.

    `absent` are those of which the index has no such version for any Python.
    """

    releases: list[Release]
    refused: dict[str, str]
    absent: AbstractSet[str] = frozenset()


class Resolver:
    """Runs uv, which has the path `command`, with a cache in the folder `scratch`."""

    def __init__(self, command: str, scratch: str) -> None:
        self._command = command
        self.scratch = scratch
        # uv reads the nearest such file around its folder: a program's own is not obeyed.
        pathlib.Path(scratch, "uv.toml").write_text("", encoding="utf-8")
        self._indexes = indexes.read_indexes(command, scratch)
        self._opener = indexes.Opener(self._indexes.environment)
        self._asked = 0  # how often uv was
        self._with_page: set[str] = set()  # packages of which the index lists files

    def resolve(
        self,
        lines: Iterable[str],
        *,
        date: str | None,
        python: str,
        options: Sequence[str] = (),
        overrides: Sequence[str] = (),
    ) -> list[Release]:
        """Returns the newest releases of a date that fit the lines.

        Raises `NoSolution` where there are none or they have no dates, and `sources.Failed` where
        the index does not answer as it should.

        Nothing is built. `python` is a version such as "3.7"; without a `date` they are today's.
        `overrides` are requirements that replace those of any package.
        """
        try:
            return self._resolve(lines, date, python, options, overrides)
        except NoSolution as error:
            self._refuse_empty_pages(error.absent)
            raise

    def _resolve(
        self,
        lines: Iterable[str],
        date: str | None,
        python: str,
        options: Sequence[str] = (),
        overrides: Sequence[str] = (),
    ) -> list[Release]:
        command = [*COMPILE, "--format", "pylock.toml", "--python-version", python, *options]
        if date:
            command += ["--exclude-newer", date]
        if overrides:
            path = os.path.join(self.scratch, "overrides.txt")
            pathlib.Path(path).write_text("\n".join(overrides), encoding="utf-8")
            command += ["--override", path]
        path = os.path.join(self.scratch, "requirements.in")
        pathlib.Path(path).write_text("\n".join(lines), encoding="utf-8")
        done = self._run([*command, path])
        if done.returncode:
            undated = uv_errors.without_dates(done.stderr) if date else set()
            if undated:
                raise NoSolution(WITHOUT_DATES, undated)
            raise self._error(done.stderr)
        return [_release(row) for row in toml_files.read(done.stdout).get("packages", [])]

    def resolve_of_then(
        self, lines: Iterable[str], date: str | None, python: str = PYTHON_OF_THEN
    ) -> list[Release]:
        """Returns the releases that fit the lines, without what they need,
        for the newest Python of TensorFlow 1.

        For another `python` they may be of any system, and of a newer Python.
        """
        return self.resolve(lines, date=date, python=python, options=_options_of_then(python))

    def resolve_most(
        self, lines: Mapping[str, str], date: str | None, python: str = PYTHON_OF_THEN
    ) -> Resolution:
        """Does the same for lines by the names of their packages,
        and says why some have no release.

        It is one run of uv, another one for each package that uv names as impossible, and one for
        those that it did not see.
        """
        answer = self._resolve_most(lines, date, python)
        self._refuse_empty_pages(answer.absent)
        return answer

    def _resolve_most(self, lines: Mapping[str, str], date: str | None, python: str) -> Resolution:
        if not lines:
            return Resolution([], {})
        try:
            options = _options_of_then(python)
            return Resolution(self._resolve(lines.values(), date, python, options), {})
        except NoSolution as error:
            why, absent = str(error), error.absent
            named = lines.keys() & error.packages
        if not named and len(lines) > 1:  # each half has fewer that it may be about
            names = list(lines)
            middle = len(names) // 2
            halves = [names[:middle], names[middle:]]
            answers = [
                self._resolve_most({name: lines[name] for name in half}, date, python)
                for half in halves
            ]
        else:
            refused = named or set(lines)
            rest = {name: line for name, line in lines.items() if name not in refused}
            left = Resolution([], dict.fromkeys(refused, why), refused & absent)
            answers = [left, self._resolve_most(rest, date, python)]
        return Resolution(
            [release for answer in answers for release in answer.releases],
            {name: why for answer in answers for name, why in answer.refused.items()},
            set().union(*(answer.absent for answer in answers)),
        )

    @property
    def address(self) -> str:
        """The address of the index that messages name."""
        return self._indexes.address

    def install(self, wanted: Iterable[Release]) -> dict[str, str]:
        """Unpacks releases, and nothing that they need;
        returns a folder for each, by the names of the packages.

        Raises `NoSolution` where one is missing or cannot be unpacked, and `sources.Failed` where
        one does not come.
        """
        wanted = list(wanted)
        without_files = [release for release in wanted if not release.files]
        located = self._located(without_files) if without_files else {}
        targets = {}
        for each in wanted:
            target = os.path.join(self.scratch, "unpacked", f"{each.name}-{each.version}")
            archives.unpack([located.get(each.name, each)], target, self._opener)
            targets[each.name] = target
        return targets

    def _located(self, locked: list[Release]) -> dict[str, Release]:
        """Returns the releases of a lock file by name,
        with those files that have a checksum of it.
        """
        found = {}
        hashes = {release.name: release.hashes for release in locked}
        pins = [release.pin for release in locked]
        python = "{}.{}".format(*sys.version_info)
        for each in self.resolve(pins, date=None, python=python, options=["--no-deps"]):
            files = [file for file in each.files if file.sha256 in hashes[each.name]]
            if not files:
                raise NoSolution(f"Hash mismatch: the files of {each.pin} have other checksums")
            found[each.name] = each._replace(files=files)
        return found

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        # Jupyter sets variables for colors, which would be among the lines that are read.
        options = [*self._indexes.options, "--no-progress", "--color", "never"]
        self._asked += 1
        messages.show(ASKED.format(self._indexes.address, messages.counted(self._asked, "time")))
        try:
            done = helper_processes.run(
                [self._command, "pip", *command, *options],
                self._indexes.address,
                env=dict(
                    self._indexes.environment, UV_CACHE_DIR=os.path.join(self.scratch, "uv-cache")
                ),
                cwd=self.scratch,
            )
        finally:
            messages.clear()
        if done.returncode:
            uv_errors.refuse_full_disk(done.stderr, self.scratch)
        return done

    def _error(self, stderr: str) -> NoSolution:
        """Returns the error of a failed uv; raises `sources.Failed` where that
        is a fault of the moment.
        """
        if not uv_errors.is_lasting(stderr):
            raise uv_errors.failed_now(uv_errors.reason(stderr))
        absent = uv_errors.without_files(stderr)
        return NoSolution(uv_errors.reason(stderr), uv_errors.asked(stderr), absent)

    def _refuse_empty_pages(self, names: Iterable[str]) -> None:
        """Raises `sources.Failed` where the index lists no file of a package:
        its page may be one to log in.
        """
        rest = set(names) - self._with_page
        self._with_page |= rest
        while rest:
            asked = os.path.join(self.scratch, "page.in")
            pathlib.Path(asked).write_text("\n".join(sorted(rest)), encoding="utf-8")
            done = self._run([*COMPILE, "--no-deps", "--python-version", PYTHON_OF_THEN, asked])
            if not done.returncode:
                return
            empty = rest & uv_errors.without_files(done.stderr)
            if empty:
                raise uv_errors.failed_now(
                    uv_errors.EMPTY_PAGE.format(", ".join(empty), self._indexes.address)
                )
            # The index lists files, and none of them is for that Python.
            rest = (
                rest - uv_errors.asked(done.stderr)
                if rest & uv_errors.asked(done.stderr)
                else set()
            )


def _options_of_then(python: str) -> list[str]:
    return ["--no-deps"] if python == PYTHON_OF_THEN else ["--no-deps", "--universal"]


def hashed(release: Release) -> str:
    """Returns a release as a line of requirements.txt, with its hashes."""
    return " ".join([release.pin, *(f"--hash=sha256:{each}" for each in release.hashes)])


def _release(row: dict[str, Any]) -> Release:
    wheels = row.get("wheels", [])
    rows = wheels + [row[kind] for kind in ("sdist", "archive") if kind in row]
    files = [_file(each) for each in rows]
    taken = best_file(files)
    return Release(
        normalized(row["name"]),
        row["version"],
        max((str(file.get("upload-time", ""))[:10] for file in rows), default=""),
        taken.size if taken else 0,
        bool(wheels) and not any(file.name.endswith("none-any.whl") for file in files),
        [file.sha256 for file in files if file.sha256],
        files,
    )


def _file(row: dict[str, Any]) -> File:
    """Returns a file; one in a folder, which `find-links` names,
    has a path in the place of an address.
    """
    address = row.get("url") or pathlib.Path(row["path"]).absolute().as_uri()
    name = row.get("name") or urllib.parse.unquote(urllib.parse.urlsplit(address).path)
    return File(
        os.path.basename(name),
        address,
        row.get("hashes", {}).get("sha256", ""),
        row.get("size", 0),
    )


def find_uv() -> str:
    """Returns the path of the layer's uv, which is fetched where it is missing."""
    from tf1grad.programs.period import layer

    layer.fetch([parts.UV])
    found = os.path.join(folder.find(parts.UV.name) or "", "bin")
    return os.path.join(found, os.listdir(found)[0])
