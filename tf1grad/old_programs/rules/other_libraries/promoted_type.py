"""Some operations return a different dtype under NumPy 2.

NumPy 1 looked at the value of a number, NumPy 2 looks at its type alone. `np.float32(3) + 3.0` was float64 and is
float32; `np.sqrt(2.) * array` was float32 for an array of float32 and is float64. The text does not show the types. A
recorded run does: for its lines, `upgrade` converts an operand or gives the operation the old type. Where neither can
be written, it leaves a comment with both types. This comment is the finding: remove it when you have looked at the
line.
"""

import ast
import re
from typing import Optional, Sequence, Tuple, Union

from tf1grad.old_programs.process.run_record import ChangedType
from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.scopes import Scope, constant

ID = "TFG407"
SEVERITY = "warning"
SUMMARY = "This result has a different dtype under NumPy 2."
REMEDY = "Convert an operand to the old type if it matters, and remove the comment."
EXAMPLE = """
  import numpy as np

  weights = np.ones(3, np.float32)
- # tf1grad: TFG407 A result is float64 with NumPy 2, and was float32.
- weights *= np.sqrt(2.)
+ weights *= np.float32(np.sqrt(2.))
"""
MESSAGE = "A result is {} with NumPy 2, and was {}."
_COMMENT = re.compile(rf"\s*# tf1grad: {ID} (.*)")
_FUNCTIONS = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
}
_CALLS = {
    f"numpy.{name}" for name in (*_FUNCTIONS.values(), "maximum", "minimum", "power", "true_divide")
}
Operation = Union[ast.BinOp, ast.AugAssign, ast.Call]


def findings(program: Program) -> Findings:
    """Yields the statements below the comments of an earlier `upgrade`."""
    comments = [match and match.group(1) for match in map(_COMMENT.match, program.source.lines)]
    statements = [node for node, _ in program.nodes(ast.stmt)] if any(comments) else []
    for index, message in enumerate(comments):
        below = [node for node in statements if node.lineno > index]
        if message and below:
            yield min(below, key=lambda node: node.lineno), message


def rewrite(plan: Plan) -> None:
    """Converts where a recorded run shows that the type differs, or writes a comment there."""
    for line, changes in sorted(plan.program.changed_types.items()):
        for columns in sorted({change.columns for change in changes}, key=str):
            here = {change for change in changes if change.columns == columns}
            node = _operation(plan.program, line, columns)
            if node is None or len(here) > 1 or not _convert(plan, node, *here):
                for old, new in sorted({(change.old, change.new) for change in here}):
                    plan.text.comment_above(line, f"# tf1grad: {ID} {MESSAGE.format(new, old)}")


def _operation(
    program: Program, line: int, columns: Optional[Tuple[int, int]]
) -> Optional[Operation]:
    """Returns the operation at a place; None if the line has several, and the columns are unknown."""
    written: Sequence[Tuple[Operation, Scope]] = program.nodes(ast.BinOp, ast.AugAssign)
    nodes = [
        *(node for node, _ in written),
        *(call.node for call in program.calls if call.name in _CALLS),
    ]
    found = [
        node
        for node in nodes
        if node.lineno == line and columns in (None, (node.col_offset, node.end_col_offset))
    ]
    return found[0] if len(found) == 1 else None


def _convert(plan: Plan, node: Operation, change: ChangedType) -> bool:
    """Plans the conversion of an operand, or gives the operation its old type; returns False if neither is simple."""
    import numpy as np

    widens = np.promote_types(change.old, change.new) == change.old
    # NumPy 1 looked at the value, so that this conversion does not change it.
    unsafe = "" if np.can_cast(change.new, change.old, "same_kind") else ', casting="unsafe"'
    scope = plan.program.scopes[node]
    numpy = plan.name_of("numpy", scope, ["np", "numpy"])
    if numpy is None:
        plan.add_import("import numpy")
        numpy = "numpy"
    old = f"{numpy}.{change.old.rstrip('_')}"
    if isinstance(node, ast.Call):
        if node.keywords:
            return False
        plan.text.add_argument(node, f"dtype={old}{unsafe}")
    elif widens:
        operand = node.value if isinstance(node, ast.AugAssign) else node.right
        # A number is simplest to read.
        if isinstance(node, ast.BinOp) and constant(node.left) is not None:
            operand = node.left
        plan.text.rewrite(operand, f"{old}({{whole}})")
    elif isinstance(node, ast.AugAssign) or type(node.op) not in _FUNCTIONS:
        return False
    else:
        plan.text.rewrite(
            node, f"{numpy}.{_FUNCTIONS[type(node.op)]}({{left}}, {{right}}, dtype={old}{unsafe})"
        )
    return True
