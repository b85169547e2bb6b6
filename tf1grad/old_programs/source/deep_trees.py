"""Walks deeply nested programs: a sum of a thousand terms, or 150 brackets, exceeds the stack of an ordinary thread."""

import sys
import threading
from typing import Any, Callable, List, TypeVar

Result = TypeVar("Result")

LIMIT = 50000
STACKS = [512 << 20, 128 << 20, 32 << 20]  # bytes; the first size that the system allows


def with_deep_recursion(function: Callable[..., Result], *arguments: Any) -> Result:
    """Calls a function in a new thread with a large stack, and returns its result or raises its error."""
    results: List[Result] = []
    errors: List[BaseException] = []

    def call() -> None:
        try:
            results.append(function(*arguments))
        except BaseException as error:  # of any kind: the waiting thread raises it again
            errors.append(error)

    limit, stack = sys.getrecursionlimit(), threading.stack_size()
    sys.setrecursionlimit(max(limit, LIMIT))
    try:
        _start(call).join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(stack)
    if errors:
        raise errors[0]
    return results[0]


def _start(call: Callable[[], None]) -> threading.Thread:
    for size in STACKS:
        try:
            threading.stack_size(size)
            thread = threading.Thread(target=call)
            thread.start()
            return thread
        except (ValueError, RuntimeError):
            threading.stack_size(0)
    raise MemoryError("no thread could be started")
