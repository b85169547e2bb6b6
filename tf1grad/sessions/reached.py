"""Follows links, such as those between the ops of a graph."""

from typing import Callable, Iterable, Set, TypeVar

Node = TypeVar("Node")


def reached(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> Set[Node]:
    """Returns `starts`, and everything that `following` gives for what is found."""
    found: Set[Node] = set()
    waiting = list(starts)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(following(node))
    return found
