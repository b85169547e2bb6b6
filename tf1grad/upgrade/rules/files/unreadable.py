"""A file cannot be read as Python.

It cannot be opened or decoded, is not valid Python of either version, or is nested more deeply than
Python itself can read. All other files are still read, and so are the other cells of a notebook.
"""

from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rules import Findings

ID = "TFG001"
SEVERITY = "error"
REMEDY = "Correct the file, or leave it out."
EXAMPLE = """
- def f(:
+ def f():
+     pass
"""


def findings(program: Program) -> Findings:
    """Yields the cells of a notebook that are not Python."""
    for error in program.source.unread:
        yield error, f"{error.msg[0].upper()}{error.msg[1:]}."
