"""What each command says of itself: its `--help`."""

import os

from tf1grad.old_programs.cli import main


def help_text(command):
    """The `--help` of a command, as a block of text."""
    os.environ["COLUMNS"] = "100"  # argparse wraps its lines to the terminal
    return f"```text\n{main.make_parser([command]).commands[command].format_help().rstrip()}\n```"
