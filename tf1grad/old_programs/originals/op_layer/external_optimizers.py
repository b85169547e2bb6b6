"""Makes tf1grad's external optimizers build the ops of 1.15's as well, which never run.

The number and the names of later ops depend on them.
"""

import types
from typing import Any

from tf1grad.old_programs.originals import loader
from tf1grad.old_programs.originals.op_layer import graph_owners
from tf1grad.old_programs.seeds import op_counts

_PATH = "contrib.opt.python.training.external_optimizer"


def install() -> None:
    """Changes the module of external optimizers when it is loaded."""
    loader.changes.setdefault(_PATH, []).append(_make_both)


def _make_both(module: types.ModuleType) -> None:
    original = loader.private_copy(_PATH).ExternalOptimizerInterface
    ours, scipy = module.ExternalOptimizerInterface, module.ScipyOptimizerInterface

    class ExternalOptimizerInterface(ours):  # type: ignore[valid-type,misc]
        __doc__ = ours.__doc__

        def __init__(self, loss: Any, var_list: Any = None, equalities: Any = None, inequalities: Any = None,
                     *arguments: Any, **options: Any) -> None:
            if graph_owners.is_users() and not callable(loss):  # 1.15 does not take a function as loss
                original(loss, var_list, equalities, inequalities)
            with op_counts.uncounted():
                super().__init__(loss, var_list, equalities, inequalities, *arguments, **options)

    class ScipyOptimizerInterface(ExternalOptimizerInterface, scipy):  # type: ignore[valid-type,misc]
        __doc__ = scipy.__doc__

    for each in (ExternalOptimizerInterface, ScipyOptimizerInterface):
        each.__module__, each.__qualname__ = module.__name__, each.__name__
        setattr(module, each.__name__, each)
