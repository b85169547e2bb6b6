"""Recognises fetches from run to run: new lists, tuples and dicts of the same tensors."""

import collections
from typing import Any, Set

from tf1grad._compat import is_variable, tf

_LISTS = (list, tuple)
_DICTS = (dict, collections.OrderedDict)
_LEAVES = (tf.Tensor, tf.Operation, tf.SparseTensor, tf.IndexedSlices, tf.RaggedTensor)


class Unknown(Exception):
    """Raised for a fetch or a feed of an unknown kind, or one that `session.run` has to handle."""


def key_of(fetches: Any) -> Any:
    """Returns a hashable value that two structures share when they fetch the same in the same form.

    Objects count by identity: the value holds as long as `copy_of(fetches)` is kept.

    Raises:
        Unknown: a part of it may change, or would have to be looked up each time.
    """
    kind = type(fetches)
    if kind in _known_leaves:
        return id(fetches)
    if kind is str:
        return fetches
    if kind in _LISTS or _is_namedtuple(kind):
        return (kind,) + tuple([key_of(fetch) for fetch in fetches])
    if kind in _DICTS:
        return (kind, tuple([key if type(key) is str else id(key) for key in fetches]),
                tuple([key_of(fetch) for fetch in fetches.values()]))
    if isinstance(fetches, _LEAVES) or is_variable(fetches):
        _known_leaves.add(kind)
        return id(fetches)
    raise Unknown(fetches)


def copy_of(fetches: Any) -> Any:
    """Copies the lists and dicts of a structure, so that nobody else changes them."""
    kind = type(fetches)
    if kind in _LISTS:
        return kind([copy_of(fetch) for fetch in fetches])
    if _is_namedtuple(kind):
        return kind(*[copy_of(fetch) for fetch in fetches])
    if kind in _DICTS:
        return kind((key, copy_of(fetch)) for key, fetch in fetches.items())
    return fetches


def _is_namedtuple(kind: type) -> bool:
    return issubclass(kind, tuple) and kind.__bases__ == (tuple,) and "_fields" in vars(kind)


_known_leaves: Set[type] = set()
