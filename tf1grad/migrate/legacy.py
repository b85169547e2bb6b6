"""Import this before TensorFlow: then the packages that keep what TensorFlow 1 had work with TensorFlow 2.16 and later.

These are tf_keras, for `tf.layers` and the cells of `tf.nn.rnn_cell`, and tf_slim. It sets an environment variable and
prepares imports, in this process. It imports none of them, and does nothing where they are missing or not needed.
"""

import importlib
import importlib.abc
import importlib.util
import sys

from tf1grad.migrate import _compat

# TensorFlow's own private modules, which tf_slim imports, ask for the first; tf_keras has it at the second.
ASKED, THERE = "tf_keras.legacy_tf_layers", "tf_keras.src.legacy_tf_layers"


class _Prepared(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of `ASKED` at `THERE`, and completes TensorFlow before tf_slim is imported."""

    def find_spec(self, name, path=None, target=None):
        """The spec of a module of `ASKED`; None for any other, which the other finders then find."""
        if name == "tf_slim" and not _compat.is_version_1():
            _compat.complete_private_modules()
        return importlib.util.spec_from_loader(name, self) if (name + ".").startswith(ASKED + ".") else None

    def create_module(self, spec):
        """The module that stands at `THERE`, imported."""
        return importlib.import_module(THERE + spec.name[len(ASKED):])

    def exec_module(self, module):
        """Nothing: the module has been executed."""


_compat.ask_for_legacy_keras()
sys.meta_path.insert(0, _Prepared())
