"""Lists the parts of tf1grad that need more than NumPy, with their requirements: one row of `PARTS` a part."""

import sys
from typing import List, NamedTuple, Optional, Tuple

from tf1grad.old_programs._compat import is_installed
from tf1grad.old_programs.names.packages import package_of
from tf1grad.old_programs.period import folder

# Of TensorFlow: (major, minor).
Version = Tuple[int, int]

NO_KERAS_1 = (2, 16)  # the first TensorFlow without the Keras and the estimators of TensorFlow 1
# Stands for the TensorFlow that pip would install; for Python 3.8 and older that is one before `NO_KERAS_1`.
NEWEST = (2, 0) if sys.version_info < (3, 9) else (2, 1000)


class Remedy(NamedTuple):
    """Names a program, "pip" or "tf1grad", and its arguments."""

    program: str
    arguments: List[str]


class Part(NamedTuple):
    """Describes a part, under the name that users know."""

    name: str
    package: Optional[str]  # that it needs; None for TensorFlow 1.15's own files
    since: Version = (1, 15)  # the first TensorFlow beside which it needs the package
    only_reads: bool = False  # True where it works without TensorFlow, and the period layer has the package for 2.x

    def lacks(self, version: Version) -> Optional[str]:
        """Returns what is missing beside a version of TensorFlow, or None."""
        if version < self.since or self.only_reads and version >= (2,):
            return None
        if self.package is None:
            return None if folder.find_originals() else f"TensorFlow {folder.RELEASE}'s own files are not installed"
        if is_installed(package_of(self.package).module):
            return None
        why = ", and TensorFlow itself has Keras 3" if self.package == "tf_keras" else ""
        return f"{self.package} is not installed{why}"

    def remedy(self, version: Version) -> Remedy:
        """Returns what brings it beside a version of TensorFlow."""
        if self.package is None:
            return Remedy("tf1grad", ["period", "install"])
        pin = "=={}.{}.*".format(*version) if self.package == "tf_keras" and version != NEWEST else ""
        return Remedy("pip", [*package_of(self.package).options, self.package + pin])


PARTS = [
    Part("ScipyOptimizerInterface", "scipy"),
    Part("check, upgrade, run: Python 2 programs", "fissix", only_reads=True),
    Part("upgraded programs with tf.layers, tf.keras or cells", "tf_keras", NO_KERAS_1),
    Part("upgraded programs with tf.estimator", "tensorflow-estimator", NO_KERAS_1),
    Part("upgraded programs with layers of tf.contrib", "tf_slim"),
    Part("upgraded programs with other names of tf.contrib", None, (2, 0)),
    Part("verify --plot", "matplotlib"),
]
