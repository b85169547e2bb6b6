"""Lets the layer's NumPy 2.1 promote types, sort ties, round and print as NumPy 1 did.

The state of promotion belongs to a thread. Each thread that `threading` starts, and each call of
`tf.py_func`, which comes from a thread of TensorFlow's, sets its own.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from tf1grad.programs.process import finder, patches

if TYPE_CHECKING:
    from types import ModuleType

OPTION = "--numpy installed"
LEGACY = "legacy"
PROMOTION = "NPY_PROMOTION_STATE"
# With these instructions NumPy orders ties otherwise than NumPy 1.18, and rounds `exp` and `tanh`
# otherwise.
INSTRUCTIONS = (
    "AVX2 AVX512F AVX512CD AVX512_KNL AVX512_KNM AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
)
NUMPY_1_25 = 125  # the printing of this version and of those before, in NumPy's own number


def prepare() -> None:
    """Prepares this process for the layer's NumPy. Call it before NumPy is imported."""
    sort_as_then()
    _set(PROMOTION, LEGACY, "promotes types")  # for the thread that imports NumPy
    finder.call_after(
        ["numpy._core.printoptions"],
        _print_as_then,
        reason=f"numbers print as then (left out by {OPTION})",
    )
    finder.call_after(
        ["numpy"],
        _promote_in_threads,
        reason=f"threads promote types as then (left out by {OPTION})",
    )


def sort_as_then() -> None:
    """Lets NumPy sort and round as it did then, also an installed NumPy 1.
    Call it before NumPy is imported.
    """
    import platform  # costs milliseconds, and the layer is looked for at every start

    if platform.machine() in ("x86_64", "AMD64"):
        _set("NPY_DISABLE_CPU_FEATURES", INSTRUCTIONS, "sorts and rounds")


def _set(variable: str, value: str, what: str) -> None:
    os.environ.setdefault(variable, value)
    patches.note(
        f"environment {variable}={value}", f"NumPy {what} as it did then (left out by {OPTION})"
    )


def _print_as_then(module: ModuleType) -> None:
    # In place: each new thread begins with these.
    module.default_format_options_dict.update(legacy=NUMPY_1_25)
    module.format_options.get().update(legacy=NUMPY_1_25)


def _promote_in_threads(numpy: ModuleType) -> None:
    def promoting_as_then(function: patches.Function, *arguments: object, **options: object) -> Any:
        numpy._set_promotion_state(os.environ[PROMOTION])
        return function(*arguments, **options)

    def change(script_ops: Any) -> None:
        patches.wrap(script_ops.FuncRegistry, "__call__", promoting_as_then, reason="")

    patches.wrap(
        threading.Thread,
        "_bootstrap_inner",
        promoting_as_then,
        reason="NumPy's promotion of types belongs to a thread",
    )
    finder.call_after(
        ["tensorflow.python.ops.script_ops"],
        change,
        reason="so does that of py_func",
    )
