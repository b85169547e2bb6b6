"""Writes the comments `# tf1grad: TFG...` above the findings that are left to do."""

import ast
import re
from typing import Dict, List, Sequence, Tuple

from tf1grad.old_programs.rules import Finding
from tf1grad.old_programs.source.edits import Text, comments_above, first_line
from tf1grad.old_programs.source.program import Placed, Program

# All comments but those that only a recorded run shows: the user removes them.
COMMENT = re.compile(r"(?:^|(?<=[\r\n]))[ \t\f]*# tf1grad: TFG(?!407)\d{3} [^\r\n]*(?:\r\n|\r|\n|$)")


def without_comments(text: str) -> str:
    """Returns the text without the comments of an earlier upgrade."""
    return COMMENT.sub("", text) if "# tf1grad: TFG" in text else text


def with_comments(program: Program, findings: Sequence[Tuple[Finding, Placed]]) -> Tuple[str, List[Finding]]:
    """Returns a program's text with a comment above each finding's statement, and the findings at their new lines."""
    text, lines = Text(program), program.source.lines
    comments: Dict[int, List[str]] = {}
    for finding, node in findings:
        line = _first_line(program, finding, node, lines)
        comment = f"# tf1grad: {finding.rule.id} {finding.message}"
        if comment not in comments.setdefault(line, []) and comment not in comments_above(lines, line):
            comments[line].append(comment)
            text.write_above(line + 1, comment)
    moved = [finding._replace(line=finding.line + sum(len(comments[line]) for line in comments if line < finding.line))
             for finding, _ in findings]
    return text.changed(), moved


def _first_line(program: Program, finding: Finding, node: Placed, lines: Sequence[str]) -> int:
    """Returns the line, from 0, of the innermost statement around a node that begins a line."""
    for outer in [] if isinstance(node, SyntaxError) else [node, *program.above(node)]:
        if isinstance(outer, ast.stmt):
            line = first_line(outer) - 1
            if not lines[line][:outer.col_offset].strip():
                return line
    return finding.line - 1
