"""Tests that programs for Python 2 mean under `tf1grad run` what they meant in Python 2."""

import builtins
import pickle
import sys
import textwrap

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.old_programs import dropped_names, python2

pytest.importorskip("fissix", reason="fissix reads Python 2")

# Expressions in a module of Python 2, and what they gave there.
MEANINGS = {
    "7 / 2": 3,
    "7 / 2.0": 3.5,
    "0777": 511,
    "`[1]`": "[1]",
    "1 <> 2": True,
    "np.array([3, 5]) / 2": [1, 2],
    "np.array([3., 5.]) / 2": [1.5, 2.5],
    "range(3) + [9]": [0, 1, 2, 9],
    "map(None, [1, 2], [3])": [(1, 3), (2, None)],
    "filter(None, (0, 1))": (1,),
    "filter(lambda c: c > 'a', 'abc')": "bc",
    "zip([1], 'a')": [(1, "a")],
    "reduce(lambda x, y: x * y, [2, 3])": 6,
    "cmp(1, 2)": -1,
    "round(2.5)": 3.0,
    "round(1.005, 2)": 1.0,
    "round(2.675, 2)": 2.67,
    "sorted([1, 3, 2], lambda a, b: cmp(b, a))": [3, 2, 1],
    "d.has_key('k')": True,
    "d.iteritems().next()": ("k", 1),
    "list(d.itervalues())": [1],
    "isinstance(u'x', basestring) and isinstance(1, (int, long))": True,
    "u'\\u00e9'.encode('utf-8').decode('utf-8')": "\xe9",
    "'text'.decode('utf-8')": "text",
    "Old() / 2": "divided",
    "bool(Old())": False,
    "Old().next()": 5,
    "u'\u00e9'.encode('ascii', 'ignore')": b"",
    "(lambda (a, b): a + b)((1, 2))": 3,
    "[input for input in [1]]": [1],
}
MODULE = """
import numpy as np
d = {'k': 1}

class Old:
    def __nonzero__(self):
        return False
    def __iter__(self):
        return self
    def next(self):
        return 5
    def __div__(self, other):
        return "divided"
"""
STATEMENTS = """
import sys
result = []
def tabs((a, b), c=4):
        if a:
\t    result.append(a)
\tresult.append(b)
        text = '''
\ttab'''
        result.append((c, text))
tabs((1, 2))
try:
    raise ValueError, "message"
except ValueError, error:
    result.append(str(error))
n = 7
n /= 2
m = np.array([3., 5.])
alias = m
m /= 2
rows = [[9]]
rows[0][0] /= 2
result += [n, alias.tolist(), rows]
x = [1, 3, 2]
x.sort(lambda a, b: b - a)
result.append(x)
y = d.keys()
y.sort()
result.append(y[-1])
class Meta(type):
    def made_by(cls):
        return "meta"
class Made:
    __metaclass__ = Meta
result.append(Made.made_by())
print >>sys.stderr, "no newline",
"""


@pytest.fixture
def compiler(monkeypatch):
    """Makes a `Compiler` as `run` has it, and takes its names out of `builtins` after the test."""
    monkeypatch.setattr(
        builtins,
        dropped_names.rewritten_expressions.HELPER,
        dropped_names.numpy_calls,
        raising=False,
    )
    monkeypatch.setattr(builtins, python2.meaning.HELPER, None, raising=False)
    return python2.Compiler(dropped_names.compile_module)


def _executed(compiler, text, filename="module.py"):
    names = {"__name__": "module"}
    exec(compiler(text, filename), names)
    return names


def test_expressions(compiler, capsys):
    expressions = ",\n".join(MEANINGS)
    text = f"{MODULE}print 'a statement'\nresult = [{expressions}]\n"
    result = _executed(compiler, text)["result"]
    for expression, value in zip(MEANINGS, result):
        value = value.tolist() if isinstance(value, np.ndarray) else value
        assert (value, type(value)) == (MEANINGS[expression], type(MEANINGS[expression])) or (
            isinstance(value, np.generic)
            and value == MEANINGS[expression]
            and value.dtype.kind == "i"
        ), expression
    assert "module.py is Python 2 (line " in capsys.readouterr().err


def test_statements(compiler):
    assert _executed(compiler, MODULE + STATEMENTS)["result"] == [
        1,
        2,
        (4, "\n\ttab"),
        "message",
        3,
        [1.5, 2.5],
        [[4]],
        [3, 2, 1],
        "k",
        "meta",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "from __future__ import division\nprint 7 / 2, xrange\nresult = 7 / 2\n",
        "x = 7 / 2\ntry:\n    xrange\nexcept NameError:\n    xrange = range\nresult = x\n",
        "import sys\nif sys.version_info[0] < 3:\n    text = raw_input\n    import cPickle\nresult = 7 / 2\n",
        "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\nresult = 7 / 2\n",
        "def f(xrange):\n    return xrange\nresult = 7 / 2\n",
        "import commands\nresult = 7 / commands.two\n",
    ],
)
def test_a_file_for_both_divides_as_python_3(compiler, text, tmp_path, monkeypatch):
    (tmp_path / "commands.py").write_text("two = 2\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "commands", raising=False)
    assert _executed(compiler, text)["result"] == 3.5


@pytest.mark.parametrize(
    "text",
    [
        "from functools import reduce\nreduce(max, [1])\n",
        "try:\n    unicode\nexcept NameError:\n    unicode = str\ndef never():\n    return long(1)\n",
        "import six\nlist(six.iteritems({}))\ndef never(d):\n    return d.iteritems()\n",
        "class Own(dict):\n    def iteritems(self):\n        return []\nOwn().iteritems()\n",
        "def never(text):\n    return f'{unicode(text)}'\n",
        "def never(text: str):\n    return unicode(text)\n",
        "names = list({}.keys())\ndef never(text):\n    return unicode(text)\n",
        "import sys\ndef never(text):\n    return text if sys.version_info > (3,) else unicode(text)\n",
        "class Own(object):\n    def __init__(self):\n        super().__init__()\n        self.own = basestring\n",
    ],
)
def test_a_name_of_python_2_does_not_outweigh_a_sign_of_python_3(compiler, text):
    """Such a file was ported: names that were left run in Python 2, or never."""
    assert _executed(compiler, text + "result = 7 / 2\n")["result"] == 3.5


@pytest.mark.parametrize(
    "text",
    [
        "for i in xrange(2): pass\n",
        "unicode('text')\n",
        "list({}.iteritems())\n",
        "from __future__ import print_function\nprint('text', isinstance('text', basestring))\n",
        "import cPickle\n",
        "import sys\nprint >>sys.stderr, 1\n",
        "if True:\n        a = 1\n\tb = 2\n",
    ],
)
def test_code_that_needs_python_2_divides_as_python_2(compiler, text, monkeypatch):
    monkeypatch.setitem(sys.modules, "cPickle", pickle)
    assert _executed(compiler, text + "result = 7 / 2\n")["result"] == 3


def test_modules_of_a_python_2_program_are_python_2(compiler, capsys):
    exec(compiler.main("print 'main'\n", "main.py"), {})
    assert _executed(compiler, "result = 7 / 2\n")["result"] == 3
    assert capsys.readouterr().err.count("is Python 2") == 1
    assert (
        _executed(python2.Compiler(dropped_names.compile_module, 2), "result = 7 / 2\n")["result"]
        == 3
    )
    assert (
        _executed(
            python2.Compiler(dropped_names.compile_module, 3), "xrange = 1\nresult = 7 / 2\n"
        )["result"]
        == 3.5
    )


@pytest.mark.parametrize("options", ["", ", allow_pickle=True", ", None, True"])
def test_numpy_reads_pickles_of_python_2(compiler, tmp_path, options):
    """In Python 2, a string of an array is bytes: 0xE9 has no place in ASCII, which Python 3 takes for them."""
    np.save(str(tmp_path / "names.npy"), np.array(["MARK"], dtype=object))
    written = (tmp_path / "names.npy").read_bytes()
    of_python_3 = [each for each in (b"X\4\0\0\0MARK", b"\x8c\4MARK") if each in written]
    (tmp_path / "names.npy").write_bytes(written.replace(of_python_3[0], b"U\4caf\xe9"))
    text = f"import numpy as np\nprint 1\nresult = np.load(path{options})[0]\n"
    names = {"__name__": "module", "path": str(tmp_path / "names.npy")}
    exec(compiler(text, "reading.py"), names)
    assert names["result"] == "caf\xe9"


def test_lines_stay_where_they_are(compiler):
    text = "import os\nprint 'a', \\\n    'b'\nx = lambda (a, b): a\n\nraise ValueError, 'here'\n"
    with pytest.raises(ValueError, match="here") as error:
        _executed(compiler, text, "lines.py")
    assert [
        entry.lineno + 1 for entry in error.traceback if str(entry.path).endswith("lines.py")
    ] == [6]


def test_invalid_syntax_is_refused_as_by_python_3(compiler):
    for text in ("for i in range(3)\n    print(i)\n", "print 'a'\nx = = 1\n"):
        with pytest.raises(SyntaxError) as error:
            compiler(text, "wrong.py")
        with pytest.raises(SyntaxError) as expected:
            compile(text, "wrong.py", "exec")
        assert (error.value.msg, error.value.lineno) == (expected.value.msg, expected.value.lineno)


def test_tensors_divide_as_in_python_2(graph, compiler):
    names = _executed(
        python2.Compiler(dropped_names.compile_module, 2), "def half(x):\n    return x / 2, 2 / x\n"
    )
    with tf.Session() as session:
        whole = session.run(names["half"](tf.constant(7)))
        real = session.run(names["half"](tf.constant(8.0)))
    assert whole == (3, 0) and whole[0].dtype == np.int32 and real == (4.0, 0.25)


def test_a_program_of_several_files(folder):
    folder.write(
        "train.py",
        """
        import cPickle, Queue, StringIO, string, sys, urllib, urllib2, pickle
        from itertools import izip
        import package.module
        reload(sys)
        sys.setdefaultencoding("utf8")
        with open("data.pkl", "w") as file:
            pickle.dump({"a": [1, u"b"]}, file)
        queue = Queue.Queue()
        queue.put(cPickle.load(open("data.pkl", "rU")))
        print queue.get(), package.module.half(7), [pair for pair in izip(xrange(2), "ab")]
        print string.replace("a+b", "+", "-"), string.letters[:2], StringIO.StringIO("x").read(), sys.maxint > 2 ** 31
        print urllib.urlencode({"a": 1}), urllib2.Request("http://host/").get_full_url()
        print cPickle.loads("S'text'\\np0\\n."), `file.closed`
    """,
    )
    folder.write("package/__init__.py", "")
    folder.write("package/beside.py", "def half(x):\n    return x / 2\n")
    folder.write("package/module.py", "import beside\nhalf = beside.half\n")
    code, output, errors = folder.run("train.py")
    assert code == 0, errors
    assert output.splitlines() == [
        "{'a': [1, 'b']} 3 [(0, 'a'), (1, 'b')]",
        "a-b ab x True",
        "a=1 http://host/",
        "text True",
    ]
    assert errors.count("is Python 2") == 1
    quiet = folder.run(
        "--quiet",
        "--no-dropped-names",
        "-",
        stdin=textwrap.dedent("""
        print 'from', 'a pipe', 7 / 2
        import package.module
        print package.module.half(3)
        raise ValueError, 'at line 5'
    """),
    )
    assert quiet[:2] == (1, "from a pipe 3\n1\n") and 'File "<stdin>", line 5' in quiet[2]
    assert "tf1grad" not in quiet[2]


IN_GRAPHS = """
import tensorflow as tf

def first(d):
    return d.values()[0]

class Parser(object):
    def parse(self, x):
        d = {"x": x}
        if d.has_key("x"):
            y = first(d) + 7 / 2 + (range(2) + [9])[2]
        for key, value in d.iteritems():
            y = y + 10 * value
        return y

data = tf.data.Dataset.range(3).map(Parser().parse).map(lambda x: {"x": x}.values()[0] + 1 / 2)
element = data.make_one_shot_iterator().get_next()
with tf.Session() as session:
    print(" ".join([str(session.run(element)) for _ in xrange(3)]))
"""


@pytest.mark.slow
@pytest.mark.period
@pytest.mark.parametrize("first", ["", "print 'printed'"])
def test_functions_of_datasets_keep_their_meaning(folder, first):
    code, output, errors = folder.run(folder.write("script.py", first + IN_GRAPHS))
    assert code == 0 and output.splitlines()[-1] == "12 23 34", errors[-3000:]
    assert "AutoGraph could not" not in errors


@pytest.mark.slow
@pytest.mark.period
def test_an_error_over_a_name_of_python_2_tells_the_option(folder):
    for use in ("unicode(1)", "{}.iteritems()"):
        code, _, errors = folder.run(folder.write("script.py", f"print('a', 1)\n{use}\n"))
        assert code == 1 and errors.splitlines()[-1].startswith("tf1grad: ")
        assert "--python 2" in errors.splitlines()[-1]
