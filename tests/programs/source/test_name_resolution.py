"""Tests the dotted names that uses in a program resolve to,
and the classes that expressions have by them.
"""

import ast

import pytest

from tf1grad.programs.source.library_values import LibraryValues
from tf1grad.programs.source.name_resolution import Names

TF = "import tensorflow as tf\n"
TRY = "try:\n    import {} as m\nexcept ImportError:\n    {}\nm.f"
KNOWN = {"first.shared", "second.shared", "first.alone", "first.max"}  # for star imports
# The text, and the name of its last use; "" for a use that is not resolved.
CASES = {
    "alias": (TF + "tf.nn.relu", "tensorflow.nn.relu"),
    "compat.v1 as an alias": (
        "import tensorflow.compat.v1 as tf\ntf.Session",
        "tensorflow.Session",
    ),
    "compat.v1 as an attribute": (TF + "tf.compat.v1.Session", "tensorflow.Session"),
    "dotted import": ("import os.path\nos.sep", "os.sep"),
    "from-import": ("from tensorflow.contrib import slim\nslim.fc", "tensorflow.contrib.slim.fc"),
    "from-import with alias": ("from tensorflow import nn as n\nn.relu", "tensorflow.nn.relu"),
    "assigned module": (TF + "slim = tf.contrib.slim\nslim.fc", "tensorflow.contrib.slim.fc"),
    "unpacked tuple": (
        TF + "nn, slim = tf.nn, tf.contrib.slim\nslim.fc",
        "tensorflow.contrib.slim.fc",
    ),
    "global import": ("def f():\n    global np\n    import numpy as np\nnp.float", "numpy.float"),
    "attribute of a class": (
        TF + "class A:\n    tf = 1\n    def f(self):\n        tf.nn",
        "tensorflow.nn",
    ),
    "default is outside": (TF + "def f(tf=tf.nn):\n    pass", "tensorflow.nn"),
    "shadowing ends": (TF + "def f(tf):\n    tf.a\ntf.nn", "tensorflow.nn"),
    "argument": (TF + "def f(tf):\n    tf.nn", ""),
    "assigned in the function": (TF + "def f():\n    tf = load()\n    tf.nn", ""),
    "assigned in the module": (TF + "tf = load()\ntf.nn", ""),
    "variable of a loop": (TF + "for tf in files:\n    tf.nn", ""),
    "variable of a with": (TF + "with load() as tf:\n    tf.nn", ""),
    "variable of a comprehension": (TF + "[tf.nn for tf in files]", ""),
    "conditional, same meaning": (
        TRY.format("tensorflow.compat.v1", "import tensorflow as m"),
        "tensorflow.f",
    ),
    "conditional, None": (TRY.format("cv2", "m = None"), "cv2.f"),
    "conditional, two meanings": (TRY.format("tf_slim", "import slim as m"), ""),
    "star import": ("from first import *\nalone", "first.alone"),
    "last star import": ("from first import *\nfrom second import *\nshared", "second.shared"),
    "not in the star import": ("from second import *\nalone", ""),
    "builtin": ("from first import *\nmax", ""),
    "a circle": ("tf = tf\ntf.nn", ""),
    "nonlocal": (
        TF + "def f():\n    m = tf.nn\n    def g():\n        nonlocal m\n        m.relu",
        "tensorflow.nn.relu",
    ),
    "element of a comprehension": (TF + "[tf.nn.relu for x in y]", "tensorflow.nn.relu"),
    "value of a dict comprehension": (TF + "{k: tf.nn for k in y}", "tensorflow.nn"),
    "condition of a comprehension": (TF + "[1 for x in y if tf.nn]", "tensorflow.nn"),
    "second loop of a comprehension": (TF + "[1 for x in y for z in tf.nn]", "tensorflow.nn"),
    "decorator": (TF + "@tf.function\ndef f():\n    pass", "tensorflow.function"),
    "base class": (TF + "class A(tf.Module):\n    pass", "tensorflow.Module"),
    "index of a target": (TF + "rows[tf.nn] = 1", "tensorflow.nn"),
    "named error": (TF + "try:\n    pass\nexcept E as tf:\n    tf.nn", ""),
    "attribute with a known value": (TF + "self.nn = tf.nn\nself.nn.relu", ""),
    "body of a loop": (TF + "for x in y:\n    tf.nn", "tensorflow.nn"),
    "lambda's argument": (TF + "lambda tf: tf.nn", ""),
    "lambda's default": (TF + "lambda a=tf.nn: a.x\ntf.nn.b", "tensorflow.nn.b"),
    "branch of Python 3": (
        TF + "if six.PY2:\n    m = tf.a\nelse:\n    m = tf.nn\nm.relu",
        "tensorflow.nn.relu",
    ),
    "relative import": ("from .common import tf\ntf.nn", ".common.tf.nn"),
    "updated": (TF + "m = tf.nn\nm += 1\nm.x", ""),
}


@pytest.mark.parametrize("text, name", list(CASES.values()), ids=list(CASES))
def test_the_last_use_has_its_full_name(text, name):
    assert Names(ast.parse(text), KNOWN.__contains__).uses[-1].name == name


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
