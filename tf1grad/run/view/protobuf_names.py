"""Gives today's protobuf the names of protobuf 3 that old modules and
programs use, in this process.

Repeated fields are of classes in C today. For `isinstance` they count as those in Python, which
programs name.

Its implementation in C was the module `google.protobuf.pyext._message` and called itself "cpp", for
which programs ask. Today it is another module, with nearly the same names, and called "upb":
programs get that one, as "cpp".
"""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any, Callable

from tf1grad.programs.process import finder, patches
from tf1grad.run.dropped_names.fix_messages import warn_once

_OF_C, _FORMER_OF_C = "google._upb._message", "google.protobuf.pyext._message"
REASON = "protobuf 3 had it"
_CLASSES = {
    "RepeatedScalarFieldContainer": "RepeatedScalarContainer",
    "RepeatedCompositeFieldContainer": "RepeatedCompositeContainer",
}
_OLD_KEYWORD, _NEW_KEYWORD = (
    "including_default_value_fields",
    "always_print_fields_with_no_presence",
)


def install() -> None:
    """Completes the modules when they are imported, or now if they are already."""
    for name, complete in _COMPLETE.items():
        finder.call_now_and_after(f"google.protobuf.{name}", complete, reason=REASON)
    finder.serve([_FORMER_OF_C], finder.Loader(_fill_with_c), reason=REASON)


def _message_class(descriptor: object) -> Any:
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(descriptor)


def _parse_message(descriptor: object, byte_str: bytes) -> Any:
    return _message_class(descriptor).FromString(byte_str)


def _add(holder: object, **functions: Callable[..., Any]) -> None:
    for name, function in functions.items():
        if not hasattr(holder, name):
            patches.patch(holder, name, function, reason=REASON)


def _complete_reflection(reflection: ModuleType) -> None:
    _add(reflection, MakeClass=_message_class, ParseMessage=_parse_message)


def _complete_factory(message_factory: Any) -> None:
    _add(message_factory.MessageFactory, GetPrototype=lambda self, found: _message_class(found))


def _complete_database(symbol_database: Any) -> None:
    _add(symbol_database.SymbolDatabase, GetPrototype=lambda self, found: _message_class(found))


def _implementation_in_c() -> ModuleType | None:
    """Returns today's implementation in C; None for protobuf 3, and for one in Python."""
    try:
        return importlib.import_module(_OF_C)
    except ImportError:
        return None


def _fill_with_c(module: ModuleType) -> None:
    of_c = _implementation_in_c()
    if of_c is None:
        raise ModuleNotFoundError(f"No module named {module.__name__!r}", name=module.__name__)
    names = {name: value for name, value in vars(of_c).items() if not name.startswith("__")}
    vars(module).update(names)


def _complete_implementation(api_implementation: Any) -> None:
    _add(api_implementation, Version=lambda: 2)
    if api_implementation.Type() == "upb":  # protobuf itself asks only whether it is "python"
        patches.patch(api_implementation, "Type", lambda: "cpp", reason=REASON)


def _complete_json_format(json_format: object) -> None:
    for name in ("MessageToDict", "MessageToJson"):
        patches.wrap(json_format, name, _with_old_keyword, reason=REASON)


def _with_old_keyword(convert: Callable[..., Any], *args: object, **options: object) -> Any:
    names = inspect.signature(convert).parameters
    if _OLD_KEYWORD in options and _OLD_KEYWORD not in names:
        warn_once(f"{convert.__name__}({_OLD_KEYWORD}=)", f"replaced by {_NEW_KEYWORD}")
        options[_NEW_KEYWORD] = options.pop(_OLD_KEYWORD)
    return convert(*args, **options)


def _register_containers(containers: ModuleType) -> None:
    of_c = _implementation_in_c()
    if of_c is None:
        return
    for name, other in _CLASSES.items():
        getattr(containers, name).register(getattr(of_c, other))


_COMPLETE = {
    "internal.api_implementation": _complete_implementation,
    "internal.containers": _register_containers,
    "json_format": _complete_json_format,
    "message_factory": _complete_factory,
    "reflection": _complete_reflection,
    "symbol_database": _complete_database,
}
