"""Runs `tf1grad upgrade`: rewrites TensorFlow 1 programs so that they run on both
TensorFlow 1.15 and 2.x.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from typing import Iterable, Iterator, NamedTuple, Sequence

from tf1grad.cli import pinned_requirements, upgrade_by_running, upgrade_from
from tf1grad.cli.command_line import positive_float
from tf1grad.cli.report_formats import position
from tf1grad.programs import _compat
from tf1grad.programs._errors import UsageError
from tf1grad.programs.process.messages import counted
from tf1grad.programs.source.files import Source, python_files
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.programs import Programs
from tf1grad.upgrade import rules
from tf1grad.upgrade.edits import edit_plan
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rewriting import file_writing, program_kinds
from tf1grad.upgrade.rewriting.upgraded_programs import UpgradeResult, upgrade
from tf1grad.upgrade.rules import Finding, engine, requirements

EPILOG = """\
The command says whether a program uses installed packages only, or needs names that only TensorFlow 1.15 has. In the
second case each of its files gets `import tf1grad.v1 as tf`. Anything that cannot be rewritten safely is left in place,
with a comment `# tf1grad: TFG...` above it that names the finding of `tf1grad check`. Python 2 is first translated to
Python 3. Pass all files of a program together: calls needed once per program go into the entry-point file. Running the
command again changes nothing.

exit code: 0 nothing is left to do; 1 a change was shown but not written, a comment was left, a file could not be read
or written, or (--by-running) the upgraded program does not do what the old one did; 2 wrong usage (a missing file, a
folder without Python files), or --timeout ended the old program before anything was written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="a Python file, a notebook, or a folder of them"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the changes and keep each old file as FILE.orig (or FILE.orig.1, ...); without it they are only shown",
    )
    parser.add_argument(
        "--from",
        dest="notes",
        metavar="FILE",
        action="append",
        default=[],
        help="also rewrite the repairs that `tf1grad run --record FILE` made, which the text does not "
        "show (repeatable)",
    )
    parser.add_argument(
        "--by-running",
        metavar="COMMAND",
        help="with --write: first run the program under `tf1grad run`, and rewrite what the run shows; "
        "then run the upgraded program as `python` does, and compare the first fetched values. "
        'COMMAND is one word, such as "train.py --epochs 1"',
    )
    parser.add_argument(
        "--timeout",
        type=positive_float,
        metavar="SECONDS",
        default=1800.0,
        help="limit for each run of --by-running (default: 1800)",
    )
    parser.add_argument(
        "--no-tensorflow",
        action="store_true",
        help="do not look names up in the installed TensorFlow",
    )
    parser.add_argument(
        "--no-backup", action="store_true", help="with --write: do not keep FILE.orig"
    )


class _Outcome(NamedTuple):
    """What became of the programs: the files with another text, how many of them were put,
    and those that failed.
    """

    programs: list[Program]
    upgraded: UpgradeResult
    changed: list[Source]
    put: int  # written, or without --write shown
    failed: list[Finding]

    def failures(self) -> int:
        """Returns the number of files that could not be read, rewritten or written."""
        return len(self.failed) + len(self.changed) - self.put


def main(arguments: argparse.Namespace) -> int:
    """Upgrades the paths; returns 1 while anything is left to do."""
    _refuse_wrong_usage(arguments)
    installed = InstalledNames(ask=not arguments.no_tensorflow)
    runs = _run_before(arguments, installed) if arguments.by_running else None
    notes = upgrade_from.read(arguments.notes) + ([runs.notes] if runs else [])
    recorded = upgrade_from.RecordedRuns(notes)
    outcome = _upgrade_files(arguments, recorded, installed)
    _tell(_report(arguments, outcome, recorded))
    is_same = True
    if runs:
        verdict, is_same = runs.verdict()
        _tell([f"Verdict: {verdict}"])
        _tell([] if is_same else _other_script(arguments))
    keras = _keras_packages(outcome.upgraded, installed)
    findings = _needs(outcome.programs, outcome.upgraded, installed)
    needed = requirements.sentence(findings, keras)
    _tell([needed] if needed else [])
    is_left = outcome.failures() or outcome.upgraded.left
    is_shown_only = outcome.changed and not arguments.write
    return 0 if is_same and not is_left and not is_shown_only else 1


def _refuse_wrong_usage(arguments: argparse.Namespace) -> None:
    """Raises a UsageError for this Python, without paths, and for --by-running without --write."""
    if sys.version_info < (3, 8):
        raise UsageError(
            "it needs Python 3.8 or newer, and this is Python 3.7. The upgraded program runs on both"
        )
    if not arguments.paths:
        raise UsageError(
            "name the Python files, notebooks or folders to upgrade"
            + (" after the COMMAND of --by-running" if arguments.by_running else "")
        )
    if arguments.by_running and not arguments.write:
        raise UsageError("--by-running needs --write: it runs the upgraded files")


def _run_before(
    arguments: argparse.Namespace, installed: InstalledNames
) -> upgrade_by_running.UpgradeRuns:
    """Runs the old program for --by-running, before its files are written over."""
    command = upgrade_by_running.split_command(arguments.by_running)
    _refuse_missing_packages(arguments.paths, installed, command)
    return upgrade_by_running.UpgradeRuns(command, arguments.timeout)


def _other_script(arguments: argparse.Namespace) -> Iterator[str]:
    """Yields a sentence if the script of --by-running is none of the files that were upgraded."""
    script = upgrade_by_running.split_command(arguments.by_running)[0]
    files = map(os.path.realpath, python_files(arguments.paths))
    if os.path.isfile(script) and os.path.realpath(script) not in files:
        yield f"{script}, which --by-running starts, was not upgraded: name it after the COMMAND too."


def _upgrade_files(
    arguments: argparse.Namespace,
    recorded: upgrade_from.RecordedRuns,
    installed: InstalledNames,
) -> _Outcome:
    """Upgrades the programs at the paths, and writes or shows their new texts."""
    programs, unread = engine.read_programs(python_files(arguments.paths), recorded.shown)
    upgraded = upgrade(programs, installed)
    sources = [program.source for program in programs]
    changed = [source for source in sources if upgraded.texts[source.path] != source.original]
    put = sum(_put(arguments, source, upgraded.texts[source.path]) for source in changed)
    return _Outcome(programs, upgraded, changed, put, [*unread, *upgraded.failed])


def _report(
    arguments: argparse.Namespace, outcome: _Outcome, recorded: upgrade_from.RecordedRuns
) -> Iterator[str]:
    """Yields what is said of the files: each failure, what is left to do,
    what each program became, and the sums.
    """
    upgraded = outcome.upgraded
    for finding in [*outcome.failed, *upgraded.left]:
        yield f"{position(finding)}: {finding.rule.id} {finding.message} {finding.remedy}"
    yield from program_kinds.describe_kinds(upgraded.kinds)
    if outcome.programs and not outcome.changed and not upgraded.kinds:
        yield "No file has names of TensorFlow 1, or is Python 2."
    yield from recorded.remarks
    for path in upgraded.outside:
        yield f"{path}: the program that imports this file must call tf.disable_v2_behavior() first"
    done = "upgraded" if arguments.write else "would change"
    left = counted(len(upgraded.left), "place")
    failures = f", {outcome.failures()} failed" if outcome.failures() else ""
    yield f"{counted(outcome.put, 'file')} {done}, {left} left to do{failures}"
    if outcome.changed:
        yield from pinned_requirements.remarks(arguments.paths, upgraded.texts.values())


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stderr.write(line + "\n")


def _refuse_missing_packages(
    paths: Sequence[str], installed: InstalledNames, command: Sequence[str]
) -> None:
    """Raises a UsageError if the upgraded program needs packages that are missing,
    or the script of the command imports some: before anything runs.
    """
    # The packages of `run` do not import on Python 3.7, where this module says what it needs.
    from tf1grad.cli import imported_packages

    programs, _ = engine.read_programs(python_files(paths))
    upgraded = upgrade(programs, installed)
    findings = _needs(programs, upgraded, installed)
    missing = requirements.find_pip_commands(findings, _keras_packages(upgraded, installed))
    if missing:
        raise UsageError(
            f"--by-running: the upgraded program needs {'; '.join(missing)}. Install this first. Nothing was run or "
            "written"
        )
    script = imported_packages.script_of(command)
    missing_module = imported_packages.find_missing(script, upgraded.texts) if script else None
    if missing_module:
        advice = imported_packages.advise(missing_module)
        raise UsageError(f"--by-running: {advice}. Nothing was run or written")


def _needs(
    programs: Sequence[Program], upgraded: UpgradeResult, installed: InstalledNames
) -> list[Finding]:
    """Returns the findings in the old programs,
    of which some name a package that the upgraded ones need.
    """

    def needs_1_15(program: Program) -> bool:
        return program.source.path in upgraded.on_1_15

    judges = [rule for rule, _ in rules.having("judge")]
    return engine.findings_in_texts(Programs(programs, installed, needs_1_15=needs_1_15), judges)


def _keras_packages(upgraded: UpgradeResult, installed: InstalledNames) -> list[str]:
    """Returns tf_keras if an upgraded program uses the Keras of TensorFlow 1:
    without it, `tf.keras` is Keras 3.
    """
    uses_keras = any(edit_plan.LEGACY in text for text in upgraded.texts.values())
    is_known = installed.version is not None
    return ["tf_keras"] if uses_keras and (_compat.has_keras_3() or not is_known) else []


def _put(arguments: argparse.Namespace, source: Source, new: str) -> bool:
    """Writes or shows the new text of a file; reports an error and returns False if that fails."""
    if not arguments.write:
        _show(source, new)
        return True
    try:
        file_writing.write(source.path, new.encode(source.encoding), not arguments.no_backup)
    except (OSError, ValueError, LookupError) as error:
        _tell([f"{source.path}: not written: {getattr(error, 'strerror', None) or error}"])
        return False
    return True


def _show(source: Source, new: str) -> None:
    """Writes a diff that `patch` accepts if the file is UTF-8."""
    path = re.sub(r"^(\.{0,2}/)+", "", source.path)
    if " " in path:
        path += "\t"  # ends the name for `patch`
    mark = "\ufeff" if source.encoding == "utf-8-sig" else ""
    old_lines, new_lines = _lines(mark + source.original), _lines(mark + new)
    for line in difflib.unified_diff(old_lines, new_lines, "a/" + path, "b/" + path):
        sys.stdout.write(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")


def _lines(text: str) -> list[str]:
    """Returns the lines of a text as `patch` counts them:
    neither a form feed nor a lone CR ends a line.
    """
    return re.findall("[^\n]*\n|[^\n]+", text)
