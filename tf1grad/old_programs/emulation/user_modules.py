"""How the user's modules become code: by a compiler of choice, and without a `__pycache__` beside them."""

from __future__ import annotations

import runpy
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any, Optional

from tf1grad.old_programs import python2
from tf1grad.old_programs.process.ownership import is_users_file


def compile_plainly(source: Any, filename: str) -> CodeType:
    """As Python compiles a module."""
    code: CodeType = compile(source, filename, "exec", dont_inherit=True)
    return code


def install(compiler: python2.Compiler) -> None:
    """From now on a `python2.Compiler` compiles what this process imports of the user's code."""
    plain = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> Optional[CodeType]:
        path = self.get_filename(fullname)
        return compiler(self.get_data(path), path) if is_users_file(path) else plain(self, fullname)

    def compile_module(source: Any, filename: str, mode: str, **options: Any) -> Any:
        users = mode == "exec" and not options and is_users_file(filename)
        if users:
            return compiler.main(source, filename)
        return compile(source, filename, mode, **dict(options, dont_inherit=True))  # not this module's annotations

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    # `run_path` reads files itself, also in processes that multiprocessing spawns.
    runpy.compile = compile_module  # type: ignore[attr-defined]
