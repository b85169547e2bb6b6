"""`tf1grad verify`: the first steps of a script under two Pythons, compared.

The script really runs: twice under this interpreter, once under the other, one after another, in the current folder,
with all that it reads and writes; each run ends after the last step that is compared. Exit codes: 0 the same, 1 they
differ, 2 wrong usage, 3 the script failed under one of them, 4 too noisy to tell, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import signal
import sys
import tempfile
from typing import Any, Dict, List, Mapping, NoReturn, Sequence

from tf1grad.old_programs import _compat
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli.argument_types import positive_float, positive_int
from tf1grad.old_programs.verify import report
from tf1grad.old_programs.verify.comparison import (
    DIFFERS,
    FIRST_GRADIENTS,
    FIRST_LOSS,
    LATER,
    LATER_GRADIENTS,
    NOISE_FACTOR,
    NOISY,
    SAME,
    Comparison,
)
from tf1grad.old_programs.verify.interpreters import Interpreters, ScriptFailed, find_python
from tf1grad.old_programs.verify.run_record import Record

USAGE, FAILED, INTERRUPTED = 2, 3, 130
CODES = {SAME: 0, DIFFERS: 1, NOISY: 4}
DETAILS = """
The script runs three times, here and in this folder, with all that it reads and writes: under this interpreter, under
the other, and again under this one with each value that it trains moved by one ulp (the noise). Each run ends after the
last step. A step is a run that applies gradients, or an external optimizer's evaluation of loss and gradient.

They are the same where the initial values are identical, the first loss differs by at most %g, first gradients by
%g, later losses and values by %g, later gradients by %g. They differ at the step where any of them differs by
more, and by more than %g times the noise of that step. In between, and where several threads train, a step is too noisy
to tell; what is fetched beside a step that writes its variables is named then. Differences are relative: of a loss to
itself, of a variable's values or gradient to the largest in it.

Options of verify end at the first word after the script that is none, or at --; what follows belongs to the script.
Exit codes: 0 the same, 1 they differ, 2 wrong usage, 3 the script failed under one of them, 4 too noisy to tell,
130 interrupted.
""" % (FIRST_LOSS, FIRST_GRADIENTS, LATER, LATER_GRADIENTS, NOISE_FACTOR)  # noqa: UP031 - the lines are as wide as they are shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options to `parser`."""
    parser.epilog = DETAILS
    parser.usage = "tf1grad verify [options] (SCRIPT | -m MODULE) [options] [--] [arguments of the script]"
    _add_options(parser)
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="SCRIPT [args...]",
                        help="the script and its own arguments")
    parser.set_defaults(parser=parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--against", metavar="PYTHON", help="the other interpreter; it needs TensorFlow 1.15 or newer and NumPy")
    add("-m", dest="is_module", action="store_true", help="SCRIPT is the name of a module, run as python -m does")
    add("--steps", type=positive_int, default=10, metavar="N", help="how many steps to compare (default: 10)")
    add("--seeds", choices=["count", "tf1", "native"], default="count",
        help="the seed rule of both: count gives the same numbers on every version (default)")
    add("--record-seeds", metavar="FILE",
        help="both with the random numbers of the one that has TensorFlow 1.15, whatever functions the script uses: "
             "the seeds of its ops are written to FILE, for run --seeds FILE, and the other takes them from there")
    add("--seed", type=int, default=1, metavar="N",
        help="for NumPy, random and graphs that the script itself does not seed (default: 1)")
    add("--run", default="", metavar="OPTIONS", help="more options for tf1grad run, as one word: --run='--no-era'")
    add("--threads", type=int, default=1, metavar="N",
        help="TensorFlow's threads where the script does not say (default: 1; 0: all, and noisier)")
    add("--timeout", type=positive_float, metavar="SECONDS", default=1800., help="for each run (default: 1800)")
    add("--quiet", action="store_true", help="do not say how far the runs are")
    add("--format", choices=["text", "json"], default="text", help="what to print")
    add("--json", metavar="FILE", help="write the JSON report to FILE as well")
    add("--plot", metavar="FILE", help="draw the two loss curves and the noise (.png, .svg, .pdf; needs matplotlib)")


def main(arguments: argparse.Namespace) -> int:
    """Compares, prints the report, and returns the exit code."""
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _verify(_split(arguments))
    except UsageError as error:
        _say(f"error: {error}")
        return USAGE
    except ScriptFailed as error:
        _say(str(error))
        return FAILED
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, previous)


def _verify(arguments: argparse.Namespace) -> int:
    other = _check(arguments)
    target = ["-m"] * arguments.is_module + [arguments.script]
    script = shlex.split(arguments.run) + target + arguments.script_arguments
    with tempfile.TemporaryDirectory(prefix="tf1grad-verify-") as folder:
        tell = (lambda line: None) if arguments.quiet else _say
        with Interpreters(folder, arguments.timeout, arguments.threads, tell) as interpreters:
            records = _record(interpreters, other, script, arguments)
    return _tell(Comparison(*records), arguments, target[-1])


def _record(interpreters: Interpreters, other: str, script: List[str], arguments: argparse.Namespace) -> List[Record]:
    """The records of this interpreter, of the other, and of this one again with its values moved."""
    rules = ["--seeds=" + arguments.seeds], ["--seeds=" + arguments.seeds]
    order = [0, 1]
    if arguments.record_seeds:
        path = os.path.abspath(arguments.record_seeds)
        rules = ["--seeds=tf1", "--record-seeds=" + path], ["--seeds=" + path]
        if _compat.installed_version() != (1, 15):
            rules, order = rules[::-1], [1, 0]
    sides = [("this interpreter", sys.executable), ("the other interpreter", other)]

    def run(side: int, again: str = "", move: bool = False) -> Record:
        return interpreters.record(sides[side][0] + again, sides[side][1], {
            "steps": arguments.steps, "seed": arguments.seed, "move": move, "run": rules[side] + script})

    records: Dict[int, Record] = {}
    for side in order:
        records[side] = run(side)
        if side == 0 and not records[0].steps:
            raise ScriptFailed("the script ended and never trained: nothing applied gradients "
                               "(tf.train.Optimizer), and no external optimizer evaluated a loss.")
        if arguments.record_seeds and side == order[0]:
            _check_source(records[side])
    return [records[0], records[1], run(0, ", again", move=True)]


def _check_source(record: Record) -> None:
    version = record.facts.get("tensorflow", "none")
    if not version.startswith("1.15."):
        raise UsageError("--record-seeds: one of the two interpreters must have TensorFlow 1.15; this one has another, "
                         f"and that of --against has {version}.")


def _tell(comparison: Comparison, arguments: argparse.Namespace, script: str) -> int:
    found = report.as_dict(comparison, script)
    text = json.dumps(found, indent=2)
    print(text if arguments.format == "json" else report.as_text(comparison, script))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    if arguments.plot:
        from tf1grad.old_programs.verify import plot
        plot.draw(arguments.plot, found)
    return CODES[comparison.outcome]


def _split(arguments: argparse.Namespace) -> argparse.Namespace:
    """The arguments with `script` and `script_arguments`; verify's options may also follow the script at once."""
    rest = list(arguments.rest)
    rest = rest[1:] if rest[:1] == ["--"] else rest
    arguments.script = rest.pop(0) if rest else None
    options = argparse.ArgumentParser(prog="tf1grad verify", usage=arguments.parser.usage, add_help=False,
                                      argument_default=argparse.SUPPRESS)
    _add_options(options)
    flags: Dict[str, bool] = {}
    for action in options._actions:
        action.default = argparse.SUPPRESS  # it would undo what was given before the script
        flags.update((flag, action.nargs != 0) for flag in action.option_strings if flag.startswith("--"))
    end = _end_of_options(rest, flags)
    arguments = options.parse_args(rest[:end], arguments)
    arguments.script_arguments = rest[end + 1:] if rest[end:end + 1] == ["--"] else rest[end:]
    return arguments


def _end_of_options(words: Sequence[str], flags: Mapping[str, bool]) -> int:
    """How many of the words are options of verify: long ones, spelled in full. `flags` says which take a value."""
    end = 0
    while end < len(words):
        flag, equals, _ = words[end].partition("=")
        if flag not in flags:
            break
        end += 2 if flags[flag] and not equals else 1
    return min(end, len(words))


def _check(arguments: argparse.Namespace) -> str:
    """The path of the other Python, after everything that can be known to be wrong before any script runs."""
    if arguments.script is None:
        raise UsageError("name the script.\nusage: " + arguments.parser.usage)
    if arguments.against is None:
        where = ", before the arguments of the script" if "--against" in arguments.script_arguments else ""
        raise UsageError(f"say --against PYTHON: which interpreter to compare with{where}.")
    if not arguments.is_module and not os.path.isfile(arguments.script):
        what = "a directory; name the script in it" if os.path.isdir(arguments.script) else "not there"
        raise UsageError(f"{arguments.script} is {what}.")
    for path in filter(None, (arguments.json, arguments.plot, arguments.record_seeds)):
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
            raise UsageError(f"cannot write {path}.")
    if arguments.plot and importlib.util.find_spec("matplotlib") is None:
        raise UsageError("--plot needs matplotlib, in this interpreter only: pip install matplotlib")
    if arguments.plot and not arguments.plot.lower().endswith((".png", ".svg", ".pdf")):
        raise UsageError(f"--plot: the name {arguments.plot} must end in .png, .svg or .pdf.")
    return find_python(arguments.against)


def _interrupt(number: int, frame: Any) -> NoReturn:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    print("tf1grad verify: " + text, file=sys.stderr)
