"""A file is Python 2.

Its text is refused by Python 3 (`print x`, tabs among spaces), or it uses names that Python 3 has not (`xrange`,
`unicode`, `cPickle`). What `check` says of the rest is told from the translation by fissix, which `upgrade` writes. A
division of integers is rounded down in Python 2 and is a fraction in Python 3; no translation can tell which is
meant.
"""

import ast
from typing import Dict, Iterator, Optional, Tuple

from tf1grad.old_programs.rules import Found
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.source.name_resolution import Use
from tf1grad.old_programs.source.program import Call, Program
from tf1grad.old_programs.source.training_steps import is_tried

ID = "TFG002"
SEVERITY = "error"
SUMMARY = "A file is Python 2."
REMEDY = "`tf1grad upgrade` translates it with fissix; look at divisions of integers, which Python 3 does not round."
BAD = """
for i in xrange(3):
    print i
"""
GOOD = """
for i in range(3):
    print(i)
"""
_TODAY: Dict[str, Optional[str]] = {
    "unicode": "str", "xrange": "range", "raw_input": "input", "basestring": "str", "unichr": "chr",
          "long": "int", "execfile": None, "reduce": "functools.reduce"}
_METHODS: Dict[str, Optional[str]] = {"iteritems": "items", "itervalues": "values", "iterkeys": "keys", "has_key": None}


def findings(program: Program) -> Iterator[Found]:
    """The first error of Python 2, or every name that only it has."""
    error = program.source.python2
    if error is not None:
        yield error, f"It is Python 2 ({error.msg}); the rest is told from what fissix makes of it."
        return
    for use in _names(program):
        yield use.node, f"{use.text} is Python 2."
    for call, _ in _methods(program):
        yield call.node, f"The method {call.method} is Python 2."


def _names(program: Program) -> Iterator[Use]:
    for use in program.names.uses:
        name = use.text.split(".")[0]
        if name in _TODAY and use.scope.owner_of(name) is None and not is_tried(program, use.node):
            yield use


def _methods(program: Program) -> Iterator[Tuple[Call, Optional[str]]]:
    for call in program.calls:
        if call.method in _METHODS and isinstance(call.node.func, ast.Attribute) and call.name is None and \
                len(call.node.args) == (call.method == "has_key") and not is_tried(program, call.node):
            yield call, _METHODS[call.method]


def rewrite(plan: Plan) -> None:
    """Writes Python 3's names in a file that Python 3 can parse; the others are translated before."""
    for use in _names(plan.program):
        new = _TODAY.get(use.text)
        if new and use.scope.owner_of(new) is None:
            plan.text.replace(use.node, new)
            if "." in new:
                plan.add_import("import " + new.split(".")[0])
    for call, name in _methods(plan.program):
        if name and call.owner:
            plan.text.replace(call.node.func, f"{call.owner}.{name}")
