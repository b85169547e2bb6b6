"""Computes products of a sparse and a dense matrix as fast as TensorFlow 1.15 did,
a block of columns at a time.

From 32 columns on, the kernel of TensorFlow 2.20 and 2.21 takes four to eight times as long as
1.15's. In blocks of fewer columns it takes about as long as 1.15's, and adds in the same order
(`tests/benchmarks/ops.py`). The blocks need the memory of the dense matrix and of the product once
more while they are computed.
"""

from __future__ import annotations

from typing import Any

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.view import faster_ops

_PRODUCT = "SparseTensorDenseMatMul"
_GRADIENT, _REPLACED = "tf1gradSparseProduct", "_tf1grad_replaced"
_FEWEST_SLOW_COLUMNS = 32
_BLOCK = 28  # columns: the best of 8, 12, 16, ... 31


def install() -> None:
    """Computes products, from now on, in blocks where the op's own kernel is slow."""
    if not _compat.sparse_products_are_slow():
        return
    _compat.call_with_new_ops({_PRODUCT: compute_in_blocks})
    patches.note(_PRODUCT, "computed by blocks of columns (left out by --kernels onednn)")


def compute_in_blocks(operation: tf.Operation) -> None:
    """Replaces a product when a session is about to run it;
    not where it has few columns, or how many is not known.
    """

    def blocks() -> tf.Tensor | None:
        columns = operation.outputs[0].shape.with_rank(2)[1].value
        if columns is None or columns < _FEWEST_SLOW_COLUMNS:
            return None
        sizes = [min(_BLOCK, columns - first) for first in range(0, columns, _BLOCK)]
        return _with_gradient(operation, _multiply(operation, sizes))

    faster_ops.compute_with(operation, blocks)


def _multiply(operation: tf.Operation, sizes: list[int]) -> tf.Tensor:
    indices, values, shape, dense = operation.inputs
    if operation.get_attr("adjoint_b"):
        dense = tf.linalg.adjoint(dense)
    blocks = [
        tf.raw_ops.SparseTensorDenseMatMul(
            a_indices=indices,
            a_values=values,
            a_shape=shape,
            b=block,
            adjoint_a=operation.get_attr("adjoint_a"),
        )
        for block in tf.split(dense, sizes, axis=1)
    ]
    return tf.concat(blocks, axis=1)


def _with_gradient(operation: tf.Operation, product: tf.Tensor) -> tf.Tensor:
    """Returns `product` with the gradient of `operation`,
    for programs that build it after the first run.

    That of the blocks would add in another order.
    """
    _compat.register_gradient(_GRADIENT, _gradient)
    with operation.graph.gradient_override_map({"IdentityN": _GRADIENT}):
        result: tf.Tensor = tf.raw_ops.IdentityN(input=[product, *operation.inputs])[0]
    _compat.set_attr(result.op, _REPLACED, s=operation.name.encode())
    return result


def _gradient(identity: tf.Operation, given: tf.Tensor, *unused: tf.Tensor) -> list[Any]:
    name = identity.get_attr(_REPLACED).decode()
    operation = identity.graph.get_operation_by_name(name)
    return [None, *_compat.gradients_of_inputs(operation, given)]
