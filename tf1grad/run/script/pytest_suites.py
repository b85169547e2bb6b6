"""Lets pytest run the test suites of old programs.

Test files are compiled as old code: pytest rewrites their assertions, and so reads and compiles
them itself.
"""

from __future__ import annotations

import ast
import functools
import pathlib
from types import ModuleType
from typing import Any

from tf1grad.programs.process import finder, ownership, patches
from tf1grad.run import python2

_REWRITES = "pytest compiles test files as old code"


def install(compiler: python2.Compiler) -> None:
    """Changes pytest, now or when it is imported;
    `compiler` compiles test files, and files with fixtures.
    """
    finder.call_now_and_after(
        "_pytest.assertion.rewrite",
        functools.partial(_change_rewriter, compiler),
        reason="test files are compiled as old code, with assertions rewritten",
    )


def _change_rewriter(compiler: python2.Compiler, rewriter: ModuleType) -> None:
    hooks = rewriter.AssertionRewritingHook
    plain = hooks.exec_module

    def exec_module(hook: Any, module: Any) -> None:
        __tracebackhide__ = True
        file = module.__spec__.origin
        if not ownership.is_users_file(file):
            return plain(hook, module)
        path = pathlib.Path(file)
        # A set of names before pytest 7, a dict since.
        hook._rewritten_names.update({module.__name__: path})
        source = path.read_bytes()

        def rewrite(tree: ast.Module) -> ast.Module:
            rewriter.rewrite_asserts(tree, source, file, hook.config)
            return _with_ends(tree)

        if compiler.reads_as_python_2(source, file):
            code = compiler(source, file, rewrite)
        else:
            code = compiler.plain(rewrite(ast.parse(source, file)), file)
        exec(code, vars(module))

    patches.patch(hooks, "exec_module", exec_module, reason=_REWRITES)


def _with_ends(tree: ast.Module) -> ast.Module:
    """Gives nodes that pytest made the ends of lines that compiling a changed tree needs."""
    for node in ast.walk(tree):
        if getattr(node, "lineno", None) and getattr(node, "end_lineno", None) is None:
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset  # type: ignore[attr-defined]
    return tree
