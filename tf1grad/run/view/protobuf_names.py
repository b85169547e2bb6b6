"""Gives today's protobuf the names of protobuf 3 that old modules and programs use, in this process.

Repeated fields are of classes in C today. For `isinstance` they count as those in Python, which programs name.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, Callable

from tf1grad.programs.process import finder, patches

REASON = "protobuf 3 had it"
_CLASSES = {
    "RepeatedScalarFieldContainer": "RepeatedScalarContainer",
    "RepeatedCompositeFieldContainer": "RepeatedCompositeContainer",
}


def install() -> None:
    """Completes the modules when they are imported, or now if they are already."""
    for name, complete in _COMPLETE.items():
        finder.call_now_and_after(f"google.protobuf.{name}", complete, reason=REASON)


def _message_class(descriptor: Any) -> Any:
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(descriptor)


def _parse_message(descriptor: Any, byte_str: bytes) -> Any:
    return _message_class(descriptor).FromString(byte_str)


def _add(holder: Any, **functions: Callable[..., Any]) -> None:
    for name, function in functions.items():
        if not hasattr(holder, name):
            patches.patch(holder, name, function, reason=REASON)


def _complete_reflection(reflection: ModuleType) -> None:
    _add(reflection, MakeClass=_message_class, ParseMessage=_parse_message)


def _complete_factory(message_factory: Any) -> None:
    _add(message_factory.MessageFactory, GetPrototype=lambda self, found: _message_class(found))


def _complete_database(symbol_database: Any) -> None:
    _add(symbol_database.SymbolDatabase, GetPrototype=lambda self, found: _message_class(found))


def _register_containers(containers: ModuleType) -> None:
    try:
        of_c = importlib.import_module("google._upb._message")
    except ImportError:  # protobuf 3, or one in Python
        return
    for name, other in _CLASSES.items():
        getattr(containers, name).register(getattr(of_c, other))


_COMPLETE = {
    "internal.containers": _register_containers,
    "message_factory": _complete_factory,
    "reflection": _complete_reflection,
    "symbol_database": _complete_database,
}
