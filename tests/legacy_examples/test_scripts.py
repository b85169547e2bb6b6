"""Tests that old scripts print what they print on TensorFlow 1.15.5:
unchanged, through `run`, and after `upgrade`.

`tests/recorded/scripts.json` holds what 1.15.5 prints, and is compared with it where these tests
run on 1.15. So does `scripts_with_numbered_seeds.json`, for upgraded programs that have today's
TensorFlow, which gives ops other seeds. With 1.15.5 both are recorded again by

    PYTHONPATH=tests/helpers/programs python tests/legacy_examples/test_scripts.py --record
"""

import importlib.util
import os
import re
import shutil
import sys

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import fork_server
import records
from other_pythons import NEEDS_PYTHON_3_8
from paths import ROOT
from script_folder import printed, run_output
from tf1grad.programs.period import folder

SCRIPTS = os.path.join(ROOT, "legacy_examples", "scripts")
RECORDED = records.read("scripts")
RECORDED_WITH_NUMBERED_SEEDS = records.read("scripts_with_numbered_seeds")
LINE = "\nimport tf1grad.v1 as tf\n"
NUMBERED_SEEDS = os.path.join(ROOT, "tests", "helpers", "programs", "numbered_seeds.py")
IS_TF1 = tf.__version__.startswith("1.")
NEEDS_LEGACY_KERAS = not IS_TF1 and tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 16)

ORIGINALS = "TensorFlow 1.15's own contrib (tf1grad period install)"
CELLS, SLIM, SCIPY, OLD_NUMPY = (
    "tf_keras",
    "tf_slim (and tf_keras on 2.16 and later)",
    "SciPy",
    "NumPy before 2.4",
)
ESTIMATOR = "tensorflow_estimator (and tf_keras on 2.16 and later)"
# What each script needs beside TensorFlow.
NEEDS = {
    "accumulate_by_hand.py": [],
    "beam_search.py": [ORIGINALS],
    "char_rnn.py": [CELLS, ORIGINALS],
    "clip_by_global_norm.py": [CELLS],
    "clip_by_value.py": [SLIM],
    "coefficients.py": [OLD_NUMPY],
    "crf_tagger.py": [ORIGINALS],
    "estimator_wide_and_deep.py": [ESTIMATOR],
    "fetch_and_feed.py": [SLIM],
    "gan_alternation.py": [SLIM],
    "handle_cache.py": [],
    "lookup_tables.py": [ORIGINALS],
    "optimize_loss.py": [SLIM],
    "queue_runners.py": [SLIM],
    "reviews.train": [SLIM],
    "scipy_line_search.py": [SCIPY],
    "slim_train_op.py": [SLIM],
}
ON_1_15_TOO = ("accumulate_by_hand.py", "optimize_loss.py")


def _scripts(*short):
    # The others wait for the full run: they take the same ways through other layers.
    return [
        script if script in short else pytest.param(script, marks=pytest.mark.slow)
        for script in sorted(NEEDS)
    ]


def test_every_script_is_tested():
    files = {name for name in os.listdir(SCRIPTS) if name.endswith(".py")}
    assert files | {"reviews.train"} == set(NEEDS) == set(RECORDED)


@pytest.mark.skipif(not IS_TF1, reason="what TensorFlow 1.15 prints")
@pytest.mark.parametrize("script", sorted(NEEDS))
def test_recording_is_what_1_15_prints(script):
    # Bit for bit where it was made; a CPU with other vector lengths sums in another order.
    _skip_where_missing(NEEDS[script])
    printed = _run(script, SCRIPTS)
    _compare(printed, RECORDED[script], first=1e-6, later=1e-5)


@pytest.mark.parametrize("script", _scripts(*ON_1_15_TOO))
def test_run_prints_what_1_15_prints(script):
    if IS_TF1 and script not in ON_1_15_TOO:
        pytest.skip("run changes little beside TensorFlow 1.15: two scripts show it")
    _skip_where_missing([ORIGINALS, *{SCIPY}.intersection(NEEDS[script])])
    before = _files(SCRIPTS)
    arguments = [script] if script.endswith(".py") else ["-m", script]
    printed = run_output(*arguments, folder=SCRIPTS).splitlines()
    assert _files(SCRIPTS) == before
    _compare(printed, RECORDED[script])


@NEEDS_PYTHON_3_8
@pytest.mark.parametrize("script", _scripts())
def test_upgraded_prints_what_1_15_prints(script, upgraded):
    _skip_where_missing([ORIGINALS, *NEEDS[script]])
    if LINE in _text(upgraded, script):
        _compare(_run(script, upgraded), RECORDED[script])
    else:
        printed = _run(script, upgraded, NUMBERED_SEEDS)
        _compare(printed, RECORDED_WITH_NUMBERED_SEEDS[script])


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory):
    """Upgrades a copy of the scripts and returns its folder."""
    folder = str(tmp_path_factory.mktemp("upgraded") / "scripts")
    shutil.copytree(SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    printed("-m", "tf1grad", "upgrade", "--write", folder)
    assert not _contrib(folder) and _contrib(SCRIPTS)
    return folder


def _contrib(folder):
    """Returns the uses of `contrib` and `estimator` in the sources of a folder that do
    not have TensorFlow 1.15.
    """
    found = []
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(path, name)) as file:
                    text = file.read()
                if LINE not in text:
                    found += re.findall(
                        r"^[^#\"]*\b(?:tf|tensorflow)\.(?:contrib|estimator)\b", text, re.M
                    )
    return found


def _skip_where_missing(needs):
    no_cells = NEEDS_LEGACY_KERAS and not _is_installed("tf_keras")
    missing = {
        ORIGINALS: not IS_TF1 and not folder.find_originals(),
        CELLS: no_cells,
        SLIM: no_cells or not (IS_TF1 or _is_installed("tf_slim")),
        ESTIMATOR: no_cells or not _is_installed("tensorflow_estimator"),
        SCIPY: not _is_installed("scipy"),
        OLD_NUMPY: tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4),
    }
    for need in needs:
        if missing[need]:
            pytest.skip(f"needs {need}")


def _is_installed(name):
    return importlib.util.find_spec(name) is not None


def _text(folder, script):
    path = script if script.endswith(".py") else script.replace(".", os.sep) + ".py"
    with open(os.path.join(folder, path)) as file:
        return file.read()


def _run(script, folder, *through):
    """Runs a script as Python does, and gives the lines that it printed."""
    target = [script] if script.endswith(".py") else ["-m", script]
    return run_output(*through, *target, folder=folder, under=fork_server.UNDER_PYTHON).splitlines()


def _files(folder):
    """Every file below a folder, with its size and time."""
    return sorted(
        (
            os.path.join(path, name),
            os.stat(os.path.join(path, name)).st_size,
            os.stat(os.path.join(path, name)).st_mtime,
        )
        for path, _, names in os.walk(folder)
        for name in names
    )


def _compare(printed, recorded, first=1e-6, later=1e-3):
    """Initial weights identical, the first step to `first`, every step to `later`."""
    assert _initial(printed) == _initial(recorded)
    steps, expected = _steps(printed), _steps(recorded)
    assert len(steps) == len(expected) >= 10
    assert steps[0] == pytest.approx(expected[0], rel=first, abs=0)
    for number, (step, reference) in enumerate(zip(steps, expected)):
        assert step == pytest.approx(reference, rel=later, abs=0), f"step {number}"


def _initial(lines):
    return [line for line in lines if line.startswith("initial weights")]


def _steps(lines):
    """Returns the numbers in the lines that report a step, a list for each."""
    numbers = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")
    return [list(map(float, numbers.findall(line))) for line in lines if line.startswith("step ")]


def _record():
    assert IS_TF1, f"the reference is TensorFlow 1.15.5, not {tf.__version__}"
    printed = {script: _run(script, SCRIPTS) for script in sorted(NEEDS)}
    records.write("scripts", printed)
    numbered = {script: _run(script, SCRIPTS, NUMBERED_SEEDS) for script in sorted(NEEDS)}
    records.write("scripts_with_numbered_seeds", numbered)


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    _record()
