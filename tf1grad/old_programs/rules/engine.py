"""Reads files and collects what the rules find in them: the engine of `tf1grad check`."""

import re
import sys
from typing import Any, Callable, Container, Iterable, Iterator, List, Optional, Sequence, Tuple

from tf1grad.old_programs import rules
from tf1grad.old_programs.rules import Finding, Rule, name_uses
from tf1grad.old_programs.source import entry_points, files, local_modules, python2_programs
from tf1grad.old_programs.source.files import Source
from tf1grad.old_programs.source.notebooks import cell_and_line
from tf1grad.old_programs.source.program import NOTHING_SHOWN, KnownNames, Placed, Program, Shown

RECURSION_LIMIT = 5000  # for sums of hundreds of terms, and chains of `elif`
SUPPRESSED = re.compile(r"#\s*tf1grad:\s*ignore(?:\s*\[([^\]]*)\])?")


def read_programs(paths: Iterable[str], shown: Callable[[str], Shown] = lambda path: NOTHING_SHOWN) -> \
        Tuple[List[Program], List[Finding]]:
    """Returns the `Program`s at the paths, with what a recorded run has `shown`, and findings for unreadable files."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    programs: List[Program] = []
    found: List[Finding] = []
    for path in paths:
        try:
            programs.append(Program(files.read(path), shown(path)))
        except files.SourceError as error:
            found.append(unreadable(path, error.line, _sentence(error)))
        except RecursionError:
            found.append(unreadable(path, 1, "It is nested too deeply to be read."))
    return local_modules.shared(programs), found


def unreadable(path: str, line: int, message: str) -> Finding:
    """Returns the finding for a file that cannot be read or rewritten."""
    rule = next(rule for rule in rules.all_rules() if rule.id == "TFG001")
    return Finding(rule, path, line, 1, message, rule.remedy, None)


def findings(programs: Sequence[Program], installed: KnownNames, tf1: Optional[bool] = None) -> List[Finding]:
    """Returns all findings in programs that belong together, except those that a comment silences.

    If `tf1` is None, the names that the programs use decide whether they are for TensorFlow 1.
    """
    found = [finding for finding, _ in findings_with_nodes(programs, installed, tf1)]
    return [in_cell(finding, program.source) for program in programs for finding in found
            if finding.path == program.source.path]


def in_cell(finding: Finding, source: Source) -> Finding:
    """Returns a finding in a notebook with its cell and the line in that cell; any other finding unchanged."""
    if source.notebook is None:
        return finding
    cell, line = cell_and_line(source.lines, finding.line)
    return finding._replace(cell=cell, line=line)


def findings_with_nodes(programs: Sequence[Program], installed: KnownNames, tf1: Optional[bool] = None,
                        only: Optional[Container[Rule]] = None) -> List[Tuple[Finding, Placed]]:
    """Returns (finding, node) for all `findings`; `only` restricts them to some rules, None means all."""
    if tf1 is None:
        tf1 = any(entry_points.is_tf1(program) for program in programs)
    found: List[Tuple[Program, Rule, Tuple[Any, ...]]] = []
    python2_programs.mark(programs)
    for program in programs:
        program.installed, program.is_compat = installed, entry_points.is_compat(program)
        program.is_tf1 = tf1 and entry_points.belongs_to_tf1(program)
        found += [(program, rule, each) for rule, each in _found_in(program, only)]
    found += [(program, rule, (node,)) for rule, find_across in _rules_with("findings_across", only)
              for program, node in find_across(programs)]
    pairs = [(program, _finding(program, rule, *each), each[0]) for program, rule, each in found]
    return [(finding, node) for program, finding, node in pairs if not _is_silenced(program, finding)]


def _found_in(program: Program, only: Optional[Container[Rule]]) -> Iterator[Tuple[Rule, Tuple[Any, ...]]]:
    """Yields each finding in one file as (rule, (node,)), with the message and the remedy after the node if given."""
    yield from name_uses.judged(program, _rules_with("judge", only))
    for rule, find in _rules_with("findings", only):
        for found in find(program):
            yield rule, found if isinstance(found, tuple) else (found,)


def _rules_with(function: str, only: Optional[Container[Rule]]) -> List[Tuple[Rule, Callable[..., Any]]]:
    return [(rule, found) for rule, found in rules.having(function) if only is None or rule in only]


def _finding(program: Program, rule: Rule, node: Placed, message: Optional[str] = None,
             remedy: Optional[str] = None, requirement: Optional[str] = None) -> Finding:
    return Finding(rule, program.source.path, node.lineno or 1, program.column(node), message or rule.summary,
                   remedy or rule.remedy, None, requirement)


def _is_silenced(program: Program, finding: Finding) -> bool:
    lines = program.source.lines
    match = SUPPRESSED.search(lines[finding.line - 1]) if finding.line <= len(lines) else None
    return match is not None and (match.group(1) is None or finding.rule.id in re.split(r"[\s,]+", match.group(1)))


def _sentence(error: Exception) -> str:
    message = str(error)
    return message[0].upper() + message[1:] + ("" if message.endswith((".", "`")) else ".")
