"""Provides the ops of TensorFlow 1.15 that TensorFlow 2 does not have.

    table                 a row for each op: its function, the ranks it accepts, its static shapes, its gradient
    of_tensorflow         a module per op: functions that build it from ops that TensorFlow still has
    of_numpy              the ops of trees and forests, computed with NumPy
    raw_ops               makes an op by its type, whoever has it
    signatures            the inputs, outputs and attributes of all ops that are gone
    attributes            attributes of nodes as Python values
    function_definitions  the op as a function of a graph's library
    graph_defs            graphs of files: the ops that they miss, provided
    advice                what to take instead of an op that is not replaced

The functions serve graphs of files and calls from code.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tf1grad.old_programs.gone_ops.graph_defs import MissingOp as MissingOp
    from tf1grad.old_programs.gone_ops.graph_defs import OpsGone as OpsGone
    from tf1grad.old_programs.gone_ops.graph_defs import missing_ops as missing_ops
    from tf1grad.old_programs.gone_ops.graph_defs import provide_missing_ops as provide_missing_ops
else:
    def __getattr__(name: str) -> Any:
        """Returns a name of `graph_defs`, which imports TensorFlow; the tables do not need it."""
        if name not in ("MissingOp", "OpsGone", "missing_ops", "provide_missing_ops"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from tf1grad.old_programs.gone_ops import graph_defs
        return getattr(graph_defs, name)
