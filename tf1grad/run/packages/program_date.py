"""Finds the date of a program, by which its packages are chosen."""

from __future__ import annotations

import datetime
import os
import subprocess
from typing import NamedTuple, Sequence

from packaging.requirements import Requirement

from tf1grad.programs.names import packages
from tf1grad.programs.names.packages import normalized
from tf1grad.run.packages import declaring_files
from tf1grad.run.packages.resolver import Resolver

# Companions of a pinned release are often uploaded shortly after it.
DAYS = 30
OLDEST_PYTHON = "3.5"  # that the first wheels of TensorFlow on the index are for
WITHOUT = "2020-01-31"  # TensorFlow 1.15 was the newest TensorFlow 1, and most of its libraries had followed


class ProgramDate(NamedTuple):
    """Holds a date such as 2019-06-12, and what shows it."""

    text: str
    why: str


def find_date(
    requirements: Sequence[Requirement], folder: str, resolver: Resolver
) -> tuple[ProgramDate, dict[str, str]]:
    """Returns the date of the newest exact pin, else that of the last commit, else January 2020.

    To the upload of the pin `DAYS` are added. TensorFlow's and NumPy's pins count too. The pins
    that Python 3.7 cannot have are returned with the reasons, by the normalized names of the
    packages.
    """
    pins = {
        normalized(each.name): f"{each.name}{each.specifier}"
        for each in requirements
        if is_exact(each) or _is_line_of_tensorflow(each)
    }
    answer = resolver.resolve_most(pins, None)
    # TensorFlow 1.12 and older have no wheel for Python 3.7. A version that is absent is so for
    # every Python.
    refused = {name: pins[name] for name in answer.refused.keys() - answer.absent}
    older = resolver.resolve_most(refused, None, OLDEST_PYTHON)
    uploads = [each.uploaded for each in (*answer.releases, *older.releases) if each.uploaded]
    if uploads:
        newest = datetime.date.fromisoformat(max(uploads)) + datetime.timedelta(DAYS)
        return ProgramDate(
            str(newest), f"{DAYS} days after the newest pinned release"
        ), answer.refused
    committed = _last_commit(folder)
    if committed:
        return ProgramDate(committed, "the last commit"), answer.refused
    return ProgramDate(WITHOUT, "there are no pins and no commits"), answer.refused


def is_exact(requirement: Requirement) -> bool:
    """Says whether a requirement asks for one release, such as ==1.2.0."""
    return any(
        each.operator in ("==", "===") and "*" not in each.version for each in requirement.specifier
    )


def _is_line_of_tensorflow(requirement: Requirement) -> bool:
    """Says whether TensorFlow is pinned as in ==1.12.*, whose releases came within weeks."""
    is_line = any(each.operator == "==" and "*" in each.version for each in requirement.specifier)
    return is_line and normalized(requirement.name) in packages.TENSORFLOW


def _last_commit(folder: str) -> str | None:
    repository = declaring_files.repository_of(folder)
    if repository is None:
        return None
    # rev-list, which is plumbing, starts no program that the repository's own configuration names,
    # as log does for signatures; and what is missing in a partial clone is not fetched.
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
