"""Upgrades programs in memory, and checks what must hold of every upgrade;
reads cases that are written as diffs.
"""

import ast
import re

from tf1grad.programs.source import files as sources
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rewriting.upgraded_programs import upgrade


def upgraded(files):
    """Returns the new texts by path, from texts by path,
    and the ids of the rules whose findings are left.
    """
    texts, left = _upgraded(files)
    again, left_again = _upgraded(texts)
    assert again == texts, "a second run changes the result"
    assert left_again == left
    for text in texts.values():
        ast.parse(text)
    return texts, left


def upgraded_text(text):
    """Returns the new text of a program of one file,
    and the ids of the rules whose findings are left.
    """
    texts, left = upgraded({"old.py": text})
    return texts["old.py"], left


def _upgraded(files):
    done = upgrade([Program(sources.Source(path, text)) for path, text in files.items()])
    assert done.failed == []
    return done.texts, [finding.rule.id for finding in done.left]


def read_diffs(text):
    """Returns {title: (old text, new text)} of diffs, each below a line `=== title`."""
    cases = re.split(r"^=== (.*)\n", text, flags=re.MULTILINE)[1:]
    return {
        title: (_without("+", diff), _without("-", diff))
        for title, diff in zip(cases[::2], cases[1::2])
    }


def _without(sign, diff):
    return "".join(line[1:] or line for line in diff.splitlines(True) if not line.startswith(sign))
