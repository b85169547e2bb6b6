"""Gives the installed eager context 1.15's callbacks, which are called after each op is executed eagerly."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

from tf1grad.old_programs import _compat


def methods() -> Dict[str, Any]:
    """Returns the methods of 1.15's context."""
    return {"add_post_execution_callback": _add, "clear_post_execution_callbacks": _clear,
            "post_execution_callbacks": property(_callbacks)}


def _op_callbacks() -> Any:
    return _compat.resolve("tensorflow.python.framework.op_callbacks")


def _add(self: Any, callback: Callable[..., Any]) -> None:
    def after_op(op_type: str, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None,
                 graph: Any = None) -> None:
        if graph is None:
            callback(op_type, inputs, attributes, outputs, op_name)
    setattr(after_op, "callback", callback)
    _op_callbacks().add_op_callback(after_op)


def _callbacks(context: Any) -> List[Callable[..., Any]]:
    return [each.callback for each in context.op_callbacks if hasattr(each, "callback")]


def _clear(context: Any) -> None:
    for each in [each for each in context.op_callbacks if hasattr(each, "callback")]:
        _op_callbacks().remove_op_callback(each)
