"""Provides the folds of `sklearn.cross_validation`, which took the samples;
other names come from `model_selection`.
"""

from typing import Any, List, Sequence, Tuple

import numpy as np
from sklearn import model_selection

_Indices = List[Tuple[np.ndarray, np.ndarray]]


def KFold(n: int, n_folds: int = 3, shuffle: bool = False, random_state: object = None) -> _Indices:
    """Returns the (train, test) indices of `n_folds` folds of n samples."""
    folds = model_selection.KFold(
        n_folds, shuffle=shuffle, random_state=random_state if shuffle else None
    )
    return list(folds.split(np.zeros(n)))


def StratifiedKFold(
    y: Sequence[Any], n_folds: int = 3, shuffle: bool = False, random_state: object = None
) -> _Indices:
    """Returns the same, with the classes of y in each fold as in the whole."""
    folds = model_selection.StratifiedKFold(
        n_folds, shuffle=shuffle, random_state=random_state if shuffle else None
    )
    return list(folds.split(np.zeros(len(y)), y))


def __getattr__(name: str) -> Any:
    return getattr(model_selection, name)
