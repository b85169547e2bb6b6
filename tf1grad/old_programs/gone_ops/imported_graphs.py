"""Provides the ops of graphs that a program imports: files from TensorFlow 1 load as they did there."""

from __future__ import annotations

from typing import Any, Iterable

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.gone_ops import graph_defs, table
from tf1grad.old_programs.process import finder, messages, patches

REASON = "imported graphs get functions for ops that TensorFlow 2 does not have"


def install() -> None:
    """Makes every import of a graph provide its missing ops: of frozen graphs, meta graphs, SavedModels and modules.

    All of TensorFlow's functions that load graphs call the one that this replaces. TensorFlow 1 has the ops itself.
    """
    if _compat.is_version_1():
        return
    def completing(import_graph: Any, graph_def: Any, *arguments: Any, **options: Any) -> Any:
        return import_graph(_complete(graph_def), *arguments, **options)
    importer = _compat.resolve("tensorflow.python.framework.importer")
    patches.wrap(importer, "_import_graph_def_internal", completing, reason=REASON)
    finder.call_now_and_after("tensorflow_hub.native_module", _change_hub, reason=REASON)


def _change_hub(module: Any) -> None:
    """Lets `hub.Module` accept modules with provided ops, which it looks up before it imports their graph."""
    def register_needed(register: Any, graph_ops: Iterable[str]) -> None:
        register({op for op in graph_ops if not table.provides_nodes(op)})
    patches.wrap(module, "register_ops_if_needed", register_needed, reason=REASON)


def _complete(graph_def: Any) -> Any:
    if not isinstance(graph_def, tf.GraphDef):
        return graph_def  # TensorFlow converts the argument or rejects it
    completed = graph_defs.provide_missing_ops(graph_def)
    if completed is not graph_def:
        names = ", ".join(sorted({each.op for each in graph_defs.missing_ops(graph_def) if each.is_provided}))
        messages.say_once(names, f"{names}: TensorFlow {_compat.release()} does not have these ops of an imported "
                          "graph; tf1grad builds them from other ops")
    return completed
