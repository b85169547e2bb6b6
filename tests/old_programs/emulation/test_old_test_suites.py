"""Tests old projects' test suites under pytest: their files are compiled as those of a script, assertions included."""

import importlib.util
import os
import sys

import pytest

from paths import ROOT
from tf1grad._compat import VERSION

FILES = {
    "conftest.py": """
        import collections, pytest
        import numpy as np
        kind = collections.Iterable

        @pytest.fixture
        def number():
            return np.float(2)

        def pytest_ignore_collect(path, config):
            return path.basename == "test_ignored.py" or None

        def pytest_report_header(config, startdir):
            return ["started in " + startdir.basename]
        """,
    "test_ignored.py": "raise ImportError",
    "test_first.py": """
        import numpy as np
        import tensorflow as tf

        def test_passes(number):
            assert "%.1f" % np.array([1.5]) == "1.5" and number == np.float(2)
            assert tf.__version__.startswith("1.15")

        class TestClass:
            def setup(self):
                self.value = 3

            def test_warns(self):
                import pytest, warnings
                with pytest.warns(None) as record:
                    warnings.warn("text")
                assert len(record) == 1 and self.value == 3
                with pytest.raises(pytest.fail.Exception):
                    with pytest.warns(UserWarning):
                        pass

        def test_fails(number):
            assert number + 1 == np.int(4)
        """,
    "test_second.py": """
        def test_division():
            print "text", xrange(3)
            assert 7 / 2 == 3
        """}
FAILS = "AssertionError: assert (2.0 + 1) == 4"


@pytest.fixture
def project(folder):
    """Returns a function that starts Python in a project with a test suite, and returns its output."""
    for name, text in FILES.items():
        if name != "test_second.py" or importlib.util.find_spec("fissix"):
            folder.write(name, text)

    def start(*arguments):
        process = folder.start(*arguments, env={"PYTHONPATH": ROOT, "PYTEST_ADDOPTS": "-p no:randomly"})
        output, errors = process.communicate()
        return output + errors
    return start


def _passed():
    return "1 failed, 3 passed" if importlib.util.find_spec("fissix") else "1 failed, 2 passed"


def test_a_suite_under_run(project, folder):
    output = project("-m", "tf1grad", "run", "-m", "pytest")
    assert _passed() in output and FAILS in output, output
    assert "started in " + os.path.basename(folder.path) in output
    assert not [name for name in folder.files() if "pytest" in name and name.endswith(".pyc")]  # it is not pytest's own


@pytest.mark.skipif(VERSION < (2,), reason="the suite needs nothing there")
def test_a_suite_with_the_plugin_of_pytest(project):
    plain = project("-m", "pytest", "-q")
    assert "Error" in plain or sys.version_info < (3, 10)
    output = project("-m", "pytest", "-q", "-p", "tf1grad.pytest_plugin")
    assert _passed() in output and FAILS in output, output


@pytest.mark.skipif(VERSION < (2,), reason="the suite needs nothing there")
def test_options_of_the_plugin(project, monkeypatch):
    monkeypatch.setenv("TF1GRAD_OPTIONS", "--no-era --quiet")
    output = project("-m", "pytest", "-q", "-p", "tf1grad.pytest_plugin")
    assert "AttributeError" in output or sys.version_info < (3, 10)
    monkeypatch.setenv("TF1GRAD_OPTIONS", "--no-eras")
    assert "TF1GRAD_OPTIONS='--no-eras': " in project("-m", "pytest", "-q", "-p", "tf1grad.pytest_plugin")


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("xdist"), reason="xdist is not installed")
def test_workers_of_xdist(project):
    output = project("-m", "pytest", "-q", "-p", "tf1grad.pytest_plugin", "-n2")
    assert _passed() in output and FAILS in output, output


@pytest.mark.skipif("tensorflow" not in sys.modules, reason="TensorFlow is not imported here")
def test_the_plugin_comes_before_tensorflow():
    from tf1grad import pytest_plugin
    with pytest.raises(ImportError, match="load tf1grad.pytest_plugin before other plugins"):
        pytest_plugin.pytest_load_initial_conftests(None)
    assert os.environ.get("TF1GRAD_RUN") is None


@pytest.mark.period
def test_graphs_of_test_cases_are_the_users(folder):
    folder.write("test_graphs.py", """
        import tensorflow as tf

        class Test(tf.test.TestCase):
            def test_default_graph(self):
                self.check()

            def test_graph_of_a_session(self):
                with self.session():
                    self.check()

            def check(self):
                x = tf.placeholder(tf.float32, [None, 2])
                sums = tf.reduce_sum(x, tf.constant([1], tf.int64))
                gradient, = tf.gradients(sums, x)  # TensorFlow 2's gradient function refuses axes of int64
                self.assertEqual(gradient.op.type, "Tile")
    """)
    process = folder.start("-m", "tf1grad", "run", "-m", "pytest", "-q", "-p", "no:randomly", env={"PYTHONPATH": ROOT})
    output, _ = process.communicate()
    assert "2 passed" in output, output[-3000:]
