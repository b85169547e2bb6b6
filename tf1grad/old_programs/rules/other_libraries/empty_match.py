"""`re.split` splits at empty matches.

Since Python 3.7 a pattern that matches the empty string, such as `(\\W+)?`, splits a text into its characters. Before,
it split only where the match had characters. `upgrade` writes a pattern that needs a character.
"""

import ast
import re
import warnings
from typing import Iterator, Optional, Tuple

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.source.program import Call, Program, argument
from tf1grad.old_programs.source.scopes import constant

ID = "TFG405"
SEVERITY = "error"
SUMMARY = (
    "The pattern matches the empty string, and so splits between all characters since Python 3.7."
)
REMEDY = "Write a pattern that needs a character, such as (\\W+) in the place of (\\W+)?."
EXAMPLE = r"""
  import re

- words = re.split(r"(\W+)?", "Where is Mary?")
+ words = re.split(r"(\W+)", "Where is Mary?")
"""


def findings(program: Program) -> Findings:
    return [pattern for _, pattern in _patterns(program)]


def rewrite(plan: Plan) -> None:
    """Writes a pattern without its last `?`, or with `+` for `*`, if it needs a character then."""
    for call, pattern in _patterns(plan.program):
        new = _needing_a_character(str(constant(pattern)))
        if new is not None and call.node.args and call.node.args[0] is pattern:
            plan.text.replace(pattern, "r" + repr(new).replace("\\\\", "\\"))


def _patterns(program: Program) -> Iterator[Tuple[Call, ast.expr]]:
    for call in program.calls:
        pattern = argument(call.node, 0, "pattern") if call.name == "re.split" else None
        if pattern is not None and _matches_nothing(constant(pattern)):
            yield call, pattern


def _matches_nothing(pattern: object) -> bool:
    """Returns True for a pattern that the empty string matches; anchors and `\\b` alone are meant to."""
    if not isinstance(pattern, str) or not re.search(r"[*?]", pattern):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.match(pattern, "") is not None
    except re.error:
        return False


def _needing_a_character(pattern: str) -> Optional[str]:
    new = pattern[:-1] + ("" if pattern.endswith("?") else "+")
    is_simple = pattern.endswith(("?", "*")) and not {'"', "'"} & set(new)
    return new if is_simple and not _matches_nothing(new) else None
