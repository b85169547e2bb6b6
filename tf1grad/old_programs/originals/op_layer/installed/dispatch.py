"""Calls of ops that classes of tensors take over, as 1.15's modules ask for them."""

import functools
from typing import Any, Callable, Dict, Tuple

from tf1grad.old_programs import _compat


def _dispatch() -> Any:
    return _compat.resolve("tensorflow.python.util.dispatch")


def add_dispatch_list(target: Callable[..., Any]) -> Callable[..., Any]:
    """Lets classes of tensors take over calls of `target`."""
    setattr(target, _dispatch().FALLBACK_DISPATCH_ATTR, [])
    return target


def add_dispatch_support(target: Callable[..., Any]) -> Any:
    """`target`, which is tried first; if it fails, the classes of tensors that have taken over its calls are."""
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
    """Registers a function for calls of `op` with values of `types`; of no effect where `op` asks nobody."""
    if not hasattr(op, _dispatch().FALLBACK_DISPATCH_ATTR):
        return lambda function: function
    return _dispatch().dispatch_for_types(op, *types)


class OpDispatcher:
    """Takes over calls of ops; see `dispatch_for_types`."""

    NOT_SUPPORTED = _compat.resolve("tensorflow.python.util.dispatch.OpDispatcher").NOT_SUPPORTED

    def handle(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """Handles a call, or returns NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Lets this object be asked when a call of `op` fails."""
        getattr(op, _dispatch().FALLBACK_DISPATCH_ATTR, []).append(self)
