"""A model needs ops that TensorFlow 2 lacks.

A model file (a frozen graph, a SavedModel, a meta graph) has nodes with ops of tf.contrib, such as GatherTree, or with
Python functions that no file holds; or a program makes such a node by the op's name. `check` reads a model file that is
named, and every `.pb` and `.meta` file in a folder that is named. It does not load them.
"""

from typing import Optional, Tuple

from tf1grad.old_programs.gone_ops import advice
from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Call, Program
from tf1grad.old_programs.source.scopes import constant

ID = "TFG004"
SEVERITY = "error"
REMEDY = "`tf1grad model convert` provides most of these ops; for the others it says what to take today."
EXAMPLE = """
  graph_def = tf.GraphDef()
- graph_def.node.add(name="beams", op="GatherTree")
+ graph_def.node.add(name="beams", op="GatherV2")
"""


def findings(program: Program) -> Findings:
    """Yields the calls that make a node by the name of an op that TensorFlow 2 lacks."""
    for call in program.calls:
        op = _op_type(call)
        if op and advice.origin(op):
            yield (call.node, *described(advice.describe(op, [])))


def described(missing: advice.MissingOp) -> Tuple[str, str]:
    """Returns the message and the remedy for nodes of an op."""
    count = f" ({len(missing.nodes)} nodes)" if len(missing.nodes) > 1 else ""
    return f"The op {missing.op}{count} is not in TensorFlow 2.", missing.advice


def _op_type(call: Call) -> Optional[str]:
    """Returns the op that a call makes by name: `create_op("T", ...)`, `node.add(op="T")`, `NodeDef(op="T")`."""
    values = [keyword.value for keyword in call.node.keywords if keyword.arg in ("op", "op_type")]
    if call.method == "create_op":
        values += call.node.args[:1]
    return next((name for name in map(constant, values) if isinstance(name, str)), None)
