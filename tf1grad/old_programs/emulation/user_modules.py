"""Compiles the user's modules with a compiler of choice, and without a `__pycache__` beside them.

Modules of installed packages leave the random states as they were (`process/random_states.py`): a program that seeds
before its imports gets the numbers that it got beside the packages of its time.

Threads may import, and so compile, at the same time.
"""

from __future__ import annotations

import runpy
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, Callable, Optional

from tf1grad.old_programs import python2
from tf1grad.old_programs.emulation import old_protocol_buffers
from tf1grad.old_programs.process import patches, random_states
from tf1grad.old_programs.process.ownership import is_users_file, package_of


def compile_plainly(source: Any, filename: str) -> CodeType:
    """Returns the code of a module as Python compiles it."""
    code: CodeType = compile(source, filename, "exec", dont_inherit=True)
    return code


def install(compiler: python2.Compiler, consider: Callable[[str], None]) -> None:
    """Lets `compiler` compile user code that is imported from now on; `consider` gets each module's file first."""
    def get_code(plain: Callable[..., Optional[CodeType]], self: SourceFileLoader, fullname: str) -> Optional[CodeType]:
        path = self.get_filename(fullname)
        consider(path)
        if not is_users_file(path):
            return plain(self, fullname)
        data = self.get_data(path)
        return old_protocol_buffers.compiled(data, path) or compiler(data, path)

    def exec_module(plain: Callable[..., None], self: SourceFileLoader, module: ModuleType) -> None:
        if random_states.are_kept():
            return plain(self, module)
        consider(self.path)
        if is_users_file(self.path) or package_of(self.path) is None:
            return plain(self, module)
        with random_states.kept():
            plain(self, module)

    def compile_module(source: Any, filename: str, mode: str, **options: Any) -> Any:
        users = mode == "exec" and not options and is_users_file(filename)
        if users:
            return compiler.main(source, filename)
        return compile(source, filename, mode, **dict(options, dont_inherit=True))  # not this module's annotations

    patches.wrap(SourceFileLoader, "get_code", get_code,
                 reason="modules of user code are compiled as old code, without a __pycache__")
    patches.wrap(SourceFileLoader, "exec_module", exec_module,
                 reason="imports of installed packages draw no random number of the program's")
    # `run_path` reads files itself, also in processes that multiprocessing spawns.
    patches.patch(runpy, "compile", compile_module, reason="files that runpy runs are compiled as old code")
