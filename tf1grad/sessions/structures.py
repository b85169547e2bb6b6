"""Structures of fetches, recognised from run to run: lists, tuples and dicts made anew around the same tensors."""

import collections
from typing import Any, Set

from tf1grad._compat import is_variable, tf

_LISTS = (list, tuple)
_DICTS = (dict, collections.OrderedDict)
_LEAVES = (tf.Tensor, tf.Operation, tf.SparseTensor, tf.IndexedSlices, tf.RaggedTensor)


class Unknown(Exception):
    """A fetch or a feed of a kind that is not recognised, or that takes more than looking up."""


def key_of(fetches: Any) -> Any:
    """A hashable value that two structures share when they fetch the same in the same way.

    Objects count by identity: the value holds as long as `copy_of(fetches)` is kept.

    Raises:
        Unknown: there is something in it that may change, or that would have to be asked each time.
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
    """The same structure in lists and dicts of its own, which nobody else changes."""
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
