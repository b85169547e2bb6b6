"""Says of a name that TensorFlow 1.15 or the period's Keras lacks which
release has it, and what to do.
"""

from __future__ import annotations

import re
import sys

from tf1grad.programs import _compat
from tf1grad.programs.names import keras_names, version_names
from tf1grad.programs.period import folder

OF_VERSION_2 = (
    "TensorFlow 1.15 has no {}, which is a name of TensorFlow 2. "
    "A program that is written for TensorFlow 2 starts with plain `python`"
)
OF_EARLIER_CONTRIB = (
    "TensorFlow 1.15 has no {}. Releases before it may have had it: write the program with names of 1.15, or run it "
    "with the TensorFlow of its time"
)
# Keras 3 has a module of this name, which refuses whatever is taken from it.
_LEGACY = "tensorflow.keras.optimizers.legacy"
LEGACY = (
    "TensorFlow 1.15 has no tf.keras.optimizers.legacy, which TensorFlow 2.11 added. 1.15 has these optimizers in "
    "tf.keras.optimizers: leave out `.legacy`"
)
OF_KERAS_1 = (
    "{0} is a name of Keras 1, and `keras` is Keras {1} here. If requirements.txt beside the program has a line "
    "`keras<2`, `tf1grad run` brings Keras 1"
)
OF_OTHER_KERAS = (
    "Keras {1} has no {0}. If the program is written for another release, pin it in requirements.txt beside the "
    "program, such as `keras==2.1.6`"
)
_MISSING = re.compile(
    r"module '(?P<owner>[\w.]+)' has no attribute '(?P<attribute>\w+)'"
    r"|cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"
    r"|No module named '(?P<whole>[\w.]+)'"
)


def advise(error: BaseException) -> str | None:
    """Returns a sentence on the name that an error says to be missing,
    if TensorFlow 2 or another Keras has it.
    """
    name = _missing_name(error)
    root = name.partition(".")[0]
    if _compat.is_version_1_on_path():
        return None
    if root == "tensorflow":
        return _of_tensorflow(name)
    return _of_keras(name) if root == "keras" else None


def _missing_name(error: BaseException) -> str:
    match = isinstance(error, (AttributeError, ImportError)) and _MISSING.match(str(error))
    if not match:
        return ""
    found = match.groupdict()
    owner = found["owner"] or found["module"]
    return found["whole"] or f"{owner}.{found['attribute'] or found['name']}"


def _of_tensorflow(name: str) -> str | None:
    if f"{name}.".startswith(_LEGACY + "."):
        return LEGACY
    if name.startswith("tensorflow.python."):  # 1.15 may have this private name too
        return None
    if name.startswith("tensorflow.contrib."):
        return OF_EARLIER_CONTRIB.format(name.replace("tensorflow", "tf", 1))
    if not version_names.is_new(name) and not _is_installed(name):
        return None
    return OF_VERSION_2.format(name.replace("tensorflow", "tf", 1))


def _is_installed(name: str) -> bool:
    try:
        _compat.resolve(name)
    except (ImportError, AttributeError):
        return False
    return True


def _of_keras(name: str) -> str | None:
    keras = sys.modules.get("keras")
    if keras is None or not folder.is_inside(keras.__file__ or ""):
        return None
    text = OF_KERAS_1 if keras_names.is_only_in_version_1(name) else OF_OTHER_KERAS
    return text.format(name, getattr(keras, "__version__", ""))
