"""Holds the error that ends a command with a line on stderr."""


class UsageError(Exception):
    """The command cannot begin or go on: the message says why in a line.
    `code` is the exit code.
    """

    code = 2
