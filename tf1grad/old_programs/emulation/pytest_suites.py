"""Lets pytest run the test suites of old programs.

Test files are compiled as old code: pytest rewrites their assertions, and so reads and compiles them itself.
"""

from __future__ import annotations

import ast
import functools
from types import ModuleType
from typing import Any

from tf1grad.old_programs import python2
from tf1grad.old_programs.process import finder, ownership, patches

_REWRITES = "pytest compiles test files as old code"


def install(compiler: python2.Compiler) -> None:
    """Changes pytest, now or when it is imported; `compiler` compiles test files, and files with fixtures."""
    finder.call_now_and_after(
        "_pytest.assertion.rewrite",
        functools.partial(_change_rewriter, compiler),
        reason="test files are compiled as old code, with assertions rewritten",
    )


def _change_rewriter(compiler: python2.Compiler, module: ModuleType) -> None:
    def rewrite_test(rewrite: Any, fn: Any, config: Any) -> Any:
        if ownership.is_users_file(str(fn)):
            source = fn.read_bytes()
            if compiler.reads_as_python_2(source, str(fn)):
                return None, compiler(source, str(fn))
        return rewrite(fn, config)

    def compile_module(tree: Any, filename: str, mode: str, **options: Any) -> Any:
        if ownership.is_users_file(filename):
            return compiler.plain(_with_ends(tree), filename)
        return compile(tree, filename, mode, **dict(options, dont_inherit=True))

    def read_pyc(read: Any, source: Any, *arguments: Any) -> Any:
        return None if ownership.is_users_file(str(source)) else read(source, *arguments)

    def write_pyc(write: Any, state: Any, code: Any, stamp: Any, *arguments: Any) -> Any:
        # Python 2 has no stamp.
        is_users = stamp is None or ownership.is_users_file(code.co_filename)
        return False if is_users else write(state, code, stamp, *arguments)

    patches.patch(module, "compile", compile_module, reason=_REWRITES)
    for name, around in (
        ("_rewrite_test", rewrite_test),
        ("_read_pyc", read_pyc),
        ("_write_pyc", write_pyc),
    ):
        patches.wrap(module, name, around, reason=_REWRITES)


def _with_ends(tree: ast.Module) -> ast.Module:
    """Gives nodes that pytest made the ends of lines that compiling a changed tree needs."""
    for node in ast.walk(tree):
        if getattr(node, "lineno", None) and getattr(node, "end_lineno", None) is None:
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset  # type: ignore[attr-defined]
    return tree
