"""Computes products of small matrices with Eigen's kernel, which TensorFlow 1.15 had.

oneDNN's kernel of `BatchMatMulV2` takes 60 to 100 microseconds before it multiplies; Eigen's takes
2 (`tests/benchmarks/ops.py`). That op multiplies batches of matrices, and placeholders without a
shape. `BatchMatMulV3` computes the same, and is always Eigen's; TensorFlow 1.15 does not have it.
"""

from __future__ import annotations

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.view import faster_ops

_PRODUCT = "BatchMatMulV2"
_MOST_PRODUCTS = 2**14  # of two numbers, for a pair of matrices: with more, oneDNN is faster


def install() -> None:
    """Computes small products, from now on, with Eigen where oneDNN is on."""
    if not _compat.onednn_is_on():
        return
    _compat.call_with_new_ops({_PRODUCT: compute_with_eigen})
    patches.note(_PRODUCT, "small products are Eigen's (left out by --kernels onednn or eigen)")


def compute_with_eigen(operation: tf.Operation) -> None:
    """Computes a product of float32 with Eigen if it is small, or its number of axes is unknown."""

    def product() -> tf.Tensor | None:
        if not _is_small(operation):
            return None
        return tf.raw_ops.BatchMatMulV3(
            x=operation.inputs[0],
            y=operation.inputs[1],
            Tout=tf.float32,
            adj_x=operation.get_attr("adj_x"),
            adj_y=operation.get_attr("adj_y"),
        )

    if operation.get_attr("T") == tf.float32:
        faster_ops.compute_with(operation, product)


def _is_small(operation: tf.Operation) -> bool:
    x, y = (tensor.shape for tensor in operation.inputs)
    if x.rank is None or y.rank is None:
        return (
            True  # as in small networks: nothing but a placeholder without a shape leaves it open
        )
    columns = y.as_list()[-2 if operation.get_attr("adj_y") else -1]
    rows, inner = x.as_list()[-2:]
    sizes = (rows, inner, columns)
    return None not in sizes and rows * inner * columns <= _MOST_PRODUCTS
