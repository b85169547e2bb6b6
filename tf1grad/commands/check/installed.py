"""The TensorFlow that is installed, asked whether it has a name. It is imported at the first question."""

import contextlib
import importlib
import os
import sys
import types
import warnings

from tf1grad.migrate import _compat

NOTHING = object()  # tf.newaxis is there, and None


class Installed(object):
    """Answers `has(name)`; `version` is None where no TensorFlow can be imported, and `why` says why.

    Args:
        ask: False to leave TensorFlow alone: then nothing is known of it.
    """

    def __init__(self, ask=True):
        self.version, self.why = None, None if ask else "it was not to be asked"
        self._asked = not ask
        self._v1 = None

    def has(self, name):
        """True when `name`, from `tensorflow` on, is there for a TensorFlow 1 program; None when nobody can say."""
        self._import()
        if self._v1 is None:
            return None
        parts = name.split(".")[1:]
        private = parts[0] in ("python", "core")
        return _walk("tensorflow" if private else "tensorflow.compat.v1", parts)

    def _import(self):
        if self._asked:
            return
        self._asked = True
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        _compat.ask_for_legacy_keras()
        try:
            with _silence():
                self._v1 = importlib.import_module("tensorflow.compat.v1")
        except Exception as error:  # a broken installation raises whatever it likes
            self.why = "%s: %s" % (type(error).__name__, str(error).strip().split("\n")[0])
        else:
            self.version = self._v1.__version__


@contextlib.contextmanager
def _silence():
    """What TensorFlow and its libraries write to stderr while they are imported goes nowhere."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _walk(module, parts):
    """True when `module` has the attribute or submodule, up to the first thing that is no module."""
    found = importlib.import_module(module)
    for part in parts:
        if not isinstance(found, types.ModuleType):
            return True
        module = "%s.%s" % (module, part)
        found = _attribute(found, part, module)
        if found is NOTHING:
            return False
    return True


def _attribute(owner, name, module):
    try:
        return getattr(owner, name)
    except Exception:  # modules that load lazily raise ImportError and others here
        pass
    try:
        return importlib.import_module(module)
    except Exception:
        return NOTHING
