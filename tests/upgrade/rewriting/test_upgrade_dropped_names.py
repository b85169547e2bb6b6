"""What other libraries lost: what `upgrade` makes of it, and that `check` says the same name."""

import numpy as np
import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.names import other_libraries
from tf1grad.run.dropped_names import served_attributes
from upgraded_texts import upgraded_text

pytestmark = NEEDS_PYTHON_3_8

START = "import tensorflow.compat.v1 as tf\nimport numpy as np\nimport matplotlib\n%sdef f():\n    tf.Session; %s\n"


@pytest.mark.parametrize(
    "old, new",
    [
        ("np.zeros(3, np.float), np.NINF", "np.zeros(3, float), (-np.inf)"),
        ("np.asscalar(x), np.msort(x)", "np.asarray(x).item(), np.sort(x, axis=0)"),
        ("np.in1d(a, b)", "np.ravel(np.isin(a, b))"),
        ("np.product(x)", "np.prod(x)"),
        ("np.reshape(x, newshape=[2])", "np.reshape(x, shape=[2])"),
        ("thread.isAlive()", "thread.is_alive()"),
        ("axes.hist(x, normed=True)", "axes.hist(x, density=True)"),
        ("rc = {'pgf.preamble': ['a', 'b']}", "rc = {'pgf.preamble': \"\\n\".join(['a', 'b'])}"),
        ("rc['text.latex.preamble'] = [r'a']", "rc['text.latex.preamble'] = \"\\n\".join([r'a'])"),
        ("matplotlib.use('agg', warn=False)", "matplotlib.use('agg')"),
        ("x.tostring()", "x.tobytes()"),
        ("np.load(f).item(), np.load(f)", "np.load(f, allow_pickle=True).item(), np.load(f)"),
        ("np.stack(map(f, x), 1)", "np.stack(list(map(f, x)), 1)"),
        ("np.array(x, copy=False, dtype=d)", "np.asarray(x, dtype=d)"),
        (
            "np.fromstring(x, np.uint8), np.fromstring(x, sep=' ')",
            "np.frombuffer(x, np.uint8).copy(), np.fromstring(x, sep=' ')",
        ),
        ("figure.canvas.set_window_title(t)", "figure.canvas.manager.set_window_title(t)"),
        ("np.lib.pad(x, 1)", "np.pad(x, 1)"),
        ("x.y.has_key(a + 1)", "a + 1 in x.y"),
        ("d.iteritems(); unicode(x)", "iter(d.items()); str(x)"),
        ("xrange(3)", "range(3)"),
    ],
)
def test_calls(old, new):
    assert upgraded_text(START % ("", old)) == (START % ("", new), [])


@pytest.mark.parametrize(
    "old, new",
    [
        (
            "from collections import Mapping, OrderedDict",
            "from collections.abc import Mapping\nfrom collections import OrderedDict",
        ),
        ("from itertools import izip, chain", "from itertools import chain\nizip = zip"),
        (
            "from sklearn.cross_validation import train_test_split as K",
            "from sklearn.model_selection import train_test_split as K",
        ),
        ("from sklearn.externals import joblib", "import joblib"),
        (
            "from scipy.sparse.linalg.eigen.arpack import eigsh",
            "from scipy.sparse.linalg import eigsh",
        ),
        ("import cPickle as pickle, os", "import pickle\nimport os"),
        ("import Queue", "import queue"),
        ("from urllib import urlretrieve", "from urllib.request import urlretrieve"),
        ("from scipy.misc import logsumexp", "from scipy.special import logsumexp"),
        ("try:\n    import cPickle\nexcept ImportError:\n    import pickle", None),
    ],
)
def test_imports(old, new):
    assert upgraded_text(START % (old + "\n", "x")) == (START % ((new or old) + "\n", "x"), [])


def test_folds_are_those_that_run_serves():
    pytest.importorskip("sklearn", reason="the folds are scikit-learn's")
    text, left = upgraded_text(
        START
        % (
            "from sklearn import cross_validation as old\n"
            "from sklearn.cross_validation import KFold as K\n",
            "return K(4, n_folds=2), old.StratifiedKFold([0, 0, 1, 1], 2)",
        )
    )
    names = {}
    exec(text, names)
    assert left == [] and "from sklearn import model_selection as old\n" in text
    assert [[test.tolist() for _, test in folds] for folds in names["f"]()] == [
        [[0, 1], [2, 3]],
        [[0, 2], [1, 3]],
    ]


def test_arrays_of_floats_have_the_dtype_that_is_given():
    text, left = upgraded_text(
        "import numpy as np\nimport tensorflow as tf\ntf.Session\ndef f():\n"
        "    return np.asfarray([1], dtype=np.float32), np.asfarray([1], np.int32), np.asfarray([1])\n"
    )
    names = {}
    exec(text, names)
    assert left == [] and [each.dtype for each in names["f"]()] == [
        np.float32,
        np.float64,
        np.float64,
    ]


def test_what_has_no_other_name_is_left():
    text, left = upgraded_text(START % ("import imp\n", "x"))
    assert left == ["TFG401"] and "# tf1grad: TFG401 imp" in text


@pytest.mark.parametrize(
    "old, new",
    [
        ("import scipy.misc", ""),
        ("import scipy.misc as m", ""),
        ("from scipy import misc as m", ""),
        ("import scipy.misc, os", "import scipy.misc, os\n"),
    ],
)
def test_a_module_of_which_nothing_is_left_is_not_imported(old, new):
    name = "m" if old.endswith(" m") else "scipy.misc"
    text, _ = upgraded_text(START % (old + "\n", f"x = {name}.imread(y)"))
    assert "x = tf1grad.migrate.dropped_functions.imread(y)" in text
    assert ("scipy" in text) == bool(new) and new in text


def test_a_module_of_which_something_is_left_is_imported():
    text, left = upgraded_text(START % ("import scipy.misc\n", "scipy.misc.face()"))
    assert "\nimport scipy.misc\n" in text and set(left) == {"TFG401"}


def test_all_names_that_run_serves_are_known():
    served = [
        f"{module}.{name}"
        for module, names in served_attributes.ATTRIBUTES.items()
        for name in names
    ]
    there = {"scipy.misc.misc", "scipy.sparse.linalg.eigen.eigen", "numpy.linalg.linalg"}
    modules = [row.old for row in other_libraries.select_rows("module", "submodule")]
    unknown = [name for name in served + modules if other_libraries.row_of(name) is None]
    assert set(unknown) <= there, unknown
    assert all(
        other_libraries.row_of(name).remedy.endswith(".")
        for name in served
        if other_libraries.row_of(name)
    )


@pytest.mark.parametrize(
    "start, left",
    [
        ("import scipy.misc", ""),
        ("from scipy import misc", ""),
        (
            "import scipy.misc\nimport scipy.io\nscipy.io.loadmat",
            "import scipy\nimport scipy.io\nscipy.io.loadmat",
        ),
    ],
)
def test_a_dead_import_goes(start, left):
    text, _ = upgraded_text("import tensorflow.compat.v1 as tf\ntf.Session\n" + start + "\n")
    assert text.strip() == ("import tensorflow.compat.v1 as tf\ntf.Session\n" + left).strip()
