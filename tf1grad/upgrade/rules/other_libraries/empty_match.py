"""`re.split` splits at empty matches.

Since Python 3.7 a pattern that matches the empty string, such as `(\\W+)?`, splits a text into its
characters. Before, it split only where the match had characters. `upgrade` removes the `?` at the
end of such a pattern.
"""

import ast
import re
import warnings
from typing import Iterator

from tf1grad.programs.source.program import Program, argument
from tf1grad.programs.source.scopes import constant
from tf1grad.upgrade.edits.edit_plan import Plan

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


def findings(program: Program) -> Iterator[ast.expr]:
    for call in program.calls:
        pattern = argument(call.node, 0, "pattern") if call.name == "re.split" else None
        if pattern is not None and _matches_nothing(constant(pattern)):
            yield pattern


def rewrite(plan: Plan) -> None:
    for pattern in findings(plan.program):
        written = ast.get_source_segment(plan.text.text, pattern) or ""
        if written[-2:-1] == "?" and not _matches_nothing(constant(pattern)[:-1]):
            plan.text.replace(pattern, written[:-2] + written[-1])


def _matches_nothing(pattern: object) -> bool:
    """Returns True for a pattern that the empty string matches;
    anchors and `\\b` alone are meant to.
    """
    if not isinstance(pattern, str) or not re.search(r"[*?]", pattern):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.match(pattern, "") is not None
    except re.error:
        return False
