"""The package tensorflow-estimator on TensorFlow 2.16 and later, which no longer have what it takes from them.

What it asks TensorFlow for and does not get, on 2.21:

- `tf_export.ESTIMATOR_API_NAME` and its attributes, by which it marks its public names;
- `distribute.estimator_training`, which starts the workers of a `tf.distribute` strategy (`strategies.py`);
- three modules of `tpu`, for embeddings on TPUs and for the watchdog of their hosts.
"""

import importlib.abc
import importlib.util
import sys
import types

from tf1grad.migrate import _compat

PACKAGE = "tensorflow_estimator"
STRATEGIES = "tensorflow.python.distribute.estimator_training"
ONLY_ON_TPUS = ["tensorflow.python.tpu." + name for name in
                ("session_support", "tpu_embedding", "tpu_embedding_gradient")]


def prepare():
    """Makes `import tensorflow_estimator` work in this process; nothing changes where TensorFlow has it all."""
    if _compat.lacks_estimator() and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())  # the last to be asked: a module that TensorFlow has is found before
        _compat.complete_estimator_export()


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that the package imports and TensorFlow no longer has."""

    def find_spec(self, name, path=None, target=None):
        """The spec of such a module; None for any other."""
        return importlib.util.spec_from_loader(name, self) if name in ONLY_ON_TPUS + [STRATEGIES] else None

    def create_module(self, spec):
        """The stand-in."""
        return OnTPUs(spec.name) if spec.name in ONLY_ON_TPUS else None

    def exec_module(self, module):
        """Fills what stands for the workers of strategies with its two functions."""
        if module.__name__ == STRATEGIES:
            from tf1grad.migrate.originals import strategies
            module.init_run_config = strategies.init_run_config
            module.should_run_distribute_coordinator = strategies.should_run_distribute_coordinator


class OnTPUs(types.ModuleType):
    """Has a class of every name, for nothing to be an instance of; to make one raises."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
        value = type(name, (), {"__module__": self.__name__, "__init__": _refuse})
        setattr(self, name, value)
        return value


def _refuse(self, *unused_args, **unused_kwargs):
    raise NotImplementedError(
        "%s.%s left TensorFlow in 2.16: Estimators have no embeddings on TPUs any more. With use_tpu=False leave out "
        "embedding_config_spec; on TPUs use TensorFlow 2.15." % (type(self).__module__, type(self).__name__))
