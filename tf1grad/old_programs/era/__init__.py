"""Serves old scripts the names and calls that Python, NumPy, SciPy, Matplotlib and other libraries have dropped.

`names/other_libraries.py` has one row for each of them. A fix has a name (`fixes()`) and reports itself on stderr once,
when the script first needs it. Names that the installed library still has are left alone, and no library is imported
before the script imports it. Three mechanisms:

- a name that a module has lost is served when the script asks for it (`served_attributes.py`, `served_modules.py`);
- calls that libraries reject today are translated (`matplotlib_calls.py`, `library_calls.py`);
- NumPy's arrays cannot be extended, so expressions with them are rewritten in the script's own code while it is
  compiled (`rewritten_expressions.py`); the code of libraries is not rewritten.
"""

import builtins
from types import CodeType
from typing import Optional, Tuple

from tf1grad.old_programs.era import (
    library_calls,
    matplotlib_calls,
    rewritten_calls,
    rewritten_expressions,
    served_attributes,
    served_modules,
)
from tf1grad.old_programs.era.fix_messages import Fix, used
from tf1grad.old_programs.process import ownership

__all__ = ["compile_module", "fixes", "install", "used"]


def fixes() -> Tuple[Fix, ...]:
    """Returns (name, effect) of every fix."""
    return tuple(dict(served_attributes.describe() + served_modules.describe() + matplotlib_calls.FIXES
                      + library_calls.FIXES + rewritten_calls.FIXES).items())


def install(matplotlib: Optional[str] = None) -> None:
    """Makes this process serve old names to scripts; a second call changes nothing.

    Args:
        matplotlib: the backend for Matplotlib, such as "agg", which the script cannot change. None lets the script
            select one, and means "agg" without a display and without `MPLBACKEND`.
    """
    setattr(builtins, rewritten_expressions.HELPER, rewritten_calls)
    matplotlib_calls.choose_backend(matplotlib)
    served_modules.install()


def compile_module(code: rewritten_expressions.Code, filename: str) -> CodeType:
    """Compiles a module of user code, and rewrites the expressions that NumPy no longer understands.

    Line numbers stay, and the rest of the module is unchanged. The code runs in processes that called `install`.

    Args:
        code: the source, as bytes (their coding line counts) or as a string; or its `ast.Module`, which is changed.
        filename: the file name in tracebacks.

    Returns:
        The code object.

    Raises:
        SyntaxError: as `compile` raises it.
    """
    ownership.remember_file(filename)
    return rewritten_expressions.compile_module(code, filename)
