"""`tf1grad upgrade`: TensorFlow 1 programs rewritten for `tensorflow.compat.v1` and tf1grad, on 1.15 and 2.x alike."""

import argparse
import contextlib
import difflib
import os
import re
import sys
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from tf1grad.old_programs.cli import check
from tf1grad.old_programs.cli.report_formats import place
from tf1grad.old_programs.rewriting import added_lines, file_writing
from tf1grad.old_programs.rewriting.comments import with_marks, without_marks
from tf1grad.old_programs.rewriting.edit_plan import Plan
from tf1grad.old_programs.rewriting.import_statements import rewrite_statements
from tf1grad.old_programs.rewriting.startup_calls import plan_calls
from tf1grad.old_programs.rules import Finding, requirements
from tf1grad.old_programs.rules.installed_packages import Installed
from tf1grad.old_programs.source import entry_points
from tf1grad.old_programs.source import files as sources
from tf1grad.old_programs.source.deep_trees import deeply
from tf1grad.old_programs.source.files import Source
from tf1grad.old_programs.source.program import Program

# The rest is done here, or is no matter of names.
LEFT = ("TFG002", "TFG101", "TFG102", "TFG104", "TFG106", "TFG109", "TFG401", "TFG402", "TFG403",
        "TFG404")
EPILOG = """\
What cannot be rewritten surely is left, with a comment `# tf1grad: TFG...` above it that names the finding of
`tf1grad check`. Python 2 becomes Python 3 first. Pass all files of a program at once: what is called once in a
program is added to the file that is started. Running it again changes nothing more.

exit code: 0 nothing is left to do; 1 something is: a change that is shown and not written, a comment, or a file that
could not be read or written; 2 wrong usage (no such file, a folder without Python files)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a Python file, a notebook, or a folder of them")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--diff", action="store_true", help="show what would change, and write nothing (default)")
    mode.add_argument("--write", action="store_true", help="write the changes, and keep each old file as FILE.orig")
    parser.add_argument("--no-tensorflow", action="store_true", help="import no package to look names up in")
    parser.add_argument("--no-backup", action="store_true", help="with --write: keep no .orig")


def main(arguments: argparse.Namespace) -> int:
    """Upgrades the paths; returns 1 while anything is left to do."""
    return deeply(_upgrade_paths, arguments)


def _upgrade_paths(arguments: argparse.Namespace) -> int:
    programs, failed = check.read(sources.find(arguments.paths))
    upgraded, left, outside, stopped = upgrade(programs, Installed(ask=not arguments.no_tensorflow))
    failed += stopped
    for finding in failed:
        _report(finding)
    changed = [program.source for program in programs if upgraded[program.source.path] != program.source.original]
    unwritten = 0
    for source in changed:
        if arguments.write:
            unwritten += not _write(source, upgraded[source.path], not arguments.no_backup)
        else:
            _show(source, upgraded[source.path])
    for finding in left:
        _report(finding)
    _summarize(arguments, len(changed) - unwritten, len(left), len(failed) + unwritten, outside)
    needed = requirements.sentence(check.findings(programs, Installed(ask=False)))
    if needed:
        sys.stderr.write(needed + "\n")
    return 1 if failed or unwritten or left or changed and not arguments.write else 0


def upgrade(programs: Sequence[Program], installed: Optional[Installed] = None) -> \
        Tuple[Dict[str, str], List[Finding], List[str], List[Finding]]:
    """The new text of programs that belong together.

    Args:
        programs: the `Program`s.
        installed: an `Installed` that says what names there are; None to take the tables at their word.

    Returns:
        The texts by path, the findings that are left in them, the paths of files that must be started by a file that is
        not among them, and a finding for each file that could not be rewritten, which then stays as it is.
    """
    installed = installed or Installed(ask=False)
    texts = {program.source.path: program.source.original for program in programs}
    if not any(entry_points.is_tf1(program) or entry_points.is_compat(program) for program in programs):
        return texts, [], [], []
    plans: Dict[str, Plan] = {}
    left: List[Finding] = []
    stopped: List[Finding] = []
    for program in filter(entry_points.belongs_to_tf1, programs):
        with _reporting(program, stopped):
            plan = Plan(_unmarked(program), installed)
            rewrite_statements(plan)
            plans[program.source.path] = plan
    outside = plan_calls(plans)
    for path, plan in plans.items():
        with _reporting(plan.program, stopped):
            text, found = _upgraded(plan, installed)
            source = plan.program.source.with_text(text)
            texts[path] = source.written(text)
            left += [check.placed(finding, source) for finding in found]
    return texts, left, outside, stopped


@contextlib.contextmanager
def _reporting(program: Program, stopped: List[Finding]) -> Iterator[None]:
    """Whatever goes wrong in one file is said of that file, and does not stop the others."""
    try:
        yield
    except Exception as error:
        message = f"It could not be rewritten ({type(error).__name__}: {error})."
        stopped.append(check.unread(program.source.path, 1, message))


def _unmarked(program: Program) -> Program:
    text = without_marks(program.source.text)
    return program if text == program.source.text else Program(program.source.with_text(text))


def _upgraded(plan: Plan, installed: Installed) -> Tuple[str, List[Finding]]:
    """The new text of one file with its comments, and the findings that they name."""
    program = Program(plan.program.source.with_text(added_lines.upgraded(plan)))
    if program.source.python2 is not None:
        raise program.source.python2  # what was written is no Python 3
    found = [(finding, node) for finding, node in check.located([program], installed, tf1=True, only=LEFT)
             if requirements.KERAS not in requirements.of([finding])]
    return with_marks(program, found)


def _show(source: Source, new: str) -> None:
    """Writes a diff that `patch` takes, in the file's own encoding."""
    start = "\ufeff" if source.encoding == "utf-8-sig" else ""
    old_lines, new_lines = _lines(start + source.original), _lines(start + new)
    path = re.sub(r"^(\.{0,2}/)+", "", source.path) + ("\t" if " " in source.path else "")  # where the name ends
    encoding = "utf-8" if source.encoding == "utf-8-sig" else source.encoding
    sys.stdout.flush()
    for number, line in enumerate(difflib.unified_diff(old_lines, new_lines, "a/" + path, "b/" + path)):
        ended = line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        sys.stdout.buffer.write(os.fsencode(ended) if number < 2 else ended.encode(encoding))
    sys.stdout.buffer.flush()


def _lines(text: str) -> List[str]:
    """The lines of a text as `patch` counts them: neither a form feed nor a lone CR ends one."""
    return re.findall("[^\n]*\n|[^\n]+", text)


def _write(source: Source, new: str, backup: bool) -> bool:
    """Writes a file; complains, and returns False, when that fails."""
    try:
        file_writing.write(source.path, new.encode(source.encoding), backup)
    except (OSError, ValueError, LookupError) as error:
        sys.stderr.write(f"{source.path}: not written: {getattr(error, 'strerror', None) or error}\n")
        return False
    return True


def _report(finding: Finding) -> None:
    sys.stderr.write(f"{place(finding)}: {finding.rule.id} {finding.message} {finding.remedy}\n")


def _summarize(arguments: argparse.Namespace, number: int, left: int, failed: int, outside: Sequence[str]) -> None:
    for path in outside:
        sys.stderr.write(f"{path}: the program that imports it must call tf.disable_v2_behavior() first\n")
    done = "upgraded" if arguments.write else "would change"
    failures = f", {failed} failed" if failed else ""
    sys.stderr.write(f"{number} file{'' if number == 1 else 's'} {done}, {left} place{'' if left == 1 else 's'} left "
                     f"to do{failures}\n")
