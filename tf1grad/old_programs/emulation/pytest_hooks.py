"""Lets pytest call hooks of old projects that take arguments which pytest 9 dropped, such as `path` and `startdir`."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Callable, Dict

from tf1grad.old_programs.process import finder, patches

MANAGER = "_pytest.config"
# hook -> its dropped argument, and the one of today, which is a pathlib.Path
DROPPED: Dict[str, Dict[str, str]] = {
    "pytest_collect_file": {"path": "file_path"},
    "pytest_ignore_collect": {"path": "collection_path"},
    "pytest_pycollect_makemodule": {"path": "module_path"},
    "pytest_report_collectionfinish": {"startdir": "start_path"},
    "pytest_report_header": {"startdir": "start_path"},
}


def install() -> None:
    """Lets plugins and conftest.py files that pytest registers from now on take the dropped arguments."""
    finder.call_now_and_after(MANAGER, _change, reason="hooks take arguments that pytest 9 dropped")


def _change(module: ModuleType) -> None:
    manager = module.PytestPluginManager
    verify = manager._verify_hook

    def _verify_hook(self: Any, hook: Any, implementation: Any) -> None:
        names = DROPPED.get(hook.name, {})
        today = tuple(names.get(name, name) for name in implementation.argnames)
        dropped = set(implementation.argnames) - set(hook.spec.argnames)
        if dropped & set(names) and set(today) <= set(hook.spec.argnames):
            are_paths = [name in names for name in implementation.argnames]
            implementation.function = _with_paths(implementation.function, are_paths)
            implementation.argnames = today
        verify(self, hook, implementation)

    patches.patch(manager, "_verify_hook", _verify_hook, owner=__name__,
                  reason="hooks take arguments that pytest 9 dropped")


def _with_paths(function: Callable[..., Any], are_paths: Any) -> Callable[..., Any]:
    """Returns a function that is called with pathlib's paths, and calls `function` with py.path's."""
    def call(*arguments: Any) -> Any:
        from _pytest.compat import LEGACY_PATH
        return function(*(LEGACY_PATH(argument) if is_path else argument
                          for argument, is_path in zip(arguments, are_paths)))
    return call
