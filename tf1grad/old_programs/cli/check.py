"""Runs `tf1grad check`: reports what needs attention in TensorFlow 1 programs, from their text alone."""

from __future__ import annotations

import argparse
import re
import sys

from tf1grad.old_programs import rules
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli import report_formats
from tf1grad.old_programs.rules import SEVERITIES, Finding, Rule, engine, rule_help
from tf1grad.old_programs.rules.installed_packages import Installed
from tf1grad.old_programs.source import files

EPILOG = """\
The checked files are neither executed nor imported.
The installed TensorFlow is imported once, to look names up.
A comment `# tf1grad: ignore` or `# tf1grad: ignore[TFG204]` silences its line.

severities:
  error    the program does not run on TensorFlow 2
  warning  the program runs, but may do something other than it says
  note     nothing is wrong, and tf1grad has a call for it

exit code: 0 nothing to report, 1 findings, 2 wrong usage (a missing file, a folder without Python files)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a Python file, a notebook, or a folder of them",
    )
    parser.add_argument(
        "--format", choices=list(report_formats.FORMATS), default="text", help="default: text"
    )
    parser.add_argument(
        "--severity",
        choices=SEVERITIES,
        default="note",
        help="report findings of this severity and above (default: note)",
    )
    parser.add_argument(
        "--ignore",
        metavar="IDS",
        type=_rules,
        default=(),
        help="rules to leave out, such as TFG204,TFG205",
    )
    parser.add_argument("--list-rules", action="store_true", help="list all rules and exit")
    parser.add_argument(
        "--explain", metavar="IDS", type=_rules, help="explain rules, such as TFG303, and exit"
    )
    parser.add_argument(
        "--no-tensorflow",
        action="store_true",
        help="do not look names up in the installed TensorFlow",
    )


def main(arguments: argparse.Namespace) -> int:
    """Reports on the paths; returns 1 if there is anything to report."""
    if arguments.list_rules or arguments.explain:
        pages = (
            [rule_help.rule_list()]
            if arguments.list_rules
            else map(rule_help.text, arguments.explain)
        )
        sys.stdout.write("\n\n".join(pages))
        return 0
    if not arguments.paths:
        raise UsageError("name a Python file, a notebook or a folder to check")
    for path in arguments.paths:
        if path.endswith((".pb", ".meta")):
            raise UsageError(
                f"{path} is a model file. `tf1grad model inspect` tells what it needs."
            )
    paths = files.python_files(arguments.paths)
    installed = Installed(ask=not arguments.no_tensorflow)
    programs, found = engine.read_programs(paths)
    found += engine.findings(programs, installed)
    severities = SEVERITIES[: SEVERITIES.index(arguments.severity) + 1]
    found = [
        finding
        for finding in found
        if finding.rule.severity in severities and finding.rule not in arguments.ignore
    ]
    order = {path: index for index, path in enumerate(paths)}

    def place(finding: Finding) -> tuple[int, int, int, int, str]:
        return order[finding.path], finding.cell or 0, finding.line, finding.column, finding.rule.id

    found.sort(key=place)
    print(report_formats.FORMATS[arguments.format](found, len(paths), installed))
    return 1 if found else 0


def _rules(text: str) -> tuple[Rule, ...]:
    found = [(name, rules.find_rule(name)) for name in re.split(r"[\s,]+", text) if name]
    unknown = [name for name, rule in found if rule is None]
    if unknown:
        raise argparse.ArgumentTypeError(f"no such rule: {', '.join(unknown)}")
    return tuple(rule for _, rule in found if rule is not None)
