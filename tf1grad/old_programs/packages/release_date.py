"""Finds the date of a program, by which its packages are chosen."""

from __future__ import annotations

import datetime
import os
import subprocess
from typing import NamedTuple, Sequence

from packaging.requirements import Requirement

from tf1grad.old_programs.packages import declaring_files
from tf1grad.old_programs.packages.releases import NoSolution
from tf1grad.old_programs.packages.resolver import Resolver

# Companions of a pinned release are often uploaded shortly after it.
DAYS = 30
WITHOUT = "2020-01-31"  # TensorFlow 1.15 was the newest TensorFlow 1, and most of its libraries had followed


class Date(NamedTuple):
    """Holds a date such as 2019-06-12, and what shows it."""

    text: str
    why: str


def of_program(requirements: Sequence[Requirement], folder: str, resolver: Resolver) -> Date:
    """Returns the date of the newest exact pin, else that of the last commit, else January 2020.

    To the upload of the pin `DAYS` are added.
    """
    pins = [f"{each.name}{each.specifier}" for each in requirements if is_exact(each)]
    uploads = _uploads(pins, resolver)
    if uploads:
        newest = datetime.date.fromisoformat(max(uploads)) + datetime.timedelta(DAYS)
        return Date(str(newest), f"{DAYS} days after the newest pinned release")
    committed = _last_commit(folder)
    if committed:
        return Date(committed, "the last commit")
    return Date(WITHOUT, "there are no pins and no commits")


def is_exact(requirement: Requirement) -> bool:
    """Says whether a requirement asks for one release, such as ==1.2.0."""
    return any(
        each.operator in ("==", "===") and "*" not in each.version for each in requirement.specifier
    )


def _uploads(pins: list[str], resolver: Resolver) -> list[str]:
    if not pins:
        return []
    try:
        releases = resolver.resolve_of_then(pins, None)
    except NoSolution:  # one of them does not exist
        return [] if len(pins) == 1 else [day for pin in pins for day in _uploads([pin], resolver)]
    return [release.uploaded for release in releases if release.uploaded]


def _last_commit(folder: str) -> str | None:
    repository = declaring_files.repository_of(folder)
    if repository is None:
        return None
    # rev-list, which is plumbing, starts no program that the repository's own configuration names, as log does for
    # signatures; and what is missing in a partial clone is not fetched.
    environment = dict(os.environ, GIT_ALLOW_PROTOCOL="none", GIT_NO_LAZY_FETCH="1")
    command = ["git", "-C", repository, "rev-list", "--max-count=1", "--format=%cs", "HEAD"]
    try:
        git = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
    except OSError:  # git is not installed
        return None
    return git.stdout.strip().rpartition("\n")[2] or None
