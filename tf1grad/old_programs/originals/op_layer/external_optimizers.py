"""1.15's optimizers outside TensorFlow: tf1grad's own, which stand for them, beside the ops that 1.15's made.

1.15's ops are never run. They are there for their number and names, on which the ops that follow depend.
"""

import types
from typing import Any

from tf1grad.old_programs.originals import loader
from tf1grad.old_programs.originals.op_layer import graph_owners
from tf1grad.old_programs.seeds import op_counts

_PATH = "contrib.opt.python.training.external_optimizer"


def install() -> None:
    """Lets them make both as soon as they are loaded."""
    loader.changes.setdefault(_PATH, []).append(_make_both)


def _make_both(module: types.ModuleType) -> None:
    original = loader.part(_PATH).ExternalOptimizerInterface
    ours, scipy = module.ExternalOptimizerInterface, module.ScipyOptimizerInterface

    class ExternalOptimizerInterface(ours):  # type: ignore[valid-type,misc]
        __doc__ = ours.__doc__

        def __init__(self, loss: Any, var_list: Any = None, equalities: Any = None, inequalities: Any = None,
                     *arguments: Any, **options: Any) -> None:
            if graph_owners.is_users() and not callable(loss):  # a function is no loss of 1.15's
                original(loss, var_list, equalities, inequalities)
            with op_counts.uncounted():
                super().__init__(loss, var_list, equalities, inequalities, *arguments, **options)

    class ScipyOptimizerInterface(ExternalOptimizerInterface, scipy):  # type: ignore[valid-type,misc]
        __doc__ = scipy.__doc__

    for each in (ExternalOptimizerInterface, ScipyOptimizerInterface):
        each.__module__, each.__qualname__ = module.__name__, each.__name__
        setattr(module, each.__name__, each)
