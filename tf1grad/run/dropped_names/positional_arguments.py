"""Lets functions take by position what pandas 2 and scikit-learn 1 take by keyword
only, as they did before.
"""

import inspect
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tf1grad.programs.process import patches

# Modules of scikit-learn that programs import from.
_SKLEARN = (
    "cluster",
    "cross_decomposition",
    "datasets",
    "decomposition",
    "discriminant_analysis",
    "ensemble",
    "feature_extraction.text",
    "feature_selection",
    "gaussian_process",
    "linear_model",
    "manifold",
    "metrics",
    "mixture",
    "model_selection",
    "multiclass",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "pipeline",
    "preprocessing",
    "random_projection",
    "svm",
    "tree",
    "utils",
)
MODULES = tuple(f"sklearn.{name}" for name in _SKLEARN)


def patch(module: ModuleType) -> None:
    """Changes the functions of a module, and the methods of its classes; Python 3.7 cannot."""
    if sys.version_info < (3, 8):
        return
    for found in list(vars(module).values()):
        if isinstance(found, type):
            patch_class(found)
        else:
            _take_by_position(found)


def patch_class(cls: type) -> None:
    """Changes the methods of a class, also of those that it inherits from in its package."""
    package = cls.__module__.partition(".")[0]
    for owner in cls.__mro__:
        if owner.__module__.partition(".")[0] == package:
            for found in list(vars(owner).values()):
                _take_by_position(found)


def _take_by_position(found: object) -> None:
    """Makes keyword-only parameters of a function plain ones, in the order of the definition,
    if each has a default.
    """
    if not isinstance(found, FunctionType):
        return
    function: FunctionType = inspect.unwrap(found)
    code, keywords = function.__code__, function.__kwdefaults__ or {}
    last = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[code.co_argcount : last]
    if not names or code.co_flags & inspect.CO_VARARGS or not set(names) <= set(keywords):
        return
    before: Any = (code, function.__defaults__, function.__kwdefaults__)
    after = code.replace(co_argcount=last, co_kwonlyargcount=0)
    defaults = (*(function.__defaults__ or ()), *(keywords[name] for name in names))
    _set(function, after, defaults, None)
    patches.note(function.__qualname__, "", undo=lambda: _set(function, *before))


def _set(function: FunctionType, code: CodeType, defaults: Any, keywords: Any) -> None:
    function.__code__ = code
    function.__defaults__ = defaults
    function.__kwdefaults__ = keywords
