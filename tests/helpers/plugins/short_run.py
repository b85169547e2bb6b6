"""Starts the processes of a run of all files, and says what the short run left out.

Tests that are marked `slow` wait: the options in `tox.ini` leave them out, unless an id or another `-m` asks for them.
"""

import gc
import os

import pytest

SHORT = "not slow"
PROCESSES = 4  # at most: each takes a gigabyte of memory


def pytest_addoption(parser):
    group = parser.getgroup("tf1grad")
    group.addoption("--full", action="store_true", help="run all tests: the slow ones too")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Starts as many processes as processors for a run of all files, where pytest-xdist can start them."""
    options = config.option
    if options.full or any("::" in argument for argument in config.args):
        options.markexpr = ""
    chosen = getattr(options, "numprocesses", 0) is not None or options.dist != "no" or options.tx
    whole = config.args == config.getini("testpaths")
    if not whole or chosen or options.usepdb or options.collectonly or _in_worker(config):
        return
    options.numprocesses = min(PROCESSES, _processors())
    options.dist = "loadfile"  # makes the fixtures of a module once


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
