"""Compiles the user's modules with a compiler of choice, and without a `__pycache__` beside them.

Old modules of protocol buffer messages (`*_pb2.py`) build descriptors that protobuf 4 refuses.
Their classes are built from the serialized file in the module, with the installed protobuf.

Modules of installed packages leave the random states as they were (`process/random_states.py`): a
program that seeds before its imports gets the numbers that it got beside the packages of its time.

Threads may import, and so compile, at the same time.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import runpy
import warnings
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, Callable

from tf1grad.programs.period import folder
from tf1grad.programs.process import patches, random_states
from tf1grad.programs.process.ownership import is_users_file, let_imports_through, package_of
from tf1grad.run import python2
from tf1grad.run.originals import rewritten_code

let_imports_through(__file__)
_BUILDER = "google.protobuf.internal.builder"  # of protobuf 3.20 and later
_BUILD = (
    "from tf1grad.programs import _compat as _tf1grad\n_tf1grad.build_messages({!r}, globals())\n"
)


def compile_plainly(source: Any, filename: str) -> CodeType:
    """Returns the code of a module as Python compiles it."""
    code: CodeType = compile(source, filename, "exec", dont_inherit=True)
    return code


def install(compiler: python2.Compiler, consider: Callable[[str], None]) -> None:
    """Lets `compiler` compile user code that is imported from now on;
    `consider` gets each module's file first.
    """

    def get_code(
        plain: Callable[..., CodeType | None], self: SourceFileLoader, fullname: str
    ) -> CodeType | None:
        path = self.get_filename(fullname)
        if not is_users_file(path):
            return plain(self, fullname)
        if not path.endswith("_pb2.py"):
            return compiler.of_file(path, self.get_data)
        data = self.get_data(path)
        return compile_messages(data, path) or compiler(data, path)

    def exec_module(plain: Callable[..., None], self: SourceFileLoader, module: ModuleType) -> None:
        consider(self.path)
        if random_states.are_kept() or is_users_file(self.path) or package_of(self.path) is None:
            return plain(self, module)
        with random_states.kept():
            plain(self, module)

    _hide_warnings_of_packages()
    patches.wrap(
        SourceFileLoader,
        "get_code",
        get_code,
        reason="modules of user code are compiled as old code, without a __pycache__",
    )
    patches.wrap(
        SourceFileLoader,
        "exec_module",
        exec_module,
        reason="imports of installed packages draw no random number of the program's",
    )
    # `run_path` reads files itself, also in processes that multiprocessing spawns.
    compile_files_of(runpy, compiler)


def compile_files_of(module: ModuleType, compiler: python2.Compiler) -> None:
    """Lets `compiler` compile the files of user code that a module reads and runs."""

    def compile_file(source: Any, filename: Any, mode: str, **options: Any) -> Any:
        file = os.fspath(filename)
        if mode == "exec" and not options and is_users_file(file):
            return compiler.main(source, file)
        # Not this module's annotations.
        return compile(source, filename, mode, **dict(options, dont_inherit=True))

    reason = f"files that {module.__name__} runs are compiled as old code"
    patches.patch(module, "compile", compile_file, reason=reason)


def compile_files_of_shell(interactiveshell: ModuleType, compiler: python2.Compiler) -> None:
    """Lets `compiler` compile the files that `%run` executes,
    with the functions of IPython's module of the shell.
    """
    # IPython 9 executes files in the module of the shell; before, `py3compat` did.
    compile_files_of(getattr(interactiveshell, "py3compat", interactiveshell), compiler)


def _hide_warnings_of_packages() -> None:
    """Hides what Python says of the code of a package when pip compiles it:
    here it is compiled at each start.
    """
    folders = [*map(re.escape, folder.named_places()), r".*[\\/]site-packages[\\/]"]
    for each in folders:
        warnings.filterwarnings("ignore", category=SyntaxWarning, module=each)


def compile_messages(source: bytes, file: str) -> CodeType | None:
    """Returns the code of a module of messages;
    None for one that the installed protobuf takes unchanged.
    """
    if b"serialized_pb=" not in source or not importlib.util.find_spec(_BUILDER):
        return None
    tree = ast.parse(source, file)
    build = ast.parse(_BUILD.format(rewritten_code.serialized_file(tree)), file)
    tree.body = [
        node
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom)) and _is_needed(node)
    ]
    tree.body += build.body
    code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    return code


def _is_needed(node: ast.Import | ast.ImportFrom) -> bool:
    """Returns True for imports of other messages,
    also of those that the module shows as its own.
    """
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return True
    return any(alias.name.endswith("_pb2") or alias.name == "*" for alias in node.names)
