"""Keeps the register of all changes to this process:
each with its phase, its reason and its undoing.

Threads may add to the register at the same time, under its lock. The phase belongs to the thread
that runs it. Undoing is for tests, when no other thread runs.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import threading
from typing import Any, Callable, Iterator, NamedTuple, Sequence

from tf1grad.programs.process import messages

Function = Callable[..., Any]  # of TensorFlow or a library, which others replace or wrap
LATER = "while the program runs"  # the phase of what does not belong to a phase of start-up
_ABSENT = object()


class Change(NamedTuple):
    """Describes a change of this process, which one entry of the register stands for.

    A change with the reason "" is part of another one, which `--explain` does not print. `undo` is
    None where it stays for as long as the process lives.
    """

    phase: str
    what: str
    reason: str
    undo: Callable[[], None] | None = None

    def line(self) -> str:
        """Returns the line of `--explain`."""
        return f"[{self.phase}] {self.what}: {self.reason}"


_changes: list[Change] = []
_lock = threading.RLock()
_here = threading.local()
_explains = False
_sentences: dict[str, str] = {}  # of phases that are not printed yet


def patch(holder: object, attribute: str, value: object, *, reason: str) -> None:
    """Replaces an attribute, on top of earlier changes, and remembers what it was."""
    with _lock:
        note(name_of(holder, attribute), reason, _replace(holder, attribute, value))


def wrap(holder: object, attribute: str, around: Function, *, reason: str) -> None:
    """Replaces a function, method or property by `around`,
    which gets what it replaces before the other arguments.

    All else is as in `patch`.
    """
    replaced = getattr(holder, attribute)
    value = wrapped(getattr(replaced, "fget", replaced), around)
    patch(
        holder,
        attribute,
        property(value) if isinstance(replaced, property) else value,
        reason=reason,
    )


def wrapped(before: Function, around: Function) -> Function:
    """Returns a function that looks like `before`,
    and calls `around` with it as the first argument.
    """

    @functools.wraps(before)
    def call(*arguments: object, **options: object) -> Any:
        return around(before, *arguments, **options)

    with contextlib.suppress(ValueError):  # a function of C may have none
        setattr(call, "__signature__", inspect.signature(before))
    return call


def note(what: str, reason: str, undo: Callable[[], None] | None = None) -> None:
    """Enters a change that was made without `patch`; the arguments are those of `Change`."""
    change = Change(current_phase(), what, reason, undo)
    with _lock:
        _changes.append(change)
        if _explains:
            _print(change)


def first_of(names: Sequence[str]) -> str:
    """Returns the first name and the number of the others, for the register."""
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]


def add_path_hook(hook: Callable[[str], Any], reason: str) -> None:
    """Puts a hook before those of `sys.path_hooks`."""
    sys.path_hooks.insert(0, hook)
    note("sys.path_hooks", reason, undo=lambda: sys.path_hooks.remove(hook))


@contextlib.contextmanager
def temporarily(holder: object, attribute: str, value: object) -> Iterator[None]:
    """Yields a context in which an attribute has another value, for all threads;
    the register does not change.
    """
    put_back = _replace(holder, attribute, value)
    try:
        yield
    finally:
        put_back()


def changes() -> list[Change]:
    """Returns all that was changed so far, in order."""
    with _lock:
        return list(_changes)


def undo(to: int = 0) -> None:
    """Undoes all changes that can be undone, the last one first, except the first `to`."""
    with _lock:
        while len(_changes) > to:
            take_back = _changes.pop().undo
            if take_back:
                take_back()


def explain() -> None:
    """Prints all changes on stderr, a line for each:
    those made so far now, and later ones when they are made.
    """
    global _explains
    with _lock:
        _explains = True
        for change in _changes:
            _print(change)


@contextlib.contextmanager
def phase(name: str, sentence: str = "") -> Iterator[None]:
    """Yields a context: changes in it, in this thread, belong to the phase `name`.
    `explain` prints the sentence.
    """
    before = current_phase()
    if sentence:
        _sentences[name] = sentence
    _here.phase = name
    try:
        yield
    finally:
        _here.phase = before


def current_phase() -> str:
    """Returns the name of the phase that this thread is in."""
    name: str = getattr(_here, "phase", LATER)
    return name


def _print(change: Change) -> None:
    if change.reason:
        sentence = _sentences.pop(change.phase, None)
        lines = (
            [change.line()] if sentence is None else [f"[{change.phase}] {sentence}", change.line()]
        )
        sys.stderr.write("".join(f"{messages.PREFIX}{line}\n" for line in lines))


def _replace(holder: object, attribute: str, value: object) -> Callable[[], None]:
    """Replaces an attribute, and returns the function that puts the original back."""
    original = vars(holder).get(attribute, _ABSENT)
    setattr(holder, attribute, value)

    def put_back() -> None:
        if original is _ABSENT:
            delattr(holder, attribute)
        else:
            setattr(holder, attribute, original)

    return put_back


def name_of(holder: object, attribute: str) -> str:
    """Returns the full name of an attribute of a module or class."""
    name = getattr(holder, "__qualname__", getattr(holder, "__name__", ""))
    module = getattr(holder, "__module__", None)
    return f"{module}.{name}.{attribute}" if isinstance(module, str) else f"{name}.{attribute}"
