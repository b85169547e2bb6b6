"""Says on stderr what a command does, and why it fails."""

import sys


def say(command: str, line: str) -> None:
    """Writes a line that begins with the name of the command."""
    print(f"tf1grad {command}: {line}", file=sys.stderr)
