"""Gives old test suites what pytest 8 dropped: `pytest.warns(None)`, and the `setup` and `teardown` of nose."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any, Dict, Tuple

from tf1grad.old_programs.process import finder, patches

WARNINGS, COLLECTORS = "_pytest.recwarn", "_pytest.python"
# names that pytest looks for in a module or class -> the name that nose gave them
OF_NOSE: Dict[Tuple[str, ...], str] = {
    ("setUpModule", "setup_module"): "setup", ("tearDownModule", "teardown_module"): "teardown",
    ("setup_method",): "setup", ("teardown_method",): "teardown"}


def install() -> None:
    """Changes pytest, now or when it is imported."""
    finder.call_now_and_after(WARNINGS, _change_warnings, reason="pytest.warns takes None, as before pytest 8")
    if WARNINGS in sys.modules:
        patches.patch(sys.modules["pytest"], "warns", sys.modules[WARNINGS].warns, owner=__name__,
                      reason="pytest.warns takes None, as before pytest 8")
    finder.call_now_and_after(COLLECTORS, _change_collectors, reason="nose's setup and teardown are called")


def _change_warnings(module: ModuleType) -> None:
    warns = module.warns

    @functools.wraps(warns)
    def warns_or_records(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        expected = arguments[:1] or (options.get("expected_warning", Warning),)
        if expected == (None,) and len(arguments) < 2:
            return module.WarningsRecorder(_ispytest=True)
        return warns(*arguments, **options)

    patches.patch(module, "warns", warns_or_records, owner=__name__,
                  reason="pytest.warns takes None, as before pytest 8")


def _change_collectors(module: ModuleType) -> None:
    find = module._get_first_non_fixture_func

    @functools.wraps(find)
    def find_or_nose(obj: object, names: Tuple[str, ...]) -> Any:
        of_nose = find(obj, (OF_NOSE[names],)) if find(obj, names) is None and names in OF_NOSE else None
        if of_nose is not None:
            setattr(obj, names[-1], of_nose)
        return find(obj, names)

    patches.patch(module, "_get_first_non_fixture_func", find_or_nose, owner=__name__,
                  reason="nose's setup and teardown are called, as before pytest 8")
