"""Names that went from Python and from libraries beside TensorFlow: what `run` serves, and what to write instead.

The names are those of `tf1grad.old_programs.era`, and those of Python 2's modules.
"""

import functools
from typing import Dict, NamedTuple, Optional, Tuple

from tf1grad.old_programs.era import served_attributes, served_modules


class Row(NamedTuple):
    """What to write for a name.

    old: the name that is gone.
    new: the dotted name of the same thing today, None where nothing is the same.
    remedy: a sentence.
    call: what stands before and after the arguments where a call becomes another expression, else None.
    """

    old: str
    new: Optional[str]
    remedy: str
    call: Optional[Tuple[str, str]]


_TITLES = {"numpy": "NumPy", "scipy": "SciPy", "matplotlib": "Matplotlib", "pandas": "pandas", "PIL": "Pillow",
           "sklearn": "scikit-learn", "pyDOE": "pyDOE"}
BACK = ("numpy.bool", "numpy.long")  # gone from NumPy 1.24 to 1.26, and back in 2.0

_PYTHON_2 = {
    "ConfigParser": "configparser", "Cookie": "http.cookies", "HTMLParser": "html.parser", "Queue": "queue",
    "SocketServer": "socketserver", "StringIO": "io", "Tkinter": "tkinter", "__builtin__": "builtins",
    "BaseHTTPServer": "http.server", "xmlrpclib": "xmlrpc.client", "commands": "subprocess", "thread": "_thread",
    "cPickle": "pickle", "cStringIO": "io", "cookielib": "http.cookiejar", "copy_reg": "copyreg",
    "httplib": "http.client", "urllib2": "urllib.request", "urlparse": "urllib.parse",
    "itertools.ifilter": "filter", "itertools.imap": "map", "itertools.izip": "zip",
    "itertools.izip_longest": "itertools.zip_longest", "os.getcwdu": "os.getcwd",
    "string.letters": "string.ascii_letters", "string.lowercase": "string.ascii_lowercase",
    "string.uppercase": "string.ascii_uppercase", "sys.maxint": "sys.maxsize",
}
_PYTHON_2.update({"urllib." + name: "urllib.request." + name for name in ("urlopen", "urlretrieve")})
_PYTHON_2.update({"urllib." + name: "urllib.parse." + name for name in (
    "quote", "quote_plus", "unquote", "unquote_plus", "urlencode")})
_LABELS = {"sklearn.cross_validation." + old: "sklearn.model_selection." + new for old, new in (
    ("LabelKFold", "GroupKFold"), ("LabelShuffleSplit", "GroupShuffleSplit"), ("LeaveOneLabelOut", "LeaveOneGroupOut"),
    ("LeavePLabelOut", "LeavePGroupsOut"))}
# `{0}` is the name by which the program knows the module.
_CALLS = {
    "numpy.asscalar": ("{0}.asarray(", ").item()"),
    "numpy.msort": ("{0}.sort(", ", axis=0)"),
    "numpy.asfarray": ("{0}.asarray(", ", dtype=float)"),
    "numpy.in1d": ("{0}.ravel({0}.isin(", "))"),
}
_ADVICE = {
    "numpy.asscalar": "Use array.item().",
    "numpy.NINF": "Use -numpy.inf.",
    "numpy.random.random_integers": "Use numpy.random.randint, whose upper end is excluded.",
    "scipy.misc.imread": "Use imageio.imread, or PIL.Image.open.",
    "scipy.misc.imsave": "Use imageio.imwrite, or PIL.Image.Image.save.",
    "scipy.misc.imresize": "Use PIL.Image.Image.resize.",
    "scipy.misc.imrotate": "Use PIL.Image.Image.rotate.",
    "scipy.misc.imshow": "Use PIL.Image.Image.show.",
    "scipy.misc.toimage": "Use PIL.Image.fromarray.",
    "scipy.misc.fromimage": "Use numpy.asarray of the image.",
    "scipy.misc": "Use scipy.special for its functions of numbers, and Pillow or imageio for its images.",
    "scipy.ndimage.imread": "Use imageio.imread, or PIL.Image.open.",
    "imp": "Use importlib.",
}


def find(name: str) -> Optional[Row]:
    """The `Row` of a dotted name, or of the longest part of it that has one, with the rest of the name put to both."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        row = _rows().get(".".join(parts[:length]))
        if row is not None:
            rest = "".join("." + part for part in parts[length:])
            return row._replace(new=row.new and row.new + rest)
    return None


def package(name: str) -> str:
    """Who had a name, as a title."""
    return _TITLES.get(name.split(".")[0], "Python")


def is_python_2(name: str) -> bool:
    """True for what only Python 2 had."""
    return any((name + ".").startswith(old + ".") for old in _PYTHON_2)


@functools.lru_cache(maxsize=None)
def _rows() -> Dict[str, Row]:
    rows = {old: _row(old, new) for old, new in dict(_PYTHON_2, **_LABELS).items()}
    for module, names in served_attributes.ATTRIBUTES.items():
        for name, target in names.items():
            old = f"{module}.{name}"
            rows[old] = _row(old, _dotted(target), target)
    for old, targets in served_modules.MODULES.items():
        rows[old] = _row(old, next((target for target in targets if not target.startswith("era:")), None))
    return {old: row for old, row in rows.items() if row.new != old}


def _dotted(target: str) -> Optional[str]:
    """The dotted name that an era target means; None for what is written anew there."""
    module, _, name = target.partition(":")
    if module in ("lost_functions", "scipy_images"):
        return None
    return name if module == "builtins" else ".".join(filter(None, [module, name]))


def _row(old: str, new: Optional[str], target: Optional[str] = None) -> Row:
    remedy = _ADVICE.get(old) or (f"Use {new}." if new else _said(target))
    return Row(old, new, remedy, _CALLS.get(old))


def _said(target: Optional[str]) -> str:
    """What `run` says of a name that it serves, as a remedy."""
    effect = served_attributes.effect_of(target) if target else ""
    for start in ("here it is ", "here "):
        if effect.startswith(start):
            return f"Use {effect[len(start):]}."
    return effect[:1].upper() + effect[1:] + "." if effect else "`tf1grad run` provides what it can."
