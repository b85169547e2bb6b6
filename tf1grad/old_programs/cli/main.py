"""Reads the command line: `tf1grad run | check | upgrade | verify | model | period | doctor`."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import shlex
import signal
import sys
from typing import Callable, Sequence

import tf1grad
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli.command_line import say

# A command's module is imported when it is chosen, and has `add_arguments(parser)` and `main(arguments)`, which
# returns the exit code.
COMMANDS = {
    "run": "run a TensorFlow 1 script unmodified",
    "check": "report removed names and silent bugs in scripts, without running them",
    "upgrade": "rewrite scripts for tensorflow.compat.v1 and tf1grad",
    "verify": "compare a script's first steps under two Pythons",
    "model": "show what a model file of TensorFlow 1 holds, or convert it for today's TensorFlow",
    "period": "show, fetch or remove what surrounded TensorFlow 1.15, for run",
    "doctor": "list the parts that work here, and print what makes the others work",
}


INTERRUPTED = 130
BROKEN_PIPE = 141  # the shell's status of a program that wrote to a closed pipe


def make_parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """Returns the parser of the command line `argv`; only the command that it names is imported and has arguments."""
    parser = argparse.ArgumentParser(
        prog="tf1grad", description="Keep TensorFlow 1 scripts running."
    )
    parser.add_argument("--version", action="version", version=f"tf1grad {tf1grad.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.required = True
    for name, summary in COMMANDS.items():
        # What follows a script's name may begin as an option does.
        command = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name in argv[:1]:
            module = importlib.import_module(f"tf1grad.old_programs.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(main=module.main, parser=command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command that `argv` (default: the process's own arguments) names, and returns its exit code."""
    argv = sys.argv[1:] if argv is None else list(argv)
    parser = make_parser(argv)
    if not argv:
        parser.print_help()
        return 0
    if argv[0] not in COMMANDS and os.path.isfile(argv[0]):
        line = shlex.join(["tf1grad", "run", *argv]) if sys.version_info >= (3, 8) else argv[0]
        parser.error(f"{argv[0]!r} is a file, and not a command. To run it: {line}")
    arguments, others = parser.parse_known_args(argv)
    if others:
        place = " Options of the script come after the script." if argv[0] == "run" else ""
        arguments.parser.error(f"unrecognized arguments: {' '.join(others)}.{place}")
    # Errors: TensorFlow's start-up messages would hide the rest.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    command: Callable[[argparse.Namespace], int] = arguments.main
    if arguments.command == "run":  # its streams and signals are the script's
        return command(arguments)
    # Somebody may have put another object in its place.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be in any encoding
    try:
        code = _call(command, arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of the output, such as `head`, has closed it; Python must not try again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def _call(command: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return command(arguments)
    except UsageError as error:
        say(arguments.command, str(error))
        return error.code
    except KeyboardInterrupt:
        say(arguments.command, "interrupted")
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, previous)
