"""Holds facts on packages beside TensorFlow: options of pip, the module that each brings, and the TensorFlow it needs.
"""

import re
from typing import List, NamedTuple, Optional, Tuple


class Package(NamedTuple):
    """Describes a package of the index: pip's name, the module that programs import, options of pip that it needs."""

    name: str
    module: str
    options: Tuple[str, ...] = ()

    def command(self) -> str:
        """Returns the command that installs it."""
        return " ".join(["pip install", *self.options, self.name])


_PACKAGES = {package.name: package for package in (
    Package("attrs", "attr"),
    Package("apache-beam", "apache_beam"),
    Package("beautifulsoup4", "bs4"),
    Package("biopython", "Bio"),
    Package("gitpython", "git"),
    Package("gputil", "GPUtil"),
    Package("google-api-python-client", "googleapiclient"),
    Package("opencv-python", "cv2"),
    Package("pillow", "PIL"),
    Package("pycryptodome", "Crypto"),
    Package("python-dateutil", "dateutil"),
    Package("python-Levenshtein", "Levenshtein"),
    Package("python-dotenv", "dotenv"),
    Package("pyopengl", "OpenGL"),
    Package("pyyaml", "yaml"),
    Package("pyzmq", "zmq"),
    Package("scikit-image", "skimage"),
    Package("scikit-learn", "sklearn"),
    Package("scikit-optimize", "skopt"),
    Package("simpleitk", "SimpleITK"),
    Package("ffmpeg-python", "ffmpeg"),
    # With its dependencies it installs the full tensorflow, even where tensorflow-cpu is installed.
    Package("tf_keras", "tf_keras", ("--no-deps",)),
)}

_SECOND_MODULES = {"mpl_toolkits": "matplotlib"}  # a module that its package brings beside the one of its name


def package_of_module(module: str) -> Package:
    """Returns the `Package` that brings a module; most of them have the same name."""
    name = _SECOND_MODULES.get(module, module)
    return next((package for package in _PACKAGES.values() if package.module == name), Package(name, name))


def package_of_requirement(name: str) -> Package:
    """Returns the `Package` to install for a name of the index, or a module such as "sklearn", in requirements."""
    return next((package for package in _PACKAGES.values() if package.module == name), None) or package_of(name)


def is_left_out(name: str) -> bool:
    """Says whether a package is never installed: TensorFlow and what it needs, and what came into Python."""
    key = normalized(name)
    return key in _IN_PYTHON or bool(_NOT_INSTALLED_BY_US.match(key))


def is_of_today(name: str) -> bool:
    """Says whether a package is known to be no library for TensorFlow, so that no index is asked about it."""
    key = normalized(name)
    return key in _OF_TODAY or key in map(normalized, _PACKAGES)


def package_of(name: str) -> Package:
    """Returns the `Package` of a name; most of them have a module of the same name."""
    return _PACKAGES.get(name) or Package(name, name.replace("-", "_"))


# Packages that bring modules of Python 3 to Python 2; some of them break Python 3.
_IN_PYTHON = frozenset(
    "argparse asyncio backports-shutil-get-terminal-size backports-weakref dataclasses enum34 funcsigs functools32 "
    "futures pathlib subprocess32 typing unittest2".split())
_NOT_INSTALLED_BY_US = re.compile(r"(tensorflow|tf-nightly|tensorflow-(c|g)pu|tensorflow-estimator|gast|numpy|protobuf|"
                                  r"python|pip|setuptools|wheel|cudatoolkit|cudnn)$")
_OF_TODAY = frozenset(
    "absl-py bleach boto3 click cloudpickle cython decorator flask future gensim graphviz h5py imageio jieba joblib "
    "jupyter lxml matplotlib networkx nltk notebook numba pandas plotly psutil pydot pytest regex requests scipy "
    "seaborn six spacy statsmodels sympy tensorboard termcolor torch torchvision tqdm werkzeug".split())
# The first release for TensorFlow 2 of packages that show nowhere that they need it.
_FIRST_FOR_2 = {"foolbox": "3", "keras-rl2": "0"}
# Modules that TensorFlow itself imports, or that are made for the installed one.
FOR_INSTALLED = frozenset(
    "absl astunparse certifi charset_normalizer flatbuffers gast google grpc h5py idna libclang markdown markupsafe "
    "ml_dtypes namex numpy opt_einsum optree packaging pasta pip pkg_resources protobuf requests rich scipy setuptools "
    "six tensorboard tensorflow tensorflow_estimator termcolor tf1grad tf_keras typing_extensions urllib3 "
    "werkzeug wheel wrapt".split())
# Packages without wheels, whose installation compiles them: it takes long, or needs a compiler, MPI or CUDA.
COMPILED = frozenset("blocksparse caffe dlib horovod mujoco-py".split())
# TensorFlow 1.15 required these, so that programs import them without a requirement.
CAME_WITH_TENSORFLOW = ("tensorboard",)
_REQUIREMENT = re.compile(r"(tensorflow|tensorflow-cpu|tensorflow-gpu|tf-nightly)\b(?![-_.\w])\s*(?:\[[^]]*\])?\s*"
                          r"\(?([^;)]*)")
_ONLY_FOR_2 = re.compile(r"tf[-_]keras\b|keras[-_](?:core|hub)\b|tensorflow[-_]macos\b"
                         r"|keras\b(?![-_.\w])[^;]*>=?\s*[3-9]", re.I)
_BOUND = re.compile(r"(<=|<|===?|~=|>=|>|!=)\s*(\d+)(?:\.(\d+))?")
_LEAST_PYTHON = re.compile(r"^Requires-Python:.*(?:>=?|==|~=)\s*3\.(\d+)", re.M)
_NAMED_PYTHON = re.compile(r"^Classifier: Programming Language :: Python :: 3\.(\d+)", re.M)
_REQUIRED = re.compile(r"^Requires-Dist: *(.*)", re.M)


def shows_version_2(name: str, version: str, headers: str) -> Optional[bool]:
    """Says whether metadata show that a package is written for TensorFlow 2; None where they show nothing.

    They do if (1) it needs Python 3.8, on which TensorFlow 1 does not run, or names Python 3.10, or (2) it requires
    TensorFlow 2 or Keras 3. A requirement such as `tensorflow<2` shows the contrary.
    """
    first = _FIRST_FOR_2.get(normalized(name))
    if first is not None and numbers(version) >= numbers(first):
        return True
    if max(map(int, _LEAST_PYTHON.findall(headers)), default=0) >= 8 or newest_python(headers) >= 10:
        return True
    required = requirements(headers)
    return True if any(map(_ONLY_FOR_2.match, required)) else admits_version_2(required)


def requirements(headers: str) -> List[str]:
    """Returns the lines in the metadata of a package that name what it requires."""
    return _REQUIRED.findall(headers)


def excludes_keras_2_3(lines: List[str]) -> bool:
    """Says whether requirements such as `keras==2.2.4` exclude Keras 2.3."""
    matches = (re.match(r"keras\b(?![-_.\w])([^;]*)", line.strip(), re.I) for line in lines)
    bounds = [bound for match in matches if match for bound in _BOUND.findall(match.group(1))]
    return any((int(major), int(minor or 0)) <= (2, 3 if sign == "<" else 2)
               for sign, major, minor in bounds if sign in ("<", "<=", "==", "==="))


def upper_bound(name: str, headers: str) -> Optional[str]:
    """Returns the bound, such as "<0.15", that the metadata of a package require of another one, or None."""
    for requirement in requirements(headers):
        match = re.match(r"([\w.-]+)[^;]*?(<=?\s*[\d.]+)", requirement)
        if match and normalized(match.group(1)) == normalized(name):
            return match.group(2).replace(" ", "")
    return None


def newest_python(headers: str) -> int:
    """Returns the newest Python 3 that the metadata of a package name, such as 7 for 3.7; 0 where they name none."""
    return max(map(int, _NAMED_PYTHON.findall(headers)), default=0)


def normalized(name: str) -> str:
    """Returns the name of a package as pip compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def numbers(version: str) -> List[int]:
    """Returns the first three numbers of a version, by which releases are compared."""
    return [int(number) for number in re.findall(r"\d+", version)[:3]]


def admits_version_2(lines: List[str]) -> Optional[bool]:
    """Says whether requirements such as `tensorflow (<2,>=1.14)` admit a TensorFlow 2; None where they do not say."""
    found = [_BOUND.findall(match.group(2)) for match in map(_REQUIREMENT.match, lines) if match]
    if any(_excludes_2(bounds) for bounds in found):
        return False
    return True if any(_is_of_2(*bound) for bounds in found for bound in bounds) else None


def _is_of_2(sign: str, major: str, minor: str) -> bool:
    """Says whether a bound excludes TensorFlow 1, or is above 2.4, which is older than the last TensorFlow 1."""
    if sign in ("<", "<="):
        return (int(major), int(minor or 0)) > (2, 4)
    return sign in (">=", ">", "==", "~=") and int(major) >= 2


def _excludes_2(bounds: List[Tuple[str, str, str]]) -> bool:
    return any(sign in ("<", "<=", "==", "===", "~=") and int(major) < 2
               or sign == "<" and int(major) == 2 and int(minor or 0) == 0 for sign, major, minor in bounds)
