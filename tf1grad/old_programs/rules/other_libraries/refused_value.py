"""A value is refused that was taken.

The function is there, and no longer takes what old programs give it: rows of different lengths in `np.array`, pickled
objects in `np.load`, lists of lines of LaTeX in Matplotlib's preambles, `gca(projection="3d")`. `tf1grad run`
translates such calls while the program runs; `upgrade` writes what is asked today.
"""

import ast
import re
from typing import Any, Iterator, List

from tf1grad.old_programs.rules import Found
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.source.program import Call, Program, argument
from tf1grad.old_programs.source.scopes import constant

ID = "TFG403"
SEVERITY = "error"
SUMMARY = "A value is refused by the library of today."
REMEDY = "Write what is asked today; `tf1grad upgrade` does it."
BAD = """
import numpy as np

rows = np.array([[1, 2], [3]])
"""
GOOD = """
import numpy as np

rows = np.array([[1, 2], [3]], dtype=object)
"""
_PREAMBLES = ("pgf.preamble", "text.latex.preamble")
_LENGTHS = ("numpy.array", "numpy.asarray")


def findings(program: Program) -> Iterator[Found]:
    """The calls, and the settings of Matplotlib."""
    for load in _pickled(program):
        yield load, "numpy.load refuses pickled objects.", "Add allow_pickle=True for a file that you trust."
    for call in _copying(program):
        yield call.node, "copy=False is refused where a copy is needed.", "Use numpy.asarray."
    for call in _binary(program):
        yield call.node, "numpy.fromstring takes no binary data.", "Use numpy.frombuffer(...).copy()."
    for call in _styles(program):
        yield call.node, "The style is called otherwise.", f"Use {_style(call)}."
    for call in _ragged(program):
        yield (call.node, "The rows are of different lengths, which NumPy refuses without a dtype.",
               "Add dtype=object.")
    for call in _projections(program):
        yield call.node, "gca takes no arguments.", "Use add_subplot of a figure, or pyplot.subplot."
    for value in _preambles(program):
        yield value, "Matplotlib takes a preamble as one string.", "Join the lines with \"\\n\".join(...)."


def rewrite(plan: Plan) -> None:
    """Writes all of them as they are asked for today."""
    for call in _projections(plan.program):
        if call.owner:
            shown = "subplot" if call.name == "matplotlib.pyplot.gca" else "add_subplot"
            plan.text.replace(call.node.func, f"{call.owner}.{shown}")
    for call in _ragged(plan.program):
        plan.text.add_argument(call.node, "dtype=object")
    for load in _pickled(plan.program):
        plan.text.add_argument(load, "allow_pickle=True")
    for call in _copying(plan.program):
        plan.text.drop_argument(call.node, "copy")
        plan.text.replace(call.node.func, f"{call.owner}.asarray")
    for call in _binary(plan.program):
        plan.text.wrap(call.node, f"{call.owner}.frombuffer(", ").copy()")
    for call in _styles(plan.program):
        plan.text.rearrange(call.node, [(None, repr(_style(call)))])
    for value in _preambles(plan.program):
        plan.text.surround(value, "\"\\n\".join(", ")")


def _pickled(program: Program) -> List[ast.Call]:
    """The `numpy.load(...)` of `numpy.load(...).item()`: what is no array was pickled."""
    loads = {call.node for call in program.calls if call.name == "numpy.load" and len(call.node.args) == 1
             and argument(call.node, None, "allow_pickle") is None}
    owners = [call.node.func.value for call in program.calls if call.method == "item" and not call.node.args
              and isinstance(call.node.func, ast.Attribute)]
    return [owner for owner in owners if isinstance(owner, ast.Call) and owner in loads]


def _copying(program: Program) -> List[Call]:
    return [call for call in program.calls if call.name == "numpy.array" and call.owner
            and constant(argument(call.node, None, "copy"), True) is False]


def _binary(program: Program) -> List[Call]:
    return [call for call in program.calls if call.name == "numpy.fromstring" and call.owner
            and argument(call.node, 3, "sep") is None]


def _styles(program: Program) -> List[Call]:
    return [call for call in program.calls if (call.name or "").endswith("style.use") and len(call.node.args) == 1
            and re.match("seaborn(?!-v0_8)", str(constant(call.node.args[0])))]


def _style(call: Call) -> str:
    return str(constant(call.node.args[0])).replace("seaborn", "seaborn-v0_8", 1)


def _projections(program: Program) -> List[Call]:
    return [call for call in program.calls if call.method == "gca" and isinstance(call.node.func, ast.Attribute)
            and argument(call.node, None, "projection") is not None]


def _ragged(program: Program) -> List[Call]:
    return [call for call in program.calls if call.name in _LENGTHS and len(call.node.args) == 1
            and argument(call.node, None, "dtype") is None and _is_ragged(call.node.args[0])]


def _is_ragged(node: ast.expr) -> bool:
    elements = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    rows = [row.elts for row in elements if isinstance(row, (ast.List, ast.Tuple))]
    starred = any(isinstance(element, ast.Starred) for row in rows for element in row)
    return len(rows) == len(elements) and not starred and len({len(row) for row in rows}) > 1


def _preambles(program: Program) -> List[ast.List]:
    """The lists that are given for a preamble, in a dict or by an assignment."""
    found: List[ast.expr] = []
    for node, _ in program.nodes(ast.Dict):
        found += [value for key, value in zip(node.keys, node.values) if constant(key) in _PREAMBLES]
    for assignment, _ in program.nodes(ast.Assign):
        if isinstance(assignment.targets[0], ast.Subscript):
            index: Any = assignment.targets[0].slice
            key = index.value if type(index).__name__ == "Index" else index  # before Python 3.9
            if constant(key) in _PREAMBLES:
                found.append(assignment.value)
    return [value for value in found if isinstance(value, ast.List)]
