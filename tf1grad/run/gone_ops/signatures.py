"""Reads the signatures of the ops without a kernel in TensorFlow 2 from
`gone_ops.txt`, as 1.15.5 had them.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
from typing import Any, Mapping, NamedTuple, Sequence


class OpArgument(NamedTuple):
    """Describes an input or output.

    `dtype` names a dtype, or the attribute that holds it or a list of them; `number` the attribute
    that holds the number of tensors, "" for one tensor.
    """

    name: str
    dtype: str
    number: str


class Attribute(NamedTuple):
    """Describes an attribute: its name, its type in an OpDef,
    and its usual value (None where it has none).
    """

    name: str
    kind: str
    default: Any


class OpSignature(NamedTuple):
    """Describes an op: its name, the library that had it, its inputs, outputs and attributes."""

    op: str
    library: str
    inputs: list[OpArgument]
    outputs: list[OpArgument]
    attributes: list[Attribute]

    def flat(
        self, arguments: list[OpArgument], attributes: Mapping[str, Any]
    ) -> list[tuple[str, Any]]:
        """Returns name and dtype of each tensor of `inputs` or `outputs`;
        a dtype without an attribute is a text.
        """
        tensors: list[tuple[str, Any]] = []
        for argument in arguments:
            dtypes = attributes.get(argument.dtype, argument.dtype)
            if argument.number:
                dtypes = [dtypes] * attributes[argument.number]
            if isinstance(dtypes, list):
                tensors += [
                    (f"{argument.name}_{number}", dtype) for number, dtype in enumerate(dtypes)
                ]
            else:
                tensors.append((argument.name, dtypes))
        return tensors

    def nested(
        self, arguments: list[OpArgument], tensors: Sequence[Any], attributes: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Returns the single tensors of `inputs` or `outputs` by name, lists as lists."""
        left = iter(tensors)
        found: dict[str, Any] = {}
        for argument in arguments:
            count = len(self.flat([argument], attributes))
            is_list = argument.number or isinstance(attributes.get(argument.dtype), list)
            found[argument.name] = list(itertools.islice(left, count)) if is_list else next(left)
        return found


@functools.lru_cache(maxsize=None)
def signatures() -> dict[str, OpSignature]:
    """Returns the signatures by op."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gone_ops.txt")
    with open(path, encoding="utf-8") as file:
        return {signature.op: signature for signature in map(_signature, file)}


def _signature(line: str) -> OpSignature:
    op, library, inputs, outputs, attributes = json.loads(line)
    return OpSignature(
        op,
        library,
        [_argument(*each) for each in inputs],
        [_argument(*each) for each in outputs],
        [Attribute(*each) for each in attributes],
    )


def _argument(name: str, text: str) -> OpArgument:
    dtype, _, count = text.rstrip("&").partition("*")
    return OpArgument(name, dtype, count)
