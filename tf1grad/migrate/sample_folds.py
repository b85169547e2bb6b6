"""Provides the folds of `sklearn.cross_validation`, which took the samples,
for upgraded programs.
"""

from tf1grad.run.dropped_names.cross_validation import KFold, StratifiedKFold

__all__ = ["KFold", "StratifiedKFold"]
