"""Provides the folds of `sklearn.cross_validation`, which took the samples; other names come from `model_selection`."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
from sklearn import model_selection

_Indices = List[Tuple[np.ndarray, np.ndarray]]


def _folds(
    splitter: Callable[..., Any],
    samples: int,
    labels: Any = None,
    groups: Any = None,
    **options: Any,
) -> _Indices:
    return list(splitter(**options).split(np.zeros(samples), labels, groups))


def _shuffled(shuffle: bool, random_state: Any) -> Dict[str, Any]:
    return {"shuffle": shuffle, "random_state": random_state if shuffle else None}


def KFold(n: int, n_folds: int = 3, shuffle: bool = False, random_state: Any = None) -> _Indices:
    """Returns the (train, test) indices of `n_folds` folds of n samples."""
    return _folds(model_selection.KFold, n, n_splits=n_folds, **_shuffled(shuffle, random_state))


def StratifiedKFold(
    y: Sequence[Any], n_folds: int = 3, shuffle: bool = False, random_state: Any = None
) -> _Indices:
    """Returns the same, with the classes of y in each fold as in the whole."""
    return _folds(
        model_selection.StratifiedKFold,
        len(y),
        y,
        n_splits=n_folds,
        **_shuffled(shuffle, random_state),
    )


def LabelKFold(labels: Sequence[Any], n_folds: int = 3) -> _Indices:
    """Returns the same, with each label in one fold only."""
    return _folds(model_selection.GroupKFold, len(labels), groups=labels, n_splits=n_folds)


def ShuffleSplit(
    n: int,
    n_iter: int = 10,
    test_size: float = 0.1,
    train_size: Optional[float] = None,
    random_state: Any = None,
) -> _Indices:
    """Returns the (train, test) indices of `n_iter` random splits of n samples."""
    return _folds(
        model_selection.ShuffleSplit,
        n,
        n_splits=n_iter,
        test_size=test_size,
        train_size=train_size,
        random_state=random_state,
    )


def StratifiedShuffleSplit(
    y: Sequence[Any],
    n_iter: int = 10,
    test_size: float = 0.1,
    train_size: Optional[float] = None,
    random_state: Any = None,
) -> _Indices:
    """Returns the same, with the classes of y in each split as in the whole."""
    return _folds(
        model_selection.StratifiedShuffleSplit,
        len(y),
        y,
        n_splits=n_iter,
        test_size=test_size,
        train_size=train_size,
        random_state=random_state,
    )


def LeaveOneOut(n: int) -> _Indices:
    """Returns the (train, test) indices with each of n samples left out once."""
    return _folds(model_selection.LeaveOneOut, n)


def __getattr__(name: str) -> Any:
    return getattr(model_selection, name)
