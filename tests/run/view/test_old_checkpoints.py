"""Tests that checkpoints of TensorFlow 1.15.5 are read under `run` and after `upgrade`,
and that 1.15.5 reads ours.
"""

import importlib.util
import json
import os
import subprocess

import pytest

import checkpoints
import records
from other_pythons import NEEDS_PYTHON_3_8
from paths import PROGRAMS, ROOT
from script_folder import printed, run_output, run_python
from tf1grad._compat import VERSION

pytestmark = pytest.mark.period
# `tox -e tf115` makes it.
OLD_PYTHON = os.environ.get(
    "TF1GRAD_PYTHON_OF_115", os.path.join(ROOT, ".tox", "tf115", "bin", "python")
)


@pytest.fixture(scope="module")
def recorded():
    return records.read("checkpoints")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Returns a folder that `run` wrote, and the values."""
    folder = str(tmp_path_factory.mktemp("written"))
    return folder, json.loads(run_output(checkpoints.__file__, "write", folder))


def _assert_same(found, expected):
    assert sorted(found) == sorted(expected)
    for case, values in expected.items():
        names = values if isinstance(values, dict) else range(len(values))
        assert len(found[case]) == len(values), case
        for name in names:
            assert found[case][name] == pytest.approx(values[name], rel=1e-6, abs=1e-7), (
                case,
                name,
            )


@pytest.mark.slow
@pytest.mark.each_release
def test_run_reads_what_1_15_wrote(recorded, tmp_path):
    records.unpack(tmp_path, recorded["files"])
    _assert_same(
        json.loads(run_output(checkpoints.__file__, "read", str(tmp_path))), recorded["read"]
    )


@pytest.mark.slow
def test_run_writes_and_reads_the_same_values(recorded, written):
    folder, values = written
    # The order of shuffled samples is not the subject here.
    expected = dict(recorded["written"], keras=values["keras"])
    _assert_same(values, expected)
    found = json.loads(run_output(checkpoints.__file__, "read", folder))
    _assert_same(
        {case: found[case] for case in checkpoints.CASES},
        {case: values[case] for case in checkpoints.CASES},
    )


@pytest.mark.skipif(
    not os.access(OLD_PYTHON, os.X_OK), reason="no Python with TensorFlow 1.15 here: tox -e tf115"
)
def test_1_15_reads_what_run_wrote(written):
    folder, values = written
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([ROOT, PROGRAMS]))
    environment.pop("TF2_BEHAVIOR", None)  # the TensorFlow of this process sets it
    output = subprocess.run(
        [OLD_PYTHON, checkpoints.__file__, "read", folder],
        check=True,
        timeout=600,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ).stdout
    found = json.loads(output.splitlines()[-1])
    of_keras = {f"keras {name}": values["keras"] for name in ("weights.h5", "weights", "model.h5")}
    expected = {**values, **of_keras}
    del expected["keras"]
    _assert_same({case: found[case] for case in expected}, expected)


@pytest.mark.slow
@NEEDS_PYTHON_3_8
@pytest.mark.skipif(
    VERSION >= (2, 16) and importlib.util.find_spec("tf_keras") is None,
    reason="upgraded programs with Keras need tf_keras",
)
def test_upgraded_programs_read_what_1_15_wrote(recorded, tmp_path):
    records.unpack(tmp_path, recorded["files"])
    script = tmp_path / "program.py"
    with open(checkpoints.__file__, encoding="utf-8") as file:
        script.write_text(file.read())
    run_python("-m", "tf1grad", "upgrade", "--write", str(script))
    output = printed(
        str(script), "read", str(tmp_path), PYTHONPATH=os.pathsep.join([ROOT, PROGRAMS])
    )
    _assert_same(json.loads(output.splitlines()[-1]), recorded["read"])
