"""Reads the command line: `tf1grad run | check | upgrade | verify | model | period | doctor`."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import io
import os
import re
import shlex
import signal
import sys
import threading
from typing import Callable, Iterable, Iterator, NoReturn, Sequence

import tf1grad
from tf1grad.cli.command_line import say
from tf1grad.programs._errors import UsageError
from tf1grad.programs._installers import install_line
from tf1grad.programs._suggestions import meant, meant_file

# A command's module is imported when it is chosen, and has `add_arguments(parser)` and
# `main(arguments)`, which returns the exit code.
COMMANDS = {
    "run": "run a TensorFlow 1 script unmodified",
    "check": "report removed names and silent bugs in scripts, without running them",
    "upgrade": "rewrite scripts for tensorflow.compat.v1 and tf1grad",
    "verify": "compare a script's first steps under two Pythons",
    "model": "show what a model file of TensorFlow 1 holds, or convert it for today's TensorFlow",
    "period": "show, fetch or remove what surrounded TensorFlow 1.15, for run",
    "doctor": "list the parts that work here, and print what makes the others work",
    "completion": "print the script by which a shell completes these commands and their options",
}
# Words of other programs for what an option does here.
INSTEAD = {"help": "--help", "version": "--version", "-V": "--version"}
# Options of other programs for what is done otherwise here.
ELSEWHERE = {
    ("check", "--fix"): " `tf1grad upgrade --write` rewrites files.",
    ("check", "--write"): " `tf1grad upgrade --write` rewrites files.",
    ("check", "-r"): " All files below a folder are read.",
    ("upgrade", "--diff"): " The changes are shown unless --write is given.",
    ("upgrade", "--in-place"): " --write changes the files.",
    ("upgrade", "-i"): " --write changes the files.",
    ("upgrade", "-o"): " --write changes the files, and keeps each as FILE.orig.",
    ("doctor", "--format"): " --json prints an object.",
}


ALL: Sequence[str] = ()  # the command line for which every command has its arguments
INTERRUPTED = 130
REQUIREMENTS = ("numpy", "packaging")  # of setup.py
BROKEN_PIPE = 141  # the shell's status of a program that wrote to a closed pipe


def make_parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """Returns the parser of the command line `argv`;
    only the command that it names is imported and has arguments.
    """
    parser = _Parser(prog="tf1grad", description="Keep TensorFlow 1 scripts running.")
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
        if name in argv[:1] or argv is ALL:
            module = importlib.import_module(f"tf1grad.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(main=module.main, parser=command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command that `argv` (default: the process's own arguments) names,
    and returns its exit code.
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    if argv and argv[0] in INSTEAD:  # `tf1grad help run` is `tf1grad run --help`
        argv = [*argv[1:2], INSTEAD[argv[0]]] if argv[0] == "help" else [INSTEAD[argv[0]]]
    try:
        with _requirements_named():
            parser = make_parser(argv)
    except UsageError as error:  # in the settings of a command
        say(argv[0], str(error))
        return error.code
    if not argv:
        parser.print_help()
        return 0
    if argv[0] not in COMMANDS and os.path.isfile(argv[0]):
        line = shlex.join(["tf1grad", "run", *argv]) if sys.version_info >= (3, 8) else argv[0]
        parser.error(f"{argv[0]!r} is a file, and not a command. To run it: {line}")
    if argv[0] not in COMMANDS and argv[0].endswith((".py", ".ipynb")):
        parser.error(f"{argv[0]!r}: no such file, and not a command.{meant_file(argv[0])}")
    if argv[0].startswith("-") and not set(argv) & {*COMMANDS, *parser._option_string_actions}:
        parser.error(
            f"unrecognized arguments: {argv[0]}."
            + (
                _option_meant(argv[0], parser._option_string_actions)
                or meant(argv[0].lstrip("-"), COMMANDS)
            )
        )
    arguments, others = parser.parse_known_args(argv)
    if "parser" not in arguments:  # its name did not come first
        parser.error(f"options come after the command: tf1grad {arguments.command} {argv[0]} ...")
    if others:
        has_script = argv[0] == "run" and arguments.program
        place = " Options of the script come after the script." if has_script else ""
        remedy = ELSEWHERE.get((argv[0], others[0].split("=")[0])) or _option_meant(
            others[0], arguments.parser._option_string_actions
        )
        arguments.parser.error(f"unrecognized arguments: {' '.join(others)}.{remedy}{place}")
    # Errors: TensorFlow's start-up messages would hide the rest.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    command: Callable[[argparse.Namespace], int] = arguments.main
    if arguments.command == "run":  # its streams and signals are the script's
        return command(arguments)
    _replace_closed_streams()
    # Somebody may have put another object in its place.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be in any encoding
    try:
        code = _call(command, arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of the output, such as `head`, has closed it
        _discard_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _discard_output()
        say(arguments.command, f"the output cannot be written: {error.strerror}")
        return UsageError.code


def _replace_closed_streams() -> None:
    """Gives closed streams a file that nobody reads:
    the exit code still tells, and errors do not go to the output.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))


def _discard_output() -> None:
    """Keeps Python from writing the rest of the output again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """A parser whose error for an unknown command,
    action or value of an option names the closest one.
    """

    def error(self, message: str) -> NoReturn:
        unknown = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if unknown:
            message += meant(unknown.group(1), re.findall(r"[\w-]+", unknown.group(2)))
        super().error(message)


def _option_meant(word: str, options: Iterable[str]) -> str:
    return meant(word.split("=")[0], options)


@contextlib.contextmanager
def _requirements_named() -> Iterator[None]:
    """A requirement that is missing, as after `pip install --no-deps`,
    is a UsageError that names it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in REQUIREMENTS:
            raise
        raise UsageError(
            f"{error.name} is missing in this Python: {install_line([error.name])}"
        ) from None


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Within, SIGTERM ends a command as Ctrl-C does. Only the main thread can set that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _call(command: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    try:
        with _terminated_as_interrupted(), _requirements_named():
            return command(arguments)
    except UsageError as error:
        say(arguments.command, str(error))
        return error.code
    except KeyboardInterrupt:
        say(arguments.command, "interrupted")
        return INTERRUPTED
