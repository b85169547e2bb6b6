"""Tests that each op without a kernel has one row, whose functions exist."""

import pytest

from tf1grad.old_programs.gone_ops import table
from tf1grad.old_programs.gone_ops.signatures import signatures


def test_each_op_without_a_kernel_has_one_row():
    ops = [*table.OF_TENSORFLOW, *(op for ops in table._OF_NUMPY.values() for op in ops.split())]
    assert len(ops) == len(set(ops)) and set(ops) <= set(signatures())


@pytest.mark.parametrize("op", table.OF_TENSORFLOW)
def test_functions_of_tensorflow_exist_and_have_a_rank_for_each_input(op):
    row = table.OF_TENSORFLOW[op]
    for name in filter(None, (row.build, row.gradient)):
        assert callable(table.function("of_tensorflow." + name))
    assert not row.ranks or len(row.ranks) == len(signatures()[op].inputs)


@pytest.mark.parametrize("op", table.OF_NUMPY)
def test_functions_of_numpy_exist(op):
    assert callable(table.function("of_numpy." + table.OF_NUMPY[op]))
