"""What only NumPy 2 refuses: the NumPy of `run` takes it, a recorded run notes its line, an error of NumPy 2 names it.

The results are those of NumPy 1.18.
"""

import json
import os
import pathlib

import numpy as np
import pytest

from other_pythons import NEEDS_PYTHON_3_8
from paths import ROOT
from script_folder import printed
from tf1grad._compat import VERSION
from tf1grad.old_programs.cli import main
from tf1grad.old_programs.dropped_names import numpy_2_errors
from tf1grad.old_programs.period import folder as period_folder
from tf1grad.old_programs.period import parts

NUMBER, EMPTY, LARGE, BINARY = (
    "numpy array of one number",
    "numpy if array",
    "numpy numbers too large",
    "numpy.fromstring",
)
# Code of one line, what it prints, and what a recorded run notes for it.
CASES = {
    "format": ("'%.1f|%d|%e' % (a, a, a.reshape(1, 1))", "1.5|1|1.500000e+00", NUMBER),
    "conversion": ("float(a), int(a), math.exp(0 * a)", "1.5 1 1.0", NUMBER),
    "element": ("set_first(b, a)", "[1.5, 0.0]", NUMBER),
    "truth": ("[1 if np.zeros(0) else 2, not a]", "[2, False]", EMPTY),
    "large": ("np.array([255, 256, -1], np.uint8).tolist()", "[255, 0, 255]", LARGE),
    "fill": ("filled(np.zeros(2, np.uint8), -2)", "[254, 254]", LARGE),
    "binary": ("np.fromstring(b'ab', np.uint8).tolist()", "[97, 98]", BINARY),
}
START = """\
import math
import warnings
import numpy as np
warnings.filterwarnings("ignore")
a, b = np.array([1.5]), np.zeros(2)
def set_first(array, value): array[0] = value; return array.tolist()
def filled(array, value): array.fill(value); return array.tolist()
"""
LINES = {"element": 6, "fill": 7}


def _script(folder, name):
    return folder.write("script.py", START + f"print({CASES[name][0]})\n")


needs_layer = pytest.mark.skipif(
    VERSION < (2,) or not all(period_folder.find(part.name) for part in parts.every_part()),
    reason="the period layer is missing, or not used on this TensorFlow: tf1grad period install",
)


@pytest.mark.slow
@needs_layer
@pytest.mark.parametrize("name", sorted(CASES))
def test_the_numpy_of_run_takes_it_and_a_recorded_run_notes_it(folder, name):
    script = _script(folder, name)
    code, output, errors = folder.run("--record", "notes.json", script)
    assert (code, output.strip()) == (0, CASES[name][1]), errors
    assert "Warning" not in errors and "tf1grad:" not in errors
    notes = json.loads(pathlib.Path(folder.path, "notes.json").read_text())
    assert list(notes["repairs"].values()) == [[[LINES.get(name, 8), CASES[name][2]]]]


@pytest.mark.slow
@pytest.mark.skipif(
    tuple(map(int, np.__version__.split(".")[:2])) < (2, 4), reason="this NumPy takes all of them"
)
@pytest.mark.parametrize("name", sorted(CASES))
def test_an_error_of_numpy_2_names_the_line(folder, name):
    code, _, errors = folder.run("--numpy", "installed", _script(folder, name))
    last = errors.rstrip().splitlines()[-1]
    assert code == 1
    assert (
        f"tf1grad: {folder.path}/script.py:{LINES.get(name, 8)}: NumPy {np.__version__} refuses"
        in last
    ), errors
    assert "--numpy installed" in last


def test_only_the_users_numpy_2_gets_advice(monkeypatch):
    """NumPy 1 formats no array of two numbers either, with the same words; a run that records types has the layer's."""
    error = pytest.raises(TypeError, "%d".__mod__, np.ones(2)).value
    monkeypatch.delenv("NPY_PROMOTION_STATE", raising=False)
    monkeypatch.setattr(np, "__version__", "2.4.6")
    assert numpy_2_errors.advice(error)
    monkeypatch.setenv("NPY_PROMOTION_STATE", "weak_and_warn")
    assert numpy_2_errors.advice(error) is None
    monkeypatch.delenv("NPY_PROMOTION_STATE")
    monkeypatch.setattr(np, "__version__", "1.26.4")
    assert numpy_2_errors.advice(error) is None


PROMOTING = """\
import numpy as np
import tensorflow as tf
total = 0.0
total += np.float32(1.5)
scaled = np.sqrt(6. / 3) * np.ones(2, np.float32)
same = np.ones(2, np.float32) * 2.0
print(total.dtype, scaled.dtype, np.uint8(200) + 100, tf.Session.__name__)
"""


@pytest.mark.slow
@NEEDS_PYTHON_3_8
@needs_layer
def test_upgrade_converts_where_a_recorded_run_shows_that_numpy_2_changes_a_type(folder):
    """The types and the sum of NumPy 2 are those that NumPy 2.4 gives, the others those of NumPy 1."""
    script = folder.write("script.py", PROMOTING)
    assert folder.lines(script) == ["float64 float32 300 Session"]
    assert folder.lines(
        "--record", "notes.json", script, env={"NPY_PROMOTION_STATE": "weak_and_warn"}
    ) == ["float32 float64 44 Session"]
    notes, path = os.path.join(folder.path, "notes.json"), os.path.join(folder.path, script)
    assert main.main(["upgrade", "--write", "--from", notes, path]) == 0
    assert printed(path).strip() == "float64 float32 300 Session"
    assert main.main(["upgrade", path]) == 0


CASCADE = """\
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [2])
w = tf.Variable(np.sqrt(6. / 7.) * np.ones(2, np.float32))
loss = tf.reduce_sum(tf.square(w) * x)
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
total, factor = 0.0, np.float32(0.1) * 0.3
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        fed = factor * np.ones(2, np.float32)
        total += session.run([loss, step], {x: fed})[0]
    fed *= np.sqrt(2.)
    print("%.15f" % (total / 3), fed.dtype, fed.tolist())
"""


@NEEDS_PYTHON_3_8
@needs_layer
@pytest.mark.slow
def test_by_running_converts_what_an_earlier_conversion_reaches(folder, monkeypatch, capsys):
    """`factor` becomes float64 again, and then changes the type of `fed`. Without it TensorFlow refuses `w`."""
    path = os.path.join(folder.path, folder.write("train.py", CASCADE))
    before = folder.lines("train.py")
    monkeypatch.chdir(folder.path)
    monkeypatch.setenv("PYTHONPATH", ROOT)
    assert main.main(["upgrade", "--write", "--by-running", "train.py", "train.py"]) == 1
    told = capsys.readouterr().err
    assert ", and fetches the same numbers as before" in told
    assert "train.py:17:5: TFG407 A result is float64 with NumPy 2, and was float32." in told
    assert [printed(path).strip()] == before
