"""Tests which arrays may be made of uneven rows, and that upgraded programs make them as NumPy before 1.24 did."""

import numpy as np
import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.old_programs.source import files, uneven_rows
from tf1grad.old_programs.source.program import Program
from upgraded_texts import upgraded

HELPER = "tf1grad.migrate.arrays.array"


def _programs(*texts):
    return [Program(files.Source(f"file{index}.py", text)) for index, text in enumerate(texts)]


def _is_uneven(*texts):
    programs = _programs(*("import numpy as np, random\n" + text for text in texts))
    uneven_rows.mark(programs)
    return [
        call.node.lineno - 1 for program in programs for call in uneven_rows.arrays(program)
    ] != []


@pytest.mark.parametrize(
    "text",
    [
        "np.array(list(zip(a, b)))",
        "np.asarray(zip(a, b))",
        "rows = list(zip(a, b))\nnp.array(rows)",
        "np.array(random.sample(memory, 32))",
        "np.array([[ids[word] for word in line] for line in lines])",
        "np.array([line.split() for line in lines])",
        "np.array([list(map(int, line)) for line in lines])",
        "rows = []\nrows.append([state, action, reward])\nnp.array(rows)",
        "class A:\n def add(self, x): self.rows.append((x, 1, 2))\n def get(self): return np.array(self.rows)",
        "rows, row = [], []\nrow.append(1)\nrows.append(row)\nnp.array(rows)",
        "rows = []\nrows.append(line.split(','))\nnp.array(rows)",
        "rows = []\nrows.append([x for x in y if x])\nnp.array(rows)",
        "def f(x, rows):\n    return np.array(rows)\nf(1, list(zip(a, b)))",
        "def f(rows=None):\n    return np.array(rows)\nf(rows=zip(a, b))",
        "class A:\n def __init__(self, rows): self.rows = np.array(rows)\nA(zip(a, b))",
        "np.reshape(np.array([s, a, r]), [1, 3])",
    ],
)
def test_uneven(text):
    assert _is_uneven(text)


@pytest.mark.parametrize(
    "text",
    [
        "np.array(x)",
        "np.array([x, y])",
        "np.array([[i * j for j in range(3)] for i in x])",
        "np.array(zip(a))",
        "np.array(random.sample(range(9), 3))",
        "np.array(list(zip(a, b)), dtype=object)",
        "np.array([f(x) for x in y])",
        "rows = []\nrows.append([1, 2, 3])\nnp.array(rows)",
        "rows = []\nrows.append((x, y))\nnp.array(rows)",
        "def f():\n rows = []\n rows.append([a, b, c])\ndef g(rows):\n return np.array(rows)",
        "def f(x, rows):\n    return np.array(rows)\nf(zip(a, b), 1)",
        "np.reshape(np.array([s, a, r]), [3, 1])",
        "rows = rows\nnp.array(rows)",
        "np.array()",
        "np.array([x.split for x in y])",
    ],
)
def test_even_or_unknown(text):
    assert not _is_uneven(text)


HELPERS = """import numpy as np


def batches(data):
    data = np.array(data)
    return data
"""
TRAIN = """import numpy as np
import tensorflow as tf

import helpers

x, y = np.zeros((4, 5)), np.ones((4, 2))
ragged = helpers.batches(list(zip(x, y)))
even = helpers.batches(list(zip(x, x + 1)))
session = tf.Session
"""


@NEEDS_PYTHON_3_8
def test_rows_from_another_file():
    texts, left = upgraded({"file0.py": HELPERS, "file1.py": TRAIN})
    assert left == [] and HELPER not in texts["file1.py"]
    assert f"    data = {HELPER}(data)\n" in texts["file0.py"]
    names = {}
    exec(texts["file0.py"], names)
    x, y = np.zeros((4, 5)), np.ones((4, 2))
    ragged, even = names["batches"](list(zip(x, y))), names["batches"](list(zip(x, x + 1)))
    assert ragged.shape == (4, 2) and ragged.dtype == object and np.array_equal(ragged[3, 1], y[3])
    assert even.dtype == float and np.array_equal(even, np.stack([x, x + 1], 1))


@NEEDS_PYTHON_3_8
def test_a_comment_of_an_earlier_upgrade_does_not_hide_them():
    texts, _ = upgraded(
        {"file0.py": "# tf1grad: TFG101 It was left.\n" + HELPERS, "file1.py": TRAIN}
    )
    assert f"{HELPER}(data)" in texts["file0.py"]
