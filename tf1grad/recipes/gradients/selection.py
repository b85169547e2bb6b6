"""Selects variables by reference, exact name, scope, compiled pattern or function."""

from __future__ import annotations

import difflib
import re
from typing import Any, Callable, Iterable, Sequence

from tf1grad._arguments import describe
from tf1grad._compat import is_variable, tf, variable_key


def select(selectors: object, variables: Sequence[tf.Variable], caller: str) -> list[tf.Variable]:
    """Returns the variables that at least one selector names, in the order of `variables`.

    Args:
        selectors: one selector, or a list of them. A variable selects itself. A string is a
            variable's exact name ("dense/kernel") or a scope ("dense" or "dense/"), whole up to a
            slash and literal: "D" selects `D/w`, never `Dense/w`. A pattern (`re.compile`) selects
            the names in which it is found. A function of a variable selects those for which it
            returns True. One that selects nothing is an error.
    """
    if not isinstance(selectors, (list, tuple)):
        selectors = [selectors]
    chosen: set[Any] = set()
    for selector in selectors:
        matches = [variable for variable in variables if _matcher(selector, caller)(variable)]
        if not matches:
            raise ValueError(
                f"{caller}: {describe(selector)} matches none of the variables. "
                f"{_suggestion(selector, [variable_name(variable) for variable in variables])}"
            )
        chosen.update(variable_key(variable) for variable in matches)
    return [variable for variable in variables if variable_key(variable) in chosen]


def items_of(given: Any, caller: str, argument: str) -> Sequence[tuple[Any, Any]]:
    """Returns the (selector, value) pairs of the dict or list `given`."""
    items = given.items() if isinstance(given, dict) else given
    try:
        pairs = [(selector, value) for selector, value in items]
    except (TypeError, ValueError):
        pairs = []
    if not pairs:
        raise TypeError(
            f'{caller}: {argument} must be a dict such as {{"encoder": 0.1}}, or a list of (selector, '
            f"value) pairs, and not empty; got {describe(given)}."
        )
    return pairs


def value_of_each(
    items: Iterable[tuple[Any, Any]], variables: Sequence[tf.Variable], caller: str
) -> dict[Any, Any]:
    """Returns a dict from the `variable_key` of each variable that a selector names
    to that selector's value.

    `items` are pairs of a selector, or a tuple of them, and a value. No two may select the same
    variable.
    """
    values: dict[Any, Any] = {}
    for selector, value in items:
        for variable in select(selector, variables, caller):
            if variable_key(variable) in values:
                raise ValueError(
                    f"{caller}: {variable.name} is selected twice, the second time by "
                    f"{describe(selector)}. Make the selectors exclusive."
                )
            values[variable_key(variable)] = value
    return values


def variable_name(variable: tf.Variable) -> str:
    """Returns the name of `variable` without the ":0"."""
    return str(variable.name).rsplit(":", 1)[0]


def _matcher(selector: object, caller: str) -> Callable[[tf.Variable], bool]:
    if is_variable(selector):
        return lambda variable: variable_key(variable) == variable_key(selector)
    if isinstance(selector, str):
        return _name_matcher(selector, caller)
    if isinstance(selector, type(re.compile(""))):
        return lambda variable: selector.search(variable_name(variable)) is not None
    if callable(selector):
        return lambda variable: bool(selector(variable))
    raise TypeError(
        f"{caller}: variables are selected by variable, name, scope, compiled pattern or function; got "
        f"{describe(selector)}."
    )


def _name_matcher(selector: str, caller: str) -> Callable[[tf.Variable], bool]:
    name = re.sub(r":\d+$", "", selector).rstrip("/")
    if not name:
        raise ValueError(
            f"{caller}: the scope {selector!r} would select every variable. To mean all of them, pass "
            "tf.trainable_variables()."
        )
    only_scope = selector.endswith("/")
    return lambda variable: (
        variable_name(variable).startswith(name + "/")
        or (variable_name(variable) == name and not only_scope)
    )


def _suggestion(selector: object, names: Sequence[str]) -> str:
    if not names:
        return "This graph has no variables yet: build the model first, in this graph."
    scopes = {name[: slash.start()] for name in names for slash in re.finditer("/", name)}
    near = difflib.get_close_matches(str(selector), sorted(scopes | set(names)), n=10, cutoff=0.4)
    return (
        f"Near names: {_listed(near or names)}. A string is a literal name or scope; a pattern is "
        "re.compile(...)."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (f", and {len(names) - 10} more" if len(names) > 10 else "")
