"""Finds out that an installed package needs a newer NumPy than the layer's, by the error with which it fails."""

from __future__ import annotations

import re
import sys
from typing import Iterator, Optional

from tf1grad.old_programs.period import layer, numpy_as_then
from tf1grad.old_programs.process import ownership

SIGNS = re.compile(r"module 'numpy[\w.]*' has no attribute|from 'numpy[\w.']|No module named 'numpy[.'\w]*"
                   r"|numpy\.core\.multiarray failed to import|compiled against|numpy.* ABI|NumPy.*>= ?2|numpy>=2")


def advice(error: BaseException) -> Optional[str]:
    """Returns the sentence that names a package which needs another NumPy, and the option that gives it.

    Args:
        error: an error of the program.

    Returns:
        None where the layer's NumPy is not in use, or has nothing to do with the error.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not layer.is_in_front(numpy):
        return None
    package = next(filter(None, map(_needing, _chain(error))), None)
    return package and (f"{package} needs another NumPy than {numpy.__version__}, which the program has. With the "
                        f"installed one: tf1grad run {numpy_as_then.OPTION}")


def _chain(error: Optional[BaseException]) -> Iterator[BaseException]:
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _needing(error: BaseException) -> Optional[str]:
    """Returns the installed package whose code raised `error`, if a missing name of NumPy is the reason."""
    if not isinstance(error, (ImportError, AttributeError, RuntimeError)) or not SIGNS.search(str(error)):
        return None
    traceback, package = error.__traceback__, None
    while traceback is not None:
        package = ownership.package_of(traceback.tb_frame.f_code.co_filename) or package
        traceback = traceback.tb_next
    return package and ownership.name_of_package(package)
