"""Provides `tf.contrib.training.HParams`: named hyperparameters,
each with the type of its first value.
"""

from __future__ import annotations

import json
import numbers
import re
from typing import Any, Mapping

__all__ = ["HParams", "parse_values"]

_ASSIGNMENT = re.compile(
    r"""
    (?P<name>[a-zA-Z][\w.]*) \s*=\s*
    ((?P<value>[^,\[]*) | \[(?P<list>[^\]]*)\]) ($|,\s*)""",
    re.VERBOSE,
)
_TRUTH = {"true": True, "True": True, "false": False, "False": False}


def parse_values(
    values: str, type_map: Mapping[str, type], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Reads hyperparameters from text such as "rate=0.1,sizes=[10,20]",
    and returns values and lists by name.

    `type_map` has the type of each name, for a list that of its elements. Other names are errors
    unless `ignore_unknown` is true.
    """
    results: dict[str, Any] = {}
    position = 0
    while position < len(values):
        match = _ASSIGNMENT.match(values, position)
        if not match:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        name, text, elements = match.group("name", "value", "list")
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        if name in results:
            raise ValueError(f"Multiple assignments to variable {name!r} in {values}")
        if elements is None:
            results[name] = _parsed(name, type_map[name], text, values)
        else:
            texts = filter(None, re.split("[ ,]", elements))
            results[name] = [_parsed(name, type_map[name], each, values) for each in texts]
    return results


def _parsed(name: str, kind: type, text: str, values: str) -> Any:
    try:
        if kind is bool:
            return _TRUTH[text] if text in _TRUTH else bool(int(text))
        return kind(text)
    except ValueError:
        raise ValueError(
            f"Could not parse hparam {name!r} of type {kind.__name__!r} with value {text!r} in "
            f"{values}"
        ) from None


class HParams:
    """Hyperparameters as attributes: numbers, booleans, strings or lists of them.
    Each keeps its first type.

    From `tf.contrib.training.HParams` of TensorFlow 1.15, without its protocol buffers:
    `hparam_def` must be None.
    """

    def __init__(self, hparam_def: object = None, **kwargs: object) -> None:
        if hparam_def:
            raise ValueError(
                "hparam_def: the protocol buffer of hyperparameters is gone; use parse_json(text)."
            )
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter; a ValueError where the name is taken, or the list empty."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        many = isinstance(value, (list, tuple))
        if many and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._hparam_types[name] = (type(value[0] if many else value), many)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets an existing hyperparameter; a KeyError for a new name,
        a ValueError for another type.
        """
        kind, many = self._hparam_types[name]
        if many != isinstance(value, list):
            raise ValueError(f"Must {'' if many else 'not '}pass a list for parameter: {name}")
        if many:
            setattr(self, name, [_cast(name, kind, one) for one in value])
        else:
            setattr(self, name, _cast(name, kind, value))

    def parse(self, values: str) -> HParams:
        """Sets the values in the text (see `parse_values`), and returns this object."""
        return self.override_from_dict(
            parse_values(values, {name: kind for name, (kind, _) in self._hparam_types.items()})
        )

    def parse_json(self, values_json: str) -> HParams:
        """Sets the values of the JSON object, and returns this object."""
        return self.override_from_dict(json.loads(values_json))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Sets each of the dict's values, and returns this object."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def to_json(
        self,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        """Returns the values as a JSON object; the arguments are those of `json.dumps`."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """Returns a dict from names to values."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: object = None) -> Any:
        """Returns the value of `key`, or `default` where there is none."""
        return getattr(self, key) if key in self._hparam_types else default

    def __contains__(self, key: object) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value!s}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"


def _cast(name: str, kind: type, value: object) -> Any:
    """Converts `value` to `kind`, where that loses nothing."""
    if type(value) is kind or kind is type(None):
        return value
    fits = issubclass(kind, bool) == isinstance(value, bool) and all(
        isinstance(value, family)
        for family in ((str, bytes), numbers.Integral, numbers.Number)
        if issubclass(kind, family)
    )
    if not fits:
        raise ValueError(f"Could not cast hparam {name!r} of type {kind!r} from value {value!r}")
    return kind(value)
