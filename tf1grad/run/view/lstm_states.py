"""Says at an error over the state of an LSTM which calls of the program to change.

Before TensorFlow 0.11 the state was one tensor: `BasicLSTMCell`, `LSTMCell` and `MultiRNNCell` had
`state_is_tuple=False`. Programs of that time have no other sign, so that `run` cannot decide for
them.
"""

from __future__ import annotations

import ast
import re
import sys
from typing import Iterator

from tf1grad.programs.process import ownership
from tf1grad.programs.source import python2_syntax, scopes

ADVICE = (
    "the state of an LSTM is a tuple since TensorFlow 0.11. If the program is older, write `state_is_tuple=False` into "
    "the calls at {}"
)
_CELLS = ("BasicLSTMCell", "LSTMCell", "MultiRNNCell")
# What such programs do with the state: evaluate, feed, slice and make it, and ask for its size.
_SIGNS = re.compile(
    r"'(tuple|LSTMStateTuple)' object has no attribute '(dtype|eval|get_shape|name|op|set_shape|shape)'"
    r"|Expected state to be a tuple of length"
    r"|Could not flatten dictionary\. Key had"
    r"|'tuple' object cannot be interpreted as an integer"
    r"|tuple indices must be integers or slices, not tuple"
    r"|LSTMStateTuple"
    r"|attempting to use Python control flow in a layer"
)


def advise(error: BaseException) -> str | None:
    """Returns a sentence that names the calls,
    where an error may come from such a state; else None.
    """
    if not _SIGNS.search(str(error)):
        return None
    places = ", ".join(_calls())
    return ADVICE.format(places) if places else None


def _calls() -> Iterator[str]:
    """Yields the places in the program that make a cell without `state_is_tuple`."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    for file in sorted(filter(None, files)):
        if file.endswith(".py") and ownership.is_users_file(file):
            for line in _lines(file):
                yield f"{file}:{line}"


def _lines(file: str) -> list[int]:
    try:
        with open(file, "rb") as opened:
            tree = _tree(opened.read(), file)
    except (OSError, SyntaxError, ValueError):
        return []
    return sorted(
        {
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and (scopes.dotted(node.func) or "").rpartition(".")[2] in _CELLS
            and not any(keyword.arg in ("state_is_tuple", None) for keyword in node.keywords)
        }
    )


def _tree(source: bytes, file: str) -> ast.AST:
    try:
        return python2_syntax.parse_with_old_names(source, file)
    except SyntaxError:
        return python2_syntax.parse_python2(source, file) or ast.Module(body=[], type_ignores=[])
