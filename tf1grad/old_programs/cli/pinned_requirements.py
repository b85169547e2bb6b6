"""Finds requirements of a program that keep its upgraded form from being installed, for `tf1grad upgrade`."""

import glob
import os
import re
from typing import Iterable, Iterator, List, Tuple

from tf1grad.old_programs._compat import version_of_package
from tf1grad.old_programs.names.packages import admits_version_2, numbers, read

_FILES = ("requirements*.txt", "setup.py", "setup.cfg", "pyproject.toml")
_PIN = re.compile(
    r"\btensorflow(-cpu|-gpu)?\s*(\[[^]]*\])?\s*((<|>|=|~|!)=?=?\s*[\d.*]+\w*\s*,?\s*)+"
)
_OTHER = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*)\s*(?:==|<=?)\s*(\d[\d.]*)")
_ADDED = re.compile(
    r"^\s*(?:from|import)\s+(tf1grad|tf_slim|tensorflow_estimator|tensorflow_probability)\b", re.M
)


def remarks(paths: Iterable[str], texts: Iterable[str]) -> List[str]:
    """Returns a sentence for each requirement that excludes what the upgraded `texts` need."""
    added = sorted({name for text in texts for name in _ADDED.findall(text)})
    needs = f" and add {', '.join(added)}" if added else ""
    return [
        line
        for place, text in _lines(paths)
        for line in [*_on_tensorflow(place, text, needs), *_on_others(place, text)]
    ]


def _on_tensorflow(place: str, line: str, needs: str) -> Iterator[str]:
    match = _PIN.search(line)
    pin = match.group().strip(" ,\n") if match else ""
    if pin and admits_version_2(read([pin])) is False:
        yield f"{place}: {pin!r} excludes TensorFlow 2: write 'tensorflow'{needs}"


def _on_others(place: str, line: str) -> Iterator[str]:
    for match in _OTHER.finditer(line):
        name, version = match.groups()
        installed = None if name.startswith("tensorflow") else version_of_package(name)
        if installed and numbers(installed) > numbers(version):
            new = "tf_keras" if name.lower() == "keras" else name
            yield f"{place}: {match.group()!r} excludes the installed release {installed}: write {new!r}"


def _lines(paths: Iterable[str]) -> Iterator[Tuple[str, str]]:
    """Yields each line of the files that name requirements, without its comment, after its place."""
    folders = dict.fromkeys(
        path if os.path.isdir(path) else os.path.dirname(path) for path in paths
    )
    for file in [
        file
        for folder in folders
        for name in _FILES
        for file in sorted(glob.glob(os.path.join(glob.escape(folder), name)))
    ]:
        with open(file, encoding="utf-8", errors="replace") as opened:
            for number, line in enumerate(opened, 1):
                yield f"{file}:{number}", line.partition("#")[0]
