"""Runs an old script, unmodified, in this process,
as if TensorFlow 1.15 were installed: `tf1grad run`.

Commands that are not Python programs take the place of this process (`start/commands.py`).

The way to the script's first line is the list of phases in `start/startup.py`.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import datetime
import importlib.machinery
import os
import random
import re
import shlex
import sys
from typing import Callable, NoReturn, Sequence

from tf1grad.cli.command_line import (
    check_writable,
    positive_float,
    positive_int,
    say,
    words_after_options,
)
from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import messages, patches, run_record
from tf1grad.run.script import script, tracebacks
from tf1grad.run.start import commands, options as options_of_run, startup
from tf1grad.run.start.options import Options

VARIABLE = "TF1GRAD_OPTIONS"
EPILOG = """\
Options of run come before the script; everything after it belongs to the script.

run sets TF_CPP_MIN_LOG_LEVEL=2, unless the environment sets it: this hides TensorFlow's start-up messages, but not its
errors.

exit codes:
  that of the script, as Python gives it: 0 at its end, 1 after an exception, the value given to sys.exit, and
  128 + the signal's number (in a shell) after a signal
  1  the script is not valid Python (syntax, encoding)
  2  the command cannot start: wrong options, script or module not found, an option that this TensorFlow cannot do
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tf1grad run`."""
    parser.epilog = EPILOG
    parser.usage = (
        "tf1grad run [options] [SCRIPT | COMMAND | - | -c CODE | -m MODULE] [its arguments]"
    )
    add = parser.add_argument
    add(
        "-m",
        dest="module",
        action="store_true",
        help="SCRIPT is the name of a module or package to run",
    )
    add(
        "-c",
        dest="is_code",
        action="store_true",
        help="SCRIPT is not a file but the program itself, as for `python -c`",
    )
    add(
        "--record",
        metavar="FILE",
        help="write to FILE what the run shows of the program, for `tf1grad upgrade --from FILE`: each repair with its "
        "file and line, the modules that names mean, and the first fetched values",
    )
    add(
        "--numpy",
        choices=["layer", "installed"],
        help="the program's NumPy: one that computes, prints and sorts as NumPy 1 did (layer, the default), or the "
        "installed one, for a package that needs it",
    )
    add(
        "--packages",
        choices=["layer", "installed"],
        help="the packages that the program declares in requirements.txt, setup.py and their like, or imports: fetched "
        "once, beside the period layer (layer, the default), or only the installed ones; TF1GRAD_OFFLINE=1 in the "
        "environment never fetches",
    )
    add(
        "--date",
        type=check_date,
        metavar="DAY",
        help="the program's date, such as 2019-06-12: packages that stand on TensorFlow or Keras, and pinned ones, are "
        "as of then (default: the newest pin, else the last commit, else January 2020); all: the other pure packages "
        "too; none: none of them",
    )
    add(
        "--lock",
        metavar="FILE",
        help="take exactly the packages of FILE, or write it if it does not exist",
    )
    add(
        "--kernels",
        choices=["auto", "onednn", "eigen"],
        help="the kernels that compute on a CPU: oneDNN's where they are faster, and Eigen's for the gradients that "
        "oneDNN computes slowly (auto, the default; TF_ENABLE_ONEDNN_OPTS=0 in the environment means eigen); "
        "oneDNN's for all; or Eigen's for all, which round as TensorFlow 1.15 did. onednn also leaves sparse products "
        "as they are, which the others compute in blocks of columns where TensorFlow's kernel is slow",
    )
    add(
        "--no-fast",
        dest="fast",
        action="store_false",
        help="let each session.run look up everything, as TensorFlow does, also when the same run is repeated",
    )
    add(
        "--no-dropped-names",
        dest="dropped_names",
        action="store_false",
        help="leave NumPy, SciPy, matplotlib and the standard library unchanged",
    )
    add(
        "--python",
        type=_major_version,
        choices=[2, 3],
        help="the Python version of the program (default: what the script shows, or else the files that it imports, or "
        "those beside it)",
    )
    add(
        "--matplotlib",
        metavar="BACKEND",
        help="matplotlib's backend (default: agg where there is not a display)",
    )
    add(
        "--include",
        metavar="PACKAGE",
        action="append",
        help="an installed package to be treated as user code (repeatable); packages that are written for TensorFlow 1 "
        "are found without it",
    )
    add(
        "--exclude",
        metavar="PACKAGE",
        action="append",
        help="an installed package that keeps the installed TensorFlow and libraries (repeatable)",
    )
    add(
        "--accumulate",
        metavar="K",
        type=positive_int,
        help="apply the mean gradient of every K steps",
    )
    add(
        "--clip-global-norm",
        metavar="X",
        type=positive_float,
        help="limit the global norm of the gradients to X",
    )
    add(
        "--freeze",
        metavar="SCOPE",
        action="append",
        help="leave the variables in this scope untrained (repeatable)",
    )
    add(
        "--explain",
        action="store_true",
        help="print on stderr what is changed in the script's process, in order: phase, change, reason, and the option "
        "that leaves it out",
    )
    add(
        "--quiet",
        action="store_true",
        help="print neither the messages that begin with tf1grad: nor TensorFlow's deprecation warnings, but errors "
        "that end the run",
    )
    add(
        "program",
        nargs=argparse.REMAINDER,
        metavar="SCRIPT [arguments]",
        help="the script, a notebook, a folder or zip file with a __main__.py, - for standard input, or (-m) a module; "
        "or a command, such as a shell script, make or t2t-trainer, whose python finds TensorFlow 1.15; and its "
        "arguments. Without it, an interactive Python",
    )
    shared = options_of_run.defaults._asdict()
    parser.set_defaults(**{name: shared[name] for name in shared if name != "program"})


def parse_arguments(words: Sequence[str]) -> argparse.Namespace:
    """Returns the arguments of a command line after `tf1grad run`,
    for processes of other commands.
    """
    parser = argparse.ArgumentParser(prog="tf1grad run", allow_abbrev=False)
    add_arguments(parser)
    return parser.parse_args(words)


def seed_generators(seed: int) -> None:
    """Seeds Python's and NumPy's random numbers."""
    import numpy as np  # after the period layer has put its own in front

    random.seed(seed)
    np.random.seed(seed)


def _major_version(text: str) -> int:
    """Returns the 2 or 3 with which a version of Python begins."""
    if not re.match(r"[23](\.\d+)*$", text):
        raise argparse.ArgumentTypeError(f"expected 2 or 3; got {text!r}")
    return int(text[0])


def check_date(text: str) -> str:
    """Returns the value of `--date`: a day, "all" or "none"."""
    with contextlib.suppress(ValueError):
        if text in ("all", "none"):
            return text
        if datetime.date.fromisoformat(text) > datetime.date.today():
            raise argparse.ArgumentTypeError(f"{text} is in the future: no package is as of then")
        return text
    raise argparse.ArgumentTypeError(
        f"expected a day such as 2019-06-12, all or none; got {text!r}"
    )


class _RunParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{VARIABLE}={os.environ.get(VARIABLE)!r}: {message}")


def options_from_environment() -> Options:
    """Returns the options of a process that no command starts,
    such as a notebook's kernel, from `VARIABLE`.
    """
    parser = _RunParser(prog=VARIABLE, add_help=False)
    add_arguments(parser)
    try:
        words = shlex.split(os.environ.get(VARIABLE, ""))
    except ValueError as error:  # a quotation mark or an escape has no end
        parser.error(f"{error}. Write it as for a shell")
    given = parser.parse_args(words)
    if given.program or given.module or given.is_code or given.record or given.explain:
        parser.error("takes no script, -c, -m, --record or --explain")
    lock, new_lock = _lock(given.lock)
    if new_lock:
        parser.error(f"--lock {new_lock}: the file does not exist. `tf1grad run` writes it")
    return options_of_run.read_arguments(given)._replace(
        lock=lock, program=os.getcwd(), script_folder=os.getcwd()
    )


def main(
    arguments: argparse.Namespace,
    when_loaded: Callable[[], None] | None = None,
    seed: int | None = None,
) -> int:
    """Runs the script that `arguments` name; it ends as it does under `python`.

    `when_loaded` is called, without arguments, when TensorFlow has been imported and everything is
    in place. Python's and NumPy's random numbers get `seed`, if that is not None.
    """
    with tracebacks.own_frames_hidden():
        try:
            words = words_after_options(arguments.program)
            is_program = arguments.module or arguments.is_code
            command = None if is_program else commands.find_command(words)
            if is_program and not words:
                missing = "-m: name the MODULE" if arguments.module else "-c: give the CODE"
                raise UsageError(f"{missing} to run")
            if not words and not command:
                raise UsageError(
                    "name the SCRIPT to run, - for one from standard input, or -m MODULE"
                )
            place = folder = os.getcwd()
            if not command:
                program = (
                    script.take_words(words[0])
                    if arguments.is_code
                    else script.find_program(words[0], arguments.module)
                )
                folder = os.path.abspath(program.folder)
                place = os.path.abspath(
                    program.argv0 if os.path.exists(program.argv0) else program.folder
                )
            elif arguments.record or when_loaded:
                raise UsageError(f"{command[0]} is not a Python program, whose values are recorded")
            lock, new_lock = _lock(arguments.lock)
            options = options_of_run.read_arguments(arguments)._replace(
                lock=lock, program=place, script_folder=folder
            )
            record = check_writable("--record", arguments.record)
            if arguments.explain:
                patches.explain()
            if record:
                take_notes(record)
            compiler = startup.prepare(options, when_loaded)
            _say_what_does_nothing(arguments)
            if new_lock:
                startup.write_lock(new_lock, options)
            if command:
                return commands.start(command)
            if seed is not None:
                seed_generators(seed)
            script.run(program, words[1:], compiler)
        except UsageError as error:
            say("run", str(error))
            return 2
    return 0


def _say_what_does_nothing(arguments: argparse.Namespace) -> None:
    """Names options that have no effect here; the packages that `run`
    brings are on the path by now.
    """
    for option, named, path in (
        ("--include", arguments.include, [os.getcwd(), *sys.path]),
        ("--exclude", arguments.exclude, None),
    ):
        for package in named:
            if importlib.machinery.PathFinder.find_spec(package.split(".")[0], path) is None:
                messages.say(f"{option} {package}: no package of this name is installed")
    if VARIABLE in os.environ:
        messages.say(
            f"{VARIABLE} is not read here: `run` takes its options from the command line. "
            "It is for `import tf1grad.v1`, notebooks and pytest"
        )


def _lock(path: str | None) -> tuple[tuple[str, str] | None, str | None]:
    """Returns a lock file, as it was named and its path, or None;
    and one that has to be written, or None.
    """
    if path is None or not os.path.exists(path):
        return None, check_writable("--lock", path)
    from tf1grad.run.packages import lock_file

    lock_file.load(path)
    return (path, os.path.abspath(path)), None


def take_notes(path: str) -> None:
    """Begins the notes of this process, which it writes at its end."""
    atexit.register(run_record.start().write, path)
