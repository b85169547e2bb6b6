"""Holds the error with which a command refuses to begin."""


class UsageError(Exception):
    """The command cannot begin: the message says why in a line, and the exit code is 2."""
