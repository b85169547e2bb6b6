"""Tests that each op without a kernel has one row, whose functions exist."""

import collections

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.old_programs import _compat
from tf1grad.old_programs.gone_ops import advice, table
from tf1grad.old_programs.gone_ops.signatures import signatures


def test_each_op_has_one_row():
    rows = collections.Counter(row.op for row in table.ROWS)
    assert [op for op, count in rows.items() if count > 1] == []


@pytest.mark.parametrize("row", table.ROWS, ids=lambda row: row.op)
def test_functions_of_a_row_exist(row):
    assert row.build.split(".")[0] in ("of_tensorflow", "of_numpy")
    for name in filter(None, (row.build, row.gradient)):
        assert callable(table.function(name))
    assert row.is_of_tensorflow or not (row.ranks or row.gradient)


@pytest.mark.parametrize("row", table.ROWS, ids=lambda row: row.op)
def test_ranks_are_those_of_the_inputs(row):
    if row.ranks:
        assert len(row.ranks) == len(signatures()[row.op].inputs)


@pytest.mark.skipif(tf.__version__.startswith("1."), reason="TensorFlow 1 has the ops itself")
def test_rows_are_of_ops_that_tensorflow_lacks():
    assert [row.op for row in table.ROWS
            if _compat.op_definition(row.op) is not None and not advice.has_no_kernel(row.op)] == []
