"""Tests that each op without a kernel has one row, whose functions exist."""

import collections

import pytest

from tf1grad.old_programs.gone_ops import table
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


def test_rows_are_of_ops_without_a_kernel():
    assert [row.op for row in table.ROWS if row.op not in signatures()] == []
