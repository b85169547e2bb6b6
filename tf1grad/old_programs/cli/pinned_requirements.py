"""Finds requirements of a program that keep its upgraded form from being installed, for `tf1grad upgrade`."""

import glob
import os
import re
from typing import Iterable, Iterator, List

from tf1grad.old_programs.names.packages import admits_version_2

_FILES = ("requirements*.txt", "setup.py", "setup.cfg", "pyproject.toml")
_PIN = re.compile(r"\btensorflow(-cpu|-gpu)?\s*(\[[^]]*\])?\s*((<|>|=|~|!)=?=?\s*[\d.*]+\w*\s*,?\s*)+")
_ADDED = re.compile(r"^\s*(?:from|import)\s+(tf1grad|tf_slim|tensorflow_estimator|tensorflow_probability)\b", re.M)


def remarks(paths: Iterable[str], texts: Iterable[str]) -> List[str]:
    """Returns a sentence for each line that asks for TensorFlow 1 alone, with what the upgraded `texts` need."""
    added = sorted({name for text in texts for name in _ADDED.findall(text)})
    needs = f" and add {', '.join(added)}" if added else ""
    return [f"{place}: {pin!r} excludes TensorFlow 2: write 'tensorflow'{needs}" for place, pin in _pins(paths)]


def _pins(paths: Iterable[str]) -> Iterator[List[str]]:
    folders = dict.fromkeys(path if os.path.isdir(path) else os.path.dirname(path) for path in paths)
    for file in [file for folder in folders for name in _FILES for file in sorted(glob.glob(os.path.join(
            glob.escape(folder), name)))]:
        with open(file, encoding="utf-8", errors="replace") as opened:
            for number, line in enumerate(opened, 1):
                match = _PIN.search(line.partition("#")[0])
                if match and admits_version_2([match.group().strip(" ,")]) is False:
                    yield [f"{file}:{number}", match.group().strip(" ,\n")]
