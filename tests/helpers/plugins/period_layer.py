"""Fetches the period layer before the first test, where no earlier run has left it for the user.

With it come the packages that `run` replaces, since a test that fetches one would have more
messages than the others.

Tests with the mark `period` need it. If it cannot be fetched, as without a network, these tests are
skipped, and the summary says how many they are and why. TensorFlow 1.15 has no use for it: there
only `period(on_1_15=True)` runs.
"""

import importlib.util
import subprocess
import sys

import pytest

from tf1grad.programs.period import folder, installation, layer, parts, sources
from tf1grad.run.packages import installed

SKIPPED = "it needs the period layer, and the summary says why that is not here"


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Fetch())


def pytest_collection_modifyitems(items):
    is_missing = bool(_missing())
    for item in items:
        mark = item.get_closest_marker("period")
        if mark and is_missing:
            item.add_marker(pytest.mark.skip(reason=SKIPPED))
        elif mark and _is_1_15() and not mark.kwargs.get("on_1_15"):
            item.add_marker(pytest.mark.skip(reason="TensorFlow 1.15 has all this itself"))


class Fetch:
    """The hooks of the process that was started: it fetches the layer before it starts others."""

    def __init__(self):
        self._failure = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session):
        if not _missing() or session.config.option.collectonly:
            return
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        try:
            installation.install(_missing(), sources.from_index, terminal.write_line)
            _import_replaced()
        except sources.Failed as error:
            self._failure = str(error)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter):
        yield
        skipped = [
            report
            for report in terminalreporter.stats.get("skipped", ())
            if SKIPPED in str(report.longrepr)
        ]
        if skipped:
            terminalreporter.write_line(
                f"{len(skipped)} tests were skipped, because they need the period layer: {self._failure}"
            )


def _import_replaced():
    """Imports under `run` what is compiled against the installed NumPy."""
    modules = ", ".join(sorted(installed.built_on_numpy(installed.find_installed())))
    if modules and layer.numpy_in_place():
        command = [sys.executable, "-m", "tf1grad", "run", "-"]
        subprocess.run(command, input=f"import {modules}", text=True, check=False)


def _is_1_15():
    return importlib.util.find_spec("tensorflow_core") is not None


def _missing():
    """Returns the parts that no folder has; TensorFlow 1.15 needs none."""
    return (
        []
        if _is_1_15()
        else [part for part in parts.every_part() if folder.find(part.name) is None]
    )
