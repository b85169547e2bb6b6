"""Lets a run leave out tests that an earlier one has passed, where both must give the same answer.

A run whose environment has `TF1GRAD_PASSED=FILE` writes the ids of these tests to the file. `--except=FILE` leaves them
out; after a space, pytest would take the file for a test of another project. They are the tests of the library's rooms
and of the text of the sources, to which it makes no difference whether tf_keras and TensorFlow 1.15's own files are
installed.
"""

import os

import pytest

VARIABLE = "TF1GRAD_PASSED"
ROOMS = tuple(f"tests/{room}/" for room in
              ("accumulation", "batches", "external", "freezing", "gradients", "hooks", "optimizers", "sessions"))
TEXTS = ("tests/test_prose.py", "tests/test_source.py")
USES_CONTRIB = "tests/gradients/test_misuse_transforms.py"  # which is 1.15's own where that is installed


def pytest_addoption(parser):
    parser.getgroup("tf1grad").addoption(
        "--except", metavar="FILE", dest="passed",
        help=f"leave out the tests whose ids are in FILE: a run with {VARIABLE}=FILE in its environment writes them")


def pytest_configure(config):
    if os.environ.get(VARIABLE) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Writer(os.environ[VARIABLE]))


def pytest_collection_modifyitems(config, items):
    passed = _lines(config.option.passed)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
    items[:] = [item for item in items if item.nodeid not in passed]


@pytest.hookimpl(hookwrapper=True)
def pytest_terminal_summary(terminalreporter, config):
    yield
    if config.option.passed:
        terminalreporter.write_line(f"Left out: {len(_lines(config.option.passed))} tests that passed before")


class Writer:
    """Writes the ids of tests that pass to a file."""

    def __init__(self, file):
        self._file = file
        self._passed, self._others = set(), set()

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)
        elif not report.passed:
            self._others.add(report.nodeid)

    def pytest_sessionfinish(self):
        with open(self._file, "w") as file:
            file.writelines(f"{each}\n" for each in sorted(self._passed - self._others)
                            if each.startswith(ROOMS + TEXTS) and not each.startswith(USES_CONTRIB))


def _lines(path):
    if not path or not os.path.exists(path):  # the earlier run did not come to its end
        return set()
    with open(path) as file:
        return set(file.read().splitlines())
