"""Gives user code the files and texts that h5py 2 gave it.

h5py 2 wrote a list of bytes with a fixed length, for which Keras 2.2 tests when it loads a model.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Iterator

from tf1grad.programs.process import patches
from tf1grad.programs.process.ownership import is_asked_by_user
from tf1grad.programs.process.patches import Function
from tf1grad.run.dropped_names import user_properties
from tf1grad.run.dropped_names.fix_messages import warn_once

_ATTRIBUTES = (
    "h5py attributes",
    "text that was written as bytes is read as bytes, as before h5py 3",
)
_DATASETS = ("h5py datasets", "text is read as str, as before h5py 3")


def patch(h5py: ModuleType) -> None:
    """Wraps what user code reads, writes and opens, from h5py 3 on."""
    if int(h5py.__version__.split(".")[0]) < 3:
        return
    patches.wrap(h5py.AttributeManager, "__getitem__", _read_attribute, reason="")
    patches.wrap(h5py.AttributeManager, "get", _read_attribute, reason="")
    for writer in (h5py.AttributeManager, h5py.Group):
        patches.wrap(writer, "__setitem__", _write, reason="")
    patches.wrap(h5py.AttributeManager, "create", _write, reason="")
    patches.wrap(h5py.Group, "create_dataset", _write, reason="")
    patches.wrap(h5py.Dataset, "__getitem__", _read_dataset, reason="")
    patches.wrap(h5py.Dataset, "__iter__", _iterate, reason="")
    patches.wrap(h5py.File, "__init__", _open, reason="")
    user_properties.add(h5py.Dataset, "value", _value)


def _read_attribute(read: Function, attributes: Any, name: Any, default: Any = None) -> Any:
    given = () if default is None else (default,)  # `__getitem__` has no default
    value = read(attributes, name, *given)
    if name not in attributes or isinstance(value, bytes) or not is_asked_by_user():
        return value
    if _encoding(attributes.get_id(name)) != "ascii":
        return value
    warn_once(*_ATTRIBUTES)
    return _each(lambda text: text.encode("utf-8", "surrogateescape"), str, value)


def _read_dataset(read: Function, dataset: object, *arguments: object, **options: object) -> Any:
    value = read(dataset, *arguments, **options)
    return _decoded(value) if _is_text_for_user(dataset) else value


def _iterate(iterate: Function, dataset: object) -> Iterator[Any]:
    return map(_decoded, iterate(dataset)) if _is_text_for_user(dataset) else iterate(dataset)


def _is_text_for_user(dataset: Any) -> bool:
    if _encoding(dataset.id) != "utf-8" or not is_asked_by_user():
        return False
    warn_once(*_DATASETS)
    return True


def _decoded(value: object) -> Any:
    return _each(lambda text: text.decode("utf-8", "surrogateescape"), bytes, value)


def _encoding(stored: Any) -> str | None:
    """Returns the encoding of stored texts of any length; None of anything else."""
    info = sys.modules["h5py"].check_string_dtype(stored.dtype)
    return info.encoding if info is not None and info.length is None else None


def _each(converted: Function, kind: type, value: object) -> Any:
    """Returns a text, or an array of texts, with those of this type converted."""
    numpy = sys.modules["numpy"]
    one = numpy.frompyfunc(lambda text: converted(text) if isinstance(text, kind) else text, 1, 1)
    return one(numpy.asarray(value, object))


def _write(write: Function, owner: object, *arguments: object, **options: object) -> Any:
    if not is_asked_by_user():
        return write(owner, *arguments, **options)
    return write(
        owner,
        *(_fixed(value) for value in arguments),
        **{name: _fixed(value) for name, value in options.items()},
    )


def _fixed(value: object) -> Any:
    """Returns a list of bytes as an array, whose texts h5py writes with a fixed length."""
    if not isinstance(value, (list, tuple)) or not _is_of_bytes(value):
        return value
    return sys.modules["numpy"].array(value)


def _is_of_bytes(values: object) -> bool:
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    return isinstance(values, bytes)


def _value(dataset: Any) -> Any:
    warn_once("h5py.Dataset.value", "is dataset[()], as before h5py 3")
    return type(dataset).__getitem__(dataset, ())


def _open(
    opened: Function,
    file: object,
    name: object,
    mode: object = None,
    *arguments: object,
    **options: object,
) -> Any:
    if mode is None and not is_asked_by_user():
        return opened(file, name, "r", *arguments, **options)
    try:
        opened(file, name, mode or "a", *arguments, **options)
    except OSError:
        if mode is not None:
            raise
        return opened(file, name, "r", *arguments, **options)
    if mode is None:
        warn_once(
            "h5py.File without a mode",
            "the file is created, or opened to read and write, as before h5py 3",
        )
