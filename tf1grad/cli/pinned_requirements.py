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
    for place, line in _lines(paths):
        match = _PIN.search(line)
        pin = match.group().strip(" ,\n") if match else ""
        if pin and admits_version_2(read([pin])) is False:
            yield f"{place}: {pin!r} excludes TensorFlow 2: write 'tensorflow'{needs}"


def _lines(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields each line of the files that name requirements,
    without its comment, after its place.
    """
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    for folder in dict.fromkeys(folders):
        for name in _FILES:
            for file in sorted(glob.glob(os.path.join(glob.escape(folder), name))):
                with open(file, encoding="utf-8", errors="replace") as opened:
                    for number, line in enumerate(opened, 1):
                        yield f"{file}:{number}", line.partition("#")[0]
