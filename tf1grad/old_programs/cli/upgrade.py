"""Runs `tf1grad upgrade`: rewrites TensorFlow 1 programs so that they run on both TensorFlow 1.15 and 2.x."""

import argparse
import difflib
import re
import sys
from typing import List, NamedTuple, Sequence, Set

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli import pinned_requirements, upgrade_by_running, upgrade_from
from tf1grad.old_programs.cli.report_formats import position
from tf1grad.old_programs.process.messages import counted
from tf1grad.old_programs.rewriting import file_writing, program_kinds
from tf1grad.old_programs.rewriting.upgraded_programs import Upgraded, upgrade
from tf1grad.old_programs.rules import Finding, engine, requirements
from tf1grad.old_programs.rules.installed_packages import Installed
from tf1grad.old_programs.source.files import Source, python_files
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.programs import Programs

EPILOG = """\
The command says whether a program uses installed packages only, or needs names that only TensorFlow 1.15 has. Then each
of its files gets `import tf1grad.v1 as tf`. Anything that cannot be rewritten safely is left in place, with a comment
`# tf1grad: TFG...` above it that names the finding of `tf1grad check`. Python 2 is first translated to Python 3. Pass all
files of a program together: calls needed once per program go into the entry-point file. Running the command again
changes nothing.

exit code: 0 nothing is left to do; 1 a change was shown but not written, a comment was left, a file could not be read
or written, or (--by-running) the upgraded program does not do what the old one did; 2 wrong usage (a missing file, a
folder without Python files)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a Python file, a notebook, or a folder of them"
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--diff", action="store_true", help="show the changes and write nothing (default)"
    )
    mode.add_argument(
        "--write", action="store_true", help="write the changes and keep each old file as FILE.orig"
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
        "--no-tensorflow",
        action="store_true",
        help="do not look names up in the installed TensorFlow",
    )
    parser.add_argument(
        "--no-backup", action="store_true", help="with --write: do not keep FILE.orig"
    )


class _Result(NamedTuple):
    """The outcome of one upgrade of all files: the `Program`s before it, what became of them, and the changed paths."""

    programs: List[Program]
    upgraded: Upgraded
    changed: Set[str]
    unwritten: int


def main(arguments: argparse.Namespace) -> int:
    """Upgrades the paths; returns 1 while anything is left to do."""
    if sys.version_info < (3, 8):
        raise UsageError(
            "it needs Python 3.8 or newer, and this is Python 3.7. The upgraded program runs on both"
        )
    if arguments.by_running and not arguments.write:
        raise UsageError("--by-running needs --write: it runs the upgraded files")
    runs = None
    installed = Installed(ask=not arguments.no_tensorflow)
    if arguments.by_running:
        command = upgrade_by_running.words(arguments.by_running)
        _refuse_missing_packages(arguments.paths, installed)
        runs = upgrade_by_running.UpgradeRuns(command)
    recorded = upgrade_from.RecordedRuns(
        upgrade_from.read(arguments.notes) + ([runs.notes] if runs else [])
    )
    done = _upgrade_files(arguments, recorded, installed)
    failed, left = done.upgraded.failed, done.upgraded.left
    for finding in [*failed, *left]:
        sys.stderr.write(
            f"{position(finding)}: {finding.rule.id} {finding.message} {finding.remedy}\n"
        )
    for line in program_kinds.described(done.upgraded.kinds):
        sys.stderr.write(line + "\n")
    if not done.changed and not done.upgraded.kinds:
        sys.stderr.write("No file has names of TensorFlow 1, or is Python 2.\n")
    for line in recorded.remarks:
        sys.stderr.write(line + "\n")
    _summarize(
        arguments,
        len(done.changed) - done.unwritten,
        len(left),
        len(failed) + done.unwritten,
        done.upgraded.outside,
    )
    for line in (
        pinned_requirements.remarks(arguments.paths, done.upgraded.texts.values())
        if done.changed
        else ()
    ):
        sys.stderr.write(line + "\n")
    is_same = True
    if runs:
        verdict, is_same = runs.verdict()
        sys.stderr.write(f"Verdict: {verdict}\n")
    needed = requirements.sentence(_needs(done, installed))
    if needed:
        sys.stderr.write(needed + "\n")
    is_done = not (failed or done.unwritten or left) and (arguments.write or not done.changed)
    return 0 if is_done and is_same else 1


def _refuse_missing_packages(paths: Sequence[str], installed: Installed) -> None:
    """Raises a UsageError if the upgraded program needs packages that are missing: before anything runs."""
    programs, _ = engine.read_programs(python_files(paths))
    upgraded = upgrade(programs, installed)
    missing = requirements.packages(_needs(_Result(programs, upgraded, set(), 0), installed))
    if missing:
        raise UsageError(
            f"--by-running: the upgraded program needs {'; '.join(missing)}. Install this first. Nothing was run or "
            "written"
        )


def _needs(first: _Result, installed: Installed) -> List[Finding]:
    """Returns the findings in the old programs, of which some name a package that the upgraded ones need."""
    on_1_15 = first.upgraded.on_1_15
    together = Programs(
        first.programs, installed, needs_1_15=lambda program: program.source.path in on_1_15
    )
    return engine.findings_in(together)


def _upgrade_files(
    arguments: argparse.Namespace, recorded: upgrade_from.RecordedRuns, installed: Installed
) -> _Result:
    """Upgrades all files once, and writes or shows the changes."""
    programs, failed = engine.read_programs(python_files(arguments.paths), recorded.shown)
    upgraded = upgrade(programs, installed)
    texts = upgraded.texts
    changed = [
        program.source
        for program in programs
        if texts[program.source.path] != program.source.original
    ]
    unwritten = 0
    for source in changed:
        if arguments.write:
            unwritten += not _write(source, texts[source.path], not arguments.no_backup)
        else:
            _show(source, texts[source.path])
    upgraded = upgraded._replace(failed=failed + upgraded.failed)
    return _Result(programs, upgraded, {source.path for source in changed}, unwritten)


def _show(source: Source, new: str) -> None:
    """Writes a diff that `patch` accepts if the file is UTF-8."""
    path = re.sub(r"^(\.{0,2}/)+", "", source.path)
    old_lines, new_lines = _lines(source.original), _lines(new)
    for line in difflib.unified_diff(old_lines, new_lines, "a/" + path, "b/" + path):
        sys.stdout.write(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")


def _lines(text: str) -> List[str]:
    """Returns the lines of a text as `patch` counts them: neither a form feed nor a lone CR ends a line."""
    return re.findall("[^\n]*\n|[^\n]+", text)


def _write(source: Source, new: str, backup: bool) -> bool:
    """Writes a file; reports an error and returns False if that fails."""
    try:
        file_writing.write(source.path, new.encode(source.encoding), backup)
    except (OSError, ValueError, LookupError) as error:
        sys.stderr.write(
            f"{source.path}: not written: {getattr(error, 'strerror', None) or error}\n"
        )
        return False
    return True


def _summarize(
    arguments: argparse.Namespace, number: int, left: int, failed: int, outside: Sequence[str]
) -> None:
    for path in outside:
        sys.stderr.write(
            f"{path}: the program that imports this file must call tf.disable_v2_behavior() first\n"
        )
    done = "upgraded" if arguments.write else "would change"
    failures = f", {failed} failed" if failed else ""
    sys.stderr.write(
        f"{counted(number, 'file')} {done}, {counted(left, 'place')} left to do{failures}\n"
    )
