"""What stops old scripts outside TensorFlow: names and calls that Python, NumPy, SciPy and Matplotlib have dropped.

Each fix is small and has a name (`FIXES`). It says so on stderr, once, when the script first needs it. Nothing is
touched that the installed library still has, and nothing is imported before the script imports it. Three mechanisms:

- a name that is missing from a module is served when it is asked for (`attributes.py`, `modules.py`);
- calls of libraries that are refused today are translated (`matplotlib_calls.py`, `library_calls.py`);
- what belongs to NumPy's arrays, which cannot be extended, is rewritten in the script's own code as it is compiled
  (`source.py`); libraries are not rewritten.
"""

import builtins
from types import CodeType
from typing import Optional

from tf1grad.old_programs.era import (
    library_calls,
    matplotlib_calls,
    rewritten_calls,
    rewritten_expressions,
    served_attributes,
    served_modules,
)
from tf1grad.old_programs.era.fix_messages import used
from tf1grad.old_programs.process import ownership

__all__ = ["FIXES", "compile", "install", "used"]

FIXES = tuple(dict(served_attributes.describe() + served_modules.describe() + matplotlib_calls.FIXES
                   + library_calls.FIXES + rewritten_calls.FIXES).items())


def install(matplotlib: Optional[str] = None) -> None:
    """Makes this process serve what old scripts ask of newer libraries; may be called again, to no further effect.

    Args:
        matplotlib: the backend for Matplotlib, such as "agg", whatever the script selects; None lets the script
            select, and is "agg" where there is no display and `MPLBACKEND` is not set.
    """
    setattr(builtins, rewritten_expressions.HELPER, rewritten_calls)
    matplotlib_calls.choose_backend(matplotlib)
    served_modules.install()


def compile(code: rewritten_expressions.Code, filename: str) -> CodeType:
    """Compiles a module of the user's, with the expressions rewritten that NumPy no longer understands.

    Line numbers stay, and what is not rewritten is compiled as it is. The code runs in processes where `install` was
    called.

    Args:
        code: the source, as bytes (their coding line counts) or as a string; or its `ast.Module`, which is changed.
        filename: what tracebacks show.

    Returns:
        The code object.

    Raises:
        SyntaxError: as `compile` raises it.
    """
    ownership.remember_file(filename)
    return rewritten_expressions.compile_module(code, filename)
