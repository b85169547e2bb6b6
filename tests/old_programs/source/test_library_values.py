"""Tests the classes that expressions have by the calls that make them."""

import ast

import pytest

from tf1grad.old_programs.source.library_values import LibraryValues
from tf1grad.old_programs.source.name_resolution import Names

FRAME, SERIES, ARRAY = "pandas.DataFrame", "pandas.Series", "numpy.ndarray"
CLASSES = [
    ("pd.DataFrame(rows)", FRAME),
    ("df = pd.read_csv(path); df", FRAME),
    ("pd.read_csv(path).dropna().head(3)", FRAME),
    ("df = pd.DataFrame(rows); df = df.dropna(); df", FRAME),
    ("df = None; df = pd.DataFrame(rows); df", FRAME),
    ("data.frame = pd.DataFrame(rows); data.frame.copy()", FRAME),
    ("pd.DataFrame(rows)[['a', 'b']]", FRAME),
    ("pd.read_csv(path)['a'].fillna(0)", SERIES),
    ("np.zeros(4).reshape(2, 2)[1:]", ARRAY),
    ("[1, 2]", None),
    ("rows = [1, 2]; rows.copy()", None),
    ("pd.read_csv(path).groupby('a')", None),
    ("x = pd.DataFrame(rows); x = np.zeros(4); x", None),
    ("read_csv = print; read_csv(path)", None),
]


@pytest.mark.parametrize("text, expected", CLASSES, ids=[text for text, _ in CLASSES])
def test_the_last_expression_has_its_class(text, expected):
    tree = ast.parse(f"import numpy as np, pandas as pd; {text}")
    names = Names(tree)
    assert LibraryValues(names).class_of(tree.body[-1].value, names.module) == expected
