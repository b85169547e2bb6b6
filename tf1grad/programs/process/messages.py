"""Tells the user what tf1grad does while a program runs: on stderr, with a prefix, since the
program writes there too.

Threads may call `say` at the same time; each line is written in one piece.
"""

from __future__ import annotations

import logging
import sys
import time

PREFIX = "tf1grad: "
# Files of TensorFlow that say only that a name or an argument is deprecated.
_DEPRECATION = ("deprecation.py", "module_wrapper.py")

_quiet = False
SECONDS = 0.2  # between two texts of `show`
# The time of the last text of `show`; 0.0 where none stands there.
_shown_at = 0.0
said: set[str] = set()  # the keys


def be_quiet() -> None:
    """Silences `say` in this process from now on."""
    global _quiet
    _quiet = True


def log_once() -> None:
    """Makes TensorFlow log each line once, also after `tf.app.run`,
    and with `be_quiet` no deprecation.
    """
    logger = logging.getLogger("tensorflow")
    for handler in logger.handlers:
        handler.addFilter(_is_not_in_root_log)
    if _quiet:
        logger.addFilter(_is_no_deprecation)


def _is_not_in_root_log(record: logging.LogRecord) -> bool:
    """Returns False if absl's handler, which TensorFlow's lines reach as well, is in use."""
    handlers = logging.getLogger().handlers
    return not any(type(handler).__module__ == "absl.logging" for handler in handlers)


def _is_no_deprecation(record: logging.LogRecord) -> bool:
    return record.filename not in _DEPRECATION


def say(text: str) -> None:
    """Writes lines that can be told from the program's own."""
    if not _quiet:
        clear()
        for line in text.splitlines():
            sys.stderr.write(f"{PREFIX}{line}\n")


def show(text: str) -> None:
    """Shows on a terminal how far something is, in a line that gives way to the next one;
    elsewhere does nothing.
    """
    global _shown_at
    if _quiet or sys.stderr is None or not sys.stderr.isatty():
        return
    if time.monotonic() - _shown_at >= SECONDS:
        sys.stderr.write(f"\r\033[K{PREFIX}{text}")
        sys.stderr.flush()
        _shown_at = time.monotonic()


def clear() -> None:
    """Removes the line of `show`."""
    global _shown_at
    if _shown_at:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
        _shown_at = 0.0


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun, such as "1 file" or "1,200 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def warn_once(key: str, text: str) -> None:
    """Writes lines as `say` does, once for each `key`."""
    if is_new(key):
        say(text)


def is_new(key: str) -> bool:
    """Says whether nothing was said under a `key` before, and enters it."""
    is_first = key not in said
    said.add(key)
    return is_first
