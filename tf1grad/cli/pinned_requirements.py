"""Finds requirements of a program that keep its upgraded form from being installed,
for `tf1grad upgrade`.
"""

from __future__ import annotations

import glob
import os
import re
from typing import Iterable, Iterator

from tf1grad.programs.names.packages import admits_version_2, read

_FILES = ("requirements*.txt", "setup.py", "setup.cfg", "pyproject.toml")
_PIN = re.compile(
    r"\btensorflow(-cpu|-gpu)?\s*(\[[^]]*\])?\s*((<|>|=|~|!)=?=?\s*[\d.*]+\w*\s*,?\s*)+"
)
_ADDED = re.compile(
    r"^\s*(?:from|import)\s+(tf1grad|tf_slim|tensorflow_estimator|tensorflow_probability)\b", re.M
)


def remarks(paths: Iterable[str], texts: Iterable[str]) -> Iterator[str]:
    """Yields a sentence for each requirement that excludes the TensorFlow that
    the upgraded `texts` need.
    """
    added = sorted({name for text in texts for name in _ADDED.findall(text)})
    needs = f" and add {', '.join(added)}" if added else ""
    for file in _files(paths):
        try:
            with open(file, encoding="utf-8", errors="replace") as opened:
                lines = list(opened)
        except OSError as error:
            yield f"{file}: its pins were not looked at: {error.strerror}"
            continue
        for number, line in enumerate(lines, 1):
            match = _PIN.search(line.partition("#")[0])
            pin = match.group().strip(" ,\n") if match else ""
            if pin and admits_version_2(read([pin])) is False:
                yield f"{file}:{number}: {pin!r} excludes TensorFlow 2: write 'tensorflow'{needs}"


def _files(paths: Iterable[str]) -> Iterator[str]:
    """Yields the files that name requirements, beside the paths."""
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    for folder in dict.fromkeys(folders):
        for name in _FILES:
            yield from sorted(glob.glob(os.path.join(glob.escape(folder), name)))
