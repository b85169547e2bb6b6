"""Says on stderr, once for each fix, that the script needed it, and where."""

from typing import Iterable, List, Set, Tuple

from tf1grad.old_programs.process import messages, ownership, run_notes

Fix = Tuple[str, str]  # its name, and what it does, a phrase
_told: List[str] = []
_expected: Set[str] = set()


def say(name: str, effect: str) -> None:
    """Notes that a fix is used.

    Args:
        name: the fix.
        effect: what it does, a phrase.
    """
    if name in _expected:
        return
    run_notes.note_repair(name)
    if name not in _told:
        _told.append(name)
        place = ownership.place_of_user_code()
        messages.say(f"{name} ({place[0]}:{place[1]}): {effect}" if place else f"{name}: {effect}")


def expect(fixes: Iterable[Fix]) -> None:
    """Leaves fixes unsaid from now on: the program calls them itself."""
    _expected.update(name for name, _ in fixes)


def used() -> List[str]:
    """Returns the names of the fixes that were used so far, in the order of their first use."""
    return list(_told)
