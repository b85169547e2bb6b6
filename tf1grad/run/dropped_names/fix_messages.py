"""Warns on stderr, once for each fix, that the script needed it, and where;
`--explain` names what only moved.
"""

from __future__ import annotations

from typing import Iterable, Tuple

from tf1grad.programs.process import messages, ownership, patches, run_record

Fix = Tuple[str, str]  # its name, and what it does, a phrase
_expected: set[str] = set()


def warn_once(name: str, effect: str) -> None:
    """Records that the fix `name` is used, and warns with its effect, a phrase."""
    if name not in _expected:
        run_record.note_repair(name)
        warn_unrecorded(name, effect)


def warn_unrecorded(name: str, effect: str) -> None:
    """Warns as `warn_once`, of a fix that was recorded before."""
    if messages.is_new(name):
        messages.say(f"{_placed(name)}: {effect}")


def record_move(name: str, effect: str) -> None:
    """Records a fix that changes nothing, such as a name that has moved;
    the arguments are those of `warn_once`.
    """
    run_record.note_repair(name)
    if messages.is_new(name):
        patches.note(_placed(name), effect)


def _placed(name: str) -> str:
    place = ownership.place_of_user_code()
    return f"{name} ({place[0]}:{place[1]})" if place else name


def expect(fixes: Iterable[Fix]) -> None:
    """Leaves fixes without a warning from now on: the program calls them itself."""
    _expected.update(name for name, _ in fixes)
