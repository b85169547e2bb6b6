"""Runs `tf1grad completion`: prints a shell's script that completes commands and
options, which shtab makes.
"""

from __future__ import annotations

import argparse

from tf1grad.programs._compat import is_installed
from tf1grad.programs._errors import UsageError
from tf1grad.programs._installers import install_line

SHELLS = ("bash", "zsh", "tcsh")
EPILOG = """\
The script is made by shtab, which has to be installed. For bash and zsh:
  tf1grad completion bash > ~/.local/share/bash-completion/completions/tf1grad
  tf1grad completion zsh > ~/.zsh/completions/_tf1grad   # a folder of $fpath

exit code: 0, or 2 where shtab is missing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=" or ".join(SHELLS))


def main(arguments: argparse.Namespace) -> int:
    """Prints the script."""
    if not is_installed("shtab"):
        raise UsageError(f"completion needs shtab: {install_line(['shtab'])}")
    import shtab

    from tf1grad.cli import main as command_line

    print(shtab.complete(command_line.make_parser(command_line.ALL), shell=arguments.shell))
    return 0
