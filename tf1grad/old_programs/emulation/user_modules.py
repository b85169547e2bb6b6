"""Compiles the user's modules with a compiler of choice, and without a `__pycache__` beside them.

Threads may import, and so compile, at the same time.
"""

from __future__ import annotations

import functools
import runpy
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any, Callable, Optional

from tf1grad.old_programs import python2
from tf1grad.old_programs.emulation import old_messages
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.process.ownership import is_users_file


def compile_plainly(source: Any, filename: str) -> CodeType:
    """Returns the code of a module as Python compiles it."""
    code: CodeType = compile(source, filename, "exec", dont_inherit=True)
    return code


def install(compiler: python2.Compiler, consider: Callable[[str], None]) -> None:
    """Lets `compiler` compile the user code that this process imports from now on.

    Args:
        compiler: compiles modules.
        consider: called with the file of each module first; it may decide that the module is user code.
    """
    plain = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> Optional[CodeType]:
        path = self.get_filename(fullname)
        consider(path)
        if not is_users_file(path):
            return plain(self, fullname)
        data = self.get_data(path)
        return old_messages.compiled(data, path) or compiler(data, path)

    def compile_module(source: Any, filename: str, mode: str, **options: Any) -> Any:
        users = mode == "exec" and not options and is_users_file(filename)
        if users:
            return compiler.main(source, filename)
        return compile(source, filename, mode, **dict(options, dont_inherit=True))  # not this module's annotations

    patch = functools.partial(patches.patch, owner=__name__)
    patch(SourceFileLoader, "get_code", get_code,
          reason="modules of user code are compiled as old code, without a __pycache__")
    # `run_path` reads files itself, also in processes that multiprocessing spawns.
    patch(runpy, "compile", compile_module, reason="files that runpy runs are compiled as old code")
