"""Provides 1.15's `defun`: functions that may make variables in each trace,
unlike those of `tf.function`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

from tf1grad.programs import _compat
from tf1grad.run.originals import name_map

_PACKAGE = "tensorflow.python.eager.polymorphic_function."
_Polymorphic: Any = _compat.resolve(_PACKAGE + "polymorphic_function.Function")


class Function(_Polymorphic):  # type: ignore[misc]
    """A function that is traced once for each kind of arguments,
    and does not watch which variables it makes.
    """

    _tracing: Any = None

    def _call(self, *arguments: object, **options: object) -> Any:
        bound = _compat.resolve(_PACKAGE + "function_type_utils.canonicalize_function_inputs")(
            arguments, options, self._function_type, self._default_values, self._is_pure
        )
        return _compat.resolve(_PACKAGE + "tracing_compilation.call_function")(
            bound.args, bound.kwargs, self._tracing_options()
        )

    def _get_concrete_function_garbage_collected(
        self, *arguments: object, **options: object
    ) -> Any:
        tracing = dataclasses.replace(self._tracing_options(), bind_graph_to_function=True)
        return _compat.resolve(_PACKAGE + "tracing_compilation.trace_function")(
            arguments, options, tracing
        )

    def _tracing_options(self) -> Any:
        if self._tracing is None:
            scope = _compat.resolve(_PACKAGE + "tracing_compilation.ScopeType").NO_SCOPE
            self._tracing = self._generate_tracing_options(self._python_function, scope)
        return self._tracing


@name_map.stands_in_for("python.eager.function.defun")
def defun(
    func: Callable[..., Any] | None = None, input_signature: Any = None, **options: Any
) -> Any:
    """Makes a function of graphs from the Python function `func`;
    returns a decorator without it.
    """
    return defun_with_attributes(func, input_signature, **options)


@name_map.stands_in_for("python.eager.function.defun_with_attributes")
def defun_with_attributes(
    func: Callable[..., Any] | None = None,
    input_signature: object = None,
    attributes: dict[str, Any] | None = None,
    autograph: bool = True,
    experimental_autograph_options: object = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """Makes a function with attributes, as `defun`; the attribute `func_name` is its name."""

    def decorate(function: Callable[..., Any]) -> Any:
        others = dict(attributes or {})
        made = Function(
            function,
            others.pop("func_name", getattr(function, "__name__", "function")),
            input_signature=input_signature,
            autograph=autograph,
            reduce_retracing=experimental_relax_shapes,
            experimental_autograph_options=experimental_autograph_options,
            experimental_attributes=others,
        )
        return _compat.resolve("tensorflow.python.util.tf_decorator").make_decorator(function, made)

    return decorate if func is None else decorate(func)
