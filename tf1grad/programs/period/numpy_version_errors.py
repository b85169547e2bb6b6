"""Finds out that an installed package needs a newer NumPy than the layer's,
by the error with which it fails.
"""

from __future__ import annotations

import re
import sys

from tf1grad.programs.period import layer, numpy_1_behavior
from tf1grad.programs.process import messages, ownership, raised_errors

SIGNS = re.compile(
    r"module 'numpy[\w.]*' has no attribute|from 'numpy[\w.']|No module named 'numpy[.'\w]*"
    r"|numpy\.core\.multiarray failed to import|compiled against|numpy.* ABI|NumPy.*>= ?2|numpy>=2"
)

ERRORS = (ImportError, AttributeError, RuntimeError)


def warn_of(error: BaseException) -> None:
    """Names the package that needs another NumPy, and the option that gives it,
    once for each package.

    Nothing is said where the layer's NumPy is not in use, or has nothing to do with the error of
    the import. The program, or a library, may catch this error.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not layer.is_in_front(numpy):
        return
    package = next(filter(None, map(_needing, raised_errors.causes(error))), None)
    if package:
        messages.warn_once(
            f"NumPy for {package}",
            (
                f"{package} needs another NumPy than {numpy.__version__}, which the program has. With the installed one: "
                f"tf1grad run {numpy_1_behavior.OPTION}"
            ),
        )


def _needing(error: BaseException) -> str | None:
    """Returns the installed package whose code raised `error`,
    if a missing name of NumPy is the reason.
    """
    if not isinstance(error, ERRORS) or not SIGNS.search(str(error)):
        return None
    packages = [ownership.package_of(file) for file, _ in raised_errors.places(error.__traceback__)]
    names = [ownership.name_of_package(package) for package in packages if package]
    # The package whose code refuses the name.
    return next((name for name in reversed(names) if name != "numpy"), None)
