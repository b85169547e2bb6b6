"""Reads files and collects what the rules find in them: the engine of `tf1grad check`."""

from __future__ import annotations

import ast
import re
import sys
from typing import Callable, Container, Iterable, Iterator, Sequence

from tf1grad.programs.names import provisions
from tf1grad.programs.source import entry_points, files, local_modules, python2_programs
from tf1grad.programs.source.files import Source
from tf1grad.programs.source.name_resolution import Use
from tf1grad.programs.source.program import NOTHING_SHOWN, KnownNames, Placed, Program, Shown
from tf1grad.programs.source.programs import Programs
from tf1grad.programs.source.scopes import canonical, constant
from tf1grad.upgrade import rules
from tf1grad.upgrade.edits.remedies import NameUse
from tf1grad.upgrade.rules import Finding, Rule, file_finding

RECURSION_LIMIT = 5000  # for sums of hundreds of terms, and chains of `elif`
SUPPRESSED = re.compile(r"#\s*tf1grad:\s*ignore(?:\s*\[([^\]]*)\])?")


def read_programs(
    paths: Iterable[str], shown: Callable[[str], Shown] = lambda path: NOTHING_SHOWN
) -> tuple[list[Program], list[Finding]]:
    """Returns the `Program`s at the paths, with what a recorded run has `shown`,
    and findings for unreadable files.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    programs: list[Program] = []
    found: list[Finding] = []
    for path in paths:
        try:
            programs.append(Program(files.read(path), shown(path)))
        except files.SourceError as error:
            found.append(file_finding("TFG001", path, _sentence(error), line=error.line))
        except RecursionError:
            found.append(file_finding("TFG001", path, "It is nested too deeply to be read."))
    return local_modules.share_meanings(python2_programs.translate_programs(programs)), found


def findings(
    programs: Sequence[Program], installed: KnownNames, tf1: bool | None = None
) -> list[Finding]:
    """Returns all findings in programs that belong together, except those that a comment silences.

    If `tf1` is None, the names that the programs use decide whether they are for TensorFlow 1.
    """
    return findings_in(Programs(programs, installed, tf1))


def findings_in(programs: Programs) -> list[Finding]:
    """Returns all `findings` in files that are put together already."""
    return [finding for found in findings_by_file(programs) for finding in found]


def findings_by_file(programs: Programs) -> Iterator[list[Finding]]:
    """Yields the `findings` of one file after the other, in the order of the files."""
    for program, found in found_in_texts(programs, None):
        yield [in_cell(finding, program.source) for finding in found]


def in_cell(finding: Finding, source: Source) -> Finding:
    """Returns a finding with its line in the file,
    or its cell in a notebook and the line in that cell.
    """
    cell, line = source.place(finding.line)
    return finding._replace(cell=cell, line=line)


def findings_in_texts(programs: Programs, only: Container[Rule] | None = None) -> list[Finding]:
    """Returns all `findings` by their lines of the text, also for notebooks;
    `only` restricts them to some rules.
    """
    return [finding for _, found in found_in_texts(programs, only) for finding in found]


def found_in_texts(
    programs: Programs, only: Container[Rule] | None
) -> Iterator[tuple[Program, list[Finding]]]:
    """Yields each file with its findings by their lines of the text, as soon as they are found."""
    across: dict[str, list[Finding]] = {}
    for rule, find_across in rules.having("findings_across", only):
        for program, node in find_across(programs.files):
            if rule.concerns(program):
                found = across.setdefault(program.source.path, [])
                found.append(_finding(program, rule, node))
    for program in programs.files:
        everything = [*_found_in(program, only), *across.get(program.source.path, ())]
        yield program, [each for each in everything if not _is_silenced(program, each)]


def _found_in(program: Program, only: Container[Rule] | None) -> Iterator[Finding]:
    yield from _judged(program, only)
    for rule, find in rules.having("findings", only):
        for found in find(program) if rule.concerns(program) else ():
            parts = found if isinstance(found, tuple) else (found,)
            yield _finding(program, rule, *parts)


def _judged(program: Program, only: Container[Rule] | None) -> Iterable[Finding]:
    """Returns the findings about names, by the first judge that rejects a name,
    once for each place.
    """
    judges = [pair for pair in rules.having("judge", only) if pair[0].concerns(program)]
    found: dict[tuple[int, int, str], Finding] = {}
    for use in name_uses(program):
        for rule, judge in judges:
            verdict = judge(use)
            if verdict is not None:
                place = use.node.lineno, use.node.col_offset, verdict[0]
                found.setdefault(place, _finding(program, rule, use.node, *verdict))
                break
    return found.values()


def name_uses(program: Program) -> Iterator[NameUse]:
    """Yields every dotted name that a program imports or uses."""
    for node, _ in program.names.imports:
        for name in entry_points.imported_names(node):
            yield NameUse(program, node, canonical(name.replace(".*", "")))
    for use in program.names.uses:
        if use.name and not _is_module_alias(program, use):
            yield NameUse(program, use.node, use.name)
    for call in program.calls_of("import_module") + program.calls_of("__import__"):
        module = constant(call.node.args[0]) if call.node.args else None
        if call.name in ("importlib.import_module", None) and isinstance(module, str):
            yield NameUse(program, call.node, canonical(module))


def _is_module_alias(program: Program, use: Use) -> bool:
    """Returns True for `tf.contrib.slim` in `slim = tf.contrib.slim`,
    since each use of `slim` is judged.
    """
    parent = program.parents[use.node]
    return (
        isinstance(parent, ast.Assign)
        and parent.value is use.node
        and provisions.is_module(use.name)
        and isinstance(parent.targets[0], ast.Name)
    )


def _finding(
    program: Program,
    rule: Rule,
    node: Placed,
    message: str | None = None,
    remedy: str | None = None,
    requirement: str | None = None,
) -> Finding:
    return Finding(
        rule,
        program.source.path,
        program.source.text_line(node) if isinstance(node, SyntaxError) else node.lineno,
        program.column(node),
        message or rule.summary,
        remedy or rule.remedy,
        requirement=requirement,
    )


def _is_silenced(program: Program, finding: Finding) -> bool:
    lines = program.source.lines
    match = SUPPRESSED.search(lines[finding.line - 1]) if finding.line <= len(lines) else None
    return match is not None and (
        match.group(1) is None or finding.rule.id in re.split(r"[\s,]+", match.group(1))
    )


def _sentence(error: Exception) -> str:
    message = str(error)
    return message[0].upper() + message[1:] + ("" if message.endswith((".", "`")) else ".")
