"""Finds the ops of a GraphDef that TensorFlow does not have,
and provides them as functions of its library.

So files from TensorFlow 1 load as they did there, also where a program imports them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator

from tf1grad.programs import _compat
from tf1grad.programs.process import finder, messages, patches
from tf1grad.run.gone_ops import advice, table
from tf1grad.run.gone_ops.advice import MissingOp
from tf1grad.run.gone_ops.signatures import signatures

if TYPE_CHECKING:
    from types import ModuleType

    from tf1grad._compat import tf

_REASON = "imported graphs get functions for ops that TensorFlow 2 does not have"


class OpsGone(ValueError):
    """A graph has ops that this TensorFlow does not have, and that tf1grad does not replace."""


def missing_ops(graph_def: tf.GraphDef) -> list[MissingOp]:
    """Returns the ops of a GraphDef, and of its functions,
    that this TensorFlow does not have, by name.
    """
    functions = {function.signature.name for function in graph_def.library.function}
    found: dict[str, list[str]] = {}
    for place, node in _nodes(graph_def):
        if node.op not in functions and not _has_kernel(node.op):
            found.setdefault(node.op, []).append(place + node.name)
    return [advice.describe(op, nodes) for op, nodes in sorted(found.items())]


def _has_kernel(op: str) -> bool:
    is_gone = op in signatures() and not _compat.is_version_1()
    return not is_gone and _compat.op_definition(op) is not None


def provide_missing_ops(graph_def: tf.GraphDef) -> tf.GraphDef:
    """Returns a GraphDef that TensorFlow 2 imports:
    each op that is gone became a function of the graph's library.

    The result needs TensorFlow only. It is `graph_def` itself where nothing is missing, and on
    TensorFlow 1, which has the ops in tf.contrib. Custom ops, which 1.15 did not have either, are
    left to `tf.load_op_library`. OpsGone names the ops that tf1grad does not replace, with their
    nodes.
    """
    if _compat.is_version_1():
        return graph_def
    missing = missing_ops(graph_def)
    gone = [each for each in missing if each.origin and not each.is_provided]
    if gone:
        named: dict[str, list[str]] = {}  # by the advice
        for each in gone:
            named.setdefault(each.advice, []).append(f"{each.op} (node {each.nodes[0]!r})")
        lines = [f"- {', '.join(names)}: {text}" for text, names in named.items()]
        raise OpsGone(
            "\n".join(
                [f"the graph has ops that TensorFlow {_compat.release()} does not have:", *lines]
            )
        )
    provided = {each.op for each in missing if each.is_provided}
    if not provided:
        return graph_def
    result = type(graph_def)()
    result.CopyFrom(graph_def)
    present = {function.signature.name for function in result.library.function}
    for _, node in list(_nodes(result)):
        if node.op in provided:
            _provide(node, result.library, present)
    return result


def _provide(node: tf.NodeDef, library: Any, present: Any) -> None:
    """Makes a node a call of a function, which is added to the library if it is not present."""
    # They import TensorFlow.
    from tf1grad.run.gone_ops import attributes, function_definitions

    signature = signatures()[node.op]
    values = attributes.read_node(signature, node)
    name = attributes.function_name(signature, values)
    if name not in present:
        made = function_definitions.build_library(signature, values)
        present.update(function.signature.name for function in made.function)
        library.MergeFrom(made)
    node.op = name
    for each in signature.attributes:  # functions have no attributes
        node.attr.pop(each.name, None)


def _nodes(graph_def: tf.GraphDef) -> Iterator[Any]:
    """Yields all nodes of a graph and of its functions,
    each with the function's name and "/" before.
    """
    for node in graph_def.node:
        yield "", node
    for function in graph_def.library.function:
        for node in function.node_def:
            yield function.signature.name + "/", node


def install() -> None:
    """Makes every import of a graph provide its missing ops: of frozen graphs, meta graphs,
    SavedModels and modules.

    All of TensorFlow's functions that load graphs call the one that this replaces. TensorFlow 1 has
    the ops itself.
    """
    if _compat.is_version_1():
        return

    def completing(
        import_graph: Any, graph_def: tf.GraphDef, *arguments: Any, **options: Any
    ) -> Any:
        return import_graph(_complete(graph_def), *arguments, **options)

    importer = _compat.resolve("tensorflow.python.framework.importer")
    patches.wrap(importer, "_import_graph_def_internal", completing, reason=_REASON)
    finder.call_now_and_after("tensorflow_hub.native_module", _change_hub, reason=_REASON)


def _change_hub(module: ModuleType) -> None:
    """Lets `hub.Module` accept modules with provided ops,
    which it looks up before it imports their graph.
    """

    def register_needed(register: Any, graph_ops: Iterable[str]) -> None:
        register(set(graph_ops) - set(table.OF_TENSORFLOW))

    patches.wrap(module, "register_ops_if_needed", register_needed, reason=_REASON)


def _complete(graph_def: tf.GraphDef) -> tf.GraphDef:
    from tf1grad._compat import tf

    if not isinstance(graph_def, tf.GraphDef):
        return graph_def  # TensorFlow converts the argument or rejects it
    completed = provide_missing_ops(graph_def)
    if completed is not graph_def:
        names = ", ".join(sorted({each.op for each in missing_ops(graph_def) if each.is_provided}))
        messages.warn_once(
            names,
            f"{names}: TensorFlow {_compat.release()} does not have these ops of an imported "
            "graph; tf1grad builds them from other ops",
        )
    return completed
