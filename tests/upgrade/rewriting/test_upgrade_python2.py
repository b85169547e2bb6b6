"""What `upgrade` makes of the divisions and pickles of Python 2;
divisions are compared with what `run` computes.
"""

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.source import files, python2_syntax
from tf1grad.programs.source.program import KnownNames, Program
from tf1grad.run.python2 import meaning
from tf1grad.upgrade.rewriting.upgraded_programs import upgrade
from tf1grad.upgrade.rules import engine
from upgraded_texts import upgraded

pytestmark = NEEDS_PYTHON_3_8

START = "import tensorflow.compat.v1 as tf\n%sdef f(n, size):\n    tf.Session\n"
IMPORT = "from tf1grad.migrate.python2 import %s\n"


def _upgrade(text, **others):
    new, left = upgraded(
        dict({"old.py": text}, **{f"{name}.py": other for name, other in others.items()})
    )
    assert left == []
    return new if others else new["old.py"]


def _python2(lines):
    return START % "" + f"    print n\n    {lines}\n"


@pytest.mark.parametrize(
    "old, new",
    [
        ("x = 7 / 2", "x = 7 // 2"),
        ("x = len(n) / 2 * 3", "x = len(n) // 2 * 3"),
        ("x = (1 + len(n)) / (2 * 3)", "x = (1 + len(n)) // (2 * 3)"),
        ("x = 100 / 7 / 2", "x = 100 // 7 // 2"),
        ("x = int(n) / 2", "x = int(n) // 2"),
        ("x = -len(n) / 2", "x = -len(n) // 2"),
        # nothing changes where one of them is not whole
        ("x = n / 2.0", "x = n / 2.0"),
        ("x = len(n) / float(size)", "x = len(n) / float(size)"),
        ("x = 2.0 * n / size; x /= 2.0", "x = 2.0 * n / size; x /= 2.0"),
        ("x = '%d' % n / size", "x = '%d' % n / size"),
        ("x = tf.cast(n, tf.float32) / size", "x = tf.cast(n, tf.float32) / size"),
    ],
)
def test_known_numbers(old, new):
    assert _upgrade(_python2(old)) == START % "" + f"    print(n)\n    {new}\n"


BATCHES = """class Batches:
    def next(self):
        return range(7)
    def __nonzero__(self):
        return True
"""


def test_methods_that_python_3_calls_by_another_name():
    old = START % BATCHES.replace("range", "xrange")
    new = BATCHES.replace("next", "__next__").replace("__nonzero__", "__bool__")
    assert _upgrade(old) == START % new
    of_more = BATCHES.replace("next(self)", "next(self, size)")
    aliases = "    __next__ = next\n"
    assert _upgrade(START % of_more.replace("range", "xrange")) == START % (
        of_more.replace("__nonzero__", "__bool__") + aliases
    )


def test_methods_that_have_both_names():
    old = START % BATCHES.replace("range", "xrange").replace("__nonzero__", "__next__")
    assert _upgrade(old) == START % BATCHES.replace("__nonzero__", "__next__")


def test_a_print_to_a_file_alone():
    """Python 3 parses the statement, but cannot execute it."""
    old = START % "" + "    print >>n, size\n    x = len(n) / 2\n"
    assert _upgrade(old) == START % "" + "    print(size, file=n)\n    x = len(n) // 2\n"


@pytest.mark.parametrize(
    "old, new",
    [
        ("n /= size", "n = divide_in_place(n, size)"),
        ("n.x[0] /= size + 1; n", "n.x[0] = divide_in_place(n.x[0], size + 1); n"),
        ("x = n / 2", "x = divide(n, 2)"),
        ("x = range(n / 100)", "x = list(range(divide(n, 100)))"),
        ("x = (n + 1) / (size)", "x = divide((n + 1), (size))"),
        ("x = n / 2 / size", "x = divide(divide(n, 2), size)"),
        ("x = 2 * n / size + 1", "x = divide(2 * n, size) + 1"),
        ("x = n / -size ** 2", "x = divide(n, -size ** 2)"),
        ("x = [n[0] / size[1:][0](2).y, 1]", "x = [divide(n[0], size[1:][0](2).y), 1]"),
        ("x = ((n + 1) / 2).y / (size)", "x = divide((divide((n + 1), 2)).y, (size))"),
        ("x = 1; y = x / 2", "x = 1; y = divide(x, 2)"),
        ("x = n.shape[0] / 2", "x = divide(n.shape[0], 2)"),
        ("x = tf.cast(n, tf.int32) / size", "x = divide(tf.cast(n, tf.int32), size)"),
        ("len = f; x = len(n) / 2", "len = f; x = divide(len(n), 2)"),
        ("x = n \\\n        / size", "x = divide(n, size)"),
        ("x = [n / f'{n}' 'b', 1]", "x = [divide(n, f'{n}' 'b'), 1]"),
    ],
)
def test_numbers_that_the_text_does_not_show(old, new):
    helper = "divide_in_place" if "divide_in_place" in new else "divide"
    assert (
        _upgrade(_python2(old)) == START % (IMPORT % helper + "\n") + f"    print(n)\n    {new}\n"
    )


def test_a_name_that_the_program_has_itself():
    text = _upgrade(_python2("divide = n / size"))
    assert (
        "import tf1grad.migrate.python2\n" in text
        and "divide = tf1grad.migrate.python2.divide(n, size)" in text
    )


@pytest.mark.parametrize(
    "future", ["division", "print_function, division", "(absolute_import,\n   division)"]
)
def test_files_that_import_division_stay(future):
    text = f"from __future__ import {future}\n" + START % "" + "    xrange(n / size), 7 / 2\n"
    assert "    range(n / size), 7 / 2\n" in _upgrade(text)


@pytest.mark.parametrize("comment", ["", "from __future__ import print_function  # not division\n"])
def test_a_file_that_python_3_parses(comment):
    text = comment + START % "" + "    xrange(7 / 2), len(n) / size\n"
    assert "    range(7 // 2), divide(len(n), size)\n" in _upgrade(text)
    assert "7 / 2" in _upgrade(text.replace("xrange", "range"))


def test_a_module_that_a_python_2_program_imports():
    main = "import tensorflow as tf\nimport library\nprint tf.Session\nlibrary.f(tf.Session())\n"
    others = {"other": "x = 7 / 2\n", "ported": "x = f'{7 / 2}'\n"}
    texts = _upgrade(main, library="def f(n):\n    return n / 2, 7 / 2\n", **others)
    assert texts["library.py"] == IMPORT % "divide" + "def f(n):\n    return divide(n, 2), 7 // 2\n"
    assert texts["other.py"] == "x = 7 / 2\n"  # beside it is a file of Python 3
    assert texts["ported.py"] == others["ported"]


WITHOUT_A_SIGN = """\
import tensorflow.compat.v1 as tf
def by_size(a, b):
    return len(a) - len(b)
def f(d, gen, f):
    tf.Session
    x = [x for x in d.keys()]
    d[f()] /= len(x)
    first = d.keys()[0], map(f, x)[0], gen.next(), round(2.5), map(None, x, x)
    x.sort(cmp=by_size); x.sort(by_size); x.sort(key=f)
    return sorted(x, lambda a, b: a - b), f(async=7 / 2), x, first
class Sized:
    def __cmp__(self, other):
        return 0
    def __idiv__(self, other):
        return self
"""
WITH_PYTHON_3 = """\
import tensorflow.compat.v1 as tf
from tf1grad.migrate.python2 import round_half_away
from tf1grad.migrate.python2 import map_to_list
import functools
from tf1grad.migrate.python2 import compare_by_cmp
from tf1grad.migrate.python2 import divide_item_in_place

def by_size(a, b):
    return len(a) - len(b)
def f(d, gen, f):
    tf.Session
    x = [x for x_ in list(d.keys()) if [x := x_]]
    divide_item_in_place(d, f(), len(x))
    first = list(d.keys())[0], list(map(f, x))[0], next(gen), round_half_away(2.5), map_to_list(None, x, x)
    x.sort(key=functools.cmp_to_key(by_size)); x.sort(key=functools.cmp_to_key(by_size)); x.sort(key=f)
    return sorted(x, key=functools.cmp_to_key(lambda a, b: a - b)), f(async_=7 // 2), x, first
@compare_by_cmp
class Sized:
    def __cmp__(self, other):
        return 0
    def __idiv__(self, other):
        return self
    __itruediv__ = __idiv__
"""


def test_a_file_without_a_sign_beside_one_with_a_sign():
    new = _upgrade(WITHOUT_A_SIGN, beside="print 1\n")["old.py"]
    assert new == WITH_PYTHON_3
    assert (
        "list(d.keys())"
        not in _upgrade(WITHOUT_A_SIGN.replace("async", "x"), beside="x = 1\n")["old.py"]
    )


def test_a_name_that_is_a_keyword_now():
    """Python 3.6 read the file: it is not Python 2."""
    new = _upgrade(START % "" + "    f(async=7 / 2, x=f'{n}')\n")
    assert new == START % "" + "    f(async_=7 / 2, x=f'{n}')\n"


def test_check_reports_them():
    program = Program(
        files.Source("old.py", _python2("x = 7 / 2; y = n / size; z = size / n; w = 1 / 2.0"))
    )
    found = [
        finding
        for finding in engine.findings([program], KnownNames())
        if finding.rule.id == "TFG003"
    ]
    assert [finding.message for finding in found] == [
        "Python 2 rounds this quotient of whole numbers down, Python 3 does not.",
        "Python 2 rounds this quotient down if both numbers are whole; 1 more may be such.",
    ]


FLOATS = [
    "tf.cast(a, tf.float32) / tf.cast(b, tf.float32)",
    "a / tf.cast(b, dtype='float32')",
    "tf.cast(a, np.float32) / b",
    "tf.cast(a, float) / b",
    "tf.to_float(a) / b",
    "a / np.float32(b)",
    "a.astype(np.float64) / b",
    "a.astype('float') / b",
    "hits / b",
    "-hits * a / b",
]
NO_FLOATS = [
    "tf.cast(a, tf.int32) / b",
    "a.astype(int) / b",
    "np.int32(a) / b",
    "tf.cast(a, a.dtype) / b",
    "cast(a, tf.float32) / b",
    "mixed / b",
    "counted / b",
]


@pytest.mark.parametrize("quotient", FLOATS + NO_FLOATS)
def test_a_quotient_of_a_number_that_is_converted_to_a_float(quotient):
    text = f"""
import numpy as np, tensorflow as tf
def f(a, b, cast):
    hits = tf.cast(tf.equal(a, b), tf.float32)
    mixed = tf.to_float(a)
    mixed = len(b)
    counted = np.float32(1)
    counted += a
    print({quotient})
"""
    program = Program(files.Source("old.py", _python2(text)))
    found = engine.findings([program], KnownNames())
    is_found = any(finding.rule.id == "TFG003" for finding in found)
    assert is_found == (quotient in NO_FLOATS)


def test_the_helper_is_what_run_uses():
    import tf1grad.migrate.python2

    assert tf1grad.migrate.python2.divide is meaning.divided
    assert tf1grad.migrate.python2.divide_in_place is meaning.divided_in_place


PICKLES = """import tensorflow.compat.v1 as tf
import cPickle, pickle as other
from pickle import load


def f(path):
    with open(path) as file:
        print load(file)
    other.dump(cPickle.loads(other.dumps([1])), open(path, "w"))
    return tf.Session, cPickle.load(open(path))
"""
# What Python 2.7 writes for {"name": "\xe9", u"sizes": [1]}.
WRITTEN = b"(dp0\nS'name'\np1\nS'\\xe9'\np2\nsVsizes\np3\n(lp4\nI1\nas."


def test_pickles(tmp_path, capsys):
    text = _upgrade(PICKLES)
    assert "loads_pickle(other.dumps([1]))" in text and "load_pickle(open(path))" in text
    names = {}
    exec(text, names)
    path = tmp_path / "old.pkl"
    path.write_bytes(WRITTEN)
    assert names["f"](str(path))[1] == [1]
    assert capsys.readouterr().out == "{'name': '\xe9', 'sizes': [1]}\n"


def test_pickles_of_a_program_in_python_3_stay():
    text = START % "import pickle\n" + "    pickle.load(open(n, 'rb'))\n"
    assert _upgrade(text) == text


PACKAGE = {
    "__init__.py": "",
    "train.py": "import tensorflow as tf\nfrom helper import x\nprint tf.Session(), x\n",
    "helper.py": "import constants\nprint constants.x\nx = 1\n",
    "constants.py": "x = 1\n",
    "models/__init__.py": "from net import Net\nprint 1\n",
    "models/layers.py": "y = 1\n",
    "models/net.py": "import tensorflow as tf\nimport os, layers\nimport layers as own\n"
    "from layers import (  # mine\n    y)\n"
    "print tf.Session, layers, y\nNet = 1\n",
}


def _package(folder, texts):
    """Writes files, and returns their upgraded texts by name."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    programs = [Program(files.read(str(folder / name))) for name in texts]
    done = upgrade(programs)
    assert not done.failed
    again = upgrade([Program(files.Source(path, text)) for path, text in done.texts.items()])
    assert again.texts == done.texts
    return {name: done.texts[str(folder / name)] for name in texts}


def test_the_files_of_a_script_stay_absolute(tmp_path):
    new = _package(
        tmp_path, dict(PACKAGE, **{"train.py": PACKAGE["train.py"] + "import models.net\n"})
    )
    assert (
        "\nfrom helper import x\n" in new["train.py"] and "import models.net\n" in new["train.py"]
    )
    assert new["helper.py"].startswith("import constants\n")
    assert new["models/__init__.py"].startswith("from .net import Net\n")
    assert (
        "import os\nfrom . import layers\nfrom . import layers as own\nfrom .layers import (  # mine\n    y)\n"
        in new["models/net.py"]
    )


def test_a_package_without_a_script_is_imported_from_outside(tmp_path):
    new = _package(
        tmp_path,
        {
            "__init__.py": "",
            "helper.py": "x = 1\n",
            "net.py": "import tensorflow as tf\nfrom helper import x\ndef f():\n    print tf.Session\n",
        },
    )
    assert "\nfrom .helper import x\n" in new["net.py"]


def test_a_package_that_another_file_imports(tmp_path):
    main = "import tensorflow as tf\nif __name__ == '__main__':\n    print tf.Session, 1\n"
    new = _package(
        tmp_path,
        {
            "train.py": "from models import net\n" + main,
            "models/__init__.py": "",
            "models/net.py": "import layers\n" + main,
            "models/layers.py": "y = 1\n",
        },
    )
    assert new["models/net.py"].startswith("from . import layers\n")


def test_what_fissix_leaves_behind():
    text = _upgrade(
        "import cPickle as pickle\n"
        + _python2("print ('%d' % n); print (n, 1); print ('a'), n; print")
    )
    assert text.startswith("import pickle\n")
    assert "print('%d' % n); print((n, 1)); print(('a'), n); print()\n" in text


@pytest.mark.parametrize(
    "line",
    [
        "def apply(loss, variables):\n    return loss",
        "from layers import apply",
        "apply = layers.apply",
    ],
)
def test_a_function_of_the_program_with_a_builtin_name_stays(line):
    text = f"{line}\nloss = apply(loss, variables)\nprint loss\n"
    assert python2_syntax.apply_fixers(text, "old.py") == text.replace("print loss", "print(loss)")


def test_a_builtin_function_that_is_imported_stays():
    old = "from six.moves import input\nprint map(f, n), apply(f, n)\nname = input('name')\n"
    new = "from six.moves import input\nprint(list(map(f, n)), f(*n))\nname = input('name')\n"
    assert python2_syntax.apply_fixers(old, "old.py") == new


@pytest.mark.parametrize(
    "line",
    [
        "lat, long = n, size",
        "x = n.unicode + n.long",
        "x = size(unicode=True, long=n)",
    ],
)
def test_names_of_builtin_functions_that_mean_something_else_stay(line):
    assert line in _upgrade(_python2(line))


def test_builtin_functions_of_python_2():
    new = _upgrade(_python2("x = unicode(n), long(n), file(n), isinstance(n, basestring)"))
    assert "x = str(n), int(n), open(n), isinstance(n, str)" in new
    own = "class Own:\n    def has_key(self, key):\n        pass\n"
    assert "n.has_key(size)" in _upgrade(_python2("n.has_key(size)") + own)


def test_parameters_are_not_builtin_functions_of_python_2():
    """Each call means what its own scope gives to the name."""
    own = "def ask(input):\n    return input(3)\nfirst = lambda map, x: map(x)\n"
    new = _upgrade(_python2("input(4), map(size, [n])") + own)
    assert "return input(3)" in new and "map(x)\n" in new and "list(map(x" not in new
    assert "eval(input(4))" in new and "list(map(size, [n]))" in new


def test_a_program_of_python_2_without_tensorflow_is_translated():
    assert _upgrade("print 'x', 7 / 2\n") == "print('x', 7 // 2)\n"
    assert _upgrade("x = 7 / 2\n") == "x = 7 / 2\n"


def test_a_comparison_by_cmp_is_left_with_its_remedy():
    new, left = upgraded({"old.py": _python2("x = cmp(n, size)")})
    assert len(left) == 1
    assert "# tf1grad: TFG002 cmp is Python 2." in new["old.py"]
