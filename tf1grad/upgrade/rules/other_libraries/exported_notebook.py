"""`get_ipython` exists in IPython only.

A notebook that was exported as a script has `get_ipython().magic("matplotlib inline")`, at which
Python stops. `upgrade` removes the magics that only a notebook needs, and passes commands to
`os.system`.
"""

from __future__ import annotations

import ast
import re
from typing import Iterator

from tf1grad.programs.source.guards import is_guarded
from tf1grad.programs.source.program import Call, Program
from tf1grad.programs.source.scopes import call_name, constant
from tf1grad.upgrade.edits.edit_plan import Plan

ID = "TFG406"
SEVERITY = "error"
SUMMARY = "`get_ipython` exists in IPython only: Python stops here."
REMEDY = "Remove the magic, or write what it does in Python."
EXAMPLE = """
- get_ipython().magic("matplotlib inline")
  print(1)
"""
_NEEDLESS = re.compile(r"%?(matplotlib|pylab|load_ext|reload_ext|autoreload|config)\b")


def findings(program: Program) -> Iterator[ast.expr]:
    """Yields the calls of `get_ipython` in scripts, outside of a `try` or a condition."""
    for call in program.calls if program.source.notebook is None else ():
        if (
            call.method == "get_ipython"
            and not is_guarded(program, call.node)
            and call.scope.owner_of("get_ipython") is None
            and not any(
                isinstance(outer, (ast.If, ast.IfExp)) for outer in program.above(call.node)
            )
        ):
            yield call.node


def rewrite(plan: Plan) -> None:
    """Removes needless magics, and writes `os.system` for commands."""
    ipythons = set(findings(plan.program))
    for call in plan.program.calls:
        statement = plan.program.parents.get(call.node)
        if isinstance(call.node.func, ast.Attribute) and call.node.func.value in ipythons:
            lines = _lines(call)
            if lines is not None and isinstance(statement, ast.Expr):
                plan.statements[statement] = lines
                if lines:
                    plan.add_import("import os")


def _lines(call: Call) -> list[str] | None:
    """Returns the lines in the place of a magic; None for one that does something."""
    words = [constant(each) for each in call.node.args]
    if not words or not all(isinstance(word, str) for word in words):
        return None
    if call_name(call.node) in ("magic", "run_line_magic") and _NEEDLESS.match(words[0]):
        return []
    return [f"os.system({words[0]!r})"] if call_name(call.node) in ("system", "getoutput") else None
