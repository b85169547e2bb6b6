"""Provides the dispatch of ops to classes of tensors with the interface that 1.15's modules use."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from tf1grad.programs import _compat
from tf1grad.programs.process.patches import Function
from tf1grad.run.originals import former_signatures, name_map

_dispatch: Any = _compat.resolve("tensorflow.python.util.dispatch")


@name_map.stands_in_for("python.util.dispatch.add_dispatch_list")
def add_dispatch_list(target: Function) -> Function:
    """Makes `target` dispatch to classes of tensors."""
    setattr(target, _dispatch.FALLBACK_DISPATCH_ATTR, [])
    return target


@name_map.stands_in_for("python.util.dispatch.add_dispatch_support")
def add_dispatch_support(target: Function) -> Any:
    """Wraps `target`: where a call fails, the classes of tensors that
    registered for it are tried.
    """

    @functools.wraps(target)
    def dispatching(*arguments: object, **options: object) -> Any:
        try:
            return target(*arguments, **options)
        except (TypeError, ValueError):
            result = _dispatch.dispatch(dispatching, arguments, options)
            if result is OpDispatcher.NOT_SUPPORTED:
                raise
            return result

    add_dispatch_list(dispatching)
    return _compat.resolve("tensorflow.python.util.tf_decorator").make_decorator(
        target, dispatching
    )


def dispatching_op(function: Any) -> Any:
    """Returns the function of an op, with dispatch and with the signature that it had in 1.15."""
    former_signatures.remove_annotations(function)
    # That of the function that AutoGraph's decorators wrap.
    function.__signature__ = inspect.signature(function)
    return add_dispatch_support(function)


@name_map.stands_in_for("python.util.dispatch.dispatch_for_types")
def dispatch_for_types(op: Function, *types: object) -> Any:
    """Registers a function for calls of `op` with values of `types`, if `op` dispatches."""
    if not hasattr(op, _dispatch.FALLBACK_DISPATCH_ATTR):
        return lambda function: function
    return _dispatch.dispatch_for_types(op, *types)


@name_map.stands_in_for("python.util.dispatch.OpDispatcher")
class OpDispatcher:
    """Handles calls of ops that fail; see `dispatch_for_types`."""

    NOT_SUPPORTED = _dispatch.OpDispatcher.NOT_SUPPORTED

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Handles a call, or returns NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Function) -> None:
        """Registers this object for calls of `op` that fail."""
        getattr(op, _dispatch.FALLBACK_DISPATCH_ATTR, []).append(self)
