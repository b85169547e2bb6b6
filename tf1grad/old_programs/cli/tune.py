"""`tf1grad tune`: times the first steps of a script under several settings."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import List, Optional

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli.command_line import (
    add_script_options,
    positive_int,
    teller,
    words_after_options,
)
from tf1grad.old_programs.tuning import tuning_report
from tf1grad.old_programs.tuning.measurements import Measurements
from tf1grad.old_programs.tuning.settings import DEFAULT, Setting, settings
from tf1grad.old_programs.verify.interpreters import find_python
from tf1grad.old_programs.verify.script_processes import Program, ScriptProcesses

DETAILS = """
The settings are:

  default          tf1grad run without options
  onednn, eigen    run --kernels onednn and --kernels eigen
  xla              TensorFlow's auto-clustering (TF_XLA_FLAGS)
  no-fast          run --no-fast
  threads-A-B      A threads in an op, and B ops at a time (for scripts that do not set their numbers)
  1.15             the interpreter of --against

Each setting has a process that ends after --steps steps. The processes run one after another, and all settings are
measured again in the next round. The script runs in the current folder, including everything it reads and writes. A
step is a run that trains, or any run in a program that does not train. If two settings of different kinds are at least
5 % faster than the default, they are measured together as well.

start-up is the time until the first step has ended; the times of a step are those after the first fifth of the steps,
in the faster round; memory is the largest resident memory. The losses are the floating-point scalars that the script
fetches; all settings have the same seeds. A difference that grows from step to step comes from rounding.

Options of tune come before the script. Ctrl-C prints what is known. Exit codes: 0 measured, 2 wrong usage, 3 the script
failed, 130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options to `parser`."""
    parser.epilog = DETAILS
    parser.usage = "tf1grad tune [options] (SCRIPT | -m MODULE) [arguments of the script]"
    add = parser.add_argument
    add(
        "--against",
        metavar="PYTHON",
        help="an interpreter with TensorFlow 1.15, to be measured too",
    )
    add(
        "--steps",
        type=positive_int,
        metavar="N",
        default=30,
        help="steps of each process (default: 30)",
    )
    add(
        "--rounds",
        type=positive_int,
        metavar="N",
        default=2,
        help="processes for each setting (default: 2)",
    )
    add(
        "--settings",
        metavar="NAMES",
        help="only these settings, separated by commas, and the default",
    )
    add_script_options(parser, 600.0)


def main(arguments: argparse.Namespace) -> int:
    """Measures, prints the report, and returns the exit code."""
    words = words_after_options(arguments.rest)
    if not words:
        raise UsageError("name the SCRIPT to tune, or -m MODULE")
    if not arguments.is_module and not os.path.isfile(words[0]):
        raise UsageError(f"{words[0]} is not a file")
    chosen = _chosen(
        settings(arguments.against and find_python(arguments.against)), arguments.settings
    )
    words = ["-m"] * arguments.is_module + words
    options = shlex.split(arguments.run)
    with ScriptProcesses(arguments.timeout, 0, teller(arguments)) as processes:
        program = Program(words, words[-1], arguments.steps, arguments.seed)
        measurements = Measurements(processes, program, options, arguments.rounds)
        try:
            measurements.measure(chosen)
            measurements.measure_together()
        except KeyboardInterrupt:
            print(tuning_report.as_text(measurements, [*options, *words]))
            raise
    print(tuning_report.as_text(measurements, [*options, *words]))
    return 0


def _chosen(found: List[Setting], names: Optional[str]) -> List[Setting]:
    """Returns the settings that `--settings` names, and the default."""
    if names is None:
        return found
    wanted = [name.strip() for name in names.split(",")]
    known = [setting.name for setting in found]
    for name in wanted:
        if name not in known:
            raise UsageError(f"--settings: {name!r} is not one of {', '.join(known)}.")
    return [setting for setting in found if setting.name in [DEFAULT, *wanted]]
