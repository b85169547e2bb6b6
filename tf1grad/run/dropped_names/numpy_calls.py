"""Defines what a script's rewritten calls use for NumPy methods and functions
that refuse old arguments.

It never imports NumPy itself.
"""

from __future__ import annotations

import array as array_module
import functools
import sys
import types
from typing import TYPE_CHECKING, Any, Iterator

from tf1grad.programs.names import numpy_rows, python_rows
from tf1grad.programs.names.rows import keyword_of, last_name
from tf1grad.programs.process import ownership, run_record
from tf1grad.programs.process.patches import Function
from tf1grad.run.dropped_names import python2_pickles
from tf1grad.run.dropped_names.fix_messages import warn_once

if TYPE_CHECKING:
    import numpy

_METHOD = ("numpy array methods", "tostring is tobytes, ptp is numpy.ptp")
_LOAD = (
    "numpy.load",
    "the file holds pickled objects, which are loaded as before NumPy 1.16.3: such a file can run "
    "any code, so it must come from someone you trust",
)
_RAGGED = ("numpy.array of rows of different lengths", "gets the dtype object")
_COPY = ("numpy.array(copy=False)", "copies where it must")
OF_ARRAYS = (_RAGGED, _COPY)


def owner(value: object, name: str) -> Any:
    """Returns what to look a method up on: the value,
    or a stand-in with the method that its type has lost.
    """
    if isinstance(value, array_module.array) and name in _ARRAY_MODULE and not hasattr(value, name):
        return types.SimpleNamespace(**{name: getattr(value, _ARRAY_MODULE[name])})
    numpy = _numpy()
    if numpy is None or not isinstance(value, numpy.ndarray) or name not in _ARRAY_METHODS:
        return value
    if getattr(value, name, None) is not None:  # NumPy 2.0 to 2.3 have properties that raise
        run_record.note_repair(_METHOD[0])  # the upgraded program meets a NumPy that lacks it
        return value
    warn_once(*_METHOD)
    return types.SimpleNamespace(**{name: functools.partial(_ARRAY_METHODS[name], value)})


def _tostring(array: Any, order: str = "C") -> bytes:
    return array.tobytes(order)


def ptp(array: object, *args: object, **kwargs: object) -> numpy.ndarray:
    """Returns the range of values along an axis."""
    return _numpy().ptp(array, *args, **kwargs)


_ARRAY_METHODS: dict[str, Function] = {"tostring": _tostring, "ptp": ptp}
KEYWORDS = {keyword_of(row): row.new or "" for row in numpy_rows.ROWS if row.kind == "keyword"}
_ARRAY_MODULE = {last_name(row): row.new or "" for row in python_rows.ROWS if row.run == _METHOD[0]}
METHODS = set(_ARRAY_METHODS) | set(_ARRAY_MODULE)


def function(value: object) -> Any:
    """Returns what replaces a function of NumPy that `FUNCTIONS` names;
    every other value unchanged.
    """
    name: Any = getattr(value, "__name__", None)
    replacing = FUNCTIONS.get(name) if isinstance(name, str) else None
    if replacing is None or value is not getattr(_numpy(), name, None):
        return value
    return functools.partial(replacing, value)


def _load(load: Function, file: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls `numpy.load`, and loads pickled objects if the file has any;
    those of Python 2 as `cPickle` does.
    """
    if len(args) < 4 and ownership.is_asked_by_python_2():
        kwargs.setdefault("encoding", python2_pickles.ENCODING)
    if len(args) > 1 or "allow_pickle" in kwargs:
        return load(file, *args, **kwargs)
    start = file.tell() if hasattr(file, "seek") else None
    try:
        loaded = load(file, *args, **kwargs)
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        warn_once(*_LOAD)
        if start is not None:
            file.seek(start)
        return load(file, *args, allow_pickle=True, **kwargs)
    return _loading_pickles(loaded) if hasattr(loaded, "allow_pickle") else loaded


def _loading_pickles(archive: Any) -> Any:
    """Makes an `.npz` archive load pickled objects when the script asks for one."""
    parent = type(archive)

    def __getitem__(self: Any, key: Any) -> Any:
        try:
            return parent.__getitem__(self, key)
        except ValueError as error:
            if "allow_pickle" not in str(error):
                raise
            warn_once(*_LOAD)
            self.allow_pickle = True
            return parent.__getitem__(self, key)

    archive.__class__ = type(parent.__name__, (parent,), {"__getitem__": __getitem__})
    return archive


def make_array(make: Function, *args: object, **kwargs: object) -> Any:
    """Calls `numpy.array` or `asarray`, also for rows of different lengths; copies if it must."""
    try:
        return make(*args, **kwargs)
    except ValueError as error:
        if "inhomogeneous" in str(error) and len(args) < 2 and kwargs.get("dtype") is None:
            warn_once(*_RAGGED)
            return make(*args, **dict(kwargs, dtype=object))
        if "avoid copy" in str(error) and kwargs.get("copy") is False:
            warn_once(*_COPY)
            return make(*args, **dict(kwargs, copy=None))
        raise


def _taken(take: Function, *args: object, **kwargs: object) -> numpy.ndarray:
    """Calls a function of arrays, also for rows of different lengths."""
    return take(*map(_as_array, args), **{key: _as_array(value) for key, value in kwargs.items()})


def _reshaped(take: Function, *args: Any, **kwargs: Any) -> Any:
    """Calls a function whose first argument is an array, also for a list of numbers and arrays."""
    try:
        return take(*args, **kwargs)
    except ValueError as error:
        if not args or "inhomogeneous" not in str(error):
            raise
        return take(_as_array(args[0]), *args[1:], **kwargs)


def _as_array(a: object) -> Any:
    return make_array(_numpy().asarray, a) if isinstance(a, (list, tuple)) else a


def _stacked(stack: Function, arrays: object, *args: object, **kwargs: object) -> numpy.ndarray:
    """Calls a function of several arrays, also for a generator."""
    try:
        return stack(arrays, *args, **kwargs)
    except TypeError as error:  # before it takes an array
        if not isinstance(arrays, Iterator) or "sequence" not in str(error):
            raise
        warn_once(
            "numpy.stack of a generator", "its arrays are put in a list, as before NumPy 1.25"
        )
        return stack(list(arrays), *args, **kwargs)


# functions of NumPy -> what replaces them, which gets NumPy's own function before the arguments
FUNCTIONS: dict[str, Function] = {
    "load": _load,
    **dict.fromkeys(("array", "asarray"), make_array),
    **dict.fromkeys(("ndim", "shape", "unique", "save", "savez", "savez_compressed"), _taken),
    **dict.fromkeys(("expand_dims", "mean", "ravel", "reshape", "squeeze", "sum"), _reshaped),
    **dict.fromkeys(("column_stack", "dstack", "hstack", "stack", "vstack"), _stacked),
}


def keyword(function: Function, old: str, *args: object, **kwargs: object) -> Any:
    """Calls `function`; its keyword argument `old` may have another name now."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        if f"unexpected keyword argument {old!r}" not in str(error):
            raise
    warn_once(
        "numpy keyword arguments", "newshape is shape, interpolation is method, normed is density"
    )
    kwargs[KEYWORDS[old]] = kwargs.pop(old)
    return function(*args, **kwargs)


def _numpy() -> Any:
    return sys.modules.get("numpy")
