"""Calls of SciPy and scikit-learn whose keyword arguments have another name today."""

import functools
import inspect
from typing import Any, Callable, Dict, Mapping

from tf1grad.commands.era.matplotlib_calls import renaming
from tf1grad.commands.era.said import Fix, say

_TNC = ("scipy.optimize TNC maxiter", "here it is maxfun, the limit of evaluations that it was")
_TSNE = ("sklearn TSNE(n_iter)", "here it is max_iter")
_ONE_HOT = ("sklearn OneHotEncoder(sparse)", "here it is sparse_output")
FIXES = (_TNC, _TSNE, _ONE_HOT)


def _patch_scipy(module: Any) -> None:
    minimize = module.minimize

    @functools.wraps(minimize)
    def minimize_by_maxfun(fun: Any, x0: Any, args: Any = (), method: Any = None, *others: Any, **kwargs: Any) -> Any:
        options = kwargs.get("options") or {}
        if isinstance(method, str) and method.upper() == "TNC" and "maxiter" in options and _takes_maxfun(module):
            say(*_TNC)
            options = dict(options)
            options.setdefault("maxfun", options.pop("maxiter"))
            kwargs["options"] = options
        return minimize(fun, x0, args, method, *others, **kwargs)

    module.minimize = minimize_by_maxfun


def _takes_maxfun(module: Any) -> bool:
    """Whether TNC knows `maxfun` only: with a warning that is easily missed it would go on without a limit."""
    return "maxiter" not in str(module.show_options("minimize", "tnc", disp=False))


def _patch_manifold(module: Any) -> None:
    _rename(module.TSNE, {"n_iter": "max_iter"}, _TSNE)


def _patch_preprocessing(module: Any) -> None:
    _rename(module.OneHotEncoder, {"sparse": "sparse_output"}, _ONE_HOT)


def _rename(cls: Any, names: Mapping[str, str], fix: Fix) -> None:
    parameters = inspect.signature(cls.__init__).parameters
    if not set(names) & set(parameters) and set(names.values()) <= set(parameters):
        cls.__init__ = renaming(cls.__init__, names, fix)


PATCHES: Dict[str, Callable[[Any], None]] = {
    "scipy.optimize": _patch_scipy,
    "sklearn.manifold": _patch_manifold,
    "sklearn.preprocessing": _patch_preprocessing,
}
