"""Generates the `--help` text of each command."""

import contextlib
import io
import os
import textwrap

from tf1grad.cli import main

WIDTH = 80  # columns that fit beside both sidebars


def help_text(command):
    """Returns the `--help` of a command as a Markdown code block."""
    os.environ["COLUMNS"] = str(WIDTH)  # argparse wraps the options to the width of the terminal
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        main.make_parser([command]).parse_args([command, "--help"])
    wrapped = "\n\n".join(map(_wrapped, printed.getvalue().rstrip().split("\n\n")))
    return f"```text\n{wrapped}\n```"


def _wrapped(paragraph):
    """Wraps a paragraph that argparse left unwrapped; a list is wrapped item by item."""
    lines = paragraph.splitlines()
    if max(map(len, lines), default=0) <= WIDTH:
        return paragraph
    if any(line.startswith(" ") for line in lines):
        return "\n".join(
            textwrap.fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
            for line in lines
        )
    return textwrap.fill(paragraph, WIDTH, break_on_hyphens=False)
