"""Provides the dispatch of ops to classes of tensors with the interface that 1.15's modules use."""

import functools
from typing import Any, Callable, Dict, Tuple

from tf1grad.old_programs import _compat


def _dispatch() -> Any:
    return _compat.resolve("tensorflow.python.util.dispatch")


def add_dispatch_list(target: Callable[..., Any]) -> Callable[..., Any]:
    """Makes `target` dispatch to classes of tensors."""
    setattr(target, _dispatch().FALLBACK_DISPATCH_ATTR, [])
    return target


def add_dispatch_support(target: Callable[..., Any]) -> Any:
    """Wraps `target`: where a call fails, the classes of tensors that registered for it are tried."""
    @functools.wraps(target)
    def dispatching(*arguments: Any, **options: Any) -> Any:
        try:
            return target(*arguments, **options)
        except (TypeError, ValueError):
            dispatch = _dispatch()
            result = dispatch.dispatch(dispatching, arguments, options)
            if result is dispatch.OpDispatcher.NOT_SUPPORTED:
                raise
            return result
    add_dispatch_list(dispatching)
    return _compat.resolve("tensorflow.python.util.tf_decorator").make_decorator(target, dispatching)


def dispatch_for_types(op: Callable[..., Any], *types: Any) -> Any:
    """Registers a function for calls of `op` with values of `types`, if `op` dispatches."""
    if not hasattr(op, _dispatch().FALLBACK_DISPATCH_ATTR):
        return lambda function: function
    return _dispatch().dispatch_for_types(op, *types)


class OpDispatcher:
    """Handles calls of ops that fail; see `dispatch_for_types`."""

    NOT_SUPPORTED = _compat.resolve("tensorflow.python.util.dispatch.OpDispatcher").NOT_SUPPORTED

    def handle(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """Handles a call, or returns NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Registers this object for calls of `op` that fail."""
        getattr(op, _dispatch().FALLBACK_DISPATCH_ATTR, []).append(self)
