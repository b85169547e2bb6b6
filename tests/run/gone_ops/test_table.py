"""Tests that each op without a kernel has one row, whose functions exist."""

from tf1grad.run.gone_ops import table
from tf1grad.run.gone_ops.signatures import signatures


def test_each_op_without_a_kernel_has_one_row():
    ops = [*table.OF_TENSORFLOW, *table.OF_NUMPY]
    assert len(ops) == len(set(ops)) and set(ops) <= set(signatures())
