"""Keeps what was compiled of the files of a part,
so that the next start need not read and rewrite them.

It lies in the folder `FOLDER` of the part, if that is writable, until the source, its path, the
option -O or the rewriting changes. This ignores PYTHONDONTWRITEBYTECODE, which is about the folders
of the user's sources. Processes may read and keep at the same time: a file is replaced in one
piece.
"""

from __future__ import annotations

import marshal
import os
import sys
import zlib
from typing import Any, Iterable, NamedTuple

FOLDER = f".tf1grad-{sys.implementation.cache_tag}"


class Entry(NamedTuple):
    """Describes what is kept of a source: its file, and the facts that must be the same,
    as the first bytes there.
    """

    path: str
    header: bytes

    def read(self) -> Any:
        """Returns what is kept, or None."""
        try:
            with open(self.path, "rb") as file:
                content = file.read()
            if content.startswith(self.header):
                return marshal.loads(memoryview(content)[len(self.header) :])
        except (OSError, EOFError, ValueError, TypeError):
            pass  # the file does not exist, or is incomplete
        return None

    def keep(self, value: Any) -> None:
        """Keeps code objects, or tuples of them and of other constants;
        does nothing where that is not possible.
        """
        temporary = f"{self.path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(temporary, "wb") as file:
                file.write(self.header + marshal.dumps(value))
            os.replace(temporary, self.path)
        except OSError:
            pass  # a folder that is not writable, or a full disk


def entry(place: str, name: str, source: str, rewriting: int) -> Entry:
    """Returns the entry for the file `source` of the part in the folder `place`,
    under a relative name.

    `rewriting` is the `checksum` of what rewrites it.
    """
    status = os.stat(source)
    facts = (rewriting, sys.flags.optimize, status.st_mtime_ns, status.st_size, source)
    path = os.path.join(place, FOLDER, name.replace(os.sep, ".") + "c")
    return Entry(path, repr(facts).encode("utf-8", "surrogateescape") + b"\n")


def checksum(files: Iterable[str]) -> int:
    """Returns the checksum of the contents of files."""
    found = 0
    for name in files:
        with open(name, "rb") as file:
            found = zlib.crc32(file.read(), found)
    return found
