"""Provides the folds of `sklearn.cross_validation`, which took the samples, for upgraded programs."""

from tf1grad.old_programs.dropped_names.cross_validation import (
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

__all__ = ["KFold", "LeaveOneOut", "ShuffleSplit", "StratifiedKFold", "StratifiedShuffleSplit"]
