"""Serves old scripts the names and calls that Python, NumPy, SciPy,
Matplotlib and other libraries have dropped.

`names/other_libraries.py` has one row for each of them. A fix has the name in the row's column
`run`. It reports itself on stderr once, when the script first needs it. Names that the installed
library still has are left alone, and no library is imported before the script imports it. Three
mechanisms:

- a name that a module has lost is served when the script asks for it (`served_attributes.py`,
  `served_modules.py`);
- calls that libraries reject today are translated (`renamed_keywords.py`, `matplotlib_calls.py`,
  `library_calls.py`);
- NumPy's arrays cannot be extended, so calls of them are rewritten in the script's own code while
  it is compiled (`rewritten_expressions.py`); the code of libraries is not rewritten.

The NumPy that `run` lays in front of the user's computes as NumPy 1 did, and lacks only names and
calls. What the user's own NumPy 2 refuses in the middle of an expression is not repaired:
`numpy_2_errors.py` names the line.
"""

from __future__ import annotations

import builtins
import sys
import warnings
from types import CodeType

from tf1grad.programs.process import ownership, run_record
from tf1grad.run.dropped_names import (
    matplotlib_calls,
    numpy_2_errors,
    numpy_calls,
    rewritten_expressions,
    served_modules,
)


def install(matplotlib: str | None = None) -> None:
    """Makes this process serve old names to scripts; a second call changes nothing.

    `matplotlib` is the backend, which the script cannot change. None means "agg" without a display
    and `MPLBACKEND`.
    """
    if not sys.warnoptions:  # libraries of today warn in the script of what they will drop
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="__main__")
        # NumPy warns of names that are served.
        warnings.filterwarnings("ignore", "In the future `np\\.", FutureWarning)
    setattr(builtins, rewritten_expressions.HELPER, numpy_calls)
    matplotlib_calls.choose_backend(matplotlib)
    served_modules.install()
    if run_record.are_taken():
        numpy_2_errors.note_warnings()


def compile_module(code: rewritten_expressions.Code, filename: str) -> CodeType:
    """Compiles a module of user code, and rewrites the calls that NumPy no longer
    understands; line numbers stay.

    A source of bytes has a coding line; an `ast.Module` is changed. The code runs in processes that
    called `install`.
    """
    ownership.remember_file(filename)
    return rewritten_expressions.compile_module(code, filename)
