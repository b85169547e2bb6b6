"""Makes loops in functions, such as those of datasets, have the ops of TensorFlow 1.15 in the user's graphs.

TensorFlow 1.15 made a `While` also where nothing in it has state, and an `Identity` for each output of it. It had no
`StopGradient` behind a loop without gradients.
"""

from __future__ import annotations

import functools
import types
from typing import Any, Callable, List

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import patches


def make_as_before(where: Callable[[], bool]) -> None:
    """Makes loops in functions as in 1.15 where `where()` is true."""
    loops = _compat.resolve("tensorflow.python.ops.while_v2")
    keeps_values = _compat.resolve("tensorflow.python.ops.control_flow_util_v2.output_all_intermediates")
    loop, build = loops.while_loop, loops._build_while_op

    @functools.wraps(loop)
    def while_loop(*arguments: Any, back_prop: bool = True, **options: Any) -> Any:
        # The installed function only adds a `StopGradient` for `back_prop=False`, unless the loop keeps values for it.
        return loop(*arguments, back_prop=back_prop or where() and not keeps_values(), **options)

    @functools.wraps(build)
    def _build_while_op(*arguments: Any, name: str, **options: Any) -> List[tf.Tensor]:
        results: List[tf.Tensor] = build(*arguments, name=name, **options)
        is_gradient = not name.endswith("/")  # a loop is named after its scope
        if where() and tf.get_default_graph().building_function and not is_gradient:
            results = [tf.identity(each) for each in results]
        return results

    patch = functools.partial(patches.patch, owner=__name__, reason="loops in functions have 1.15's ops")
    patch(loops, "while_loop", while_loop)
    patch(loops, "_build_while_op", _build_while_op)
    patch(loops, "gen_functional_ops", _Functions(loops.gen_functional_ops, where))


class _Functions(types.ModuleType):
    """Stands for the module of generated functions, with a `stateless_while` that makes a `While`."""

    def __init__(self, functions: types.ModuleType, where: Callable[[], bool]) -> None:
        super().__init__(functions.__name__)
        self._functions, self._where = functions, where

    def __getattr__(self, name: str) -> Any:
        is_loop = name == "stateless_while" and self._where()
        return getattr(self._functions, "_while" if is_loop else name)
