"""Tests that a killed and restarted job loses no applied step and takes none twice."""

import json
import os

import pytest

from linear import K, assert_trained
from numpy_optimizers import RULES
from paths import PROGRAMS
from script_folder import printed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="each start of the job is a fork"),
]

KILLS = 25  # for each kind of variables: 50 in all


@pytest.fixture(scope="module")
def killed_jobs(tmpdir_factory):
    """Returns {(kind, window): (starts, end)}:
    each start as (position, step), and the end with its weights.
    """
    output = printed(
        os.path.join(PROGRAMS, "killed_job.py"), str(KILLS), str(tmpdir_factory.mktemp("runs"))
    )
    return {
        (kind, window): (starts, end)
        for kind, window, starts, end in map(json.loads, output.splitlines())
    }


@pytest.mark.parametrize("kind", ["ref", "resource"])
def test_killed_job_drops_its_open_window_whole(kind, killed_jobs):
    starts, end = killed_jobs[kind, "default"]
    windows, points = [], starts + [end[:2]]
    for (position, step), (next_position, next_step) in zip(points, points[1:]):
        complete = (next_position - position) // K
        assert next_step - step == complete
        windows += [
            range(position + K * index, position + K * (index + 1)) for index in range(complete)
        ]
    assert_trained(end[2], RULES["nesterov"][0](), windows)
    assert len(windows) > 10 and any((b[0] - a[0]) % K for a, b in zip(starts, starts[1:]))


@pytest.mark.parametrize("kind", ["ref", "resource"])
def test_killed_job_goes_on_with_its_persistent_window(kind, killed_jobs):
    starts, (position, step, values) = killed_jobs[kind, "persistent"]
    assert [start[1] for start in starts] == [start[0] // K for start in starts]
    assert step == position // K
    assert_trained(
        values, RULES["nesterov"][0](), [range(K * index, K * (index + 1)) for index in range(step)]
    )
    assert step > 10 and any(start[0] % K for start in starts)
