"""`tf1grad verify`: compares the first steps of a script under two Pythons."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import os
import shlex
import sys
import tempfile
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli.argument_types import positive_float, positive_int
from tf1grad.old_programs.cli.stderr_lines import say
from tf1grad.old_programs.verify import comparison_report
from tf1grad.old_programs.verify import differences as limits
from tf1grad.old_programs.verify.comparison import Comparison
from tf1grad.old_programs.verify.differences import DIFFERS, NOISY, SAME, WITHOUT_EFFECT
from tf1grad.old_programs.verify.first_values import FirstValues, find_first_values
from tf1grad.old_programs.verify.graphs import two_graphs
from tf1grad.old_programs.verify.graphs.graph_record import GraphRecord
from tf1grad.old_programs.verify.interpreters import find_python
from tf1grad.old_programs.verify.script_processes import ScriptFailed, ScriptProcesses
from tf1grad.old_programs.verify.step_numbers import Record

RECORDED_RUN = "tf1grad.old_programs.cli.verify_process"  # not imported: this process needs nothing of `run`
VALUE_STEPS = 10
EXIT_CODES = {SAME: 0, DIFFERS: 1, NOISY: 4, WITHOUT_EFFECT: 5}
DETAILS = """
The script runs three times in the current folder, including everything it reads and writes: under this interpreter,
under the other, and again under this one with every trained value perturbed by one ulp (the noise). Each run ends after
the last step. A step is a run that applies gradients, or an external optimizer's evaluation of loss and gradient.

The runs are the same if the initial values are identical, the first loss differs by at most %g, first gradients by
%g, later losses and values by %g, later gradients by %g. They differ at a step where a difference is larger
than that, and larger than %g times the noise of that step. In between, a step is too noisy to tell, and so is a
difference where several threads train. verify then names each fetch that races with a step that writes its variables.
Differences are relative: a loss to its own magnitude, a variable's values or gradient to the largest magnitude in it.

With --graph nothing trains: each interpreter builds the program until its first training step, which does not run,
and the graphs of its sessions are compared op by op. If they differ, the interpreter with TensorFlow 1.15 builds them
once more, with another order of Python's sets, to find programs that differ from themselves.

The options of verify end at the first word after the script that is not one of them, or at --. What follows belongs to
the script. Exit codes: 0 the same, 1 they differ, 2 wrong usage, 3 the script failed under one of them, 4 too noisy to
tell, 5 graphs with differences that cannot change a number, 130 interrupted.
""" % (limits.FIRST_LOSS, limits.FIRST_GRADIENTS, limits.LATER, limits.LATER_GRADIENTS,  # noqa: UP031 - as wide
       limits.NOISE_FACTOR)


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
    add("--against", metavar="PYTHON",
        help="the other interpreter, with NumPy and TensorFlow 1.15 or newer; with --graph also a FILE of "
             "--record-graph")
    add("--graph", action="store_true",
        help="compare the graphs that sessions run, op by op, in place of the values: nothing trains")
    add("--record-graph", metavar="FILE",
        help="write the graphs of the interpreter with TensorFlow 1.15 to FILE, for a later --graph --against FILE "
             "without it; without --against nothing is compared")
    add("-m", dest="is_module", action="store_true", help="SCRIPT is the name of a module, run as python -m does")
    add("--steps", type=positive_int, metavar="N",
        help="how many steps to compare (default: 10); with --graph, the step to stop at (default: the first), where "
             "each run counts as a step if the program does not train")
    add("--seed", type=int, default=1, metavar="N",
        help="seed for NumPy, random and graphs that the script does not seed (default: 1)")
    add("--run", default="", metavar="OPTIONS", help="more options for tf1grad run, in one word: --run='--no-era'")
    add("--threads", type=int, default=1, metavar="N",
        help="TensorFlow's threads if the script does not set them (default: 1; 0: all, with more noise)")
    add("--timeout", type=positive_float, metavar="SECONDS", default=1800., help="limit for each run (default: 1800)")
    add("--quiet", action="store_true", help="print no progress")
    add("--format", choices=["text", "json"], default="text", help="the format of the report (default: text)")
    add("--json", metavar="FILE", help="also write the JSON report to FILE")
    add("--plot", metavar="FILE", help="draw the two loss curves and the noise (.png, .svg, .pdf; needs matplotlib)")


def main(arguments: argparse.Namespace) -> int:
    """Compares the runs, prints the report, and returns the exit code."""
    arguments = _split(arguments)
    other = _check(arguments)
    target = ["-m"] * arguments.is_module + [arguments.script]
    command = shlex.split(arguments.run) + target + arguments.script_arguments
    if arguments.graph or other is None:
        return _verify_graphs(arguments, other, command)
    with tempfile.TemporaryDirectory(prefix="tf1grad-verify-") as folder, ScriptProcesses(
            RECORDED_RUN, Record, folder, arguments.timeout, arguments.threads, _teller(arguments)) as processes:
        comparison = Comparison(*_record_three_runs(processes, other, command, arguments))
        hidden = comparison.parted or comparison.hidden
        is_value = hidden is not None and hidden.what in ("loss", "gradient", "value")
        if hidden and is_value and comparison.repeats and comparison.processes == 1:
            comparison.first_values = _find_first_values(arguments, folder, other, command, hidden.step)
    return _write_report(comparison, arguments, target[-1])


def _record_three_runs(processes: ScriptProcesses[Record], other: str, command: Sequence[str],
                       arguments: argparse.Namespace) -> List[Record]:
    """Returns the records of this interpreter, of the other, and of this one again with perturbed values."""
    def run(name: str, python: str, perturb: bool = False) -> Record:
        return processes.record(name, python, {"steps": arguments.steps or VALUE_STEPS, "seed": arguments.seed,
                                               "perturb": perturb, "run": list(command)})

    this = run("this interpreter", sys.executable)
    if not this.steps:
        raise ScriptFailed("the script ended and never trained: nothing applied gradients "
                           "(tf.train.Optimizer), and no external optimizer evaluated a loss.")
    return [this, run("the other interpreter", other),
            run("this interpreter, again", sys.executable, perturb=True)]


def _find_first_values(arguments: argparse.Namespace, folder: str, other: str, command: Sequence[str],
                       step: int) -> Optional[FirstValues]:
    program = two_graphs.Program(command, arguments.script, step, arguments.seed)
    inner = os.path.join(folder, "tensors")
    os.mkdir(inner)
    with ScriptProcesses(RECORDED_RUN, GraphRecord, inner, arguments.timeout, arguments.threads,
                         _teller(arguments)) as processes:
        return find_first_values(processes, folder, other, program, step)


def _teller(arguments: argparse.Namespace) -> Callable[[str], Any]:
    return (lambda line: None) if arguments.quiet else functools.partial(say, "verify")


def _verify_graphs(arguments: argparse.Namespace, other: Optional[str], command: Sequence[str]) -> int:
    name = arguments.script if arguments.is_module else os.path.basename(arguments.script)
    program = two_graphs.Program(command, name, arguments.steps, arguments.seed)
    recorded = None
    if other is not None and two_graphs.is_recorded_file(other):
        recorded = two_graphs.load_recorded(other, program)
    with tempfile.TemporaryDirectory(prefix="tf1grad-verify-") as folder, ScriptProcesses(
            RECORDED_RUN, GraphRecord, folder, arguments.timeout, arguments.threads, _teller(arguments)) as processes:
        if other is None:
            return _record_only(processes, program, arguments.record_graph)
        report = two_graphs.compare_interpreters(processes, other, program, recorded, arguments.record_graph)
    text = json.dumps(report.as_dict(arguments.script), indent=2)
    print(text if arguments.format == "json" else report.as_text(arguments.script))
    _write_json(arguments, text)
    return ScriptFailed.code if report.failures else EXIT_CODES[report.outcome]


def _record_only(processes: ScriptProcesses[GraphRecord], program: two_graphs.Program, file: str) -> int:
    record = two_graphs.record_graphs(processes, two_graphs.THIS, sys.executable, program)
    if "failure" in record.facts or not record.graphs:
        raise ScriptFailed(record.facts.get("failure", "the script ended and built no graph."))
    record.save(file)
    ops = sum(len(graph.ops) for graph in record.graphs)
    say("verify", f"{file} has {len(record.graphs)} graphs with {ops:,} ops, of TensorFlow "
                  f"{record.facts['tensorflow']}.")
    return 0


def _write_json(arguments: argparse.Namespace, text: str) -> None:
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")


def _write_report(comparison: Comparison, arguments: argparse.Namespace, script: str) -> int:
    found = comparison_report.as_dict(comparison, script)
    text = json.dumps(found, indent=2)
    print(text if arguments.format == "json" else comparison_report.as_text(comparison, script))
    _write_json(arguments, text)
    if arguments.plot:
        from tf1grad.old_programs.verify import plot
        plot.draw(arguments.plot, found)
    return EXIT_CODES[comparison.outcome]


def _split(arguments: argparse.Namespace) -> argparse.Namespace:
    """Returns the arguments, with `script` and `script_arguments`. Options of verify may follow the script directly."""
    rest = list(arguments.rest)
    rest = rest[1:] if rest[:1] == ["--"] else rest
    arguments.script = rest.pop(0) if rest else None
    options = argparse.ArgumentParser(prog="tf1grad verify", usage=arguments.parser.usage, add_help=False,
                                      argument_default=argparse.SUPPRESS)
    _add_options(options)
    flags: Dict[str, bool] = {}
    for action in options._actions:
        action.default = argparse.SUPPRESS  # a default would undo the options before the script
        flags.update((flag, action.nargs != 0) for flag in action.option_strings if flag.startswith("--"))
    end = _end_of_options(rest, flags)
    arguments = options.parse_args(rest[:end], arguments)
    arguments.script_arguments = rest[end + 1:] if rest[end:end + 1] == ["--"] else rest[end:]
    return arguments


def _end_of_options(words: Sequence[str], flags: Mapping[str, bool]) -> int:
    """Returns the number of leading words that are options of verify, in full. `flags` says which take a value."""
    end = 0
    while end < len(words):
        flag, equals, _ = words[end].partition("=")
        if flag not in flags:
            break
        end += 2 if flags[flag] and not equals else 1
    return min(end, len(words))


def _check(arguments: argparse.Namespace) -> Optional[str]:
    """Returns the other Python or the recorded file, or None, after checking all that can be checked before a run."""
    arguments.graph = arguments.graph or bool(arguments.record_graph)
    if arguments.script is None:
        raise UsageError("name the script.\nusage: " + arguments.parser.usage)
    if arguments.against is None and not arguments.record_graph:
        where = ", before the arguments of the script" if "--against" in arguments.script_arguments else ""
        raise UsageError(f"give the interpreter to compare with: --against PYTHON{where}.")
    if not arguments.is_module and not os.path.isfile(arguments.script):
        problem = "is a directory; name the script in it" if os.path.isdir(arguments.script) else "does not exist"
        raise UsageError(f"{arguments.script} {problem}.")
    for path in filter(None, (arguments.json, arguments.plot, arguments.record_graph)):
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
            raise UsageError(f"cannot write {path}.")
    if arguments.plot and not arguments.graph and importlib.util.find_spec("matplotlib") is None:
        raise UsageError("--plot needs matplotlib, in this interpreter only: pip install matplotlib")
    if arguments.plot and not arguments.plot.lower().endswith((".png", ".svg", ".pdf")):
        raise UsageError(f"--plot: the name {arguments.plot} must end in .png, .svg or .pdf.")
    return _other_side(arguments)


def _other_side(arguments: argparse.Namespace) -> Optional[str]:
    """Returns what `--against` names; None where that is missing."""
    if arguments.graph and arguments.plot:
        raise UsageError("--plot is for values; leave it out with --graph.")
    path: Optional[str] = arguments.against
    if path is None:
        return None
    if two_graphs.is_recorded_file(path):
        if not arguments.graph:
            raise UsageError(f"--against: {path} may hold recorded graphs, but no values: add --graph.")
        if arguments.record_graph:
            raise UsageError("--record-graph records what an interpreter builds; --against names a file.")
        return path
    if arguments.graph and os.path.isfile(path) and not os.access(path, os.X_OK):
        raise UsageError(f"--against: {path} is neither an interpreter nor a file of --record-graph.")
    return find_python(path)
