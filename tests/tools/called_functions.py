"""Records which functions of the package each test calls,
in its process and in those that it starts.

`Calls` is the plugin of pytest. The processes that tests start find `sitecustomize.py` in a folder
of their `PYTHONPATH`; it calls `watch`. All of them read the number of the test from one file,
which they share as memory. A test whose process is forked calls what the server called at its start
too.
"""

from __future__ import annotations

import collections
import mmap
import os
import sys
import types

import pytest

PACKAGE = os.sep + "tf1grad" + os.sep
FORK_SECONDS = 0.3  # of CPU time that a test takes in a fork, whose server nobody waits for
HOOK = "import sys; sys.path.append({tools!r}); import called_functions; called_functions.watch({folder!r})\n"


def prepare(folder: str) -> None:
    """Writes the files that `watch` and the started processes need into a folder."""
    with open(os.path.join(folder, "test"), "wb") as file:
        file.write(bytes(4))
    with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as file:
        file.write(HOOK.format(tools=os.path.dirname(os.path.abspath(__file__)), folder=folder))


def watch(folder: str) -> mmap.mmap:
    """Appends each function of the package that this process calls to a file, once a test.

    Returns the memory that holds the number of the test.
    """
    with open(os.path.join(folder, "test"), "r+b") as file:
        number = mmap.mmap(file.fileno(), 4)
    calls = os.open(os.path.join(folder, "calls"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    monitoring = sys.monitoring
    seen = set()
    started = number[:]

    def write(test, source, name):
        line = f"{int.from_bytes(test, 'little')}\t{source}\t{name}\n"
        os.write(calls, line.encode())

    def note(code, offset):
        if PACKAGE not in code.co_filename:
            return monitoring.DISABLE
        call = (number[:], code)
        if call not in seen:
            seen.add(call)
            write(call[0], source_of(code), outermost(code.co_qualname))
        return None

    def inherit():
        write(number[:], "", "fork")
        for test, code in seen:
            if test == started:
                write(number[:], source_of(code), outermost(code.co_qualname))

    os.register_at_fork(after_in_child=inherit)

    monitoring.use_tool_id(monitoring.PROFILER_ID, "called functions")
    monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.PY_START, note)
    monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.PY_START)
    return number


def source_of(code: types.CodeType) -> str:
    """Returns the path of a function's source, from `tf1grad` on."""
    return "tf1grad/" + code.co_filename.rpartition(PACKAGE)[2].replace(os.sep, "/")


def outermost(name: str) -> str:
    """Returns the name of the function or method that a function stands in;
    "" for code of the module itself.
    """
    name = name.partition(".<locals>")[0]
    return "" if "<" in name else name


def cpu_seconds() -> float:
    """Returns the CPU time of this process and of those that it has waited for."""
    return sum(os.times()[:4])


class Calls:
    """A plugin of pytest that numbers the tests,
    and keeps their CPU seconds and which ones failed.
    """

    def __init__(self, folder: str) -> None:
        self._folder, self._number = folder, watch(folder)
        self.tests: list[str] = [""]
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self._number[:] = len(self.tests).to_bytes(4, "little")
        self.tests.append(item.nodeid)
        start = cpu_seconds()
        yield
        self.seconds[item.nodeid] = round(cpu_seconds() - start, 3)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)

    def called(self) -> dict[str, list[str]]:
        """Returns the tests that call each function, which is written `source:name`,
        and adds to `seconds` those of forks.
        """
        found = collections.defaultdict(list)
        with open(os.path.join(self._folder, "calls"), encoding="utf-8") as file:
            for line in sorted(set(file)):
                number, source, name = line.rstrip("\n").split("\t")
                if self.tests[int(number)]:
                    found[f"{source}:{name}"].append(self.tests[int(number)])
        for test in found.pop(":fork", ()):
            self.seconds[test] += FORK_SECONDS
        return found
