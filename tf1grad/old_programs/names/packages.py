"""Holds facts on packages beside TensorFlow: options of pip, the module that each brings, and the TensorFlow it needs.
"""

import re
from typing import List, NamedTuple, Optional, Tuple


class Package(NamedTuple):
    """Describes a package of the index.

    name: the name that pip knows.
    module: the name that programs import.
    options: the options of pip that it needs.
    """

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
    # With its dependencies it installs the full tensorflow, even where tensorflow-cpu is installed.
    Package("tf_keras", "tf_keras", ("--no-deps",)),
)}

_SECOND_MODULES = {"mpl_toolkits": "matplotlib"}  # a module that its package brings beside the one of its name


def package_of_module(module: str) -> Package:
    """Returns the `Package` that brings a module; most of them have the same name."""
    name = _SECOND_MODULES.get(module, module)
    return next((package for package in _PACKAGES.values() if package.module == name), Package(name, name))


def package_of_requirement(name: str) -> Optional[Package]:
    """Returns the `Package` to install for a name in old requirements; None for modules that came into Python.

    Args:
        name: a name of the index, or that of a module, such as "sklearn", where the index has nothing but a refusal.
    """
    if re.sub(r"[-_.]+", "-", name).lower() in _IN_PYTHON:
        return None
    return next((package for package in _PACKAGES.values() if package.module == name), None) or package_of(name)


def package_of(name: str) -> Package:
    """Returns the `Package` of a name; most of them have a module of the same name."""
    return _PACKAGES.get(name) or Package(name, name.replace("-", "_"))


# Packages that bring modules of Python 3 to Python 2; some of them break Python 3.
_IN_PYTHON = frozenset(
    "argparse asyncio backports-shutil-get-terminal-size backports-weakref dataclasses enum34 funcsigs functools32 "
    "futures pathlib subprocess32 typing unittest2".split())
# Releases for TensorFlow 1 of packages that do not show it: the first release for TensorFlow 2, or None for packages
# that never had one. Their text also serves the first releases of TensorFlow 2, but not today's. tensorflow-hub had
# `hub.Module` up to 0.15.
_FIRST_FOR_2 = {
    "adanet": "0.9", "adversarial-robustness-toolbox": "1.2", "deepxde": "0.8", "gpt-2-simple": "0.8",
    "keras": "2.4", "keras-contrib": None, "keras-rl": None, "mask-rcnn-12rics": None, "mesh-tensorflow": None,
    "sciann": "0.5", "tensor2tensor": None, "tensorflow-datasets": "4", "tensorflow-gan": "2.1",
    "tensorflow-hub": "0.16", "tensorflow-probability": "0.9", "tf-agents": "0.4", "tflearn": None, "trfl": None}
# Packages for both versions that make layers, or register TensorFlow's classes, for the program: they must be of the
# TensorFlow that it uses.
_FOLLOWS_PROGRAM = frozenset({"gin-config", "tf-slim"})
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
_BOUND = re.compile(r"(<=|<|===?|~=|>=|>|!=)\s*(\d+)(?:\.(\d+))?")


def is_for_version_1(name: str, version: str) -> Optional[bool]:
    """Says whether a release is for TensorFlow 1, where its text does not show it; None for packages that show it.

    Args:
        name: the name that pip knows.
        version: its version.
    """
    name = _normalized(name)
    if name not in _FIRST_FOR_2:
        return None
    first = _FIRST_FOR_2[name]
    return first is None or _numbers(version) < _numbers(first)


def follows_program(name: str) -> bool:
    """Says whether a package, by the name that pip knows, gets the TensorFlow of the program that imports it."""
    return _normalized(name) in _FOLLOWS_PROGRAM


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _numbers(version: str) -> List[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:3]]


def admits_version_2(requirements: List[str]) -> Optional[bool]:
    """Says whether the requirements of a package admit a TensorFlow 2; None where they do not say.

    Args:
        requirements: lines such as `tensorflow (<2,>=1.14)`.
    """
    found = [_BOUND.findall(match.group(2)) for match in map(_REQUIREMENT.match, requirements) if match]
    if any(_excludes_2(bounds) for bounds in found):
        return False
    needs = any(sign in (">=", ">", "==", "~=") and int(major) >= 2 for bounds in found for sign, major, _ in bounds)
    return True if needs else None


def _excludes_2(bounds: List[Tuple[str, str, str]]) -> bool:
    return any(sign in ("<", "<=", "==", "===", "~=") and int(major) < 2
               or sign == "<" and int(major) == 2 and int(minor or 0) == 0 for sign, major, minor in bounds)
