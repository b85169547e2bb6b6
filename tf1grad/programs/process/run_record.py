"""Notes what a run shows of its program: the repairs that it needed, and what its names mean.

`tf1grad run --record` writes the notes of one process, `tf1grad upgrade --from` reads them. Nothing
is noted before `start`. Threads may note at the same time: each note is added to a set, dict or
list in one piece.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import sys
import types
from typing import Tuple

from tf1grad.programs.process import ownership

# A line, and the name of the repair that `run` made there.
Repair = Tuple[int, str]
FORMAT = 5
_WRITTEN = ("repairs", "modules", "contents")

_notes: Notes | None = None


class Notes:
    """Notes of one run.

    By file: `repairs` has pairs of a line and the repair that it needed, such as (3, "numpy.int"),
    `modules` the meaning of global names, such as {"np": "numpy"}, `contents` a digest.
    """

    def __init__(self) -> None:
        self.folder, self.process = os.getcwd(), os.getpid()
        self.contents: dict[str, str] = {}
        self.repairs: dict[str, set[Repair]] = {}
        self.modules: dict[str, dict[str, str]] = {}

    def write(self, path: str) -> None:
        """Writes the notes to a file; a process that was forked later writes nothing."""
        if os.getpid() != self.process:
            return
        self._note_modules()
        noted = {*self.repairs, *self.modules}
        self.contents = {file: digest(file) for file in noted if os.path.isfile(file)}
        content = {"format": FORMAT, **{name: getattr(self, name) for name in _WRITTEN}}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file, default=list)  # of sets

    def _note_modules(self) -> None:
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if (
                isinstance(file, str)
                and ownership.is_users_file(file)
                and not ownership.is_installed_file(file)
            ):
                self.modules[self.path(file)] = {
                    name: value.__name__
                    for name, value in list(vars(module).items())
                    if isinstance(value, types.ModuleType) and not name.startswith("__")
                }

    def path(self, file: str) -> str:
        """Returns the real path of a file that code objects name."""
        return os.path.realpath(os.path.join(self.folder, file))


def digest(file: str) -> str:
    """Returns a digest of a file's content."""
    return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()


def start() -> Notes:
    """Returns the notes of this process, which begin now."""
    global _notes
    _notes = _notes or Notes()
    return _notes


def are_taken() -> bool:
    """Says whether this process takes notes."""
    return _notes is not None


def note_repair(name: str) -> None:
    """Notes that the user code which runs now needed a repair."""
    place = ownership.place_of_user_code() if _notes else None
    if _notes and place:
        _notes.repairs.setdefault(_notes.path(place[0]), set()).add((place[1], name))


def read(path: str) -> Notes:
    """Returns the notes in a file; a ValueError where it does not hold notes of this format."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError("it was not written by `tf1grad run --record` of this version")
    notes = Notes()
    vars(notes).update({name: content[name] for name in _WRITTEN})
    notes.repairs = {
        file: {(line, name) for line, name in found} for file, found in content["repairs"].items()
    }
    return notes
