"""Generates the `--help` text of each command."""

import os

from tf1grad.commands import main


def help_text(command):
    """Returns the `--help` of a command as a Markdown code block."""
    os.environ["COLUMNS"] = "80"  # argparse wraps its lines to the width of the terminal
    return "```text\n%s\n```" % main.make_parser([command]).commands[command].format_help().rstrip()
