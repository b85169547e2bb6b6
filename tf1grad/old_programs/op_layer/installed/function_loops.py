"""Makes loops in functions, such as those of datasets, have the ops of TensorFlow 1.15 in the user's graphs.

TensorFlow 1.15 made a `While` also where nothing in it has state, and an `Identity` for each output of it. It had no
`StopGradient` behind a loop without gradients.
"""

from __future__ import annotations

import types
from typing import Any, Callable, List

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.op_layer import graph_owners
from tf1grad.old_programs.process import patches

_REASON = "loops in functions have 1.15's ops"


def install() -> None:
    """Makes loops in functions as in 1.15."""
    loops = _compat.resolve("tensorflow.python.ops.while_v2")
    patches.wrap(loops, "while_loop", _without_stop, reason=_REASON)
    patches.wrap(loops, "_build_while_op", _with_identities, reason=_REASON)
    patches.patch(loops, "gen_functional_ops", _Functions(loops.gen_functional_ops), reason=_REASON)


def _without_stop(while_loop: Callable[..., Any], *arguments: Any, back_prop: bool = True, **options: Any) -> Any:
    # The installed function only adds a `StopGradient` for `back_prop=False`, unless the loop keeps values for it.
    keeps_values = _compat.resolve("tensorflow.python.ops.control_flow_util_v2.output_all_intermediates")
    return while_loop(*arguments, back_prop=back_prop or graph_owners.is_users() and not keeps_values(), **options)


def _with_identities(build: Callable[..., Any], *arguments: Any, name: str, **options: Any) -> List[tf.Tensor]:
    results: List[tf.Tensor] = build(*arguments, name=name, **options)
    is_gradient = not name.endswith("/")  # a loop is named after its scope
    if graph_owners.is_users() and tf.get_default_graph().building_function and not is_gradient:
        results = [tf.identity(each) for each in results]
    return results


class _Functions(types.ModuleType):
    """Stands for the module of generated functions, with a `stateless_while` that makes a `While`."""

    def __init__(self, functions: types.ModuleType) -> None:
        super().__init__(functions.__name__)
        self._functions = functions

    def __getattr__(self, name: str) -> Any:
        is_loop = name == "stateless_while" and graph_owners.is_users()
        return getattr(self._functions, "_while" if is_loop else name)
