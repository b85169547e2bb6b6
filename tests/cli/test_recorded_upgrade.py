"""`tf1grad run --record` and `tf1grad upgrade --from`:
what only a run shows is rewritten, and the result runs.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
import tensorflow.compat.v1 as tf

from fetched_records import record_of
from other_pythons import NEEDS_PYTHON_3_8
from paths import ROOT
from script_folder import printed, run_python
from tf1grad.cli import main, upgrade_by_running
from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import run_record
from tf1grad.upgrade.rules import requirements

pytestmark = NEEDS_PYTHON_3_8

IS_TF1 = tf.__version__.startswith("1.")
needs_run = pytest.mark.skipif(
    IS_TF1, reason="TensorFlow 1.15 stands beside a NumPy that needs no repair"
)

ONE_NUMBER = "numpy array of one number"
PROGRAM = """\
from names import *
import numpy as np
import tensorflow as tf

def rows(*sizes):
    return [[1.0] * size for size in sizes]

x = tf.placeholder(tf.float32, [1])
y = tf.mul(x, 3.0)
ragged = np.array(rows(1, 2))
print(len(ragged), [len(row) for row in ragged], their_np.int(1.5))
with tf.Session() as session:
    value = session.run(y, {x: [2.0]})
    total = np.zeros(2)
    total[1] = value
    print("%.1f" % value, "%s is %.2f" % ("y", value), float(value), total.tolist())
    print(int(np.ptp(total)), value.ptp(), value)
"""


def _write(folder, **texts):
    for name, text in texts.items():
        (folder / (name + ".py")).write_text(text)


@pytest.mark.slow
@pytest.mark.each_release
@needs_run
def test_what_a_run_shows_is_rewritten(tmp_path, capsys):
    _write(tmp_path, train=PROGRAM, names="import numpy as their_np\n")
    before = printed(
        "-m", "tf1grad", "run", "--record", "notes.json", "train.py", cwd=str(tmp_path)
    )
    notes = json.loads((tmp_path / "notes.json").read_text())
    file = os.path.realpath(str(tmp_path / "train.py"))
    assert [9, "tf.mul"] in notes["repairs"][file] and [11, "numpy.int"] in notes["repairs"][file]
    assert notes["modules"][file] == {"np": "numpy", "their_np": "numpy", "tf": "tensorflow"}
    assert (
        main.main(["upgrade", "--write", "--from", str(tmp_path / "notes.json"), str(tmp_path)])
        == 0
    )
    assert printed("train.py", cwd=str(tmp_path)) == before
    upgraded = (tmp_path / "train.py").read_text()
    assert "tf1grad.migrate.arrays.array(rows(1, 2))" in upgraded and "int(1.5)" in upgraded
    # The file is not the recorded one any more.
    capsys.readouterr()
    assert main.main(["upgrade", "--from", str(tmp_path / "notes.json"), str(tmp_path)]) == 0
    output, errors = capsys.readouterr()
    assert (
        output == ""
        and "train.py: has changed since it was recorded; 1 of 1 records are not used" in errors
    )


def _notes(folder, name, repairs):
    file = os.path.realpath(str(folder / "train.py"))
    path = str(folder / name)
    content = {
        "format": run_record.FORMAT,
        "repairs": {file: repairs},
        "modules": {},
        "contents": {file: run_record.digest(file)},
    }
    with open(path, "w") as opened:
        json.dump(content, opened)
    return path


def test_repairs_of_all_runs_are_written(tmp_path, capsys):
    _write(
        tmp_path,
        train="import tensorflow as tf\ndef f(x):\n    tf.Session; return float(x), float(x)\n",
    )
    one = _notes(tmp_path, "1", [[3, ONE_NUMBER]])
    other = _notes(tmp_path, "2", [[2, "h5py attributes"]])
    assert (
        main.main(
            ["upgrade", "--write", "--from", one, "--from", other, str(tmp_path / "train.py")]
        )
        == 0
    )
    assert (
        (tmp_path / "train.py")
        .read_text()
        .endswith(
            "return float(tf1grad.migrate.arrays.unwrap_number(x)), float(tf1grad.migrate.arrays.unwrap_number(x))\n"
        )
    )
    errors = capsys.readouterr().err
    assert "train.py:2: `tf1grad run` repairs this, and upgrade cannot: h5py attributes" in errors


@pytest.mark.parametrize(
    "old, new, repair",
    [
        ("y = a % x", "y = a % tf1grad.migrate.arrays.unwrap_operand(x)", ONE_NUMBER),
        (
            "y = '%f %f' % (x,\n    a) + str(x)",
            "y = '%f %f' % tf1grad.migrate.arrays.unwrap_operand((x,\n    a)) + str(x)",
            ONE_NUMBER,
        ),
        (
            "a.b[0] = x + 1  # why",
            "a.b[0] = tf1grad.migrate.arrays.unwrap_element(x + 1, a.b)  # why",
            ONE_NUMBER,
        ),
        (
            "y = math.sqrt(float(x))",
            "y = math.sqrt(tf1grad.migrate.arrays.unwrap_number(float(tf1grad.migrate.arrays.unwrap_number(x))))",
            ONE_NUMBER,
        ),
        pytest.param(
            "a = x.f(1).append(a, b=2)",
            "a = tf1grad.migrate.dropped_methods.append(x.f(1), a, b=2)",
            "pandas.DataFrame.append",
        ),
        pytest.param(
            "x = x['a'].ptp()",
            "x = tf1grad.migrate.dropped_methods.ptp(x['a'])",
            "numpy array methods",
        ),
        ("y = np.load(x)", "y = np.load(x, allow_pickle=True)", "numpy.load"),
        ("y = np.stack(x, 1)", "y = np.stack(list(x), 1)", "numpy.stack of a generator"),
        (
            "y = np.array(x, np.uint8)",
            "y = tf1grad.migrate.arrays.array(x, np.uint8)",
            "numpy numbers too large",
        ),
        (
            "y = np.array(list(zip(a, x)))",
            "y = tf1grad.migrate.arrays.array(list(zip(a, x)))",
            "numpy.array of rows of different lengths",
        ),
    ],
)
def test_repairs(tmp_path, old, new, repair):
    start = "import tensorflow.compat.v1 as tf\n%simport numpy as np, math\ndef f(a, x):\n    tf.Session\n    "
    _write(tmp_path, train=start % "" + old + "\n")
    notes = _notes(tmp_path, "notes", [[5, repair]])
    assert main.main(["upgrade", "--write", "--from", notes, str(tmp_path / "train.py")]) == 0
    helper = next(
        (
            f"import tf1grad.migrate.{name}\n"
            for name in ("arrays", "dropped_methods")
            if name in new
        ),
        "",
    )
    assert (tmp_path / "train.py").read_text() == start % helper + new + "\n"


@pytest.mark.parametrize("content", ["", "[]", '{"format": 0}'])
def test_files_without_notes(tmp_path, content):
    _write(tmp_path, train="import tensorflow as tf\n")
    (tmp_path / "notes").write_text(content)
    for name in ("notes", "missing"):
        assert (
            main.main(["upgrade", "--from", str(tmp_path / name), str(tmp_path / "train.py")]) == 2
        )


# Importing TensorFlow 2 may draw a number of `random`, as `rich` does for its Keras.
DROPOUT = """\
import random
import tensorflow as tf
x = tf.random_normal([1000])  # a count of what is left would often be the same twice
y = tf.nn.dropout(x, 0.9)
with tf.Session() as session:
    print(session.run(tf.reduce_sum(y) * random.random()))
"""


IDLE_DROPOUT = """\
import tensorflow as tf
x = tf.ones([2, 4])
y = tf.layers.dropout(tf.nn.dropout(x, 1.0), 0.0, training=True)
y = tf.contrib.layers.dropout(y, keep_prob=1.0)
w = tf.get_variable("w", [4, 3])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run([w, tf.random_uniform([2])]))
"""


@needs_run
@pytest.mark.slow
def test_a_dropout_that_drops_nothing_draws_nothing(tmp_path):
    if not tf.__version__.startswith("2.15") and not requirements.is_installed("tf_keras"):
        pytest.skip("the layers of TensorFlow 1 need tf_keras")
    _write(tmp_path, train=IDLE_DROPOUT)
    # A process of its own: here another test may have imported TensorFlow without tf_keras.
    code, _, errors = run_python(
        "-m",
        "tf1grad",
        "upgrade",
        "--write",
        "--by-running",
        "train.py",
        "train.py",
        cwd=str(tmp_path),
    )
    assert code == 0 and "fetches the same numbers as before: 1 run with numbers" in errors, errors


def test_wrong_usage_of_by_running(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _write(tmp_path, train="import tensorflow as tf\n")
    assert main.main(["upgrade", "--by-running", "train.py", "train.py"]) == 2
    assert "--by-running needs --write" in capsys.readouterr().err
    assert main.main(["upgrade", "--write", "--by-running", "missing.py", "train.py"]) == 2
    assert "'missing.py' does not begin with a script that exists" in capsys.readouterr().err


HANGS = """\
import os, time
import tensorflow as tf
with open({pid!r}, "w") as file:
    file.write(str(os.getpid()) + "\\n")
time.sleep(3600)
"""


@needs_run
@pytest.mark.slow
def test_a_program_that_takes_too_long_is_ended_before_anything_is_written(
    tmp_path, monkeypatch, capsys
):
    text = HANGS.format(pid=str(tmp_path / "pid"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    _write(folder, train=text)
    command = ["upgrade", "--write", "--by-running", "train.py", "--timeout", "0.5", "train.py"]
    assert main.main(command) == 2
    told = "the program was not done after 0.5 s (--timeout)"
    assert told in capsys.readouterr().err
    assert (folder / "train.py").read_text() == text and len(list(folder.iterdir())) == 1


@needs_run
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
def test_an_interrupt_ends_the_program_too(tmp_path):
    pid = tmp_path / "pid"
    folder = tmp_path / "project"
    folder.mkdir()
    _write(folder, train=HANGS.format(pid=str(pid)))
    command = [sys.executable, "-m", "tf1grad", "upgrade", "--write"]
    process = subprocess.Popen([*command, "--by-running", "train.py", "train.py"], cwd=str(folder))
    while not pid.exists() or not pid.read_text().endswith("\n"):
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


@needs_run
def test_by_running_asks_for_packages_before_it_runs_anything(tmp_path, monkeypatch, capsys):
    _write(tmp_path, train="import tensorflow as tf\ntf.contrib.slim.arg_scope\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(requirements, "is_installed", lambda module: False)
    assert main.main(["upgrade", "--write", "--by-running", "train.py", "train.py"]) == 2
    told = capsys.readouterr().err
    assert "needs pip install tf_slim" in told and "Running" not in told
    assert "tf.contrib.slim" in (tmp_path / "train.py").read_text()


def _asked(folder, monkeypatch, capsys, command="train.py"):
    """Returns what is said of an upgrade by running that does not get as far as a run."""
    monkeypatch.chdir(folder)

    def no_run(*unused):
        raise UsageError("the program would run")

    monkeypatch.setattr(upgrade_by_running, "UpgradeRuns", no_run)
    files = sorted(str(path) for path in folder.glob("*.py"))
    assert main.main(["upgrade", "--write", "--by-running", command, *files]) == 2
    assert not list(folder.glob("*.orig"))
    return capsys.readouterr().err.partition("--by-running: ")[2].strip() or None


IMPORTED = (
    "the upgraded program imports tflearn ({}), which is not installed. Install this first: "
    "pip install tflearn. Nothing was run or written"
)


@needs_run
@pytest.mark.parametrize(
    "files, place",
    [
        ({"train": "import numpy\nimport tflearn.layers\n"}, "train.py, line 2"),
        ({"train": "from tflearn import DNN\n"}, "train.py, line 1"),
        ({"train": "import model\n", "model": "\nimport tflearn\n"}, "model.py, line 2"),
        ({"train": "try:\n    import tflearn\nexcept ImportError:\n    pass\n"}, None),
        ({"train": "def plot():\n    import tflearn\n"}, None),
        ({"train": "import tflearn\n", "tflearn": ""}, None),
        ({"train": "import os\n", "other": "import tflearn\n"}, None),
        ({"train": "import nobody_has_this\n"}, None),
    ],
    ids=["first", "from", "of a module", "in a try", "in a function", "own", "unused", "unknown"],
)
def test_by_running_names_a_package_that_the_program_imports(
    tmp_path, monkeypatch, capsys, files, place
):
    _write(tmp_path, **{name: "import tensorflow as tf\n" + text for name, text in files.items()})
    lines = place and re.sub(r"\d+$", lambda line: str(int(line.group()) + 1), place)
    told = _asked(tmp_path, monkeypatch, capsys)
    assert told == (lines and IMPORTED.format(lines))


@needs_run
def test_by_running_names_a_package_that_the_program_declares(tmp_path, monkeypatch, capsys):
    _write(tmp_path, train="import tensorflow as tf\nimport nobody_has_this\n")
    (tmp_path / "requirements.txt").write_text("nobody-has-this==1.0\n")
    for command in ("train.py --steps 3", "-m train"):
        told = _asked(tmp_path, monkeypatch, capsys, command)
        assert "imports nobody_has_this (train.py, line 2)" in told
        assert "pip install nobody-has-this. Nothing" in told


@needs_run
def test_by_running_reads_what_a_program_declares_once(tmp_path, monkeypatch, capsys):
    from tf1grad.run.packages import declared

    read, times = declared.read, []
    monkeypatch.setattr(declared, "read", lambda texts: times.append(1) or read(texts))
    _write(tmp_path, train="import tensorflow as tf\nimport nobody, nobody_else, nobody_has_this\n")
    (tmp_path / "requirements.txt").write_text("nobody-has-this==1.0\n")
    assert "imports nobody_has_this" in _asked(tmp_path, monkeypatch, capsys)
    assert len(times) == 1


ENVIRONMENT = """\
import os
import tensorflow as tf
is_set = "compat" ".v1" in open(__file__).read() and "TF_USE_LEGACY_KERAS" in os.environ
with tf.Session() as session:
    print(session.run(tf.constant(int(is_set))))
"""
RESTORED = """\
import os
from tensorflow.contrib.layers import flatten  # imports TensorFlow first
import tensorflow as tf
w = tf.get_variable("w", initializer=1.0)
saver = tf.train.Saver()
folder = os.environ.get("MODELS", "models")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    latest = tf.train.latest_checkpoint(folder)
    if latest:
        saver.restore(session, latest)
    session.run(tf.assign_add(w, 1.0))
    saver.save(session, os.path.join(folder, "model"))
"""
# Its hooks fetch the global step beside the train op, without an order.
ESTIMATOR = """\
import tensorflow as tf

def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(features * tf.get_variable("w", initializer=1.0) - labels))
    step = tf.train.get_global_step()
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

def input_fn():
    return tf.data.Dataset.from_tensors(([1.0, 2.0], [2.0, 5.0])).repeat()

tf.estimator.Estimator(model_fn).train(input_fn, steps=20)
"""


@needs_run
@pytest.mark.slow
@pytest.mark.parametrize(
    "program, code, verdict",
    [
        (
            ESTIMATOR,
            0,
            "and fetches the same numbers as before: 27 runs with numbers, 48 values, ",
        ),
        (DROPOUT, 0, "With equal seeds it fetches the same numbers as before: 1 run "),
        (ENVIRONMENT, 0, "and fetches the same numbers as before: 1 run with numbers"),
        (
            RESTORED,
            0,
            "and fetches the same numbers as before: 1 run with numbers, 1 value, to the last bit.",
        ),
    ],
    ids=["estimator", "dropout", "environment", "restored"],
)
def test_the_verdict(tmp_path, monkeypatch, capsys, program, code, verdict):
    _write(tmp_path, train=program)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ROOT)
    monkeypatch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    assert main.main(["upgrade", "--write", "--by-running", "train.py", "train.py"]) == code
    told = capsys.readouterr().err
    assert (
        told.index("Running the old program")
        < told.index("Running the upgraded program")
        < told.index(verdict)
    )
    # Each run had a copy of the folder.
    assert sorted(os.listdir(".")) == ["train.py", "train.py.orig"]


@needs_run
@pytest.mark.slow
@pytest.mark.parametrize("has_old", [False, True])
def test_checkpoints_outside_of_the_current_folder(tmp_path, monkeypatch, capsys, has_old):
    """Tests that those of our own runs are taken away,
    and that those of the user stay and are named.
    """
    models, program = tmp_path / "models", tmp_path / "program"
    for folder in (models, program):
        folder.mkdir()
    _write(program, train=RESTORED)
    monkeypatch.chdir(program)
    monkeypatch.setenv("PYTHONPATH", ROOT)
    monkeypatch.setenv("MODELS", str(models))
    if has_old:
        printed("-m", "tf1grad", "run", "train.py", cwd=str(program))
    assert main.main(["upgrade", "--write", "--by-running", "train.py", "train.py"]) == has_old
    told = capsys.readouterr().err
    if has_old:
        assert f"(Each run finds the checkpoints that the one before it saved in {models}" in told
        assert (models / "checkpoint").exists()
    else:
        assert "same numbers as before: 1 run with numbers, 1 value, to the last bit." in told
        assert os.listdir(str(models)) == []


class _GivenRuns(upgrade_by_running.UpgradeRuns):
    """Runs of which each fetches the next given number, with own seeds or with equal ones."""

    def __init__(self, old, upgraded, old_seeded=None, upgraded_seeded=()):
        self._old, self._seeded = old, old_seeded
        self._upgraded = {None: iter(upgraded), upgrade_by_running.SEED: iter(upgraded_seeded)}

    def _run_upgraded(self, seed, directions=0):
        run = next(self._upgraded[seed])
        assert bool(run.record.facts.moved) == bool(directions)
        return run


def _run(*numbers, failure=None, files=None, unordered=(), **facts):
    """Returns a run whose sessions fetch these numbers, one in each `session.run`.

    The numbers of runs in `unordered` are read in no defined order.
    """
    record = record_of(*[[("x", [number])] for number in numbers], **facts)
    for place in unordered:
        record.runs[place] = record.runs[place]._replace(unordered=[0])
    return upgrade_by_running._RecordedRun(record, files or {}, failure, run_record.Notes())


def _given(old, new):
    """Returns runs of which each repeats itself, with own seeds and with equal ones."""
    moved = _run(*[run.values[0].values[0] for run in new.record.runs], **MOVED)
    return _GivenRuns(old, [new, new], old, [new, new, moved])


NOT_COMPARED = " Not compared: what it prints, and errors that it catches outside of sessions."
SHARED = {"restored": ["/m/model-3"], "old_folders": ["/m"]}
MOVED = {"moved": (1, 5)}


@pytest.mark.parametrize(
    "runs, good, verdict",
    [
        (
            _GivenRuns(_run(1.0), [_run(1.0)]),
            True,
            "fetches the same numbers as before: 1 run with numbers, 1 value, to the last bit."
            + NOT_COMPARED,
        ),
        (
            _GivenRuns(
                _run(1.0, files={"a": "1", "b": "2", "log": "3"}),
                [_run(1.0, files={"a": "1", "b": "3", "log.2": "3"})],
            ),
            True,
            "to the last bit. 1 file that it writes have the same bytes. Not compared: what it prints, 3 files whose "
            "bytes or names differ (b, log, log.2), and errors that it catches outside of sessions.",
        ),
        (
            _GivenRuns(_run(), [_run()]),
            True,
            "Neither run fetches numbers from a session." + NOT_COMPARED,
        ),
        (
            _GivenRuns(_run(1.0), [_run(failure="NameError")]),
            False,
            "The upgraded program does not run",
        ),
        (
            _GivenRuns(_run(3.0, failure="ValueError: no plot"), [_run(3.0)]),
            False,
            "Before, the upgraded program fetches the same numbers: 1 run with numbers, 1 value, to the last bit. ValueError",
        ),
        (
            _GivenRuns(_run(3.0, failure="ValueError"), [_run(4.0)]),
            False,
            "Before, x of run 1 of the session is [3] before and [4] after the upgrade",
        ),
        (
            _GivenRuns(_run(failure="ValueError"), []),
            False,
            "so nothing was compared. ValueError",
        ),
        (
            _GivenRuns(_run(1.0), [_run(2.0), _run(3.0)], _run(4.0), [_run(4.0)]),
            True,
            "With equal seeds it fetches the same numbers as before: 1 run with numbers, 1 value, to the last bit. "
            "Under its own seeds they change from run to run." + NOT_COMPARED,
        ),
        (
            _GivenRuns(_run(1.0), [_run(2.0), _run(2.0)], _run(4.0), [_run(4.0)]),
            True,
            "A graph seed alone draws other numbers on TensorFlow 2 (tf1grad check",
        ),
        (
            _GivenRuns(
                _run(1.0),
                [_run(2.0), _run(2.0)],
                _run(4.0),
                [_run(5.0), _run(5.0), _run(5.0001, **MOVED)],
            ),
            False,
            "but fetches other numbers, also with equal seeds: x of run 1 of the session is [4] before and [5]",
        ),
        (
            _GivenRuns(
                _run(1.0, 1.0),
                [_run(1.0, 2.0), _run(1.0, 3.0)],
                _run(4.0, 4.0),
                [_run(4.0, 5.0), _run(4.0, 6.0)],
            ),
            True,
            "It does not repeat its own numbers, even with equal seeds: two runs of it differ from run 2 ",
        ),
        (
            _GivenRuns(
                _run(1.0, 1.0),
                [_run(1.0, 1.1), _run(1.0, 1.1)],
                _run(1.0, 1.0),
                [_run(1.0, 1.1), _run(1.0, 1.1), _run(1.0, 1.2, **MOVED)],
            ),
            True,
            "From run 2 of the session on, rounding decides its numbers: variables that differ by one ulp change them",
        ),
        (
            _given(_run(1.0, 2.0, unordered=[0]), _run(3.0, 2.0)),
            False,
            "It was not decided whether it does what it did: with equal seeds, x of run 1 of the session is [1] before "
            "and [3] after the upgrade (difference 0.67 of its size). This value is read from variables that the same "
            "run writes, in an order that the system chooses, and that was not known. All other values are as before "
            "the upgrade.",
        ),
        (
            _given(_run(1.0, 2.0, unordered=[0]), _run(3.0, 4.0)),
            False,
            "but fetches other numbers, also with equal seeds: x of run 2 of the session is [2] before and [4] after",
        ),
        (
            _GivenRuns(_run(1.0), [_run(2.0, **SHARED), _run(2.0)], _run(4.0), [_run(4.0)]),
            False,
            "of its size). (Each run finds the checkpoints that the one before it saved in /m: remove them and repeat.)",
        ),
    ],
    ids=[
        "same",
        "files",
        "nothing_fetched",
        "upgraded_fails",
        "fails_late",
        "fails_late_after_other_numbers",
        "fails",
        "unseeded",
        "graph_seed",
        "other_numbers",
        "not_repeatable",
        "noise",
        "unordered",
        "unordered_and_others",
        "checkpoints",
    ],
)
def test_the_words_of_the_verdict(runs, good, verdict):
    words, is_good = runs.verdict()
    assert verdict in words and is_good == good


class _OldRuns(upgrade_by_running.UpgradeRuns):
    """Runs of the old program, each of which is the given one; `asked` has their seeds."""

    def __init__(self, run):
        self.asked, self._run = [], run
        super().__init__(["train.py"], timeout=1.0)

    def _run_old(self, seed):
        self.asked.append(seed)
        return self._run


@pytest.mark.parametrize(
    "run, seeds",
    [
        (_run(1.0), [None, upgrade_by_running.SEED]),
        (_run(), [None]),
        (_run(1.0, failure="ValueError"), [None]),
    ],
    ids=["numbers", "nothing_fetched", "fails"],
)
def test_the_old_program_runs_with_equal_seeds_if_its_numbers_can_be_compared(run, seeds):
    assert _OldRuns(run).asked == seeds


def test_a_record_is_not_an_option_of_the_environment(monkeypatch):
    from tf1grad.cli import run

    monkeypatch.setenv(run.VARIABLE, "--record notes.json")
    with pytest.raises(ValueError, match="takes no script, -c, -m, --record or"):
        run.options_from_environment()
