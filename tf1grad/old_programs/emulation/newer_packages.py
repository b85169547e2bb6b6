"""Names the release of a package that still has what a library of TensorFlow 1's time takes from it."""

from __future__ import annotations

import re
import sys
from typing import Iterable, Optional

from tf1grad.old_programs.emulation import old_libraries
from tf1grad.old_programs.names import library_releases, packages
from tf1grad.old_programs.process import ownership

_MISSING = re.compile(r"module '([\w.]+)' has no attribute|cannot import name '\w+' from '([\w.]+)'"
                      r"|No module named '(\w+\.[\w.]+)'")
ADVICE = ("{0} {1} lacks a name that programs of TensorFlow 1's time use. An earlier release has it: "
          "`pip install '{0}{2}'`")


def advice(error: BaseException, files: Iterable[str]) -> Optional[str]:
    """Returns the sentence that names the release, or None; `files` are those of the traceback, the outermost first.

    The release is that which a library for TensorFlow 1 is known to need, or that of the requirements of the package in
    which the error happened.
    """
    match = _MISSING.search(str(error)) if isinstance(error, (AttributeError, ImportError)) else None
    module = next(filter(None, match.groups())).partition(".")[0] if match else ""
    file = getattr(sys.modules.get(module), "__file__", None)
    package = file and ownership.package_of(file)
    if not package or module in packages.FOR_INSTALLED or ownership.is_users_file(file or ""):
        return None
    title = old_libraries.answer_for(package).title.split()
    bound = library_releases.bound_on(title[0]) or _required_bound(title[0], files)
    return ADVICE.format(title[0], title[-1], bound) if bound else None


def _required_bound(name: str, files: Iterable[str]) -> Optional[str]:
    """Returns the upper bound on a package that is required by the innermost package of a traceback which has one."""
    for package in filter(None, map(ownership.package_of, reversed(list(files)))):
        bound = packages.upper_bound(name, old_libraries.headers_of(package))
        if bound:
            return bound
    return None
