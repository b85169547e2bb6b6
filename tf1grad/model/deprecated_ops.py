"""Replaces ops that TensorFlow refuses in today's graphs,
and that graphs of its first releases have.
"""

from __future__ import annotations

from typing import Sequence

from tf1grad._compat import tf
from tf1grad.run.gone_ops.advice import MissingOp

BATCH_NORM = "BatchNormWithGlobalNormalization"
# Batch normalization has these.
OF_VALUES = {"RefSwitch": "Switch", "AssignSub": "Sub", "AssignAdd": "Add"}
OLD_PLACEHOLDERS = 21  # producers up to this one write an unknown shape as that of a scalar


def describe(nodes: Sequence[str]) -> MissingOp:
    """Returns the description of a graph's nodes of the op BatchNormWithGlobalNormalization."""
    return MissingOp(
        BATCH_NORM,
        "TensorFlow 0.5",
        list(nodes),
        True,
        "`tf1grad model convert` writes FusedBatchNorm in its place.",
    )


def drop_references(graph_def: tf.GraphDef) -> None:
    """Replaces ops on references in a frozen graph:
    its variables are constants, which nothing can update.
    """
    for node in graph_def.node:
        if node.op in OF_VALUES:
            node.op = OF_VALUES[node.op]
            node.attr.pop("use_locking", None)


def modernize(meta: tf.MetaGraphDef) -> tf.MetaGraphDef:
    """Returns a `MetaGraphDef` that today's TensorFlow also loads into graphs of
    today's version; `meta` stays.
    """
    if meta.graph_def.versions.producer > OLD_PLACEHOLDERS:
        return meta
    changed = type(meta)()
    changed.CopyFrom(meta)
    changed.graph_def.versions.producer = tf.version.GRAPH_DEF_VERSION
    for node in list(changed.graph_def.node):
        if node.op == BATCH_NORM:
            _fuse(node, changed.graph_def)
        elif node.op == "Placeholder" and not node.attr["shape"].shape.dim:
            node.attr["shape"].shape.unknown_rank = True
    return changed


def _fuse(node: tf.NodeDef, graph_def: tf.GraphDef) -> None:
    """Makes a node one of FusedBatchNorm, with the inputs and attributes in its
    order and under its names.
    """
    data, mean, variance, offset, scale = node.input[:5]
    is_scaled, epsilon = node.attr["scale_after_normalization"].b, node.attr["variance_epsilon"].f
    node.op = "FusedBatchNorm"
    if not is_scaled:
        ones = graph_def.node.add(name=f"{node.name}/ones", op="OnesLike", input=[scale])
        ones.attr["T"].type = node.attr["T"].type
        scale = ones.name
    node.input[:5] = [data, scale, offset, mean, variance]
    for name in ("scale_after_normalization", "variance_epsilon"):
        node.attr.pop(name, None)
    node.attr["epsilon"].f = epsilon
    node.attr["is_training"].b = False
