"""Tests that neither the graph nor memory grows with the runs.
`tests/helpers/programs/soak.py` is the long version.
"""

import pytest

from soak import soak

pytestmark = pytest.mark.slow

RUNS = 2000


def test_memory_and_graph_stay_as_they_are(variable_kind):
    _, memory, ops, size = zip(*soak(RUNS))
    assert len(memory) == 10
    assert set(ops) == {ops[0]} and set(size) == {size[0]}
    # What leaks comes with all the runs; what an allocator keeps comes at once.
    growth = sorted(after - before for before, after in zip(memory[1:], memory[2:]))
    assert growth[len(growth) // 2] < 2**20
