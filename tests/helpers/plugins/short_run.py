"""Selects the tests of the short run, the number of processes, and what the terminal prints about both.

A test waits when it is marked `slow`, `matrix` or `cluster`, unless its id, or an expression of marks, asks for it. The
mark `matrix` is added to tests on both kinds of variables, of which the short run takes one, by turns; marked
`kind_matters`, a test runs on both. With `control_flow` it takes version 1 on ref variables and version 2 on resource
variables, as programs have them. Of a test marked `one_in(n)` it takes one in n of the parameters; of other parameters
one in two, and of the tests that start programs one in four: which ones, their names decide.
"""

import collections
import gc
import os
import re
import zlib

import pytest

WAITING = ("slow", "matrix", "cluster")
PROCESSES = 4  # at most: each takes a gigabyte of memory
PROGRAMS = {
    "folder",
    "library",
    "project",
    "run",
    "run_forked",
    "run_program",
    "scripts",
}  # fixtures that start them
PASSED = (
    "tf1grad/passed"  # in pytest's cache: the tests that passed in the last short run of all files
)


def pytest_addoption(parser):
    waiting = ", ".join(WAITING)
    group = parser.getgroup("tf1grad")
    group.addoption("--full", action="store_true", help=f"run all tests: {waiting} too")
    group.addoption(
        "--rest",
        action="store_true",
        help="run all tests but those that passed in the last short run",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Starts as many processes as processors for a run of all files, where pytest-xdist can start them."""
    options = config.option
    chosen = getattr(options, "numprocesses", 0) is not None or options.dist != "no" or options.tx
    whole = _is_of_all_files(config) and not (options.usepdb or options.collectonly)
    if whole and not chosen and not _in_worker(config):
        options.numprocesses = min(PROCESSES, _processors())
        options.dist = "loadfile"  # makes the fixtures of a module once
        options.loadscopereorder = False  # the order of `longest_first`


def pytest_configure(config):
    config.pluginmanager.register(Runs(config))


class Runs:
    """The hooks of one run, in the process that was started and in those that it starts."""

    def __init__(self, config):
        self._config = config
        self._waiting = {}  # mark -> the number of tests that it keeps out

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if _repeats(item):
                item.add_marker("matrix")
        config = self._config
        if config.option.rest:
            passed = set(config.cache.get(PASSED, []))
            config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
            items[:] = [item for item in items if item.nodeid not in passed]
            return
        if (
            config.option.full
            or config.option.markexpr
            or any("::" in argument for argument in config.args)
        ):
            return
        left = [item for item in items if _mark(item)]
        for item in left:
            self._waiting[_mark(item)] = self._waiting.get(_mark(item), 0) + 1
        items[:] = [item for item in items if not _mark(item)]
        config.hook.pytest_deselected(items=left)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session):
        if _in_worker(self._config):
            session.items[:] = longest_first(session.items)
        gc.collect()
        gc.freeze()  # TensorFlow's million objects, which every collection of a graph would look at again

    def pytest_sessionfinish(self):
        if _in_worker(self._config):
            self._config.workeroutput["waiting"] = self._waiting

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self._waiting = getattr(node, "workeroutput", {}).get("waiting", self._waiting)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter):
        yield
        seed = getattr(self._config.option, "randomly_seed", None)
        if isinstance(seed, int):
            terminalreporter.write_line(
                f"Tests ran in the order of -p randomly --randomly-seed={seed}"
            )
        if self._waiting and not _in_worker(self._config):
            if _is_of_all_files(self._config):
                passed = {report.nodeid for report in terminalreporter.stats.get("passed", ())}
                self._config.cache.set(PASSED, sorted(passed))
            counts = ", ".join(
                f"{self._waiting[mark]} {mark}" for mark in WAITING if mark in self._waiting
            )
            terminalreporter.write_line(
                f"This was the short run. The full matrix adds {sum(self._waiting.values())} "
                f"tests ({counts}): python -m pytest -q --full"
            )


def _is_of_all_files(config):
    return config.args == config.getini("testpaths")


def longest_first(items):
    """Orders tests by file, so that no process begins a file of long tests when the others have ended."""
    seconds = collections.Counter()
    for item in items:
        seconds[_file(item)] += _seconds(item)
    return sorted(items, key=lambda item: (-seconds[_file(item)], _file(item)))


def _file(item):
    return item.nodeid.partition("::")[0]


def _seconds(item):
    """Estimates the seconds of a test: those that start interpreters take most."""
    if item.get_closest_marker("slow") or item.get_closest_marker("cluster"):
        return 6
    return 2 if PROGRAMS & set(item.fixturenames) else 0.05


def _mark(item):
    return next((mark for mark in WAITING if item.get_closest_marker(mark)), None)


def _repeats(item):
    """Says whether the short run takes the test only on another kind of variables, or with other parameters."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    kind, flow = parameters.get("variable_kind"), parameters.get("control_flow")
    turn = zlib.crc32(
        re.sub(r"\b(ref|resource|v1|v2)\b", "", item.nodeid).encode()
    )  # the same on both kinds
    if turn // 2 % _share(item, parameters):
        return True
    if kind and flow and flow != {"ref": "v1", "resource": "v2"}[kind]:
        return True
    return (
        bool(kind)
        and kind != ("ref", "resource")[turn % 2]
        and not item.get_closest_marker("kind_matters")
    )


def _share(item, parameters):
    """Returns n where the short run takes one in n of the tests like this."""
    one_in = item.get_closest_marker("one_in")
    if one_in:
        return one_in.args[0]
    if PROGRAMS & set(item.fixturenames):
        return 4
    return 2 if parameters else 1


def _in_worker(config):
    return hasattr(config, "workerinput")


def _processors():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
