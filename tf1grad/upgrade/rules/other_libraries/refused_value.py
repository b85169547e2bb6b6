"""An argument value that old versions accepted is now rejected.

Examples are pickled objects in `np.load`, a generator in `np.stack`, `copy=False` in `np.array`,
`yaml.load` without a loader. `tf1grad run` translates such calls while the program runs; `upgrade`
writes the form that is accepted today. Some values only a run shows, such as an array of one number
in `"%f" % array`, or rows of different lengths in `np.array`: `tf1grad run --record FILE` notes
them for `tf1grad upgrade --from FILE`. For these rows `upgrade` writes
`tf1grad.migrate.arrays.array`, which accepts even ones too.
"""

from __future__ import annotations

import ast
from typing import Iterator, Union

from tf1grad.programs.names import other_libraries
from tf1grad.programs.source.program import Call, Program, argument, literal
from tf1grad.programs.source.scopes import constant, dotted, index_of
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.rules import Findings

ID = "TFG403"
SEVERITY = "error"
REMEDY = "Write what is accepted today; `tf1grad upgrade` does it."
EXAMPLE = """
  import numpy as np

- weights = np.load("weights.npy").item()
+ weights = np.load("weights.npy", allow_pickle=True).item()
"""
ARRAYS = "tf1grad.migrate.arrays"
_ROWS = {row.run: row for row in other_libraries.select_rows("value")}
_PREAMBLES = ("pgf.preamble", "text.latex.preamble")
_STACKING = ["numpy." + name for name in ("column_stack", "dstack", "hstack", "stack", "vstack")]

# The `run` column of the rows.
LOAD = "numpy.load"
STACK = "numpy.stack of a generator"
COPY = "numpy.array(copy=False)"
UNEVEN = "numpy.array of rows of different lengths"
LARGE = "numpy numbers too large"
BINARY = "numpy.fromstring"
YAML = "yaml.load"
PREAMBLE = "matplotlib preamble"
ONE_NUMBER = "numpy array of one number"

Node = Union[ast.expr, ast.Assign]


def findings(program: Program) -> Findings:
    for fix, node in _refused(program):
        row = _ROWS[fix]
        yield node, f"{row.since} rejects {row.old}.", row.remedy


def rewrite(plan: Plan) -> None:
    for fix, node in _refused(plan.program):
        if fix == PREAMBLE:
            plan.text.rewrite(node, '"\\n".join({whole})')
        elif fix == ONE_NUMBER:
            _rewrite_one_number(plan, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            _rewrite_call(plan, fix, node, dotted(node.func.value))


def _refused(program: Program) -> Iterator[tuple[str, Node]]:
    """Yields the fixes that calls, lists and operations need,
    as their text or a recorded run shows.
    """
    for call in program.calls:
        fix, is_shown = _fix_of(program, call)
        if fix and call.owner and (is_shown or program.was_repaired(call.node, fix)):
            yield fix, call.node
    for lines in _preambles(program):
        if isinstance(lines, ast.List):
            yield PREAMBLE, lines
    for node in _needing_numbers(program):
        if program.was_repaired(node, ONE_NUMBER):
            yield ONE_NUMBER, node


def _fix_of(program: Program, call: Call) -> tuple[str | None, bool]:
    """Returns the fix that a call may need, and whether its text shows that it does."""
    node = call.node
    if call.name == "numpy.load":
        may_fail = len(node.args) == 1 and argument(node, None, "allow_pickle") is None
        is_object = getattr(program.parents[node], "attr", None) == "item"
        return (LOAD if may_fail else None), is_object
    if call.name in _STACKING and node.args:
        return STACK, _is_iterator(node.args[0])
    if call.name == "numpy.array" and constant(argument(node, None, "copy"), True) is False:
        return COPY, True
    if call.name in ("numpy.array", "numpy.asarray"):
        return (UNEVEN if argument(node, 1, "dtype") is None else LARGE), False
    if call.name == "numpy.fromstring":
        return BINARY, argument(node, 3, "sep") is None
    if call.name in ("yaml.load", "yaml.load_all"):
        return YAML, argument(node, 1, "Loader") is None
    return None, False


def _is_iterator(node: ast.expr) -> bool:
    """Returns True for a generator, and for an iterator that is made here."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("filter", "map", "zip")
    return isinstance(node, ast.GeneratorExp)


def _preambles(program: Program) -> Iterator[ast.expr]:
    """Yields the values given as a preamble, in a dict or by an assignment."""
    for node, _ in program.nodes(ast.Dict):
        for key, value in zip(node.keys, node.values):
            if constant(key) in _PREAMBLES:
                yield value
    for assignment, _ in program.nodes(ast.Assign):
        target = assignment.targets[0]
        if isinstance(target, ast.Subscript) and constant(index_of(target)) in _PREAMBLES:
            yield assignment.value


def _needing_numbers(program: Program) -> list[Node]:
    """Returns the operations that may need a number:
    formats, conversions, and assignments of elements.
    """
    operations = [node for node, _ in program.nodes(ast.BinOp) if isinstance(node.op, ast.Mod)]
    formats = [node for node in operations if isinstance(literal(program, node.left), str)]
    found: list[Node] = [*(formats or operations)]
    for call in program.calls:
        is_conversion = call.owner is None and call.method in ("float", "int", "complex")
        if is_conversion or (call.name or "").startswith("math."):
            found.append(call.node)
    for node, _ in program.nodes(ast.Assign):
        if isinstance(node.targets[0], ast.Subscript):
            found.append(node)
    return found


def _rewrite_call(plan: Plan, fix: str, node: ast.Call, owner: str | None) -> None:
    if fix == LOAD:
        plan.text.add_argument(node, "allow_pickle=True")
    elif fix == STACK:
        # A generator alone may have the call's parentheses.
        is_alone = len(node.args) + len(node.keywords) == 1
        part = "inside" if is_alone else "0"
        plan.text.rewrite(node, f"list({{{part}}})", part)
    elif fix == COPY:
        plan.text.drop_argument(node, "copy")
        plan.text.replace(node.func, f"{owner}.asarray")
    elif fix == BINARY:
        plan.text.rewrite(node, f"{owner}.frombuffer({{inside}}).copy()")
    elif fix == YAML:
        plan.text.add_argument(node, f"Loader={owner}.FullLoader")
    else:
        plan.text.replace(node.func, _helper(plan, "array"))


def _rewrite_one_number(plan: Plan, node: Node) -> None:
    if isinstance(node, ast.BinOp):
        plan.text.rewrite(node, f"{_helper(plan, 'unwrap_operand')}({{right}})", "right")
    elif isinstance(node, ast.Call):
        for position, given in enumerate(node.args):
            if not isinstance(given, (ast.Constant, ast.Starred)):
                number = f"{_helper(plan, 'unwrap_number')}({{{position}}})"
                plan.text.rewrite(node, number, str(position))
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = dotted(node.targets[0].value)
        if target is not None:
            plan.text.rewrite(
                node, f"{_helper(plan, 'unwrap_element')}({{right}}, {target})", "right"
            )


def _helper(plan: Plan, name: str) -> str:
    plan.add_import("import " + ARRAYS)
    return f"{ARRAYS}.{name}"
