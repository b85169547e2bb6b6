"""Translates calls of Python, NumPy, SciPy and PyYAML that have other arguments
today, or other results.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Set
from typing import TYPE_CHECKING, Any, Callable

from tf1grad.programs.process import patches
from tf1grad.programs.process.ownership import is_asked_by_user
from tf1grad.programs.process.patches import Function
from tf1grad.run.dropped_names import (
    h5py_calls,
    pandas_2,
    pandas_calls,
    pandas_ix,
    positional_arguments,
    sparse_matrices,
)
from tf1grad.run.dropped_names.fix_messages import warn_once

if TYPE_CHECKING:
    from types import ModuleType


def _most_frequent(
    mode: Function, a: object, axis: object = 0, *args: object, **kwargs: object
) -> Any:
    is_new = "keepdims" in inspect.signature(mode).parameters
    if "keepdims" in kwargs or not is_new or not is_asked_by_user():
        return mode(a, axis, *args, **kwargs)
    warn_once("scipy.stats.mode", "keeps dimensions, as before SciPy 1.11")
    return mode(a, axis, *args, keepdims=True, **kwargs)


def _load(load: Function, stream: object, Loader: object = None) -> Any:
    if (
        Loader is None
        and inspect.signature(load).parameters["Loader"].default is inspect.Parameter.empty
    ):
        warn_once("yaml.load", "takes FullLoader where no loader is given, as PyYAML 5 did")
        Loader = sys.modules["yaml"].FullLoader
    return load(stream, Loader) if Loader else load(stream)


def _is_subtype(issubdtype: Callable[..., bool], arg1: object, arg2: object) -> bool:
    """Takes float for all floating types, int for all signed integers,
    and the names of types likewise.
    """
    numpy = sys.modules["numpy"]
    is_exact = isinstance(arg2, type) and issubclass(arg2, numpy.generic)
    if is_exact or isinstance(arg2, numpy.dtype) or not is_asked_by_user():
        return issubdtype(arg1, arg2)
    found = issubdtype(arg1, numpy.dtype(arg2).type.__mro__[1])
    if found != issubdtype(arg1, arg2):
        warn_once(
            "numpy.issubdtype",
            "a type of Python stands for its kind: float for every floating type, as before NumPy 1.20",
        )
    return found


def _patch_random(random: Any) -> None:
    for name, around, since in _OF_RANDOM:
        if sys.version_info >= since:
            patches.wrap(random.Random, name, around, reason="")
            patches.patch(random, name, getattr(random._inst, name), reason="")


def _draw_below(randrange: Function, generator: object, *bounds: Any, **options: object) -> Any:
    try:
        return randrange(generator, *bounds, **options)
    except TypeError:
        whole = [int(each) if _is_whole(each) else each for each in bounds]
        if not any(map(_is_whole, bounds)):
            raise
    warn_once("random.randrange", "takes floats that are whole, as before Python 3.12")
    return randrange(generator, *whole, **options)


def _is_whole(bound: Any) -> bool:
    return isinstance(bound, float) and bound.is_integer()


def _sample(
    sample: Function, generator: object, population: object, *arguments: object, **options: object
) -> Any:
    if isinstance(population, Set):
        warn_once("random.sample", "draws from a set, as before Python 3.11")
        population = tuple(population)
    return sample(generator, population, *arguments, **options)


# method of a generator -> what is called instead, from the Python on that refuses the old arguments
_OF_RANDOM = (
    ("sample", _sample, (3, 11)),
    ("randrange", _draw_below, (3, 12)),  # `randint` calls it
)


def _patch_pandas(module: ModuleType) -> None:
    pandas_ix.patch(module)
    pandas_calls.patch(module)
    pandas_2.patch(module)


# module, function -> what is called instead, with the function itself as its first argument
CALLS = (
    ("numpy", "issubdtype", _is_subtype),
    ("scipy.stats", "mode", _most_frequent),
    ("yaml", "load", _load),
    ("yaml", "load_all", _load),
)
PATCHES: dict[str, Callable[[Any], None]] = {
    **dict.fromkeys(positional_arguments.MODULES, positional_arguments.patch),
    "h5py": h5py_calls.patch,
    "pandas": _patch_pandas,
    "random": _patch_random,
    "scipy.sparse": sparse_matrices.patch,
}
