"""`tf1grad run --record` and `tf1grad upgrade --from`: what only a run shows is rewritten, and the result runs."""

import json
import os

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from other_pythons import NEEDS_PYTHON_3_8
from paths import ROOT
from script_folder import printed, run_python
from tf1grad.old_programs._samples import sample
from tf1grad.old_programs.cli import main, upgrade_by_running
from tf1grad.old_programs.process import run_record
from tf1grad.old_programs.rules import requirements
from tf1grad.old_programs.verify import fetched_numbers

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
    ((kind, _, _, fetched),) = notes["fetched"]
    assert kind == "fetch" and fetched["Mul:0"][-1] == [6.0] and len(fetched) == 1
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
        "fetched": [],
        "facts": {},
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
            "return float(tf1grad.migrate.arrays.number(x)), float(tf1grad.migrate.arrays.number(x))\n"
        )
    )
    errors = capsys.readouterr().err
    assert "train.py:2: `tf1grad run` repairs this, and upgrade cannot: h5py attributes" in errors


@pytest.mark.parametrize(
    "old, new, repair",
    [
        ("y = a % x", "y = a % tf1grad.migrate.arrays.operand(x)", ONE_NUMBER),
        (
            "y = '%f %f' % (x,\n    a) + str(x)",
            "y = '%f %f' % tf1grad.migrate.arrays.operand((x,\n    a)) + str(x)",
            ONE_NUMBER,
        ),
        (
            "a.b[0] = x + 1  # why",
            "a.b[0] = tf1grad.migrate.arrays.element(x + 1, a.b)  # why",
            ONE_NUMBER,
        ),
        (
            "y = math.sqrt(float(x))",
            "y = math.sqrt(tf1grad.migrate.arrays.number(float(tf1grad.migrate.arrays.number(x))))",
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
    assert code == 0 and "fetches the same numbers as before: 1 run of the session" in errors, (
        errors
    )


def test_wrong_usage_of_by_running(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _write(tmp_path, train="import tensorflow as tf\n")
    assert main.main(["upgrade", "--by-running", "train.py", "train.py"]) == 2
    assert "--by-running needs --write" in capsys.readouterr().err
    assert main.main(["upgrade", "--write", "--by-running", "missing.py", "train.py"]) == 2
    assert "'missing.py' does not begin with a script that exists" in capsys.readouterr().err


def _fetched(**values):
    """Returns what one run of a session fetches, as the notes have it."""
    samples = {name: sample(np.array(value), 8) for name, value in values.items()}
    return ["fetch", [], {}, samples]


VALUE = [1.0, 2.0]
IN_SAMPLE, IN_NORM = np.arange(9.0), np.arange(9.0) * ([1] * 8 + [2])


@pytest.mark.parametrize(
    "one, others, found",
    [
        (VALUE, [{"a": [1.0, 2.0001]}], None),
        (
            VALUE,
            [{"b": [1.0, 2.1]}],
            "a of run 1 of the session is [1, 2] before and [1, 2.1] after",
        ),
        (VALUE, [{"a": [[1.0, 2.0]]}], "(difference inf of its size)"),
        (VALUE, [{"a": [1.0, float("nan")]}], "[1, nan] after the upgrade"),
        (VALUE, [{"a": VALUE, "b": VALUE}], "b of run 1 of the session is not fetched"),
        (VALUE, [{"a": VALUE}] * 2, "the number of runs that fetch values is 1 before and 2 after"),
        (IN_SAMPLE, [{"a": IN_NORM}], "(difference 0.28 of its size)"),
    ],
    ids="same value shape nan more runs norm".split(),
)
def test_fetched_numbers(one, others, found):
    before, after = [_fetched(a=one)], [_fetched(**values) for values in others]
    difference = fetched_numbers.first_difference(before, after)
    assert difference is None if found is None else found in difference.text


def _runs_of(*values):
    return [_fetched(w=[value]) for value in values]


@pytest.mark.parametrize(
    "before, after, found",
    [
        # The values agree within a thousandth, and the steps do not agree at all.
        ([1, 1.0001, 1.0002], [1, 1.0002, 1.0004], "of its change since it was first fetched"),
        ([1, 1.0001, 1.0002], [1, 1.0001, 1.000202], None),
        ([1, 1, 1], [1.000002, 1.000001, 1.000002], None),  # what a long sum rounds
    ],
    ids=["small steps", "rounding", "constant"],
)
def test_changes_of_fetched_numbers_are_compared_relative_to_themselves(before, after, found):
    difference = fetched_numbers.first_difference(_runs_of(*before), _runs_of(*after))
    assert difference is None if found is None else found in difference.text


def test_the_agreement_says_how_many_runs_and_how_closely():
    before = _runs_of(*range(1, 13))
    after = _runs_of(*[value + 1e-4 * (value == 4) for value in range(1, 13)])
    assert fetched_numbers.agreement(before, after) == (
        "the first 10 runs of the session, 10 values, within 2e-05 of their size and 2e-05 of their changes"
    )


@needs_run
def test_by_running_asks_for_packages_before_it_runs_anything(tmp_path, monkeypatch, capsys):
    _write(tmp_path, train="import tensorflow as tf\ntf.contrib.slim.arg_scope\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(requirements, "is_installed", lambda module: False)
    assert main.main(["upgrade", "--write", "--by-running", "train.py", "train.py"]) == 2
    told = capsys.readouterr().err
    assert "needs pip install tf_slim" in told and "Running" not in told
    assert "tf.contrib.slim" in (tmp_path / "train.py").read_text()


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
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    if os.path.exists("model.index"):
        saver.restore(session, "./model")
    session.run(tf.assign_add(w, 1.0))
    saver.save(session, "./model")
"""


@needs_run
@pytest.mark.slow
@pytest.mark.parametrize(
    "program, code, verdict",
    [
        (DROPOUT, 0, "With equal seeds it fetches the same numbers as before: 1 run "),
        (ENVIRONMENT, 0, "and fetches the same numbers as before: 1 run of the session"),
        (
            RESTORED,
            1,
            "(It restored a checkpoint, which an earlier run may have written: remove it and repeat.)",
        ),
    ],
    ids=["dropout", "environment", "restored"],
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
    assert ("checkpoint" in told) == (program == RESTORED)


class _GivenRuns(upgrade_by_running.UpgradeRuns):
    """Runs of which each fetches the next given number, with own seeds or with equal ones."""

    def __init__(self, old, upgraded, old_seeded=None, upgraded_seeded=()):
        self.notes, self._failure = old
        self._seeded = old_seeded
        self._upgraded = {None: iter(upgraded), upgrade_by_running.SEED: iter(upgraded_seeded)}

    def _run_upgraded(self, seed):
        return next(self._upgraded[seed])


def _run(*numbers, failure=None, **facts):
    """Returns a run whose sessions fetch these numbers, one in each `session.run`."""
    notes = run_record.Notes()
    notes.fetched = [_fetched(x=[number]) for number in numbers]
    notes.facts = facts
    return upgrade_by_running._Run(notes, failure)


@pytest.mark.parametrize(
    "runs, good, verdict",
    [
        (
            _GivenRuns(_run(1.0), [_run(1.0)]),
            True,
            "fetches the same numbers as before: 1 run of the session, 1 value, to the last bit.",
        ),
        (_GivenRuns(_run(), [_run()]), True, "Neither run fetches numbers from a session."),
        (
            _GivenRuns(_run(1.0), [_run(failure="NameError")]),
            False,
            "The upgraded program does not run",
        ),
        (
            _GivenRuns(_run(3.0, failure="ValueError: no plot"), [_run(3.0)]),
            False,
            "Before, the upgraded program fetches the same numbers: 1 run of the session, 1 value, to the last bit. ValueError",
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
            "With equal seeds it fetches the same numbers as before: 1 run of the session, 1 value, to the last bit. "
            "Under its own seeds they change from run to run.",
        ),
        (
            _GivenRuns(_run(1.0), [_run(2.0), _run(2.0)], _run(4.0), [_run(4.0)]),
            True,
            "A graph seed alone draws other numbers on TensorFlow 2 (tf1grad check",
        ),
        (
            _GivenRuns(_run(1.0), [_run(2.0), _run(2.0)], _run(4.0), [_run(5.0), _run(5.0)]),
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
            _GivenRuns(_run(1.0), [_run(2.0, restored=True), _run(2.0)], _run(4.0), [_run(4.0)]),
            False,
            "of its size). (It restored a checkpoint, which an earlier run may have written: remove it and repeat.)",
        ),
    ],
    ids=[
        "same",
        "nothing_fetched",
        "upgraded_fails",
        "fails_late",
        "fails_late_after_other_numbers",
        "fails",
        "unseeded",
        "graph_seed",
        "other_numbers",
        "not_repeatable",
        "restored",
    ],
)
def test_the_words_of_the_verdict(runs, good, verdict):
    words, is_good = runs.verdict()
    assert verdict in words and is_good == good


def test_a_record_is_not_an_option_of_the_environment(monkeypatch):
    from tf1grad.old_programs.cli import run

    monkeypatch.setenv(run.VARIABLE, "--record notes.json")
    with pytest.raises(ValueError, match="takes no script, -m, --record or"):
        run.options_from_environment()
