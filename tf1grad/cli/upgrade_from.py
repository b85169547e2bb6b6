"""Reads the files of `tf1grad run --record` for `tf1grad upgrade --from`."""

from __future__ import annotations

import collections
import os
from typing import Iterable, Sequence

from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import run_record
from tf1grad.programs.source.program import NOTHING_SHOWN, Shown

_ONLY_RUN = ("h5py attributes", "scipy.sparse order of entries")


def read(paths: Iterable[str]) -> list[run_record.Notes]:
    """Returns the notes in files."""
    notes = []
    for path in paths:
        try:
            notes.append(run_record.read(path))
        except OSError as error:
            raise UsageError(f"--from: cannot read {path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"--from: {path} does not hold the notes of a run: {error}") from error
    return notes


class RecordedRuns:
    """The notes of several runs of one program, and `remarks`:
    what the user must know of them, a sentence each.
    """

    def __init__(self, notes: Sequence[run_record.Notes]) -> None:
        self._notes = notes
        self.remarks: list[str] = []

    def shown(self, path: str) -> Shown:
        """Returns what the runs show of the file at `path`, if it has not changed since."""
        file = os.path.realpath(path)
        noting = [notes for notes in self._notes if file in notes.contents]
        current = [notes for notes in noting if notes.contents[file] == run_record.digest(file)]
        if len(current) < len(noting):
            self.remarks.append(
                f"{path}: has changed since it was recorded; {len(noting) - len(current)} of "
                f"{len(self._notes)} records are not used for it"
            )
        if not current:
            return NOTHING_SHOWN
        repairs: dict[int, set[str]] = collections.defaultdict(set)
        meanings: dict[str, set[str]] = collections.defaultdict(set)
        for notes in current:
            for line, name in notes.repairs.get(file, ()):
                repairs[line].add(name)
            for name, module in notes.modules.get(file, {}).items():
                meanings[name].add(module)
        for line in sorted(repairs):
            self.remarks += [
                f"{path}:{line}: `tf1grad run` repairs this, and upgrade cannot: {name}"
                for name in _ONLY_RUN
                if name in repairs[line]
            ]
        return Shown(
            repairs,
            {name: min(modules) for name, modules in meanings.items() if len(modules) == 1},
        )
