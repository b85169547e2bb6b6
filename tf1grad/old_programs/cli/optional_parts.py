"""Lists the parts of tf1grad that need more than NumPy, with their requirements: one entry of `PARTS` a part."""

import sys
from typing import Callable, List, NamedTuple, Optional, Tuple

from tf1grad.old_programs._compat import is_installed
from tf1grad.old_programs.names.packages import package_of
from tf1grad.old_programs.period import folder

# Of TensorFlow: (major, minor).
Version = Tuple[int, int]


class Remedy(NamedTuple):
    """Names a program, "pip" or "tf1grad", and its arguments."""

    program: str
    arguments: List[str]


class Part(NamedTuple):
    """Describes a part, under the name that users know."""

    name: str
    lacks: Callable[[Version], Optional[str]]  # names what is missing beside a version of TensorFlow
    remedy: Callable[[Version], Remedy]  # a function of the version that returns the `Remedy`
    reads: bool  # True where the part only reads programs, and so works without TensorFlow


NO_KERAS_1 = (2, 16)  # the first TensorFlow without the Keras and the estimators of TensorFlow 1
# Stands for the TensorFlow that pip would install; for Python 3.8 and older that is one before `NO_KERAS_1`.
NEWEST = (2, 0) if sys.version_info < (3, 9) else (2, 1000)


def _needs_package(part: str, name: str, since: Version = (1, 15)) -> Part:
    """Returns a part that needs a package, from TensorFlow `since` on."""
    package = package_of(name)

    def lacks(version: Version) -> Optional[str]:
        return f"{name} is not installed" if version >= since and not is_installed(package.module) else None

    return Part(part, lacks, lambda version: Remedy("pip", [*package.options, name]), False)


def _lacks_fissix(version: Version) -> Optional[str]:
    if version < (2,) and not is_installed("fissix"):  # beside TensorFlow 2 the period layer has it
        return "fissix is not installed"
    return None


def _lacks_keras(version: Version) -> Optional[str]:
    if version >= NO_KERAS_1 and not is_installed("tf_keras"):
        return "tf_keras is not installed, and TensorFlow itself has Keras 3"
    return None


def _keras_of(version: Version) -> Remedy:
    major, minor = version
    name = "tf_keras" if version == NEWEST else f"tf_keras=={major}.{minor}.*"
    return Remedy("pip", [*package_of("tf_keras").options, name])


def _lacks_originals(version: Version) -> Optional[str]:
    if version[0] > 1 and folder.find_originals() is None:
        return f"TensorFlow {folder.RELEASE}'s own files are not installed"
    return None


PARTS = [
    _needs_package("ScipyOptimizerInterface", "scipy"),
    Part("check, upgrade, run: Python 2 programs", _lacks_fissix, lambda version: Remedy("pip", ["fissix"]), True),
    Part("upgraded programs with tf.layers, tf.keras or cells", _lacks_keras, _keras_of, False),
    _needs_package("upgraded programs with tf.estimator", "tensorflow-estimator", NO_KERAS_1),
    _needs_package("upgraded programs with layers of tf.contrib", "tf_slim"),
    Part("upgraded programs with other names of tf.contrib", _lacks_originals,
         lambda version: Remedy("tf1grad", ["period", "install"]), False),
    _needs_package("verify --plot", "matplotlib"),
]
