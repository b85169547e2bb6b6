"""Holds facts on packages beside TensorFlow, and reads requirements: the packages and the
TensorFlow that one needs.
"""

from __future__ import annotations

import functools
import re
import sys
from typing import Iterable, NamedTuple

from tf1grad.programs import _compat


class IndexPackage(NamedTuple):
    """Describes a package of the index: pip's name, the module that programs import,
    options of pip that it needs.
    """

    name: str
    module: str
    options: tuple[str, ...] = ()

    def command(self) -> str:
        """Returns the command that installs it."""
        return " ".join(["pip install", *self.options, self.name])


# pip's name -> the module, where that is another one or the package needs options
_MODULES = {
    "attrs": "attr",
    "apache-beam": "apache_beam",
    "beautifulsoup4": "bs4",
    "biopython": "Bio",
    "gitpython": "git",
    "gputil": "GPUtil",
    "google-api-python-client": "googleapiclient",
    "opencv-python": "cv2",
    "pillow": "PIL",
    "pycryptodome": "Crypto",
    "python-dateutil": "dateutil",
    "python-Levenshtein": "Levenshtein",
    "python-dotenv": "dotenv",
    "pyopengl": "OpenGL",
    "pyyaml": "yaml",
    "pyzmq": "zmq",
    "scikit-image": "skimage",
    "scikit-learn": "sklearn",
    "scikit-optimize": "skopt",
    "simpleitk": "SimpleITK",
    "ffmpeg-python": "ffmpeg",
}
# The other way round, for names that are no package's own.
OF_MODULES = {**{module: name for name, module in _MODULES.items()}, "mpl_toolkits": "matplotlib"}
# With its dependencies tf_keras installs the full tensorflow, even where tensorflow-cpu is
# installed.
_OPTIONS = {"tf_keras": ("--no-deps",)}


def package_of(name: str) -> IndexPackage:
    """Returns the `IndexPackage` that pip knows by a name,
    or that brings the module of this name.
    """
    name = OF_MODULES.get(name, name)
    return IndexPackage(name, _MODULES.get(name, name.replace("-", "_")), _OPTIONS.get(name, ()))


def pinned(name: str, version: tuple[int, int] | None) -> str:
    """Returns the requirement of a package beside a (major,
    minor) of TensorFlow, if that is known.
    """
    if name != "tf_keras" or version is None or version < _compat.WITH_KERAS_3:
        return name
    return f"{name}=={version[0]}.{version[1]}.*"


def is_left_out(name: str) -> bool:
    """Says whether a package is never brought:
    TensorFlow and what it needs, what came into Python, test runners.
    """
    key = normalized(name)
    return key in _IN_PYTHON or key in _MODULES_OF_PYTHON or bool(_NOT_INSTALLED_BY_US.match(key))


# What `tf1grad run` brings itself, where TensorFlow 2 is installed.
IN_LAYER = frozenset({"astor", "keras", "keras-applications", "keras-preprocessing"})
# Packages that bring modules of Python 3 to Python 2; some of them break Python 3.
_IN_PYTHON = frozenset(
    {
        "backports-shutil-get-terminal-size",
        "backports-weakref",
        "enum34",
        "funcsigs",
        "functools32",
        "futures",
        "subprocess32",
        "unittest2",
    }
)
# Packages with these names are older copies, or do not exist: setup.py names what a library
# imports. Python 3.10 is the first that tells them.
_MODULES_OF_PYTHON: frozenset[str] = getattr(sys, "stdlib_module_names", frozenset())
_NOT_INSTALLED_BY_US = re.compile(
    r"(tensorflow|tf-nightly|tensorflow-(c|g)pu|tensorflow-estimator|gast|numpy|protobuf|"
    r"python|pip|setuptools|wheel|cudatoolkit|cudnn|"
    # notebooks are executed by the installed IPython, or by the layer's
    r"ipython|ipykernel|"
    # tools of developers, which libraries declare by mistake
    r"(pytest|flake8|sphinx|nose|coverage|pylint|mypy|tox|twine)(-.*)?)$"
)
# The first release for TensorFlow 2 of packages that show nowhere that they need it.
_FIRST_FOR_2 = {"foolbox": "3", "keras-rl2": "0", "opennmt-tf": "2"}
# Modules that TensorFlow itself imports, or that are made for the installed one.
FOR_INSTALLED = frozenset(
    {
        "absl",
        "astunparse",
        "certifi",
        "charset_normalizer",
        "flatbuffers",
        "gast",
        "google",
        "grpc",
        "h5py",
        "idna",
        "libclang",
        "markdown",
        "markupsafe",
        "ml_dtypes",
        "namex",
        "numpy",
        "opt_einsum",
        "optree",
        "packaging",
        "pasta",
        "pip",
        "pkg_resources",
        "protobuf",
        "requests",
        "rich",
        "scipy",
        "setuptools",
        "six",
        "tensorboard",
        "tensorflow",
        "tensorflow_estimator",
        "termcolor",
        "tf1grad",
        "tf_keras",
        "typing_extensions",
        "urllib3",
        "werkzeug",
        "wheel",
        "wrapt",
    }
)
TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tf-nightly")
_ONLY_FOR_2 = ("tf-keras", "keras-core", "keras-hub", "tensorflow-macos")
_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^]]*\])?\s*\(?\s*([=<>!~][^;#()]*?)?\s*\)?\s*(?:@\s[^;#]*)?"
    r"(?:;([^#]*))?(?:#.*)?$"
)
_BOUND = re.compile(r"(<=|<|===?|~=|>=|>|!=)\s*(\d+)(?:\.(\d+))?")
_LEAST_PYTHON = re.compile(r"^Requires-Python:.*(?:>=?|==|~=)\s*3\.(\d+)", re.M)
_NAMED_PYTHON = re.compile(r"^Classifier: Programming Language :: Python :: 3\.(\d+)", re.M)
_REQUIRED = re.compile(r"^Requires-Dist: *(.*)", re.M)


def shows_version_2(name: str, version: str, headers: str) -> bool | None:
    """Says whether metadata show that a package is written for TensorFlow 2;
    None where they show nothing.

    They do if (1) it needs Python 3.8, on which TensorFlow 1 does not run, or names Python 3.10, or
    (2) it requires TensorFlow 2 or Keras 3. A requirement such as `tensorflow<2` shows the
    contrary.
    """
    least = max(map(int, _LEAST_PYTHON.findall(headers)), default=0)
    if least >= 8 or newest_python(headers) >= 10:
        return True
    return requires_version_2(name, version, headers)


def requires_version_2(name: str, version: str, headers: str) -> bool | None:
    """Says whether metadata require TensorFlow 2 or Keras 3; None where they do not say.

    The releases that are known to need it, and do not say so, count too.
    """
    first = _FIRST_FOR_2.get(normalized(name))
    if first is not None and numbers(version) >= numbers(first):
        return True
    required = requirements(headers)
    needs_keras_3 = any(
        sign in (">", ">=") and int(major) >= 3 for sign, major, _ in _bounds(required, "keras")
    )
    is_only_for_2 = needs_keras_3 or any(normalized(each.name) in _ONLY_FOR_2 for each in required)
    return True if is_only_for_2 else admits_version_2(required)


class Requirement(NamedTuple):
    """Describes a line of requirements: a package, the bounds on its version,
    and the condition after a semicolon.
    """

    name: str
    bounds: str  # as written, such as ">=1.14,<2", or ""
    condition: str


def read(lines: Iterable[str]) -> list[Requirement]:
    """Returns the requirements in lines of requirements.txt or of metadata;
    options and addresses are left out.
    """
    matches = map(_REQUIREMENT.match, lines)
    return [
        Requirement(match.group(1), match.group(2) or "", match.group(3) or "")
        for match in matches
        if match
    ]


def requirements(headers: str) -> list[Requirement]:
    """Returns what the metadata of a package require."""
    return read(_REQUIRED.findall(headers))


def _bounds(required: Iterable[Requirement], *names: str) -> list[tuple[str, str, str]]:
    """Returns the bounds on packages, each (sign, major number, minor number or "")."""
    return [
        bound
        for each in required
        if normalized(each.name) in names
        for bound in _BOUND.findall(each.bounds)
    ]


def newest_python(headers: str) -> int:
    """Returns the newest Python 3 that the metadata of a package name, such as 7 for 3.7;
    0 where they name none.
    """
    return max(map(int, _NAMED_PYTHON.findall(headers)), default=0)


@functools.lru_cache(maxsize=None)  # a plan of hundreds of packages asks a million times
def normalized(name: str) -> str:
    """Returns the name of a package as pip compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def numbers(version: str) -> list[int]:
    """Returns the first three numbers of a version, by which releases are compared."""
    return [int(number) for number in re.findall(r"\d+", version)[:3]]


def admits_version_2(required: Iterable[Requirement]) -> bool | None:
    """Says whether requirements such as `tensorflow (<2,>=1.14)` admit a TensorFlow 2;
    None where they do not say.
    """
    bounds = _bounds(required, *TENSORFLOW)
    if any(_excludes_2(*bound) for bound in bounds):
        return False
    return True if any(_is_of_2(*bound) for bound in bounds) else None


def _is_of_2(sign: str, major: str, minor: str) -> bool:
    """Says whether a bound excludes TensorFlow 1, or is above 2.4,
    which is older than the last TensorFlow 1.
    """
    if sign in ("<", "<="):
        return (int(major), int(minor or 0)) > (2, 4)
    return sign in (">=", ">", "==", "~=") and int(major) >= 2


def _excludes_2(sign: str, major: str, minor: str) -> bool:
    number = int(major), int(minor or 0)
    if number < (2, 0):
        return sign in ("<", "<=", "==", "===", "~=")
    return sign == "<" and number == (2, 0)
