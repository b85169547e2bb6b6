"""A short soak: neither the graph nor memory grows with the runs. The long one is a script, `tests/helpers/soak.py`."""

import pytest

from soak import soak

pytestmark = pytest.mark.slow

RUNS = 2000


def test_memory_and_graph_stay_as_they_are(variable_kind):
    _, memory, ops, size = zip(*soak(RUNS))
    assert len(memory) == 10
    assert set(ops) == {ops[0]} and set(size) == {size[0]}
    assert memory[-1] - memory[1] < 8 * 2 ** 20
