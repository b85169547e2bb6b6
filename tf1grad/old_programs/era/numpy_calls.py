"""Defines what a script's rewritten calls use for NumPy methods and functions that refuse old arguments.

It never imports NumPy itself.
"""

import array as array_module
import functools
import sys
from typing import Any, Callable, Dict, Iterator

from tf1grad.old_programs.era.fix_messages import say
from tf1grad.old_programs.names import numpy_rows, python_rows
from tf1grad.old_programs.names.rows import keywords_by_function, last_name
from tf1grad.old_programs.process import run_notes

_METHOD = ("numpy array methods", "tostring is tobytes, itemset assigns, ptp is numpy.ptp, newbyteorder is a view")
_LOAD = ("numpy.load", "the file holds pickled objects, which are loaded as before NumPy 1.16.3: such a file can run "
         "any code, so it must come from someone you trust")
_RAGGED = ("numpy.array of rows of different lengths", "gets the dtype object")
_COPY = ("numpy.array(copy=False)", "copies where it must")
_KEYWORD = ("numpy keyword arguments", "newshape is shape, interpolation is method, normed is density")
_STACK = ("numpy.stack of a generator", "its arrays are put in a list, as before NumPy 1.25")
_LIST = ("numpy.meshgrid", "gives a list, as before NumPy 2; so do broadcast_arrays, atleast_1d, 2d and 3d")
VIEW = "tensorflow_1_15"  # where `tf1grad run` keeps what the script imports as tensorflow
_INDEX = ("numpy a[list of slices]", "the list is a tuple, as before NumPy 1.23")
FIXES = (_METHOD, _LOAD, _RAGGED, _COPY, _STACK, _KEYWORD, _LIST, _INDEX)


def owner(value: Any, name: str) -> Any:
    """Returns what to look a method up on: the value, or a stand-in with the method that its type has lost."""
    if isinstance(value, array_module.array) and name in _ARRAY_MODULE and not hasattr(value, name):
        return _Stand(functools.partial(getattr(array_module.array, _ARRAY_MODULE[name]), value), name)
    numpy = _numpy()
    if numpy is None or not isinstance(value, numpy.ndarray) or name not in ARRAY_METHODS:
        return value
    if getattr(value, name, None) is not None:  # NumPy 2.0 to 2.3 have properties that raise
        run_notes.note_repair(_METHOD[0])  # the upgraded program meets a NumPy that lacks it
        return value
    say(*_METHOD)
    return _Stand(functools.partial(ARRAY_METHODS[name], value), name)


class _Stand:
    def __init__(self, method: Callable[..., Any], name: str) -> None:
        setattr(self, name, method)


def _itemset(array: Any, *args: Any) -> None:
    if len(args) == 1:
        array.reshape(-1)[0:1] = args[0]
    elif isinstance(args[0], tuple):
        array[args[0]] = args[1]
    else:
        array.flat[args[0]] = args[1]


ARRAY_METHODS: Dict[str, Callable[..., Any]] = {
    "tostring": lambda array, order="C": array.tobytes(order),
    "itemset": _itemset,
    "newbyteorder": lambda array, new_order="S": array.view(array.dtype.newbyteorder(new_order)),
    "ptp": lambda array, *args, **kwargs: _numpy().ptp(array, *args, **kwargs),
}
STACKING = ("column_stack", "dstack", "hstack", "stack", "vstack")
LISTING = ("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "meshgrid")
TAKING = ("ndim", "shape", "unique", "save", "savez", "savez_compressed")
FUNCTIONS = ("load", "array", "asarray", *TAKING, *STACKING, *LISTING)
KEYWORDS = {old: new for names in keywords_by_function(numpy_rows.ROWS, _KEYWORD[0]).values()
            for old, new in names.items()}
_ARRAY_MODULE = {last_name(row): row.new or "" for row in python_rows.ROWS if row.run == _METHOD[0]}
METHODS = set(ARRAY_METHODS) | set(_ARRAY_MODULE)


def function(value: Any) -> Any:
    """Returns the function of this module that replaces one of NumPy; every other value unchanged."""
    name = str(getattr(value, "__name__", ""))
    is_numpys = name in FUNCTIONS and _numpy() is not None and value is getattr(_numpy(), name, None)
    return globals()[name] if is_numpys else value


def load(file: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls `numpy.load`, and loads pickled objects if the file has any."""
    numpy = _numpy()
    if len(args) > 1 or "allow_pickle" in kwargs:
        return numpy.load(file, *args, **kwargs)
    start = file.tell() if hasattr(file, "seek") else None
    try:
        loaded = numpy.load(file, *args, **kwargs)
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        say(*_LOAD)
        if start is not None:
            file.seek(start)
        return numpy.load(file, *args, allow_pickle=True, **kwargs)
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
            say(*_LOAD)
            self.allow_pickle = True
            return parent.__getitem__(self, key)

    archive.__class__ = type(parent.__name__, (parent,), {"__getitem__": __getitem__})
    return archive


def _making(name: str) -> Callable[..., Any]:
    def made(*args: Any, **kwargs: Any) -> Any:
        make = getattr(_numpy(), name)
        try:
            return make(*args, **kwargs)
        except ValueError as error:
            return _made_otherwise(error, make, *args, **kwargs)
    made.__name__, made.__doc__ = name, f"Calls `numpy.{name}`, also for rows of different lengths; copies if it must."
    return made


array, asarray = map(_making, ("array", "asarray"))


def _made_otherwise(error: ValueError, make: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    if "inhomogeneous" in str(error) and len(args) < 2 and kwargs.get("dtype") is None:
        say(*_RAGGED)
        return make(*args, **dict(kwargs, dtype=object))
    if "avoid copy" in str(error) and kwargs.get("copy") is False:
        say(*_COPY)
        return make(*args, **dict(kwargs, copy=None))
    raise error


def _as_array(a: Any) -> Any:
    return asarray(a) if isinstance(a, (list, tuple)) else a


def _taking(name: str) -> Callable[..., Any]:
    def taken(*args: Any, **kwargs: Any) -> Any:
        arrays = {key: _as_array(value) for key, value in kwargs.items()}
        return getattr(_numpy(), name)(*map(_as_array, args), **arrays)
    taken.__name__, taken.__doc__ = name, f"Calls `numpy.{name}`, also for rows of different lengths."
    return taken


ndim, shape, unique, save, savez, savez_compressed = map(_taking, TAKING)


def _stacking(name: str) -> Callable[..., Any]:
    def stacked(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        function = getattr(_numpy(), name)
        try:
            return function(arrays, *args, **kwargs)
        except TypeError as error:  # before it takes an array
            if not isinstance(arrays, Iterator) or "sequence" not in str(error):
                raise
            say(*_STACK)
            return function(list(arrays), *args, **kwargs)
    stacked.__name__, stacked.__doc__ = name, f"Calls `numpy.{name}`, also for a generator."
    return stacked


column_stack, dstack, hstack, stack, vstack = map(_stacking, STACKING)


def _listing(name: str) -> Callable[..., Any]:
    def listed(*args: Any, **kwargs: Any) -> Any:
        arrays = getattr(_numpy(), name)(*args, **kwargs)
        if not isinstance(arrays, tuple):
            return arrays
        say(*_LIST)
        return list(arrays)
    listed.__name__, listed.__doc__ = name, f"Calls `numpy.{name}`, which gives a list of several arrays."
    return listed


atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, meshgrid = map(_listing, LISTING)


def index(value: Any) -> Any:
    """Returns an index; a list with slices becomes a tuple."""
    if type(value) is not list or not any(isinstance(each, slice) for each in value):
        return value
    say(*_INDEX)
    return tuple(value)


def keyword(function: Callable[..., Any], old: str, *args: Any, **kwargs: Any) -> Any:
    """Calls `function`; its keyword argument `old` may have another name now."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        if f"unexpected keyword argument {old!r}" not in str(error):
            raise
    say(*_KEYWORD)
    kwargs[KEYWORDS[old]] = kwargs.pop(old)
    return function(*args, **kwargs)


def modules(loaded: Any) -> Any:
    """Returns `sys.modules` with the script's TensorFlow under the name by which it imports it; other values unchanged.
    """
    if loaded is not sys.modules:
        return loaded
    views = {"tensorflow" + name[len(VIEW):]: module for name, module in list(loaded.items()) if name.startswith(VIEW)}
    return {**loaded, **views}


def _numpy() -> Any:
    return sys.modules.get("numpy")
