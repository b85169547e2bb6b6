"""Serves TensorFlow 1.15's own package tensorflow-estimator under its name,
in the place of an installed one.

Its modules are originals: each is executed once, and its imports of TensorFlow go through the
loader. Python itself imports them, under the names that they had in TensorFlow 1.15.
"""

from __future__ import annotations

import os
import sys
import types

from tf1grad.programs.period import folder
from tf1grad.programs.process import finder
from tf1grad.run.originals import loader, rewritten_code


def install() -> None:
    """Serves the package from now on, in this process."""
    for name in [name for name in sys.modules if name.partition(".")[0] == folder.ESTIMATOR]:
        del sys.modules[name]  # of the installed package: the library that imported it keeps it
    finder.serve(
        [folder.ESTIMATOR, folder.ESTIMATOR + "."],
        finder.Loader(_execute),
        first=True,
        is_package=True,
        applies=lambda name: _file(name) is not None,
        reason="tf.estimator is TensorFlow 1.15's own",
    )


def _file(name: str) -> str | None:
    """Returns the file of the module `name`, from the package on, or None."""
    return loader.file_below(folder.ESTIMATOR, name.split(".")[1:])


def _execute(module: types.ModuleType) -> None:
    file = _file(module.__name__) or ""
    module.__file__ = os.path.join(loader.home(), folder.ESTIMATOR, file)
    setattr(module, rewritten_code.HELPER, loader.Helper)
    exec(rewritten_code.load_code(loader.home(), file, folder.ESTIMATOR), vars(module))
    for change in finder.after(module.__name__):
        change(module)
