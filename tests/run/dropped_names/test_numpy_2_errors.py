"""What only NumPy 2 refuses: the NumPy of `run` takes it, a recorded run notes its line,
an error of NumPy 2 names it.

The results are those of NumPy 1.18.
"""

import json
import pathlib

import numpy as np
import pytest

from tf1grad._compat import VERSION
from tf1grad.programs.period import folder as period_folder, parts
from tf1grad.run.dropped_names import numpy_2_errors

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
    "element": ("b.__setitem__(0, a), b.tolist()", "None [1.5, 0.0]", NUMBER),
    "truth": ("[1 if np.zeros(0) else 2, not a]", "[2, False]", EMPTY),
    "large": ("np.array([255, 256, -1], np.uint8).tolist()", "[255, 0, 255]", LARGE),
    "binary": ("np.fromstring(b'ab', np.uint8).tolist()", "[97, 98]", BINARY),
}
START = """\
import math
import warnings
import numpy as np
warnings.filterwarnings("ignore")
a, b = np.array([1.5]), np.zeros(2)
"""


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
    assert list(notes["repairs"].values()) == [[[6, CASES[name][2]]]]


@pytest.mark.slow
@pytest.mark.skipif(
    tuple(map(int, np.__version__.split(".")[:2])) < (2, 4), reason="this NumPy takes all of them"
)
@pytest.mark.parametrize("name", sorted(CASES))
def test_an_error_of_numpy_2_names_the_line(folder, name):
    code, _, errors = folder.run("--numpy", "installed", _script(folder, name))
    last = errors.rstrip().splitlines()[-1]
    assert code == 1
    assert f"tf1grad: {folder.path}/script.py:6: NumPy {np.__version__} refuses" in last, errors
    assert "--numpy installed" in last


def test_only_the_users_numpy_2_gets_advice(monkeypatch):
    """NumPy 1 formats no array of two numbers either, with the same words;
    the layer sets the variable for its own.
    """
    error = pytest.raises(TypeError, "%d".__mod__, np.ones(2)).value
    monkeypatch.delenv("NPY_PROMOTION_STATE", raising=False)
    monkeypatch.setattr(np, "__version__", "2.4.6")
    assert numpy_2_errors.advise(error)
    monkeypatch.setenv("NPY_PROMOTION_STATE", "legacy")
    assert numpy_2_errors.advise(error) is None
    monkeypatch.delenv("NPY_PROMOTION_STATE")
    monkeypatch.setattr(np, "__version__", "1.26.4")
    assert numpy_2_errors.advise(error) is None
