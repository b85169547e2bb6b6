"""`tf1grad verify`: compares the first steps of a script under two Pythons."""

from __future__ import annotations

import argparse
import json
import os

from tf1grad.cli import command_line
from tf1grad.cli.command_line import VERIFY_PROCESS, positive_int, words_after_options, words_of
from tf1grad.programs._compat import is_installed
from tf1grad.programs._errors import UsageError
from tf1grad.programs._installers import install_line
from tf1grad.programs._samples import LIMIT
from tf1grad.programs.process.messages import counted
from tf1grad.verify.comparison_report import ValueReport
from tf1grad.verify.differences import (
    COARSE,
    DIFFERS,
    FLOOR,
    FLOOR_OF_UNTRAINED,
    NOISE_FACTOR,
    NOISY,
    SAME,
    WITHOUT_EFFECT,
)
from tf1grad.verify.graphs.graph_report import GraphReport
from tf1grad.verify.interpreters import find_python
from tf1grad.verify.record import FEW, WHOLE, Record, is_record
from tf1grad.verify.script_processes import ScriptCommand, ScriptProcesses
from tf1grad.verify.two_interpreters import TwoInterpreters

EXIT_CODES = {SAME: 0, DIFFERS: 1, NOISY: 4, WITHOUT_EFFECT: 5}
DETAILS = f"""
The script runs three times: under this interpreter, under the other, and again under this one with every trained value
perturbed by one ulp (the noise). If the runs differ, up to four more follow: two that measure the noise of a small
difference, and one under each interpreter to find where values first part. Each run has a fresh copy of the current folder, which is gone afterwards, and ends
after the last step. A step is a run that applies gradients, or an external optimizer's evaluation of loss and gradient.

Losses, gradients and all variables are compared: trained ones, slots, moving averages and others. Whole numbers and
initial values of trained variables must be identical. The runs differ at a step where a difference is larger than {NOISE_FACTOR:g} times the noise of that
step, and larger than what another order of addition explains: {FLOOR["loss"]:g} of a loss, {FLOOR["gradient"]:g} of gradients, {FLOOR_OF_UNTRAINED:g} of slots and other untrained variables, {FLOOR["value"]:g}
of other values and {FLOOR["update"]:g} of their change since the start, {FLOOR["update"]:g} of an update. A step that no perturbed run reaches has no known noise: a larger difference is too noisy to tell there. If the noise
explains more than {COARSE["loss"]:g} of a loss or value, or {COARSE["gradient"]:g} of a gradient or update, the step is too noisy to tell. So is a difference
where several threads train, or where one run reads and writes a variable in no defined order.
Differences are relative: a loss to its own magnitude, a variable's values or gradient to the largest magnitude in it.
An update is the change of a trained variable in one step: its mean difference is relative to its mean size, and two ulps
of the variable do not count, because values in 32 bits are rounded.
Arrays are compared element by element. Of an array with more than {LIMIT:,} elements an even sample and the norm are
compared, and of those after the first {WHOLE:,} elements of a run {FEW:,}. The verdict says so.

With --graph nothing trains: each interpreter builds the program until its first training step, which does not run,
and the graphs of its sessions are compared op by op. If they differ, the other interpreter builds them once
more, with another order of Python's sets, to find programs that differ from themselves.

Options may follow the script. What verify does not know belongs to the script, with all words after -- and after the
first word that is not an option. Exit codes: 0 the same, 1 they differ, 2 wrong usage, 3 the script failed under one of them, 4 too noisy to
tell, 5 graphs with differences that cannot change a number, 130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options to `parser`."""
    parser.epilog = DETAILS
    parser.usage = (
        "tf1grad verify [options] (SCRIPT | -m MODULE) [options] [--] [arguments of the script]"
    )
    add = parser.add_argument
    add(
        "--against",
        metavar="PYTHON",
        help="the other interpreter, with NumPy and TensorFlow 1.15 or newer; with --graph also a FILE of "
        "--record-graph",
    )
    add(
        "--graph",
        action="store_true",
        help="compare the graphs that sessions run, op by op, in place of the values: nothing trains",
    )
    add(
        "--record-graph",
        metavar="FILE",
        help="write the graphs of the other interpreter to FILE, for a later --graph --against FILE without it; without "
        "--against, write those of this interpreter and compare nothing",
    )
    add(
        "--steps",
        type=positive_int,
        metavar="N",
        help="how many steps to compare (default: 10); with --graph, the step to stop at (default: the first), where "
        "each run counts as a step if the program does not train",
    )
    add(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="TensorFlow's threads if the script does not set them (default: 1; 0: all, with more noise)",
    )
    add(
        "--format",
        choices=["text", "json"],
        default="text",
        help="the format of the report (default: text)",
    )
    add(
        "--plot",
        metavar="FILE",
        help="draw the two loss curves and the noise (.png, .svg, .pdf; needs matplotlib)",
    )
    add(
        "-m",
        dest="is_module",
        action="store_true",
        help="SCRIPT is the name of a module, run as python -m does",
    )
    add(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="seed for NumPy, random and graphs that the script does not seed (default: 1)",
    )
    add(
        "--run",
        default="",
        metavar="OPTIONS",
        help="more options for tf1grad run, in one word: --run='--no-dropped-names'",
    )
    add(
        "--timeout",
        type=command_line.positive_float,
        metavar="SECONDS",
        default=1800.0,
        help="limit for each process (default: 1800)",
    )
    add(
        "rest",
        nargs=argparse.REMAINDER,
        metavar="SCRIPT [args...]",
        help="the script and its own arguments",
    )


def main(arguments: argparse.Namespace) -> int:
    """Compares the runs, prints the report, and returns the exit code."""
    split(arguments)
    other = _check(arguments)
    target = ["-m"] * arguments.is_module + [arguments.script]
    command = words_of("--run", arguments.run) + target + arguments.script_arguments
    program = ScriptCommand(command, arguments.steps, arguments.seed)
    recorded = Record.load(other) if other and is_record(other) else None
    with ScriptProcesses(VERIFY_PROCESS, arguments.timeout, arguments.threads) as processes:
        interpreters = TwoInterpreters(processes, program, other or "")
        if other is None:
            return _record_only(interpreters, arguments.record_graph)
        if arguments.graph:
            report: GraphReport | ValueReport = interpreters.compare_graphs(
                recorded, arguments.record_graph
            )
        else:
            report = interpreters.compare_values()
    found = report.as_dict(arguments.script)
    is_json = arguments.format == "json"
    print(json.dumps(found, indent=2) if is_json else report.as_text(arguments.script))
    if arguments.plot:
        from tf1grad.verify import plot

        plot.draw(arguments.plot, found)
    return EXIT_CODES[report.outcome]


def _record_only(interpreters: TwoInterpreters, file: str) -> int:
    record = interpreters.record_graphs(file)
    ops = sum(map(len, record.graphs))
    command_line.say(
        "verify",
        f"{file} has {counted(len(record.graphs), 'graph')} with {counted(ops, 'op')}, of TensorFlow "
        f"{record.facts.tensorflow}.",
    )
    return 0


def split(arguments: argparse.Namespace) -> None:
    """Adds `script` and `script_arguments` to the arguments.
    Options of verify may follow the script.
    """
    words = words_after_options(arguments.rest)
    arguments.script = words[0] if words else None
    following = words[1:]
    end = following.index("--") if "--" in following else len(following)
    _, unknown = arguments.parser.parse_known_args(following[:end], arguments)
    arguments.script_arguments = unknown + arguments.rest + following[end + 1 :]


def _check(arguments: argparse.Namespace) -> str | None:
    """Returns the other Python or the recorded file, or None,
    after checking all that can be checked before a run.
    """
    arguments.graph = arguments.graph or bool(arguments.record_graph)
    if arguments.script is None:
        raise UsageError("name the script.\nusage: " + arguments.parser.usage)
    if arguments.against is None and not arguments.record_graph:
        hint = "give the interpreter to compare with: --against PYTHON"
        if "--against" in arguments.script_arguments:
            hint += ", before the arguments of the script"
        raise UsageError(hint + ".")
    if not arguments.is_module and not os.path.exists(arguments.script):
        raise UsageError(f"{arguments.script} does not exist.")
    command_line.check_writable("--record-graph", arguments.record_graph)
    if arguments.plot:
        _check_plot(arguments)
    path: str | None = arguments.against
    if path is None:
        return None
    if not is_record(path):
        return find_python(path)
    if not arguments.graph:
        raise UsageError(f"--against: {path} may hold recorded graphs, but no values: add --graph.")
    if arguments.record_graph:
        raise UsageError(
            "--record-graph records what an interpreter builds; --against names a file."
        )
    return path


def _check_plot(arguments: argparse.Namespace) -> None:
    command_line.check_writable("--plot", arguments.plot)
    if arguments.graph:
        raise UsageError("--plot is for values; leave it out with --graph.")
    if not is_installed("matplotlib"):
        raise UsageError(
            f"--plot needs matplotlib, in this interpreter only: {install_line(['matplotlib'])}"
        )
    if not arguments.plot.lower().endswith((".png", ".svg", ".pdf")):
        raise UsageError(f"--plot: the name {arguments.plot} must end in .png, .svg or .pdf.")
