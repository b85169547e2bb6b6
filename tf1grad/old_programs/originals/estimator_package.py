"""Prepares TensorFlow 2.16 and later for the package tensorflow-estimator, which takes from it what it no longer has.

These are `tf_export.ESTIMATOR_API_NAME`, by which it marks its public names, `distribute.estimator_training`, which
starts the workers of a strategy (`strategies.py`), and three modules of `tpu`.
"""

from __future__ import annotations

import functools
import sys
import types

from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals.missing_objects import Missing
from tf1grad.old_programs.originals.strategies import init_run_config, should_run_distribute_coordinator
from tf1grad.old_programs.period import folder
from tf1grad.old_programs.process import finder

PACKAGE = folder.ESTIMATOR
STRATEGIES = "tensorflow.python.distribute.estimator_training"
ONLY_ON_TPUS = ["tensorflow.python.tpu." + name for name in
                ("session_support", "tpu_embedding", "tpu_embedding_gradient")]

_prepared = False


def prepare() -> None:
    """Makes `import tensorflow_estimator` work in this process.

    Nothing changes where TensorFlow has it all, or where TensorFlow 1.15's own package is served.
    """
    global _prepared
    op_layer = sys.modules.get("tf1grad.old_programs.op_layer")
    if op_layer and op_layer.is_active():
        return  # `original_estimator` serves the package
    if _compat.lacks_estimator() and not _prepared:
        _prepared = True
        finder.serve([STRATEGIES, *ONLY_ON_TPUS], _loader,
                     reason=f"{PACKAGE} imports them, and TensorFlow 2.16 removed them")
        _compat.complete_estimator_export()


def _fill(module: types.ModuleType) -> None:
    """Fills a module that TensorFlow no longer has: with two functions, or with names that raise when they are used."""
    if module.__name__ == STRATEGIES:
        vars(module).update(init_run_config=init_run_config,
                            should_run_distribute_coordinator=should_run_distribute_coordinator)
    else:
        vars(module).update(__getattr__=functools.partial(_missing, module.__name__))


def _missing(module: str, name: str) -> Missing:
    if name.startswith("__"):  # what the import system asks of any module
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return Missing(f"{module}.{name}")


_loader = finder.Loader(_fill)
