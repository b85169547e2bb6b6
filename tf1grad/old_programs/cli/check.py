"""`tf1grad check`: what in TensorFlow 1 programs needs attention, told from their text alone."""

import argparse
import re
import sys
from typing import Any, Callable, Container, Iterable, Iterator, List, Optional, Sequence, Tuple

from tf1grad.old_programs import rules
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli import report_formats
from tf1grad.old_programs.rules import SEVERITIES, Finding, Rule, name_uses, rule_help
from tf1grad.old_programs.rules.installed_packages import Installed
from tf1grad.old_programs.source import entry_points, files
from tf1grad.old_programs.source.deep_trees import deeply
from tf1grad.old_programs.source.files import Source
from tf1grad.old_programs.source.notebooks import place
from tf1grad.old_programs.source.program import Placed, Program

SUPPRESSED = re.compile(r"#\s*tf1grad:\s*ignore(?:\s*\[([^\]]*)\])?")
EPILOG = """\
Nothing is executed and none of the files is imported; the installed TensorFlow is, once, to ask it for names.
A comment `# tf1grad: ignore` or `# tf1grad: ignore[TFG204]` silences its line.

severities:
  error    the program does not run on TensorFlow 2
  warning  it runs, and may do something else than it says
  note     nothing is wrong; tf1grad has a call for it

exit code: 0 nothing to report, 1 findings, 2 wrong usage (no such file, a folder without Python files)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a Python file, a notebook, or a folder of them")
    parser.add_argument("--format", choices=list(report_formats.FORMATS), default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", help="write the report to FILE instead of standard output")
    parser.add_argument("--severity", choices=SEVERITIES, default="note", help="the least to report (default: note)")
    parser.add_argument("--ignore", metavar="IDS", type=_rules, default=(), help="rules to leave out: TFG204,TFG205")
    parser.add_argument("--list-rules", action="store_true", help="list all rules, and end")
    parser.add_argument("--explain", metavar="IDS", type=_rules, help="explain rules, and end: TFG303")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 also when there are findings")
    parser.add_argument("--no-tensorflow", action="store_true", help="do not import the installed TensorFlow")


def main(arguments: argparse.Namespace) -> int:
    """Reports on the paths; returns 1 when there is anything to report, 2 when the report cannot be written."""
    return deeply(_report, arguments)


def _report(arguments: argparse.Namespace) -> int:
    if arguments.list_rules or arguments.explain:
        pages = [rule_help.listed()] if arguments.list_rules else map(rule_help.text, arguments.explain)
        sys.stdout.write("\n\n".join(pages))
        return 0
    if not arguments.paths:
        raise UsageError("which files? Name a Python file, or a folder")
    paths = files.find(arguments.paths)
    installed = Installed(ask=not arguments.no_tensorflow)
    programs, found = read(paths)
    found += findings(programs, installed)
    severities = SEVERITIES[:SEVERITIES.index(arguments.severity) + 1]
    found = [finding for finding in found
             if finding.rule.severity in severities and finding.rule not in arguments.ignore]
    order = {path: index for index, path in enumerate(paths)}
    found.sort(key=lambda finding: (order[finding.path], finding.cell or 0, finding.line, finding.column,
                                    finding.rule.id))
    written = report_formats.FORMATS[arguments.format](found, len(paths), installed)
    if not _write(written + "\n", arguments.output):
        return 2
    return 1 if found and not arguments.exit_zero else 0


def read(paths: Iterable[str]) -> Tuple[List[Program], List[Finding]]:
    """The `Program`s at the paths, and a finding for each file that is none."""
    programs: List[Program] = []
    found: List[Finding] = []
    for path in paths:
        try:
            programs.append(Program(files.read(path)))
        except files.SourceError as error:
            found.append(unread(path, error.line, _sentence(error)))
        except RecursionError:
            found.append(unread(path, 1, "It is nested too deeply to be read."))
    return programs, found


def unread(path: str, line: int, message: str) -> Finding:
    """The finding that a file could not be read, or not be rewritten."""
    rule = next(rule for rule in rules.all() if rule.id == "TFG001")
    return Finding(rule, path, line, 1, message, rule.remedy, None)


def findings(programs: Sequence[Program], installed: Installed, tf1: Optional[bool] = None) -> List[Finding]:
    """All findings in programs that belong together, the silenced ones left out.

    Args:
        programs: the `Program`s.
        installed: an `Installed`.
        tf1: True when they are known to be TensorFlow 1; None to tell it from their names.
    """
    found = [finding for finding, _ in located(programs, installed, tf1)]
    return [placed(finding, program.source) for program in programs for finding in found
            if finding.path == program.source.path]


def placed(finding: Finding, source: Source) -> Finding:
    """A finding in the code of a notebook, as one in its cell; any other as it is."""
    if source.notebook is None:
        return finding
    cell, line = place(source.lines, finding.line)
    return finding._replace(cell=cell, line=line)


def located(programs: Sequence[Program], installed: Installed, tf1: Optional[bool] = None,
            only: Optional[Container[str]] = None) -> List[Tuple[Finding, Placed]]:
    """(finding, node) of all `findings`; `only` has the ids of the rules to ask, None for all."""
    if tf1 is None:
        tf1 = any(entry_points.is_tf1(program) for program in programs)
    found: List[Tuple[Program, Rule, Tuple[Any, ...]]] = []
    for program in programs:
        program.installed, program.is_compat = installed, entry_points.is_compat(program)
        program.is_tf1 = tf1 and entry_points.belongs_to_tf1(program)
        found += [(program, rule, each) for rule, each in _found_in(program, only)]
    found += [(program, rule, (node,)) for rule, find_in in _asked("find_in", only)
              for program, node in find_in(programs)]
    pairs = [(program, _finding(program, rule, *each), each[0]) for program, rule, each in found]
    return [(finding, node) for program, finding, node in pairs if not _is_silenced(program, finding)]


def _found_in(program: Program, only: Optional[Container[str]]) -> Iterator[Tuple[Rule, Tuple[Any, ...]]]:
    """(rule, what it finds) in one file: a node, and its message and its remedy where there are such."""
    yield from name_uses.judged(program, _asked("judge", only))
    for rule, find in _asked("find", only):
        for found in find(program):
            yield rule, found if isinstance(found, tuple) else (found,)


def _asked(function: str, only: Optional[Container[str]]) -> List[Tuple[Rule, Callable[..., Any]]]:
    return [(rule, asked) for rule, asked in rules.having(function) if only is None or rule.id in only]


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


def _rules(text: str) -> Tuple[Rule, ...]:
    found = [(name, rules.find(name)) for name in re.split(r"[\s,]+", text) if name]
    unknown = [name for name, rule in found if rule is None]
    if unknown:
        raise ValueError(f"no such rule: {', '.join(unknown)}")
    return tuple(rule for _, rule in found if rule is not None)


_rules.__name__ = "rule id"


def _write(text: str, path: Optional[str]) -> bool:
    if path is None:
        sys.stdout.write(text)
        return True
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        sys.stderr.write(f"tf1grad check: cannot write {path}: {error.strerror}\n")
    else:
        return True
    return False
