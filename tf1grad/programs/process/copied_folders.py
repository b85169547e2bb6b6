"""Tells a process that it runs in a copy of the user's folder,
so that what belongs to the folder is found again.
"""

from __future__ import annotations

import os

VARIABLE = "TF1GRAD_COPIED_FOLDER"  # in the environment: the copy and the original


def variables(copy: str, original: str) -> dict[str, str]:
    """Returns the environment variables for a process in a copy of a folder."""
    return {VARIABLE: copy + os.pathsep + original}


def original_of(path: str) -> str:
    """Returns the path in the user's folder that a path in its copy stands for;
    another path as it is.
    """
    copy, _, original = os.environ.get(VARIABLE, "").partition(os.pathsep)
    real = os.path.realpath(path)
    if copy and (real + os.sep).startswith(copy + os.sep):
        return original + real[len(copy) :]
    return path
