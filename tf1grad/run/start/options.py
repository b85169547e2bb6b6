"""Defines the options of a process that runs as under `tf1grad run`,
from the command line to the last phase.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse


class Options(NamedTuple):
    """The options of `tf1grad run` that child processes share, with their defaults."""

    numpy: str = "layer"
    packages: str = "layer"
    date: str | None = None
    lock: tuple[str, str] | None = None  # as it was named, and its path
    seeds: str = "tf1"
    fast: bool = True
    dropped_names: bool = True
    matplotlib: str | None = None
    include: list[str] = []  # `argparse` copies these lists; nothing changes one in place
    exclude: list[str] = []
    kernels: str = "auto"
    accumulate: int | None = None
    clip_global_norm: float | None = None
    freeze: list[str] = []
    python: int | None = None
    quiet: bool = False
    # What the command line does not give.
    program: str = ""
    # Where None, the program is what the importing code belongs to.
    script_folder: str | None = None


# Those of a process that no command line gives options. `upgrade` sets its `seeds`: an upgraded
# program has other ops, so both it and the old one count random ops.
defaults = Options()


def read_arguments(arguments: argparse.Namespace) -> Options:
    """Returns the options that the arguments of `run` give."""
    given = {name: vars(arguments)[name] for name in Options._fields if name in vars(arguments)}
    given.pop("program", None)  # there it is the words of a command
    return Options(**given)
