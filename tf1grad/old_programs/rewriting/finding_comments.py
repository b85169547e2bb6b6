"""Writes the comments `# tf1grad: TFG...` above the findings that are left to do."""

import re
from typing import List, Sequence, Tuple

from tf1grad.old_programs.rules import Finding
from tf1grad.old_programs.source.edits import Text
from tf1grad.old_programs.source.program import Program

# All comments but those that only a recorded run shows: the user removes them.
COMMENT = re.compile(r"(?:^|(?<=[\r\n]))[ \t\f]*# tf1grad: TFG(?!407)\d{3} [^\r\n]*(?:\r\n|\r|\n|$)")


def without_comments(text: str) -> str:
    """Returns the text without the comments of an earlier upgrade."""
    return COMMENT.sub("", text) if "# tf1grad: TFG" in text else text


def with_comments(program: Program, findings: Sequence[Finding]) -> Tuple[str, List[Finding]]:
    """Returns a program's text with a comment above each finding's statement, and the findings at their new lines."""
    text = Text(program)
    added = [text.comment_above(finding.line, f"# tf1grad: {finding.rule.id} {finding.message}")
             for finding in findings]
    moved = [finding._replace(line=finding.line + sum(line is not None and line <= finding.line for line in added))
             for finding in findings]
    return text.changed(), moved
