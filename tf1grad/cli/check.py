"""Runs `tf1grad check`: reports what needs attention in TensorFlow 1 programs,
from their text alone.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import pathlib
import re
import sys
import tempfile
from typing import Iterator, Sequence

from tf1grad.cli import progress, report_formats, settings
from tf1grad.programs._errors import UsageError
from tf1grad.programs.source import files
from tf1grad.programs.source.programs import Programs
from tf1grad.upgrade import rules
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rules import SEVERITIES, Finding, Rule, engine, rule_help

EPILOG = """\
The checked files are neither executed nor imported.
Names are looked up in the files of the installed TensorFlow, which is not imported either.
A comment `# tf1grad: ignore` or `# tf1grad: ignore[TFG204]` silences its line.
In folders these are left out: hidden folders, virtual environments, site-packages, node_modules, build, what git ignores.

The table [tool.tf1grad] of pyproject.toml has defaults of --select, --ignore, --exclude, --severity, --output-format:
  [tool.tf1grad]
  ignore = ["TFG204"]
  exclude = ["third_party"]

severities:
  error    the program does not run on TensorFlow 2
  warning  the program runs, but may do something other than it says
  note     nothing is wrong, and tf1grad has a call for it

exit code: 0 nothing to report, 1 findings, 2 wrong usage (a missing file, a folder without Python files)."""

SETTINGS = ("select", "ignore", "exclude", "severity", "output_format")
STANDARD_INPUT = "tf1grad-standard-input.py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a Python file, a notebook, a folder of them, or - for standard input",
    )
    parser.add_argument(
        "--output-format",
        "--format",
        choices=list(report_formats.FORMATS),
        default="text",
        help="default: text; concise has a line for each finding, github annotates pull requests",
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
        help="rules to leave out, such as TFG204,TFG205; TFG3 stands for all that begin so",
    )
    parser.add_argument(
        "--select",
        metavar="IDS",
        type=_rules,
        help="report these rules alone, given as for --ignore",
    )
    parser.add_argument(
        "--exclude",
        metavar="PATTERNS",
        type=_patterns,
        default=(),
        help="files and folders to leave out of folders, such as third_party,*_pb2.py",
    )
    parser.add_argument(
        "--exit-zero",
        action="store_true",
        help="exit with 0 also where there is something to report",
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
    settings.apply(parser, SETTINGS)


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
        if re.match(r"TFG\d+$", path) and not os.path.exists(path):
            raise UsageError(f"{path} is a rule, not a file: --select {path} chooses it")
        if path.endswith((".pb", ".meta", ".tflite")):
            raise UsageError(
                f"{path} is a model file. `tf1grad model inspect` tells what it needs."
            )
    installed = InstalledNames(ask=not arguments.no_tensorflow)
    with _with_rare_collections(), _standard_input(arguments.paths) as named:
        paths = files.python_files(named, arguments.exclude)
        programs, unread = engine.read_programs(progress.show_while_reading(paths, "read"))
        found = _FoundByFile(paths, unread, Programs(programs, installed), arguments)
        for part in report_formats.FORMATS[arguments.output_format](found, len(paths), installed):
            sys.stdout.write(part)
            sys.stdout.flush()
    return 1 if found.any and not arguments.exit_zero else 0


class _FoundByFile:
    """The chosen findings of one file after the other, as they are found;
    `any` says whether there were some.
    """

    def __init__(
        self,
        paths: Sequence[str],
        unread: Sequence[Finding],
        programs: Programs,
        arguments: argparse.Namespace,
    ) -> None:
        self.any = False
        self._paths, self._unread, self._programs = paths, unread, programs
        self._severities = SEVERITIES[: SEVERITIES.index(arguments.severity) + 1]
        self._arguments = arguments

    def __iter__(self) -> Iterator[list[Finding]]:
        unread = {finding.path: [finding] for finding in self._unread}
        of_programs = engine.findings_by_file(self._programs)
        for path in progress.show_while_reading(self._paths, "checked"):
            found = unread.get(path) or next(of_programs)
            chosen = sorted(filter(self._is_chosen, found), key=_place)
            self.any = self.any or bool(chosen)
            yield [each._replace(path=_name(each.path)) for each in chosen]

    def _is_chosen(self, finding: Finding) -> bool:
        rule, select = finding.rule, self._arguments.select
        return (
            rule.severity in self._severities
            and (select is None or rule in select)
            and rule not in self._arguments.ignore
        )


def _place(finding: Finding) -> tuple[int, int, int, str]:
    return finding.cell or 0, finding.line, finding.column, finding.rule.id


def _name(path: str) -> str:
    """Returns the path as reports write it: `-` for the file that has the
    content of standard input.
    """
    return "-" if os.path.basename(path) == STANDARD_INPUT else path


@contextlib.contextmanager
def _with_rare_collections() -> Iterator[None]:
    """Lets Python look less often for garbage:
    syntax trees are many objects, of which most stay.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(200_000, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@contextlib.contextmanager
def _standard_input(paths: Sequence[str]) -> Iterator[list[str]]:
    """Gives the paths with a file of the content of standard input in the place of `-`."""
    if "-" not in paths:
        yield list(paths)
        return
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("- is standard input, which is closed")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, STANDARD_INPUT)
        pathlib.Path(file).write_bytes(sys.stdin.buffer.read())
        yield [file if path == "-" else path for path in paths]


def _rules(text: str) -> tuple[Rule, ...]:
    found: list[Rule] = []
    for word in filter(None, re.split(r"[\s,]+", text)):
        named = rules.find_rules(word) or rules.find_rules(word.upper())
        if not named:
            raise argparse.ArgumentTypeError(
                f"no such rule: {word}. tf1grad check --list-rules lists them"
            )
        found += named
    return tuple(found)


def _patterns(text: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"[\s,]+", text)))
