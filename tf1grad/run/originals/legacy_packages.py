"""Makes packages that keep what TensorFlow 1 had work with TensorFlow 2.16 and later.

These are tf_keras, for `tf.layers` and the cells of `tf.nn.rnn_cell`, tf_slim and
tensorflow_estimator. `prepare` sets an environment variable and registers imports, in this process.
It does not import the packages, and does nothing where they are not needed. It warns where
`tf.keras` stays Keras 3.
"""

import importlib
import shlex
import sys
import types
import warnings

from tf1grad.programs import _compat
from tf1grad.programs.names.packages import pinned
from tf1grad.programs.process import finder
from tf1grad.run.originals import estimator_package

# TensorFlow's own private modules, which tf_slim imports, ask tf_keras for this, also where Keras
# is still version 2.
ASKED = "tf_keras.legacy_tf_layers"
LAYERS = "src.legacy_tf_layers"


def prepare() -> None:
    """Registers what the packages need. Call it before TensorFlow is imported;
    a second call changes nothing.
    """
    if not _compat.prefer_legacy_keras():
        warnings.warn(
            "tf_keras is missing, so `tf.keras` is Keras 3, and `tf.layers` fails. Install it: pip install --no-deps "
            + shlex.quote(pinned("tf_keras", _compat.installed_version())),
            stacklevel=3,
        )
    finder.serve([ASKED, ASKED + "."], _loader, first=True, reason="Keras 2 has moved them")
    finder.serve(
        ["tf_keras"],
        _loader,
        first=True,
        reason="the package keras has Keras 2",
        applies=lambda name: _keras() == "keras",
    )
    finder.call_before(
        ["tf_slim"],
        _complete_tensorflow,
        reason="it imports private modules that TensorFlow 2 moved",
    )
    finder.call_before(
        [estimator_package.PACKAGE],
        estimator_package.prepare,
        reason="it imports modules that TensorFlow 2.16 no longer has",
    )


def _put_keras(module: types.ModuleType) -> None:
    """Puts the module of Keras 2 in the place of an empty one."""
    name = module.__name__
    there = name.replace(ASKED, f"{_keras()}.{LAYERS}") if name.startswith(ASKED) else _keras()
    sys.modules[name] = importlib.import_module(there)


def _complete_tensorflow(name: str) -> None:
    """Completes TensorFlow before tf_slim is imported."""
    if not _compat.is_version_1():
        from tf1grad.run.originals import moved_names  # it imports TensorFlow

        moved_names.complete_private_modules()


def _keras() -> str:
    """Returns the package that has Keras 2."""
    return "tf_keras" if _compat.is_installed("tf_keras") else "keras"


_loader = finder.Loader(_put_keras)
