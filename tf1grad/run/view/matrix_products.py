"""Computes products of small matrices with Eigen's kernel, which TensorFlow 1.15 had.

`BatchMatMulV2` multiplies batches of matrices, and placeholders without a shape. oneDNN's kernel
takes 90 to 110 microseconds for 8 or 32 pairs of 8x8 or 16x16 matrices, and Eigen's 4 to 13.
`BatchMatMulV3`, which TensorFlow 1.15 does not have, computes the same with Eigen's kernel alone.
"""

from __future__ import annotations

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.view import faster_ops

_PRODUCT = "BatchMatMulV2"
# Of two numbers, for a pair of matrices. With twice as many, oneDNN is faster for 128 pairs.
_MOST_PRODUCTS = 2**14


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
        return True  # as of a placeholder without a shape, which small networks have
    columns = y.as_list()[-2 if operation.get_attr("adj_y") else -1]
    rows, inner = x.as_list()[-2:]
    sizes = (rows, inner, columns)
    return None not in sizes and rows * inner * columns <= _MOST_PRODUCTS
