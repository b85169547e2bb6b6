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

    The release comes from the requirements of the packages in the traceback, the innermost first. If none of them has
    a bound, it is the one that a library for TensorFlow 1 is known to need.
    """
    match = _MISSING.search(str(error)) if isinstance(error, (AttributeError, ImportError)) else None
    module = next(filter(None, match.groups())).partition(".")[0] if match else ""
    file = getattr(sys.modules.get(module), "__file__", None)
    package = file and ownership.package_of(file)
    if not package or module in packages.FOR_INSTALLED or ownership.is_users_file(file or ""):
        return None
    title = old_libraries.answer_for(package).title.split()
    around = filter(None, map(ownership.package_of, reversed(list(files))))
    required = [each for inner in around for each in packages.requirements(old_libraries.headers_of(inner))]
    known = packages.read(need for library in library_releases.LIBRARIES for need in library.needs)
    bound = packages.upper_bound(title[0], required + known)
    return ADVICE.format(title[0], title[-1], bound) if bound else None
