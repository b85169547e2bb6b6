"""Lists the TensorFlow names that one version alone has:
they tell for which version a program is written.

Each line of `version_1_names.txt` has a module, and its public names in 1.15.5 that neither its
`compat.v2` nor a TensorFlow 2 has. Left out are those by which a program that serves both asks or
says which it has (`VERSION`, `enable_eager_execution`), and experimental ones. The file has each
name, because a pattern would also match names that later versions add, such as
`tf.losses.categorical_generalized_cross_entropy`.

`version_2_names.txt` has names that 1.15 lacks, as far as libraries use them. `tf.function` and
`tf.GradientTape`, which are in both, count there: code for sessions does not use them.
`version_1_keywords.txt` has the keywords that a function of 1.15 takes and that of the same name in
version 2 does not. `docs/generate/record_version_keywords.py` writes it.
"""

from __future__ import annotations

import functools
import os


def _names(version: int) -> frozenset[str]:
    with open(_path(f"version_{version}_names.txt"), encoding="ascii") as file:
        listed = [line.split(":") for line in file]
    return frozenset(f"{module}.{name}" for module, names in listed for name in names.split())


def _path(file: str) -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), file)


OLD, NEW = _names(1), _names(2)


@functools.lru_cache(maxsize=None)
def old_keywords() -> dict[str, frozenset[str]]:
    """Returns the keywords that only TensorFlow 1 takes, by the function from `tensorflow` on."""
    with open(_path("version_1_keywords.txt"), encoding="ascii") as file:
        listed = [line.split(":") for line in file]
    return {f"tensorflow.{name}": frozenset(keywords.split()) for name, keywords in listed}


def is_old_keyword(function: str, keyword: str) -> bool:
    """Says whether only TensorFlow 1 takes a keyword of a function that both versions have,
    such as `keep_dims`.
    """
    return keyword in old_keywords().get(function, ())


@functools.lru_cache(maxsize=None)
def is_old(dotted_name: str) -> bool:
    """Says whether only TensorFlow 1 has a name from `tensorflow` on, such as
    `tensorflow.contrib.slim.conv2d`.
    """
    return _is_inside(dotted_name, OLD)


@functools.lru_cache(maxsize=None)
def is_new(dotted_name: str) -> bool:
    """Says whether only TensorFlow 2 has a name from `tensorflow` on, such as
    `tensorflow.random.set_seed`.
    """
    return _is_inside(dotted_name, NEW)


def _is_inside(dotted_name: str, names: frozenset[str]) -> bool:
    parts = dotted_name.split(".")
    return any(".".join(parts[:length]) in names for length in range(2, len(parts) + 1))
