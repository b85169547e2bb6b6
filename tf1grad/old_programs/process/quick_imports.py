"""Makes large imports cheaper: Python does not look for garbage meanwhile, and compiles each annotation once."""

from __future__ import annotations

import builtins
import contextlib
import functools
import gc
from types import CodeType
from typing import Any, Iterator

from tf1grad.old_programs.process import patches

_compile = compile


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Yields a context for imports. The objects that exist at its end stay out of later garbage collections.

    Each collection would otherwise visit TensorFlow's million objects, and so would the end of the process.
    """
    was_enabled = gc.isenabled()
    gc.collect()  # garbage of the program, which would stay until the process ends
    gc.disable()
    try:
        with patches.temporarily(builtins, "compile", _compile_once):
            yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _compile_once(source: Any, filename: Any, mode: str, *others: Any, **options: Any) -> Any:
    """Returns what `compile` returns; TensorFlow's 18,000 annotations in quotes are 30 different ones."""
    if mode == "eval" and filename == "<string>" and type(source) is str and not (others or options):
        return _expression(source)
    return _compile(source, filename, mode, *others, **options)


@functools.lru_cache(maxsize=1024)
def _expression(source: str) -> CodeType:
    code: CodeType = _compile(source, "<string>", "eval", dont_inherit=True)
    return code
