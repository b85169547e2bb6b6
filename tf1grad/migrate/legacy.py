"""Import this before TensorFlow: then the packages that keep what TensorFlow 1 had work with TensorFlow 2.16 and later.

These are tf_keras, for `tf.layers` and the cells of `tf.nn.rnn_cell`, and tf_slim. It sets an environment variable and
prepares imports, in this process. It imports none of them, and does nothing where they are missing or not needed.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Optional, Sequence

from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import estimator_package

# TensorFlow's own private modules, which tf_slim imports, ask tf_keras for this, also where Keras is still version 2.
ASKED = "tf_keras.legacy_tf_layers"
LAYERS = "src.legacy_tf_layers"


class _Prepared(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of `ASKED` where they are, and completes TensorFlow before tf_slim is imported."""

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None,
                  target: Optional[types.ModuleType] = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a module of `ASKED`; None for any other, which the other finders then find."""
        if name == "tf_slim" and not _compat.is_version_1():
            _compat.complete_private_modules()
        elif name == estimator_package.PACKAGE:
            estimator_package.prepare()
        asked = (name + ".").startswith(ASKED + ".") or name == "tf_keras" and _keras() == "keras"
        return importlib.util.spec_from_loader(name, self) if asked else None

    def exec_module(self, module: types.ModuleType) -> None:
        """Puts the module that is meant in the place of this empty one."""
        name = module.__name__
        there = name.replace(ASKED, f"{_keras()}.{LAYERS}") if name.startswith(ASKED) else _keras()
        sys.modules[name] = importlib.import_module(there)


def _keras() -> str:
    """The package that has Keras 2."""
    return "tf_keras" if _compat.is_installed("tf_keras") else "keras"


_compat.prefer_legacy_keras()
sys.meta_path.insert(0, _Prepared())
