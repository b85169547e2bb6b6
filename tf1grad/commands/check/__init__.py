"""`tf1grad check`: what in TensorFlow 1 programs needs attention, told from their text alone."""

import re
import sys

from tf1grad.commands.check import formats, missing, recipes
from tf1grad.commands.check.installed import Installed
from tf1grad.commands.check.program import Program
from tf1grad.commands.check.rules import RULES, SEVERITIES, Finding
from tf1grad.commands.programs import entry, sources

SUPPRESSED = re.compile(r"#\s*tf1grad:\s*ignore(?:\s*\[([^\]]*)\])?")
EPILOG = """\
Nothing is executed and none of the files is imported; the installed TensorFlow is, once, to ask it for names.
A comment `# tf1grad: ignore` or `# tf1grad: ignore[TFG204]` silences its line.

severities:
  error    the program does not run on TensorFlow 2
  warning  it runs, and may do something else than it says
  note     nothing is wrong; tf1grad has a call for it

exit code: 0 nothing to report, 1 findings, 2 wrong usage (no such file, a folder without Python files)."""


def add_arguments(parser):
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a Python file, or a folder with all below it")
    parser.add_argument("--format", choices=list(formats.FORMATS), default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", help="write the report to FILE instead of standard output")
    parser.add_argument("--severity", choices=SEVERITIES, default="note", help="the least to report (default: note)")
    parser.add_argument("--ignore", metavar="IDS", type=_rules, default=(), help="rules to leave out: TFG204,TFG205")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 also when there are findings")
    parser.add_argument("--no-tensorflow", action="store_true", help="do not import the installed TensorFlow")


def main(arguments):
    """Reports on the paths; returns 1 when there is anything to report, 2 when the report cannot be written."""
    paths = sources.find(arguments.paths)
    installed = Installed(ask=not arguments.no_tensorflow)
    programs, found = read(paths)
    found += findings(programs, installed)
    severities = SEVERITIES[:SEVERITIES.index(arguments.severity) + 1]
    found = [finding for finding in found
             if finding.rule.severity in severities and finding.rule.id not in arguments.ignore]
    order = {path: index for index, path in enumerate(paths)}
    found.sort(key=lambda finding: (order[finding.path], finding.line, finding.column, finding.rule.id))
    written = formats.FORMATS[arguments.format](found, len(paths), installed)
    if not _write(written + "\n", arguments.output):
        return 2
    return 1 if found and not arguments.exit_zero else 0


def read(paths):
    """The `Program`s at the paths, and a finding for each file that is none."""
    programs, found = [], []
    for path in paths:
        try:
            programs.append(Program(sources.read(path)))
        except sources.SourceError as error:
            rule = RULES["TFG001"]
            found.append(Finding(rule, path, error.line, 1, _sentence(error), rule.remedy))
        except RecursionError:
            rule = RULES["TFG001"]
            found.append(Finding(rule, path, 1, 1, "It is nested too deeply to be read.", rule.remedy))
    return programs, found


def findings(programs, installed, tf1=None):
    """All findings in programs that belong together, the silenced ones left out.

    Args:
        programs: the `Program`s.
        installed: an `Installed`.
        tf1: True when they are known to be TensorFlow 1; None to tell it from their names.
    """
    if tf1 is None:
        tf1 = any(entry.is_tf1(program) for program in programs)
    found = []
    for program in programs:
        own = list(missing.findings(program, installed, tf1 and entry.belongs_to_tf1(program)))
        own += list(recipes.findings(program)) + list(_python2(program))
        found += [finding for finding in own if not _is_silenced(program, finding)]
    return found + list(_not_switched(programs))


def _python2(program):
    error = program.source.python2
    if error is not None:
        rule = RULES["TFG002"]
        yield Finding(rule, program.source.path, error.lineno or 1, error.offset or 1,
                      "It is Python 2 (%s); the rest is told from what fissix makes of it." % error.msg, rule.remedy)


def _not_switched(programs):
    """Programs that are started with compat.v1 and never leave eager execution."""
    if any(entry.switches(program) or entry.builds_in_graph(program) for program in programs):
        return
    for program in programs:
        if entry.is_compat(program) and (entry.is_main(program) or entry.runs_at_import(program)):
            yield program.finding("TFG108", entry.tensorflow_imports(program)[0])


def _is_silenced(program, finding):
    lines = program.source.lines
    match = SUPPRESSED.search(lines[finding.line - 1]) if finding.line <= len(lines) else None
    return bool(match) and (match.group(1) is None or finding.rule.id in re.split(r"[\s,]+", match.group(1)))


def _sentence(error):
    message = str(error)
    return message[0].upper() + message[1:] + ("" if message.endswith((".", "`")) else ".")


def _rules(text):
    names = [name for name in re.split(r"[\s,]+", text) if name]
    unknown = [name for name in names if name not in RULES]
    if unknown:
        raise ValueError("no such rule: %s" % ", ".join(unknown))
    return tuple(names)


_rules.__name__ = "rule id"


def _write(text, path):
    if path is None:
        sys.stdout.write(text)
        return True
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        sys.stderr.write("tf1grad check: cannot write %s: %s\n" % (path, error.strerror))
    else:
        return True
    return False
