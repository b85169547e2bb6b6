"""Starts the processes of a run of all files, and says what the short run left out.

Tests that are marked `slow` wait: the options in `tox.ini` leave them out, unless an id or another
`-m` asks for them. So do most cases of a test with many.
"""

import collections
import gc
import os
import sys
import zlib

import pytest

SHORT = "not slow"
PROCESSES = 4  # at most: each takes a gigabyte of memory
MANY = 3  # cases of one test: of more, the short run takes a quarter,
PYTHONS = 4  # and that of each Python from 3.10 to 3.13 another one


def pytest_addoption(parser):
    group = parser.getgroup("tf1grad")
    group.addoption("--full", action="store_true", help="run all tests: the slow ones too")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Starts as many processes as processors for a run of all files,
    where pytest-xdist can start them.
    """
    options = config.option
    asks_for_all = options.full or any("::" in argument for argument in config.args)
    if asks_for_all and options.markexpr == SHORT:
        options.markexpr = ""
    chosen = getattr(options, "numprocesses", 0) is not None or options.dist != "no" or options.tx
    whole = config.args == config.getini("testpaths")
    if not whole or chosen or options.usepdb or options.collectonly or _in_worker(config):
        return
    options.numprocesses = min(PROCESSES, _processors())
    options.dist = "loadfile"  # makes the fixtures of a module once
    # pytest-xdist 3.8 waits for ever for the tests that a killed process had, if it starts another.
    options.maxworkerrestart = options.maxworkerrestart or "0"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leaves most cases of a test with many to the other Pythons, in the rooms below `tests/`.

    A checksum of its name chooses a case, so that each value of each parameter has its chance. The
    tests of all texts, which lie in `tests/` itself, have a case for each text. TensorFlow 1.15 has
    half of the cases of recipes, and a quarter of those of slow tests.
    """
    cases = collections.defaultdict(list)
    for item in items:
        is_slow = item.get_closest_marker("slow") is not None
        cases[item.nodeid.partition("[")[0], is_slow].append(item)
    for (test, is_slow), alike in cases.items():
        if len(alike) > MANY and test.count("/") > 1:
            for item in alike:
                number = zlib.crc32(item.nodeid.encode()) - sys.version_info[1]
                for mark in _marks(number, test.startswith("tests/recipe"), is_slow):
                    item.add_marker(mark)


def _marks(number, is_of_recipe, is_slow):
    """Returns the marks of one of many cases, by a number that its name gives."""
    if is_slow:
        return ["newest_alone"] if number % PYTHONS else []
    if number % PYTHONS == 0:
        return []
    of_recipe = ["on_1_15_too"] if is_of_recipe and number % 2 == 0 else []
    return ["slow", "of_another_python", *of_recipe]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish():
    gc.collect()
    gc.freeze()  # TensorFlow's million objects, which every collection of a graph would look at again


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter, config):
    yield
    seed = getattr(config.option, "randomly_seed", None)
    if isinstance(seed, int):
        terminalreporter.write_line(f"Tests ran in the order of -p randomly --randomly-seed={seed}")
    if config.option.markexpr == SHORT:
        terminalreporter.write_line(
            "This was the short run, without the slow tests: python -m pytest -q -m slow"
        )


def _in_worker(config):
    return hasattr(config, "workerinput")


def _processors():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
