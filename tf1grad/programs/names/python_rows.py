"""Holds the rows of Python itself: the standard library, and what only Python 2 had."""

from tf1grad.programs import _systems
from tf1grad.programs.names.rows import NOT, Row, method, moved, moved_together, served

_ABSTRACT = (
    "Awaitable",
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterator",
    "ByteString",
    "Callable",
    "Collection",
    "Container",
    "Coroutine",
    "Generator",
    "Hashable",
    "ItemsView",
    "Iterable",
    "Iterator",
    "KeysView",
    "Mapping",
    "MappingView",
    "MutableMapping",
    "MutableSequence",
    "MutableSet",
    "Reversible",
    "Sequence",
    "Set",
    "Sized",
    "ValuesView",
)
_OURS = "dropped_names.lost_functions:"
_ASSERTIONS = {
    "assertEquals": "assertEqual",
    "assertNotEquals": "assertNotEqual",
    "assertAlmostEquals": "assertAlmostEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual",
    "assertRegexpMatches": "assertRegex",
    "assertNotRegexpMatches": "assertNotRegex",
    "assertRaisesRegexp": "assertRaisesRegex",
    "assert_": "assertTrue",
    "failUnless": "assertTrue",
    "failIf": "assertFalse",
    "failUnlessEqual": "assertEqual",
    "failIfEqual": "assertNotEqual",
    "failUnlessAlmostEqual": "assertAlmostEqual",
    "failIfAlmostEqual": "assertNotAlmostEqual",
    "failUnlessRaises": "assertRaises",
}

_STANDARD_LIBRARY = (
    *moved(
        "time",
        "Python 3.8",
        {"clock": _systems.CLOCK},
    ),
    *moved_together("collections", "Python 3.10", "collections.abc", _ABSTRACT),
    served(
        "inspect.getargspec", "Python 3.11", _OURS + "getargspec", "Use inspect.getfullargspec."
    ),
    served(
        "inspect.formatargspec",
        "Python 3.11",
        _OURS + "formatargspec",
        "Use str(inspect.signature(function)).",
    ),
    served("inspect.ArgSpec", "Python 3.11", _OURS + "ArgSpec", "Use inspect.FullArgSpec."),
    *moved("fractions", "Python 3.9", {"gcd": "math.gcd"}),
    *moved("asyncio", "Python 3.11", {"coroutine": "types.coroutine"}),
    *moved(
        "base64",
        "Python 3.9",
        {"encodestring": "base64.encodebytes", "decodestring": "base64.decodebytes"},
    ),
    *moved("os", "Python 3.7", {"errno": "errno"}),
    *moved(
        "xml.etree", "deprecated in Python 3.3", {"cElementTree": "xml.etree.ElementTree"}, "module"
    ),
    Row(
        "imp",
        "module",
        None,
        "Python 3.12",
        "dropped_names.imp_module",
        NOT + "importlib has other functions",
        "Use importlib.",
    ),
    method("threading.Thread.isAlive", "is_alive", "Python 3.9", 0),
    served(
        "unittest.makeSuite",
        "Python 3.13",
        _OURS + "makeSuite",
        "Use unittest.defaultTestLoader.loadTestsFromTestCase.",
    ),
    *(method(f"unittest.TestCase.{old}", new, "Python 3.12") for old, new in _ASSERTIONS.items()),
    method("array.array.tostring", "tobytes", "Python 3.9", run="numpy array methods"),
    method("array.array.fromstring", "frombytes", "Python 3.9", run="numpy array methods"),
)

_PYTHON_2_MODULES = {
    "Queue": "queue",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
    "StringIO": "io",
    "cStringIO": "io",
    "ConfigParser": "configparser",
    "HTMLParser": "html.parser",
    "httplib": "http.client",
    "cookielib": "http.cookiejar",
    "BaseHTTPServer": "http.server",
    "SocketServer": "socketserver",
    "xmlrpclib": "xmlrpc.client",
    "Tkinter": "tkinter",
    "commands": "subprocess",
    "thread": "_thread",
    "copy_reg": "copyreg",
    "__builtin__": "builtins",
    "Cookie": "http.cookies",
}
_TYPES = {
    "StringType": "str",
    "UnicodeType": "str",
    "ListType": "list",
    "TupleType": "tuple",
    "DictType": "dict",
    "IntType": "int",
    "LongType": "int",
    "FloatType": "float",
    "BooleanType": "bool",
}

_PYTHON_2 = (
    *moved("", "Python 3.0", _PYTHON_2_MODULES, "module"),
    Row(
        "cPickle",
        "module",
        "pickle",
        "Python 3.0",
        "dropped_names.python2_pickles",
        "rename",
        "Use pickle.",
    ),
    *moved(
        "itertools",
        "Python 3.0",
        {
            "izip": "zip",
            "imap": "map",
            "ifilter": "filter",
            "izip_longest": "itertools.zip_longest",
            "ifilterfalse": "itertools.filterfalse",
        },
    ),
    *(
        served(
            f"string.{name}", "Python 3.0", f"{_OURS}string_{name}", f"Use the method str.{name}."
        )
        for name in ("join", "split", "replace", "strip", "upper", "lower")
    ),
    *moved(
        "string",
        "Python 3.0",
        {
            "letters": "string.ascii_letters",
            "lowercase": "string.ascii_lowercase",
            "uppercase": "string.ascii_uppercase",
        },
    ),
    served("string.maketrans", "Python 3.0", _OURS + "maketrans", "Use str.maketrans."),
    *moved("sys", "Python 3.0", {"maxint": "sys.maxsize"}),
    served(
        "sys.setdefaultencoding",
        "Python 3.0",
        _OURS + "setdefaultencoding",
        "Remove it: text is Unicode in Python 3.",
    ),
    *moved("types", "Python 3.0", _TYPES),
    *moved_together(
        "urllib", "Python 3.0", "urllib.request", ("urlopen", "urlretrieve", "URLopener")
    ),
    *moved_together(
        "urllib",
        "Python 3.0",
        "urllib.parse",
        ("urlencode", "quote", "quote_plus", "unquote", "unquote_plus"),
    ),
    *moved("os", "Python 3.0", {"getcwdu": "os.getcwd"}),
    *moved(
        "",
        "Python 3.0",
        {
            "unicode": "str",
            "xrange": "range",
            "raw_input": "input",
            "basestring": "str",
            "unichr": "chr",
            "long": "int",
            "reduce": "functools.reduce",
            "file": "open",
            "buffer": "memoryview",
            "StandardError": "Exception",
        },
        "builtin",
    ),
    Row(
        "cmp",
        "builtin",
        None,
        "Python 3.0",
        "python2.Compiler",
        NOT + "its arguments would be computed twice",
        "Use (x > y) - (x < y).",
    ),
    Row(
        "execfile",
        "builtin",
        None,
        "Python 3.0",
        "python2.Compiler",
        NOT + "fissix rewrites it with the whole file, which is Python 2",
        "Use exec(open(name).read()).",
    ),
    *(
        method("dict." + old, new, "Python 3.0", 0, run="python2.meaning")
        for old, new in (("iteritems", "items"), ("itervalues", "values"), ("iterkeys", "keys"))
    ),
    method(
        "dict.has_key",
        None,
        "Python 3.0",
        1,
        run="python2.meaning",
        upgrade="rewrite",
        remedy="Use `key in d`.",
    ),
)
ROWS = _STANDARD_LIBRARY + _PYTHON_2

# The rows that alone tell that a file is Python 2. Programs for both versions often have the
# others, behind a guard.
MARKS = frozenset(
    {
        "xrange",
        "raw_input",
        "dict.has_key",
        "cPickle",
        "Queue",
        "urllib2",
        "StringIO",
        "cStringIO",
        "ConfigParser",
        "urlparse",
        "HTMLParser",
        "httplib",
        "Tkinter",
        "commands",
        "__builtin__",
    }
)
# Those that tell it of a file without any sign of Python 3: a program that was ported may have left
# one where it never runs, and to take it for Python 2 would change its divisions.
WEAK_MARKS = frozenset(
    {
        "unicode",
        "reduce",
        "basestring",
        "unichr",
        "long",
        "execfile",
        "dict.iteritems",
        "dict.itervalues",
        "dict.iterkeys",
    }
)
# Modules of Python 3 alone.
PYTHON_3_MODULES = frozenset(set(_PYTHON_2_MODULES.values()) - {"io", "subprocess"})
# Methods of classes that Python 3 calls by another name.
RENAMED_METHODS = {
    "__nonzero__": "__bool__",
    "next": "__next__",
    "__div__": "__truediv__",
    "__rdiv__": "__rtruediv__",
    "__idiv__": "__itruediv__",
}
