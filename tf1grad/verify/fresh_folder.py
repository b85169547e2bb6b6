"""Gives each run of a program a copy of the current folder,
so that no run finds what another one wrote.

The user's folder stays as it is. The copy has the same place in a temporary folder, whose other
entries are links: paths such as ../data lead to where they led. What a program writes outside of
the current folder stays. Of that, the checkpoints of a run are taken away before the next one.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import itertools
import os
import pathlib
import shutil
import sys
from typing import Iterator, Mapping

from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import copied_folders
from tf1grad.programs.process.messages import counted
from tf1grad.verify.record import Facts

COPIED = 2**30  # bytes; of a larger folder the largest files are linked
MOST_FILES = 100_000
_SHARED = (".git", ".hg", ".tox", "node_modules")


class FreshFolder:
    """A copy of the current folder, in a temporary folder."""

    def __init__(self, temporary: str) -> None:
        self.original = os.path.realpath(os.getcwd())
        root = os.path.realpath(temporary)
        self.path = root + os.path.splitdrive(self.original)[1]
        self._before = _copy(self.original, self.path, root)
        for folder in pathlib.Path(self.original).parents:
            _link_others(str(folder), root + os.path.splitdrive(str(folder))[1])

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Returns the environment variables of a process in the copy,
        which has these `variables` otherwise.
        """
        return {**variables, **copied_folders.variables(self.path, self.original)}

    def words(self, command: list[str]) -> list[str]:
        """Returns the words of a command, in which paths in the user's
        folder are those in the copy.
        """
        return [self._moved(word, self.original, self.path) for word in command]

    def text(self, text: str) -> str:
        """Returns a text of the program, in which paths in the copy are
        those in the user's folder.
        """
        return self._moved(text, self.path, self.original)

    @staticmethod
    def _moved(text: str, old: str, new: str) -> str:
        return text.replace(old + os.sep, new + os.sep)

    def written(self) -> dict[str, str]:
        """Returns the digests of the files that a run made or changed,
        by their paths in the folder.
        """
        found = {}
        for path in _files(self.path):
            name = os.path.relpath(path, self.path)
            with contextlib.suppress(OSError):  # such as a socket
                if not os.path.islink(path) and self._before.get(name) != _state(path):
                    found[name] = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
        return found


def _copy(original: str, copy: str, left_out: str) -> dict[str, tuple[int, int]]:
    """Copies a folder, one folder in it left out;
    returns the size and time of each copied file, by its path.
    """
    files = list(itertools.islice(_files(original, left_out), MOST_FILES + 1))
    if len(files) > MOST_FILES:
        raise UsageError(
            f"{original} has more than {MOST_FILES:,} files, too many to copy for each run. Start the command in the "
            "folder of the program."
        )
    sizes = {path: os.path.getsize(path) for path in files if os.path.isfile(path)}
    linked = _largest(sizes)
    if linked:
        print(
            f"The runs share {counted(len(linked), 'large file')} of the current folder, which are not copied.",
            file=sys.stderr,
        )
    found = {}
    os.makedirs(copy)
    for folder, folders, _ in _walk(original, left_out):
        for name in folders:
            target = os.path.join(copy, os.path.relpath(os.path.join(folder, name), original))
            if _is_shared(os.path.join(folder, name)):
                _link(os.path.join(folder, name), target)
            else:
                os.mkdir(target)
    for path in files:
        name = os.path.relpath(path, original)
        target = os.path.join(copy, name)
        if path in linked and _link(path, target):
            continue
        if os.path.islink(path) or os.path.isfile(path):
            shutil.copy2(path, target, follow_symlinks=False)
            found[name] = _state(target)
    return found


def _walk(folder: str, left_out: str = "") -> Iterator[tuple[str, list[str], list[str]]]:
    """Yields what `os.walk` does, without caches of Python;
    it does not enter folders that the runs share.
    """
    for path, folders, files in os.walk(folder):
        inside = {name: os.path.join(path, name) for name in folders if name != "__pycache__"}
        folders[:] = [name for name, each in inside.items() if os.path.realpath(each) != left_out]
        yield path, folders, files
        folders[:] = [name for name in folders if not _is_shared(inside[name])]


def _files(folder: str, left_out: str = "") -> Iterator[str]:
    for path, _, names in _walk(folder, left_out):
        for name in names:
            yield os.path.join(path, name)


def _is_shared(folder: str) -> bool:
    """Says whether a folder is one that programs do not write:
    of a version control system, or an environment.
    """
    return (
        os.path.basename(folder) in _SHARED
        or os.path.islink(folder)
        or os.path.exists(os.path.join(folder, "pyvenv.cfg"))
    )


def _largest(sizes: dict[str, int]) -> set[str]:
    """Returns the largest files, without which the others have at most `COPIED` bytes."""
    found = set()
    total = sum(sizes.values())
    for path in sorted(sizes, key=lambda each: -sizes[each]):
        if total <= COPIED:
            break
        found.add(path)
        total -= sizes[path]
    return found


def _link_others(folder: str, copy: str) -> None:
    """Links the entries of a folder in its copy, except those that are there."""
    with contextlib.suppress(OSError):  # a folder that cannot be listed
        for name in os.listdir(folder):
            target = os.path.join(copy, name)
            if not os.path.lexists(target):
                _link(os.path.join(folder, name), target)


def _link(path: str, target: str) -> bool:
    """Makes a symbolic link; returns False where the system forbids it,
    as Windows does without a privilege.
    """
    try:
        os.symlink(path, target)
    except OSError:
        return False
    return True


def _state(path: str) -> tuple[int, int]:
    status = os.stat(path, follow_symlinks=False)
    return status.st_size, status.st_mtime_ns


def shared_folders(facts: Facts) -> set[str]:
    """Returns the folders from which a run restored a checkpoint,
    and to which it saved others beside it.
    """
    return set(map(os.path.dirname, facts.restored)).intersection(facts.old_folders)


def _is_in(folder: str, copy: str) -> bool:
    return (folder + os.sep).startswith(copy + os.sep)


def remove_checkpoints(facts: Facts, copy: str) -> None:
    """Removes the checkpoints that a run saved outside of the copy,
    in folders that had none before.
    """
    facts.old_folders = [folder for folder in facts.old_folders if not _is_in(folder, copy)]
    for folder in facts.new_folders:
        if _is_in(folder, copy):
            continue
        saved = [path for path in facts.saved if os.path.dirname(path) == folder]
        files = [os.path.join(folder, "checkpoint")]
        for path in saved:
            files += glob.glob(glob.escape(path) + ".*")
        for file in files:
            with contextlib.suppress(FileNotFoundError):
                os.remove(file)
