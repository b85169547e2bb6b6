"""Says on stderr, once for each fix, that the script needed it, and where; `--explain` names what only moved."""

from typing import Iterable, Set, Tuple

from tf1grad.old_programs.process import messages, ownership, patches, run_record

Fix = Tuple[str, str]  # its name, and what it does, a phrase
_expected: Set[str] = set()


def say(name: str, effect: str) -> None:
    """Notes that a fix is used, and tells its effect, a phrase."""
    if name not in _expected:
        run_record.note_repair(name)
        tell(name, effect)


def tell(name: str, effect: str) -> None:
    """Tells that a fix is used; the arguments are those of `say`."""
    if messages.is_new(name):
        messages.say(f"{_placed(name)}: {effect}")


def note(name: str, effect: str) -> None:
    """Notes a fix that changes nothing, such as a name that has moved; the arguments are those of `say`."""
    run_record.note_repair(name)
    if messages.is_new(name):
        patches.note(_placed(name), effect, "--no-dropped-names")


def _placed(name: str) -> str:
    place = ownership.place_of_user_code()
    return f"{name} ({place[0]}:{place[1]})" if place else name


def expect(fixes: Iterable[Fix]) -> None:
    """Leaves fixes unsaid from now on: the program calls them itself."""
    _expected.update(name for name, _ in fixes)
