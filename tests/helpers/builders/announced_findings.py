"""Reads programs that have the findings of `check` as comments `#! TFG101` at
the ends of their lines.
"""

import re


def read_cases(text):
    """Returns {title: program} of programs, each below a line `=== title`."""
    return dict(re.findall(r"^=== (.*)\n((?:(?!===).*\n)*)", text, re.MULTILINE))
