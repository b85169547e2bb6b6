"""Keeps the register of all changes to this process: each with its phase, its reason and its undoing.

An attribute has one owner: a second one is an error that names both. Where several may change the same attribute, each
on top of the one before, they say so (`shared`).

Threads may add to the register at the same time, under its lock. The phase belongs to the thread that runs it. Undoing
is for tests, when no other thread runs.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from tf1grad.old_programs.process import messages

LATER = "while the program runs"  # the phase of what does not belong to a phase of start-up
_ABSENT = object()

# What has the attribute, the first who changed it, and whether that is shared.
_Owner = Tuple[Any, str, bool]


class Change(NamedTuple):
    """Describes a change of this process, which one entry of the register stands for.

    A change with the reason "" is part of another one, which `--explain` does not print. `option` of `tf1grad run`
    leaves it out. `undo` is None where it stays for as long as the process lives.
    """

    phase: str
    what: str
    reason: str
    option: str = ""
    undo: Optional[Callable[[], None]] = None

    def line(self) -> str:
        """Returns the line of `--explain`."""
        return f"[{self.phase}] {self.what}: {self.reason}" + (f" (left out by {self.option})" if self.option else "")


_changes: List[Change] = []
_owners: Dict[Tuple[int, str], _Owner] = {}
_lock = threading.RLock()
_here = threading.local()
_explains = False
_sentences: Dict[str, str] = {}  # of phases that are not printed yet


def patch(holder: Any, attribute: str, value: Any, *, reason: str, option: str = "", shared: bool = False) -> None:
    """Replaces an attribute, and remembers what it was.

    `option` of `run` leaves it out. The module that calls this owns the attribute; others may change it too, on top of
    this, where all of them say `shared`. Else a second owner is a RuntimeError.
    """
    with _lock:
        note(name_of(holder, attribute), reason, option, replace(holder, attribute, value, shared))


def wrap(holder: Any, attribute: str, around: Callable[..., Any], *, reason: str, option: str = "",
         shared: bool = False) -> None:
    """Replaces a function or method by `around`, which gets as its first argument what it replaces; else as `patch`."""
    before = getattr(holder, attribute)

    @functools.wraps(before)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        return around(before, *arguments, **options)
    with contextlib.suppress(ValueError):  # a function of C may have none
        setattr(wrapped, "__signature__", inspect.signature(before))
    patch(holder, attribute, wrapped, reason=reason, option=option, shared=shared)


def replace(holder: Any, attribute: str, value: Any, shared: bool = False) -> Callable[[], None]:
    """Replaces one attribute of several, which one entry of the register covers; the arguments are those of `patch`.

    Returns the function that puts the original back, for that entry.
    """
    owner = _asking_module()
    with _lock:
        key = id(holder), attribute
        owned = _owners.get(key)
        _, first, shares = owned or (holder, owner, shared)
        if first != owner and not (shared and shares):
            raise RuntimeError(f"{owner} cannot replace {name_of(holder, attribute)}: {first} has replaced it. Let "
                               "both subscribe to one hook.")
        _owners[key] = owned or (holder, owner, shared)
        original = vars(holder).get(attribute, _ABSENT)
        setattr(holder, attribute, value)
    return functools.partial(_restore, holder, attribute, original, owned)


def _asking_module() -> str:
    """Returns the name of the module that asks this one for a change."""
    frame: Any = sys._getframe(1)
    while frame.f_globals is globals():
        frame = frame.f_back
    return str(frame.f_globals["__name__"])


def note(what: str, reason: str, option: str = "", undo: Optional[Callable[[], None]] = None) -> None:
    """Enters a change that was made without `patch`; the arguments are those of `Change`."""
    change = Change(current_phase(), what, reason, option, undo)
    with _lock:
        _changes.append(change)
        if _explains:
            _print(change)


def add_path_hook(hook: Callable[[str], Any], reason: str) -> None:
    """Puts a hook before those of `sys.path_hooks`."""
    sys.path_hooks.insert(0, hook)
    note("sys.path_hooks", reason, undo=lambda: sys.path_hooks.remove(hook))


@contextlib.contextmanager
def temporarily(holder: Any, attribute: str, value: Any) -> Iterator[None]:
    """Yields a context in which an attribute has another value, for all threads; the register does not change."""
    original = vars(holder).get(attribute, _ABSENT)
    setattr(holder, attribute, value)
    try:
        yield
    finally:
        _set_back(holder, attribute, original)


def changes() -> List[Change]:
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
    """Prints all changes on stderr, a line for each: those made so far now, and later ones when they are made."""
    global _explains
    with _lock:
        _explains = True
        for change in _changes:
            _print(change)


@contextlib.contextmanager
def phase(name: str, sentence: str = "") -> Iterator[None]:
    """Yields a context: changes in it, in this thread, belong to the phase `name`. `explain` prints the sentence."""
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
        lines = [change.line()] if sentence is None else [f"[{change.phase}] {sentence}", change.line()]
        sys.stderr.write("".join(f"{messages.PREFIX}{line}\n" for line in lines))


def _restore(holder: Any, attribute: str, original: Any, owned: Optional[_Owner]) -> None:
    if owned is None:
        del _owners[id(holder), attribute]
    _set_back(holder, attribute, original)


def _set_back(holder: Any, attribute: str, original: Any) -> None:
    if original is _ABSENT:
        delattr(holder, attribute)
    else:
        setattr(holder, attribute, original)


def name_of(holder: Any, attribute: str) -> str:
    """Returns the full name of an attribute of a module or class."""
    module, name = getattr(holder, "__module__", None), getattr(holder, "__qualname__", getattr(holder, "__name__", ""))
    return ".".join([module] * isinstance(module, str) + [name, attribute])
