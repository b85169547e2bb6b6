"""Rewrites the files of a program for `tensorflow.compat.v1` and tf1grad:
the engine of `tf1grad upgrade`.
"""

from __future__ import annotations

import ast
import bisect
import contextlib
import re
import warnings
from typing import Collection, Iterator, Mapping, NamedTuple, Sequence

from tf1grad.programs._compat import is_installed
from tf1grad.programs.source import local_modules, python2_programs
from tf1grad.programs.source.files import Source
from tf1grad.programs.source.program import KnownNames, Program
from tf1grad.programs.source.programs import Programs
from tf1grad.upgrade import rules
from tf1grad.upgrade.edits import added_lines, one_line
from tf1grad.upgrade.edits.edit_plan import LEGACY, Plan
from tf1grad.upgrade.edits.import_statements import rewrite_statements, write_statements
from tf1grad.upgrade.edits.startup_calls import plan_calls
from tf1grad.upgrade.edits.text import Text
from tf1grad.upgrade.rewriting import followed_imports, program_kinds
from tf1grad.upgrade.rewriting.program_kinds import ProcessDecision
from tf1grad.upgrade.rules import Finding, engine

COMMENT = re.compile(r"(?:^|(?<=[\r\n]))[ \t\f]*# tf1grad: TFG\d{3} [^\r\n]*(?:\r\n|\r|\n|$)")


class UpgradeResult(NamedTuple):
    """The result of an upgrade."""

    texts: dict[str, str]  # by path; a file that failed keeps its own
    left: list[Finding]
    outside: list[str]  # the paths that only an entry-point file outside can switch to graphs
    failed: list[Finding]
    kinds: list[ProcessDecision]
    on_1_15: set[str]  # the paths of files that have TensorFlow 1.15


def upgrade(programs: Sequence[Program], installed: KnownNames | None = None) -> UpgradeResult:
    """Returns the new texts of programs that belong together,
    and the findings that are left in them.

    It has one pass: all changes are planned on the old texts and applied once, and the result is
    checked once.
    """
    texts = {program.source.path: program.source.original for program in programs}
    failed = list(_unread_cells(programs))
    together = Programs(
        local_modules.share_meanings(
            python2_programs.translate_programs(list(map(_without_comments, programs)))
        ),
        installed or KnownNames(),
        needs_1_15=program_kinds.needs_1_15,
    )
    is_python_2 = any(map(python2_programs.is_python_2, together.files))
    if not together.tf1 and not together.compat and not is_python_2:
        return UpgradeResult(texts, left=[], outside=[], failed=failed, kinds=[], on_1_15=set())
    on_1_15 = {program.source.path for program in together.on_1_15}
    plans: list[Plan] = []
    for program in together.files:
        with _collecting_failures(program, failed):
            plans.append(_plan_changes(program))
    outside = plan_calls(
        [plan for plan in plans if plan.belongs_to_tf1 and not plan.program.is_on_1_15]
    )
    new: dict[Program, Plan] = {}
    for plan in sorted(plans, key=lambda plan: not plan.belongs_to_tf1):
        with _collecting_failures(plan.program, failed):
            new[_rewrite(plan)] = plan
    commented, left = _comment_findings(new, on_1_15, together.installed, failed)
    kinds = program_kinds.kinds_of(together)
    return UpgradeResult({**texts, **commented}, left, outside, failed, kinds, on_1_15)


def _unread_cells(programs: Sequence[Program]) -> Iterator[Finding]:
    for program in programs:
        alone = Programs([program], KnownNames())
        for finding in engine.findings_in_texts(alone, rules.find_rules("TFG001")):
            yield engine.in_cell(finding, program.source)


@contextlib.contextmanager
def _collecting_failures(program: Program, failed: list[Finding]) -> Iterator[None]:
    """Turns an exception about one file into a finding,
    so that the other files are still rewritten.

    What looks at all files together stands outside: there an exception ends the command, before
    anything is written.
    """
    try:
        yield
    except Exception as error:
        message = f"It could not be rewritten ({type(error).__name__}: {error})."
        failed.append(rules.file_finding("TFG001", program.source.path, message))


def _plan_changes(program: Program) -> Plan:
    """Plans the changes to a file; only what other libraries need if it is
    written for TensorFlow 2.
    """
    plan = Plan(program)
    for rule, rewrite in rules.having("rewrite"):
        if rule.concerns(program) and (plan.belongs_to_tf1 or _is_of_others(rule)):
            rewrite(plan)
    if program.is_on_1_15:
        one_line.write_line(plan)
    (rewrite_statements if plan.belongs_to_tf1 else write_statements)(plan)
    if plan.belongs_to_tf1 and not program.is_on_1_15 and plan.needs_legacy():
        plan.import_first(LEGACY)
    return plan


def _is_of_others(rule: rules.Rule) -> bool:
    """Returns True for a rule about other libraries:
    the only ones that change a file for TensorFlow 2.
    """
    return rule.id.startswith("TFG4")


def _rewrite(plan: Plan) -> Program:
    """Returns the file with its new text, which is compiled."""
    source = plan.program.source
    shown = plan.program.shown._replace(repairs={})  # they name old lines
    program = Program(source.with_text(added_lines.add_lines(plan)), shown)
    if program.source.python2 is not None:
        raise program.source.python2  # the text that was written is not Python 3
    _compile(program.source)
    return program


def _compile(source: Source) -> None:
    """Raises SyntaxError for text that Python can parse, but not compile;
    a cell of a notebook may `await`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if source.notebook else 0
        compile(source.text, source.path, "exec", flags, dont_inherit=True)


def _comment_findings(
    new: Mapping[Program, Plan],
    on_1_15: Collection[str],
    installed: KnownNames,
    failed: list[Finding],
) -> tuple[dict[str, str], list[Finding]]:
    """Returns the new texts, by path, with comments, and the findings that these name,
    and those of files not given.
    """
    together = Programs(list(new), installed, True, lambda file: file.source.path in on_1_15)
    reported = [rule for rule in rules.all_rules() if rule.is_reported_by_upgrade]
    texts: dict[str, str] = {}
    left: list[Finding] = []
    for program, findings in engine.found_in_texts(together, reported):
        plan = new[program]
        told = [each for each in findings if plan.belongs_to_tf1 or _is_of_others(each.rule)]
        told = [each for each in told if not _is_mended_by_tf_keras(each)]
        source = plan.program.source
        with _collecting_failures(program, failed):
            code, moved = _with_comments(program, told)
            commented = source.with_text(code)
            texts[source.path] = source.written(code)
            left.extend(engine.in_cell(finding, commented) for finding in moved)
    return texts, [*left, *followed_imports.findings(list(new))]


def _is_mended_by_tf_keras(finding: Finding) -> bool:
    """Says whether nothing is left to write: tf_keras is not installed,
    and the finding's name is there with it.
    """
    is_moved = finding.rule.id == "TFG101"  # it is not written yet
    return finding.requirement == "tf_keras" and not is_installed("tf_keras") and not is_moved


def _without_comments(program: Program) -> Program:
    """Returns the program without the comments of an earlier upgrade."""
    text = COMMENT.sub("", program.source.text)
    if text == program.source.text:
        return program
    return Program(program.source.with_text(text), program.shown)


def _with_comments(program: Program, findings: Sequence[Finding]) -> tuple[str, list[Finding]]:
    """Returns a program's text with a comment above each finding's statement,
    and the findings at their new lines.
    """
    text = Text(program)
    added = [
        text.comment_above(finding.line, f"# tf1grad: {finding.rule.id} {finding.message}")
        for finding in findings
    ]
    lines = sorted(line for line in added if line is not None)
    moved = [
        finding._replace(line=finding.line + bisect.bisect(lines, finding.line))
        for finding in findings
    ]
    return text.changed(), moved
