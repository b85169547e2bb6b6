"""A model needs ops that TensorFlow 2 lacks.

A model file (a frozen graph, a SavedModel, a meta graph) has nodes with ops of tf.contrib, such as GatherTree, or with
Python functions that no file holds; or a program makes such a node by the op's name. `check` reads a model file that is
named, and every `.pb` and `.meta` file in a folder that is named. It does not load them.
"""

from typing import Iterator, Optional, Tuple

from tf1grad.old_programs.models import gone_ops
from tf1grad.old_programs.rules import Found
from tf1grad.old_programs.source.program import Call, Program
from tf1grad.old_programs.source.scopes import constant

ID = "TFG004"
SEVERITY = "error"
SUMMARY = "A model needs ops that TensorFlow 2 lacks."
REMEDY = "`tf1grad model convert` provides most of these ops; for the others it says what to take today."
BAD = """
graph_def = tf.GraphDef()
graph_def.node.add(name="beams", op="GatherTree")
"""
GOOD = """
graph_def = tf.GraphDef()
graph_def.node.add(name="beams", op="GatherV2")
"""


def findings(program: Program) -> Iterator[Found]:
    """Yields the calls that make a node by the name of an op that is gone."""
    for call in program.calls:
        found = gone_ops.find(_op_type(call) or "")
        if found is not None:
            yield (call.node, *described(found))


def described(gone: gone_ops.GoneOp, nodes: int = 1) -> Tuple[str, str]:
    """Returns the message and the remedy for nodes of an op that is gone."""
    count = "" if nodes == 1 else f" ({nodes} nodes)"
    return f"The op {gone.op}{count} is not in TensorFlow 2.", gone.remedy


def _op_type(call: Call) -> Optional[str]:
    """Returns the op that a call makes by name: `create_op("T", ...)`, `node.add(op="T")`, `NodeDef(op="T")`."""
    values = [keyword.value for keyword in call.node.keywords if keyword.arg in ("op", "op_type")]
    if call.method == "create_op":
        values += call.node.args[:1]
    return next((name for name in map(constant, values) if isinstance(name, str)), None)
