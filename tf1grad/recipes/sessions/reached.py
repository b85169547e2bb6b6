"""Follows links, such as those between the ops of a graph."""

from __future__ import annotations

from typing import Callable, Iterable, TypeVar

Node = TypeVar("Node")


def reached(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Returns `starts`, and everything that `following` gives for what is found."""
    found: set[Node] = set()
    waiting = list(starts)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(following(node))
    return found
