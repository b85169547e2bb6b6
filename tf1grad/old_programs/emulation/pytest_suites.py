"""Lets pytest run the test suites of old programs.

Test files are compiled as old code: pytest rewrites their assertions, and so reads and compiles them itself. What
pytest 8 and 9 dropped is there again: `pytest.warns(None)`, the `setup` and `teardown` of nose, and arguments of hooks,
such as `path` and `startdir`.
"""

from __future__ import annotations

import ast
import functools
import sys
from types import ModuleType
from typing import Any, Callable, Dict, Tuple

from tf1grad.old_programs import python2
from tf1grad.old_programs.process import finder, ownership, patches

_WARNINGS = "_pytest.recwarn"
_REWRITES = "pytest compiles test files as old code"
_WARNS = "pytest.warns takes None, as before pytest 8"
_NOSE = "nose's setup and teardown are called, as before pytest 8"
_HOOKS = "hooks take arguments that pytest 9 dropped"
# names that pytest looks for in a module or class -> the name that nose gave them
OF_NOSE: Dict[Tuple[str, ...], str] = {
    ("setUpModule", "setup_module"): "setup",
    ("tearDownModule", "teardown_module"): "teardown",
    ("setup_method",): "setup",
    ("teardown_method",): "teardown",
}
# hook -> its dropped argument, and the one of today, which is a pathlib.Path
DROPPED: Dict[str, Dict[str, str]] = {
    "pytest_collect_file": {"path": "file_path"},
    "pytest_ignore_collect": {"path": "collection_path"},
    "pytest_pycollect_makemodule": {"path": "module_path"},
    "pytest_report_collectionfinish": {"startdir": "start_path"},
    "pytest_report_header": {"startdir": "start_path"},
}


def install(compiler: python2.Compiler) -> None:
    """Changes pytest, now or when it is imported; `compiler` compiles test files, and files with fixtures."""
    finder.call_now_and_after(
        "_pytest.assertion.rewrite",
        functools.partial(_change_rewriter, compiler),
        reason="test files are compiled as old code, with assertions rewritten",
    )
    finder.call_now_and_after("_pytest.config", _change_manager, reason=_HOOKS)
    finder.call_now_and_after(_WARNINGS, _change_warnings, reason=_WARNS)
    if _WARNINGS in sys.modules:
        patches.patch(sys.modules["pytest"], "warns", sys.modules[_WARNINGS].warns, reason=_WARNS)
    finder.call_now_and_after("_pytest.python", _change_collectors, reason=_NOSE)


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
        is_users = stamp is None or ownership.is_users_file(
            code.co_filename
        )  # Python 2 has no stamp
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


def _change_warnings(module: ModuleType) -> None:
    warns = module.warns

    @functools.wraps(warns)
    def warns_or_records(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        expected = arguments[:1] or (options.get("expected_warning", Warning),)
        if expected == (None,) and len(arguments) < 2:
            return module.WarningsRecorder(_ispytest=True)
        return warns(*arguments, **options)

    patches.patch(module, "warns", warns_or_records, reason=_WARNS)


def _change_collectors(module: ModuleType) -> None:
    def find_or_nose(find: Callable[..., Any], obj: object, names: Tuple[str, ...]) -> Any:
        of_nose = (
            find(obj, (OF_NOSE[names],)) if find(obj, names) is None and names in OF_NOSE else None
        )
        if of_nose is not None:
            setattr(obj, names[-1], of_nose)
        return find(obj, names)

    patches.wrap(module, "_get_first_non_fixture_func", find_or_nose, reason=_NOSE)


def _change_manager(module: ModuleType) -> None:
    def verify_today(
        verify: Callable[..., None], self: Any, hook: Any, implementation: Any
    ) -> None:
        names = DROPPED.get(hook.name, {})
        today = tuple(names.get(name, name) for name in implementation.argnames)
        dropped = set(implementation.argnames) - set(hook.spec.argnames)
        if dropped & set(names) and set(today) <= set(hook.spec.argnames):
            are_paths = [name in names for name in implementation.argnames]
            implementation.function = _with_paths(implementation.function, are_paths)
            implementation.argnames = today
        verify(self, hook, implementation)

    patches.wrap(module.PytestPluginManager, "_verify_hook", verify_today, reason=_HOOKS)


def _with_paths(function: Callable[..., Any], are_paths: Any) -> Callable[..., Any]:
    """Returns a function that is called with pathlib's paths, and calls `function` with py.path's."""

    def call(*arguments: Any) -> Any:
        from _pytest.compat import LEGACY_PATH

        return function(
            *(
                LEGACY_PATH(argument) if is_path else argument
                for argument, is_path in zip(arguments, are_paths)
            )
        )

    return call
