"""Tests that programs for Python 2 mean under `tf1grad run` what they meant in Python 2."""

import ast
import builtins
import importlib
import pickle
import sys
import textwrap

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.programs.process import ownership
from tf1grad.programs.source import program_version
from tf1grad.run import dropped_names, python2

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
    r"ur'\d\u00e9' + u'\\'": "\\d\xe9\\",
    "(3 / Old(), Old().__div__(1))": ("from the right", "divided"),
    "sorted([Compared(2), Compared(1)])[0].value": 1,
    "(cmp(Compared(1), Compared(2)), Compared(1) == Compared(1), Compared(2) >= Compared(1))": (
        -1,
        True,
        True,
    ),
    "len({Compared(1): 0, Compared(1): 0})": 2,
    "named(async=1)": 1,
    "hashlib.md5('text').hexdigest()": "1cb251ec0d568de6a929b520c4aed8d1",
    r"re.split('(\\W+)?', 'Is it? Yes')": ["Is", " ", "it", "? ", "Yes"],
    r"re.split('\\s*', ' a  bc ', 2)": ["", "a", "bc "],
    r"re.split('\\b', 'a b')": ["a b"],
    "split('x*', 'axb')": ["a", "b"],
    "map(functools.partial(re.split, 'x*'), ['axb'])": [["a", "b"]],
    r"re.compile(',?').split('a,b,')": ["a", "b", ""],
    "'a b'.split()": ["a", "b"],
    "gen.next()": 0,
    "(d.keys()[0], map(str, [7])[0])": ("k", "7"),
    # `encode` gave what binary files give: text.
    "'a b\\n'.encode('utf-8').strip().split(' ')": ["a", "b"],
    "'a b'.encode('utf-8').split()": ["a", "b"],
    "('ab'.encode('utf-8').find('b'), 'ab'.encode('utf-8').startswith(('a', 'x')))": (1, True),
    "('a' + u'\u00e9'.encode('utf-8'), 'a' + 'b' + 'c'.encode('utf-8'))": ("a\xe9", "abc"),
    "'%s %d' % ('a'.encode('utf-8'), 1) + '%(k)s' % {'k': 'b'.encode('utf-8')}": "a 1b",
    "'{}{k}'.format('a'.encode('utf-8'), k='b'.encode('utf-8'))": "ab",
    "' '.join(['a'.encode('utf-8'), 'b'])": "a b",
    "('a'.encode('utf-8') == 'a', 'a' != 'a'.encode('utf-8'), 'b' in 'ab'.encode('utf-8'))": (
        True,
        False,
        True,
    ),
    "'a'.encode('utf-8') in ('a', 'b')": True,
    # What says that it is bytes stays so.
    "b'a b'.split(b' ')": [b"a", b"b"],
    "b'a' + b'b'": b"ab",
    "('a.b,'.translate(None, '.,'), 'ab'.translate({97: u'x'}, 'b'))": ("ab", "x"),
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
    def __rdiv__(self, other):
        return "from the right"
    def __idiv__(self, other):
        return "in place"

class Compared(object):
    def __init__(self, value):
        self.value = value
    def __cmp__(self, other):
        return cmp(self.value, other.value)

import functools, hashlib, re
from re import split
gen = (each for each in range(3))
def named(async=0):
    await = async
    return await
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


DIVIDED_IN_PLACE = """
print ''
calls = []
def f(value):
    calls.append(value)
    return value
class Own(object):
    def __init__(self):
        self.__x = 7
    def halved(self):
        f(self).__x /= 2
        return self.__x
numbers = np.array([[7, 8], [9., 10.]])
values = [7, 8]
values[f(0)] /= f(2)
f(values)[1] /= 3
numbers[f(0), :1] /= 2
numbers[f(1)] /= 2
old = [Old()]
old[0] /= 2
own = Old()
own /= 2
in_method = Own().halved()
del calls[3], calls[-1]
"""


def test_divisions_in_place_compute_their_target_once(compiler):
    found = _executed(compiler, MODULE + DIVIDED_IN_PLACE)
    assert found["calls"] == [0, 2, [3, 2], 1]
    assert found["values"] == [3, 2] and found["numbers"].tolist() == [[3.5, 8], [4.5, 5]]
    assert (found["old"], found["own"], found["in_method"]) == (["in place"], "in place", 3)


COMPREHENSIONS = """
print ''
x = 'before'
squares = [x ** 2 for x in range(4)]
after = x
def function(rows):
    found = [(a, b) for a, b in rows if a > 1]
    inner = [[c for c in row] for row in rows]
    generated = sum(d for d in range(3))
    return found, inner, a, b, c
def without(d):
    return [d for d in d]
class Inside(object):
    kept = [y for y in range(3)]
result = squares, after, function([(1, 2), (3, 4)]), without([5]), Inside.kept
"""


@pytest.mark.skipif(sys.version_info < (3, 8), reason="Python 3.7 has no expression that assigns")
def test_the_variable_of_a_list_comprehension_stays(compiler):
    assert _executed(compiler, COMPREHENSIONS)["result"] == (
        [0, 1, 4, 9],
        3,
        ([(3, 4)], [[1, 2], [3, 4]], 3, 4, 4),
        [5],
        [0, 1, 2],
    )


# Files of a program, and what `7 / 2` is in main.py and in lib.py, which it imports.
PLAIN = "half = 7 / 2\n"
MAIN = "import lib\n" + PLAIN
DECISIONS = {
    "an import shows it": ({"main.py": MAIN, "lib.py": PLAIN + "print half\n"}, 3, 3),
    "an import of an import": (
        {"main.py": MAIN, "lib.py": "import far\n" + PLAIN, "far.py": "never = lambda: xrange\n"},
        3,
        3,
    ),
    "a file beside shows it": ({"main.py": MAIN, "lib.py": PLAIN, "other.py": "print 1\n"}, 3, 3),
    "the program shows it": ({"main.py": MAIN + "print half\n", "lib.py": PLAIN}, 3, 3),
    "nothing shows it": ({"main.py": MAIN, "lib.py": PLAIN}, 3.5, 3.5),
    "Python 3 is shown": ({"main.py": MAIN, "lib.py": PLAIN, "other.py": "f'{1}'\n"}, 3.5, 3.5),
    "both are shown": (
        {"main.py": MAIN, "lib.py": PLAIN, "a.py": "print 1\n", "b.py": "f'{1}'\n"},
        3.5,
        3.5,
    ),
    "an old helper of a program in Python 3": (
        {"main.py": MAIN + "print(f'{half}')\n", "lib.py": PLAIN + "never = lambda: xrange\n"},
        3.5,
        3,
    ),
    "a name that was left in a ported program": (
        {
            "main.py": MAIN,
            "lib.py": PLAIN + "import six\n",
            "other.py": "never = lambda: unicode\n",
        },
        3.5,
        3.5,
    ),
    "a module of Python 3 in a program of Python 2": (
        {"main.py": MAIN + "print half\n", "lib.py": PLAIN + "def f(*, x): pass\n"},
        3,
        3.5,
    ),
    "async, as in Python 3.6": ({"main.py": MAIN, "lib.py": "async = f'{1}'\n" + PLAIN}, 3.5, 3.5),
}


@pytest.fixture
def imported(compiler, tmp_path, monkeypatch):
    """Returns a function that writes files and imports main.py as the program,
    and gives its module and lib's.
    """
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(ownership, "_files", ownership.Files((), str(tmp_path)))
    program_version._read.cache_clear()

    def load(texts):
        for name, text in texts.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        found = []
        for name in ("main", "lib"):
            compile_file = compiler.main if name == "main" else compiler
            path = str(tmp_path / f"{name}.py")
            found.append({"__name__": name, "__file__": path})
            text = (tmp_path / f"{name}.py").read_bytes().replace(b"import lib\n", b"")
            exec(compile_file(text, path), found[-1])
        return found

    return load


@pytest.mark.parametrize("texts, in_main, in_lib", DECISIONS.values(), ids=DECISIONS)
def test_the_program_decides(imported, texts, in_main, in_lib):
    main, lib = imported(texts)
    assert (main["half"], lib["half"]) == (in_main, in_lib)


def test_own_modules_with_names_of_the_standard_library(imported):
    """In Python 2 its own had another name, such as Queue."""
    texts = {
        "main.py": "import queue\nfrom enum import kind\nhalf = 7 / queue.two\nprint half, kind\n",
        "lib.py": "import queue as q\nhalf = 7 / q.two\n",
        "queue.py": "two = 2\n",
        "enum.py": "kind = 1\n",
    }
    main, lib = imported(texts)
    assert (main["half"], lib["half"], main["kind"]) == (3, 3, 1)
    assert hasattr(importlib.import_module("queue"), "Queue")


@pytest.mark.parametrize("line, value", [("from __future__ import annotations", 3.5), ("", 3)])
def test_a_library_of_python_3_in_a_program_of_python_2(
    compiler, tmp_path, monkeypatch, line, value
):
    monkeypatch.setattr(ownership, "_files", ownership.Files(["library"], str(tmp_path / "here")))
    library = tmp_path / "site-packages" / "library"
    library.mkdir(parents=True)
    (library / "__init__.py").write_text(line)
    (library / "code.py").write_text("half = 7 / 2\n")
    compiler.main("print 'main'\n", "main.py")
    names = _executed(compiler, "half = 7 / 2\n", str(library / "code.py"))
    assert names["half"] == value


def test_a_library_that_imports_its_neighbours(imported, tmp_path, monkeypatch):
    """Nothing but these imports shows that it is Python 2."""
    library = tmp_path / "site-packages" / "library"
    library.mkdir(parents=True)
    (library / "__init__.py").write_text("")
    (library / "beside.py").write_text("two = 2\n")
    file = library / "code.py"
    file.write_text("import beside\nhalf = 7 / beside.two\n")
    assert "beside" in program_version.mark_of_file(str(file))
    only_called = library / "release.py"  # as in networkx 2.2, whose setup.py calls it
    only_called.write_text("def version():\n    import beside\n")
    assert program_version.mark_of_file(str(only_called)) is None
    monkeypatch.syspath_prepend(str(library))
    program_version._read.cache_clear()
    assert program_version.mark_of_file(str(file)) is None


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


PRINTS = """
print("%d of %d") % (1, 2)
print("{} is read").format("model")
print("a", "b")
print("a"), "b"
print("a"),
print("same line")
print ()
print (1, 2)[0]
print(3) + 4
print(u"plain")
"""
PRINTED = """1 of 2
model is read
('a', 'b')
a b
a same line
()
1
7
plain
"""


def test_print_of_a_module_that_python_3_can_parse_is_a_statement(compiler, capsys):
    """Python 2.7 printed these lines."""
    exec(compiler.main("print 'main'\n", "main.py"), {})
    capsys.readouterr()
    _executed(compiler, PRINTS)
    assert capsys.readouterr().out == PRINTED
    _executed(compiler, "from __future__ import print_function\nprint('a', 1)\n", "new.py")
    _executed(compiler, "print('a', 1, sep='-')\n", "new.py")
    assert capsys.readouterr().out == "a 1\na-1\n"


@pytest.mark.parametrize("options", ["", ", allow_pickle=True", ", None, True"])
def test_numpy_reads_pickles_of_python_2(compiler, tmp_path, options):
    """In Python 2, a string of an array is bytes:
    0xE9 has no place in ASCII, which Python 3 takes for them.
    """
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


def test_a_module_is_changed_before_it_gets_the_meaning_of_python_2(compiler):
    """pytest rewrites assertions so."""
    added = ast.parse("y = x / 2").body
    code = compiler("x = 3\nprint 'read'\n", "lines.py", lambda tree: tree.body.extend(added))
    names = {"__name__": "module"}
    exec(code, names)
    assert names["y"] == 1


def test_invalid_syntax_is_refused_as_by_python_3(compiler):
    for text in ("for i in range(3)\n    print(i)\n", "print 'a'\nx = = 1\n"):
        with pytest.raises(SyntaxError) as error:
            compiler(text, "wrong.py")
        with pytest.raises(SyntaxError) as expected:
            compile(text, "wrong.py", "exec")
        assert (error.value.msg, error.value.lineno) == (expected.value.msg, expected.value.lineno)


@pytest.mark.parametrize("first", ["x = 1", "# 1"])
def test_bytes_that_are_not_utf_8_are_named_with_the_remedy(compiler, first):
    with pytest.raises(SyntaxError, match="byte 0xe9 is not utf-8. Write its encoding") as raised:
        compiler.main(first.encode() + b"\ny = '\xe9'\n", "module.py")
    assert raised.value.lineno == 2
    with pytest.raises(SyntaxError, match="it is no text, but a picture, a model"):
        compiler.main(first.encode() + b"\n\x89\xd2\x05\n", "module.py")


def test_tensors_divide_as_in_python_2(graph, compiler):
    names = _executed(
        python2.Compiler(dropped_names.compile_module, 2), "def half(x):\n    return x / 2, 2 / x\n"
    )
    with tf.Session() as session:
        whole = session.run(names["half"](tf.constant(7)))
        real = session.run(names["half"](tf.constant(8.0)))
    assert whole == (3, 0) and whole[0].dtype == np.int32 and real == (4.0, 0.25)


def test_a_binary_file_takes_text(compiler, tmp_path):
    """Programs open tables and text as "wb", which Python 2 left as they are on each system."""
    text = """
        import csv
        file = open(path, "wb")
        print >>file, 1
        file.write(u"a")
        csv.writer(file).writerow([2, "b"])
        file.writelines(["c", b"\\xff"])
        file.close()
        file = open(path, "r+b")
        file.write("3")
        file.close()
        file = open(path, "ab")
        file.write("d")
        file.close()
    """
    path = tmp_path / "table.csv"
    _executed(compiler, f"path = {str(path)!r}\n" + textwrap.dedent(text))
    assert path.read_bytes() == b"3\na2,b\r\nc\xffd"


def test_files_of_other_modules_take_text(compiler, tmp_path):
    """They are binary by default, or have no other form:
    temporary and compressed files, descriptors and pipes.
    """
    text = """
        import gzip, io, os, subprocess, sys, tempfile
        print >>sys.stderr, "python 2"
        def filled(file):
            file.write("a")
            file.write(u"\u00e9")
            file.write(b"b")
            file.writelines(line for line in ["c", b"d"])
            return file
        def content(file):
            file.seek(0)
            return file.read()
        found = [
            content(filled(tempfile.TemporaryFile())),
            content(filled(tempfile.NamedTemporaryFile())),
            content(filled(tempfile.SpooledTemporaryFile())),
            content(filled(tempfile.SpooledTemporaryFile(2))),
            content(filled(io.BytesIO())),
        ]
        filled(os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY), "wb")).close()
        found.append(open(path, "rb").read())
        filled(gzip.open(path, "wb")).close()
        found.append(gzip.open(path).read())
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read())"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, PYTHONUTF8="1"),
        )
        filled(child.stdin).close()
        found.append(child.stdout.read())
        in_text = tempfile.TemporaryFile("w+")
        in_text.write("plain")
        found_text = content(in_text)
    """
    names = _executed(compiler, f"path = {str(tmp_path / 'file')!r}\n" + textwrap.dedent(text))
    assert names["found"] == ["a\u00e9bcd".encode()] * 8 and names["found_text"] == "plain"


def test_functions_that_are_given_a_file_write_text(compiler, tmp_path):
    """The expected values are Python 2.7's."""
    text = """
        import bz2, csv, gzip, json, os, subprocess, sys, tempfile
        from csv import writer
        def content(file):
            file.seek(0)
            return file.read()
        temporary = tempfile.TemporaryFile()
        print >>temporary, "x", 1
        writer(temporary).writerow([1, "b"])
        json.dump({"a": 1}, temporary)
        found = [content(temporary)]
        file = open(path, "wb", 0)
        print >>file, "x", u"\u00e9".encode("utf-8")
        file.close()
        file = open(path, "a")
        print >>file, u"\u00e9".encode("utf-8"),
        file.write("a".encode("utf-8"))
        file.writelines(["b".encode("utf-8"), "c"])
        file.close()
        found.append(open(path, "rb").read())
        for opened in (gzip.open, bz2.BZ2File):
            file = opened(path, "wb")
            rows = csv.DictWriter(file, ["a", "b"], delimiter=b";")
            rows.writeheader()
            rows.writerow({"a": 1, "b": u"\u00e9".encode("utf-8")})
            print >>file, "2;3"
            file.close()
            found.append([row["b"] for row in csv.DictReader(opened(path), delimiter=b";")])
        open(path, "wb").write("1,2\\n3,4\\n")
        found.append(list(csv.reader(open(path, "rb"))) + list(csv.reader(["a,b"])))
        found.append([line.strip().split(",") for line in open(path, "rb")])
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        echo = [sys.executable, "-S", "-c", "import sys; sys.stdout.write(sys.stdin.read())"]
        child = subprocess.Popen(echo, **pipes)
        print >>child.stdin, "x"
        found.append(child.communicate("y")[0].split("\\n"))
        found.append(subprocess.Popen(echo, **pipes).communicate(input="a b")[0].split(" "))
        found.append(subprocess.Popen(echo, universal_newlines=True, **pipes).communicate("a")[0])
    """
    names = _executed(compiler, f"path = {str(tmp_path / 'file')!r}\n" + textwrap.dedent(text))
    assert names["found"] == [
        b'x 1\n1,b\r\n{"a": 1}',
        "x \xe9\n\xe9 abc".encode(),
        ["\xe9", "3"],
        ["\xe9", "3"],
        [["1", "2"], ["3", "4"], ["a", "b"]],
        [["1", "2"], ["3", "4"]],
        ["x", "y"],
        ["a", "b"],
        "a",
    ]


def test_bytes_are_printed_as_text(compiler, capsys):
    _executed(compiler, "print 'a'.encode('utf-8'), 1, [b'c']\n")
    assert capsys.readouterr().out == "a 1 [b'c']\n"


def test_a_module_named_csv_of_the_program_is_its_own(compiler, tmp_path, monkeypatch):
    (tmp_path / "csv.py").write_text("def reader():\n    return 'own'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "csv")
    text = "import csv\nfrom csv import reader\nprint 'python 2'\nfound = csv.reader(), reader()\n"
    names = _executed(compiler, text, str(tmp_path / "main.py"))
    assert names["found"] == ("own", "own")


def test_a_file_that_refuses_more_than_text_says_so(compiler):
    with pytest.raises(TypeError, match="bytes-like|buffer"):
        _executed(compiler, "import io\nprint 'python 2'\nio.BytesIO().write(1)\n")


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
        print string.join(["a", "b"]), string.join(["c", "d"], "-")
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
        "a b c-d",
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
