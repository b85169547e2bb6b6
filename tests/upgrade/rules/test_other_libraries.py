"""TFG4: names and calls that left Python, NumPy and other libraries."""

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.source.files import Source
from tf1grad.programs.source.program import Program, Shown
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rewriting.upgraded_programs import upgrade
from tf1grad.upgrade.rules.other_libraries import refused_value
from upgraded_texts import upgraded_text


def test_numpy_bool_is_back(findings_in):
    text = "import numpy as np\nx = np.bool, np.int\n"
    for there, expected in (
        (True, ["numpy.int"]),
        (None, ["numpy.int"]),
        (False, ["numpy.bool", "numpy.int"]),
    ):
        installed = InstalledNames(ask=False)
        installed.has = lambda name, there=there: there
        assert [finding.message.split()[0] for finding in findings_in(text, installed)] == expected


@NEEDS_PYTHON_3_8
@pytest.mark.parametrize(
    "old, new",
    [
        (r"re.split(r'(\W+)?', x)", r"re.split(r'(\W+)', x)"),
        (r"re.split('a?b*|c*', x)", None),
        (r"re.split(r'\W+', x)", r"re.split(r'\W+', x)"),
    ],
)
def test_patterns_that_match_the_empty_string(old, new):
    start = "import tensorflow.compat.v1 as tf\nimport re\ndef f(x):\n    tf.Session; return "
    text, left = upgraded_text(start + old + "\n")
    assert text.endswith((new or old) + "\n") and left == ["TFG405"] * (not new)


def test_python_says_nothing_of_a_pattern_that_is_only_read(findings_in, recwarn):
    assert findings_in("import re\nre.split('[[a]*', x)\n")[0].rule.id == "TFG405"
    assert not recwarn.list


@NEEDS_PYTHON_3_8
def test_a_preamble_is_one_text():
    start = "import tensorflow.compat.v1 as tf\nimport matplotlib\ndef f():\n    tf.Session\n"
    line = "    matplotlib.rcParams['text.latex.preamble'] = "
    text, left = upgraded_text(f"{start}{line}['a', 'b']\n")
    assert (text, left) == (f"""{start}{line}"\\n".join(['a', 'b'])\n""", [])


ARRAYS = "tf1grad.migrate.arrays"


@NEEDS_PYTHON_3_8
@pytest.mark.parametrize(
    "repair, old, new",
    [
        (refused_value.UNEVEN, "np.array(x)", "arrays.array(x)"),
        (refused_value.LARGE, "np.asarray(x, np.uint8)", "arrays.array(x, np.uint8)"),
        (refused_value.ONE_NUMBER, "float(x)", "float(arrays.unwrap_number(x))"),
        (refused_value.ONE_NUMBER, "'%d' % x", "'%d' % arrays.unwrap_operand(x)"),
    ],
)
def test_a_value_that_a_recorded_run_repaired_is_repaired(repair, old, new):
    start = "import tensorflow.compat.v1 as tf\nimport numpy as np\nx = tf.Session()\n"
    for shown, line in ({}, old), ({4: [repair]}, new.replace("arrays.", ARRAYS + ".")):
        program = Program(Source("old.py", f"{start}y = {old}\n"), Shown(shown, {}))
        text = upgrade([program]).texts["old.py"]
        assert text.endswith(f"\ny = {line}\n")
        assert (f"import {ARRAYS}\n" in text) == bool(shown)


@NEEDS_PYTHON_3_8
def test_a_builtin_that_numpy_gave_keeps_its_other_name():
    start = "import tensorflow.compat.v1 as tf\n{}\ntf.Session\nx = real(1)\n"
    text, left = upgraded_text(start.format("from numpy import float as real"))
    assert (text, left) == (start.format("real = float"), [])


@NEEDS_PYTHON_3_8
@pytest.mark.parametrize(
    "old, new",
    [
        ("import cPickle\nx = cPickle.dumps(1)\n", "import pickle\nx = pickle.dumps(1)\n"),
        (
            "import cookielib\nx = cookielib\n",
            "import http.cookiejar as cookielib\nx = cookielib\n",
        ),
        ("import cPickle as pk\nx = pk.dumps(1)\n", "import pickle as pk\nx = pk.dumps(1)\n"),
        (
            "import scipy.misc\nimport scipy.special\nx = scipy.misc.comb(3, 2)\n",
            "import scipy.special\nx = scipy.special.comb(3, 2)\n",
        ),
    ],
)
def test_imports_of_what_has_another_name_follow_its_uses(old, new):
    start = "import tensorflow.compat.v1 as tf\ntf.Session\n"
    assert upgraded_text(start + old) == (start + new, [])


@NEEDS_PYTHON_3_8
def test_a_module_that_the_new_name_needs_is_imported():
    start = "import tensorflow.compat.v1 as tf\n"
    text, left = upgraded_text(start + "import scipy.misc\ntf.Session\nx = scipy.misc.comb(3, 2)\n")
    new = "import scipy.special\n\ntf.Session\nx = scipy.special.comb(3, 2)\n"
    assert (text, left) == (start + new, [])


@NEEDS_PYTHON_3_8
def test_an_exported_notebook():
    text = (
        "import tensorflow.compat.v1 as tf\nget_ipython().magic(u'matplotlib inline')\n"
        "get_ipython().run_line_magic('load_ext', 'x')\nget_ipython().system(u'ls')\n"
        "get_ipython().run_cell_magic('time', '', 'x')\ntf.Session\n"
    )
    assert upgraded_text(text) == (
        "import tensorflow.compat.v1 as tf\nimport os\n\nos.system('ls')\n# tf1grad: TFG406 `get_ipython` exists in "
        "IPython only: Python stops here.\nget_ipython().run_cell_magic('time', '', 'x')\ntf.Session\n",
        ["TFG406"],
    )


FRAME = "import numpy as np\nimport pandas as pd\nframe = pd.read_csv('data.csv')\n"


@NEEDS_PYTHON_3_8
@pytest.mark.parametrize(
    "old, new",
    [
        ("frame['a'][frame['b'] > np.float(0)] = 1", "frame.loc[frame['b'] > float(0), 'a'] = 1"),
        ("frame['a'][~mask] += 1", "frame.loc[~mask, 'a'] += 1"),
        ("frame['a'].fillna(0, inplace=True)", "frame['a'] = frame['a'].fillna(0)"),
        ("frame['a'].clip(inplace=True, lower=0)", "frame['a'] = frame['a'].clip(lower=0)"),
        # nothing changes in the frame, or it is not known to be one
        ("frame.fillna(0, inplace=True)", None),
        ("frame['a'] = frame['a'].fillna(0)", None),
        ("others['a'][mask] = 1", None),
    ],
)
def test_changes_of_a_column_reach_the_frame(old, new):
    start = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.Session\n" + FRAME
    assert upgraded_text(start + old + "\n") == (start + (new or old) + "\n", [])


@pytest.mark.parametrize(
    "code",
    [
        "frame['a'][0] = 1",
        "frame['a'][2:4] = 1",
        "frame.values[0, 1] = 1",
        "frame['a'].values[mask] = 1",
    ],
)
def test_changes_that_are_only_reported(findings_in, code):
    """A place in a column may be a position or a label,
    and what `values` returns is not written to.
    """
    assert [finding.rule.id for finding in findings_in(FRAME + code + "\n")] == ["TFG408"]


def test_reading_values_is_no_finding(findings_in):
    assert findings_in(FRAME + "x = frame.values\nx = frame.values[0]\nother.values[0] = 1\n") == []


READ = "dates = pd.to_datetime(frame['day'])\nframe['date'] = pd.to_datetime(frame['day'])\n"
TO_INTEGERS = '.astype("datetime64[ns]").astype'


@NEEDS_PYTHON_3_8
@pytest.mark.parametrize(
    "old, new",
    [
        ("x = pd.get_dummies(frame)", 'x = pd.get_dummies(frame, dtype="uint8")'),
        ("x = frame.groupby('a').sum()", "x = frame.groupby('a').sum(numeric_only=True)"),
        ("x = dates.astype('int64')", f"x = dates{TO_INTEGERS}('int64')"),
        ("x = dates.values.astype(int)", f"x = dates.values{TO_INTEGERS}(int)"),
        ("x = frame['date'].astype(np.int64)", f"x = frame['date']{TO_INTEGERS}(np.int64)"),
        ("for i, g in frame.groupby(['a']): pass", "for i, g in frame.groupby('a'): pass"),
        ("x = [i for i, g in rows.groupby(by=['a'])]", "x = [i for i, g in rows.groupby(by='a')]"),
        # these give what they gave, or what they give is not known
        ("for i, g in frame.groupby(['a', 'b']): pass", None),
        ("x = pd.get_dummies(frame, dtype=bool)", None),
        ("x = frame.groupby('a')['b'].sum()", None),
        ("x = frame.groupby('a').sum(numeric_only=False)", None),
        ("x = frame['b'].astype('int64')", None),
        (f"x = dates{TO_INTEGERS}('int64')", None),
    ],
)
def test_values_are_those_of_pandas_0_25(old, new):
    start = (
        "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.Session\n" + FRAME + READ
    )
    assert upgraded_text(start + old + "\n") == (start + (new or old) + "\n", [])


@NEEDS_PYTHON_3_8
def test_dates_with_a_time_zone_get_a_comment(findings_in):
    start = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.Session\n" + FRAME
    line = "x = pd.to_datetime(frame['a'], utc=True).astype('int64')\n"
    text, left = upgraded_text(start + line)
    assert text.startswith(start + "# tf1grad: TFG409 ") and text.endswith("\n" + line)
    assert left == ["TFG409"]
