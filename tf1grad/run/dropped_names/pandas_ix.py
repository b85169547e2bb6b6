"""Gives frames and series of pandas the attribute `ix`, which pandas 1.0 dropped.

`ix` takes labels. Where no label of an axis is a number, it also takes positions.
"""

import types
from typing import Any

from tf1grad.run.dropped_names import user_properties
from tf1grad.run.dropped_names.fix_messages import warn_once


def patch(pandas: types.ModuleType) -> None:
    """Adds the attribute to the classes of pandas, where they do not have it."""
    for name in ("DataFrame", "Series"):
        cls = vars(pandas).get(name)
        if cls is not None:
            user_properties.add(cls, "ix", _ix)


def _ix(owner: Any) -> "_Indexer":
    warn_once("pandas.DataFrame.ix", "takes labels and positions, as before pandas 1.0")
    return _Indexer(owner)


class _Indexer:
    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Any:
        if any(axis.nlevels > 1 for axis in self._owner.axes):
            return self._owner.loc[key]
        return self._owner.iloc[_positions(self._owner, key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        try:
            positions = _positions(self._owner, key)
        except KeyError:  # a new label
            self._owner.loc[key] = value
        else:
            self._owner.iloc[positions] = value


def _positions(owner: Any, key: Any) -> Any:
    """Returns what `iloc` takes for a key, which has a part for each axis or one for the first."""
    keys = key if isinstance(key, tuple) else (key,)
    return tuple(_of_axis(axis, part) for axis, part in zip(owner.axes, keys))


def _of_axis(axis: Any, key: Any) -> Any:
    import numpy as np

    if isinstance(key, slice):
        is_positions = _are_positions(axis, [key.start, key.stop])
        return key if is_positions else axis.slice_indexer(key.start, key.stop, key.step)
    if np.ndim(key) == 0:
        return key if _are_positions(axis, [key]) else axis.get_loc(key)
    values = np.asarray(key)
    if values.dtype == bool or _are_positions(axis, values.tolist()):
        return values
    found = axis.get_indexer_for(key)
    if (found < 0).any():
        raise KeyError(key)
    return found


def _are_positions(axis: Any, keys: Any) -> bool:
    """Says whether keys are whole numbers, and the axis has labels of another kind."""
    is_numbered = axis.inferred_type in ("integer", "floating", "mixed-integer")
    return not is_numbered and all(
        key is None or isinstance(key, int) or hasattr(key, "__index__") for key in keys
    )
