"""Provides `tf.contrib.opt.ScipyOptimizerInterface` for every version of TensorFlow and
SciPy, and any variables.
"""

from __future__ import annotations

import inspect
import threading
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from tf1grad._compat import tf
from tf1grad._types import LossAndGradient
from tf1grad.recipes.external.interface import ExternalOptimizerInterface

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np

RESERVED = {
    "bounds": "Bounds must be set using the var_to_bounds argument",
    "constraints": "Constraints must be set using the equalities and inequalities arguments",
    "callback": "The callback is the step_callback argument of minimize",
    "jac": "The gradient is computed by TensorFlow",
}

FLOAT32_STEP = 3.5e-4  # the root of float32's precision: the best step for a difference


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes a loss by `scipy.optimize.minimize`, by default with its method L-BFGS-B.

        optimizer = tf1grad.ScipyOptimizerInterface(
            loss, method="L-BFGS-B", options={"maxiter": 100})
        result = optimizer.minimize(session, feed_dict={x: batch})

    Takes the arguments of `ExternalOptimizerInterface`, with shapes and dtypes as there, and those
    of SciPy.

    Args:
        **optimizer_kwargs: arguments of `scipy.optimize.minimize`: `method`, `tol`, `options`,
            `hess`. For Newton-CG on float32 variables the option `eps` is 3.5e-4 by default,
            because SciPy's default vanishes in float32.

    Raises:
        ImportError: SciPy is not installed.
        TypeError, ValueError: as there; also where an argument of SciPy is one that this class
            sets.

    Source: `tf.contrib.opt.ScipyOptimizerInterface`. There `minimize` returns nothing, here SciPy's
        result.
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _check_kwargs(self) -> None:
        known = inspect.signature(_scipy_optimize().minimize).parameters
        for name, remedy in RESERVED.items():
            if name in self.optimizer_kwargs:
                raise ValueError(
                    f"{type(self).__name__}: {remedy}; {name}= cannot be passed to SciPy."
                )
        is_of_scipy = type(self)._minimize is ScipyOptimizerInterface._minimize
        for name in self.optimizer_kwargs if is_of_scipy else ():
            if name not in known:
                raise TypeError(
                    f"{type(self).__name__}: scipy.optimize.minimize has no argument {name}. If it is an option of the "
                    f"method, write options={{{name!r}: {self.optimizer_kwargs[name]!r}}}."
                )
        self._here = threading.local()  # one search a thread

    def _minimize(
        self,
        initial_val: np.ndarray,
        loss_grad_func: LossAndGradient,
        equality_funcs: Sequence[Any],
        equality_grad_funcs: Sequence[Any],
        inequality_funcs: Sequence[Any],
        inequality_grad_funcs: Sequence[Any],
        packed_bounds: Sequence[tuple[float, float]] | None,
        step_callback: Callable[[np.ndarray], object] | None,
        optimizer_kwargs: Mapping[str, Any],
    ) -> Any:
        constraints = [
            {"type": kind, "fun": function, "jac": gradient}
            for kind, functions, gradients in (
                ("eq", equality_funcs, equality_grad_funcs),
                ("ineq", inequality_funcs, inequality_grad_funcs),
            )
            for function, gradient in zip(functions, gradients)
        ]
        arguments = {"method": self._DEFAULT_METHOD, **optimizer_kwargs}
        if str(arguments["method"]).lower() == "newton-cg" and self._flat.dtype == tf.float32:
            arguments["options"] = {"eps": FLOAT32_STEP, **(arguments.get("options") or {})}
        optimize = _scipy_optimize()
        try:
            self._here.result = optimize.minimize(
                loss_grad_func,
                initial_val,
                jac=True,
                callback=step_callback,
                constraints=constraints,
                bounds=packed_bounds,
                **arguments,
            )
            _log(self._here.result)
        except ValueError as error:
            if not str(error).startswith("Unknown solver"):
                raise
            raise ValueError(
                f"{type(self).__name__}: method must be one of scipy.optimize.minimize, such as 'L-BFGS-B', 'BFGS' or "
                f"'SLSQP'; got {arguments['method']!r}."
            ) from error
        except StopIteration as stop:  # from step_callback, in a method that does not handle it
            self._here.result = optimize.OptimizeResult(
                x=stop.value, success=False, status=99, message="`callback` raised `StopIteration`."
            )
        return self._here.result.x

    def _returned(self, end: object) -> Any:
        # A subclass that overrides `_minimize` may set no result.
        return vars(self._here).pop("result", None) or _scipy_optimize().OptimizeResult(x=end)


def _log(result: Any) -> None:
    lines = [
        "Optimization terminated with:",
        f"  Message: {result.message}",
        f"  Objective function value: {float(result.fun):f}",
    ]
    for count, key in (("iterations", "nit"), ("functions evaluations", "nfev")):
        if key in result:  # some methods do not count them
            lines.append(f"  Number of {count}: {result[key]}")
    tf.logging.info("\n".join(lines))


def _scipy_optimize() -> ModuleType:
    try:
        import scipy.optimize
    except ImportError as error:
        raise ImportError("ScipyOptimizerInterface needs SciPy: pip install scipy") from error
    return scipy.optimize
