"""Tests old projects' test suites: their files are compiled as those of a script,
and mocks reach their TensorFlow.
"""

import importlib.util
import os
import sys

import pytest

from paths import ROOT
from script_folder import run_in_fork
from tf1grad._compat import VERSION
from tf1grad.programs.process import ownership

FILES = {
    "conftest.py": """
        import collections, pytest
        import numpy as np
        kind = collections.Iterable

        @pytest.fixture
        def number():
            return np.float(2)
        """,
    "test_first.py": """
        import numpy as np
        import tensorflow as tf

        def test_passes(number):
            assert "%.1f" % np.array([1.5]) == "1.5" and number == np.float(2)
            assert tf.__version__.startswith("1.15")

        def test_fails(number):
            assert number + 1 == np.int(4)
        """,
    "test_second.py": """
        def test_division():
            print "text", xrange(3)
            assert 7 / 2 == 3
        """,
}
FAILS = "AssertionError: assert (2.0 + 1) == 4"


@pytest.fixture
def project(folder):
    """Returns a function that starts Python in a project with a test suite,
    and returns its output.
    """
    for name, text in FILES.items():
        if name != "test_second.py" or importlib.util.find_spec("fissix"):
            folder.write(name, text)

    def start(*arguments):
        process = folder.start(
            *arguments, env={"PYTHONPATH": ROOT, "PYTEST_ADDOPTS": "-p no:randomly"}
        )
        output, errors = process.communicate()
        return output + errors

    return start


def _passed():
    return "1 failed, 2 passed" if importlib.util.find_spec("fissix") else "1 failed, 1 passed"


@pytest.mark.slow
@pytest.mark.each_release
def test_a_suite_under_run(project, folder):
    output = project("-m", "tf1grad", "run", "-m", "pytest")
    assert _passed() in output and FAILS in output, output
    # It is not pytest's own.
    assert not [name for name in folder.files() if "pytest" in name and name.endswith(".pyc")]


@pytest.mark.slow
@pytest.mark.skipif(VERSION < (2,), reason="the suite needs nothing there")
def test_a_suite_with_the_plugin_of_pytest(project):
    plain = project("-m", "pytest", "-q")
    assert "Error" in plain or sys.version_info < (3, 10)
    output = project("-m", "pytest", "-q", "-p", "tf1grad.pytest_plugin")
    assert _passed() in output and FAILS in output, output


@pytest.mark.slow
@pytest.mark.skipif(VERSION < (2,), reason="the suite needs nothing there")
def test_options_of_the_plugin(project, monkeypatch):
    monkeypatch.setenv("TF1GRAD_OPTIONS", "--no-dropped-names --quiet")
    output = project("-m", "pytest", "-q", "-p", "tf1grad.pytest_plugin")
    assert "AttributeError" in output or sys.version_info < (3, 10)


@pytest.mark.skipif("tensorflow" not in sys.modules, reason="TensorFlow is not imported here")
def test_the_plugin_comes_before_tensorflow():
    from tf1grad import pytest_plugin

    with pytest.raises(ImportError, match="load tf1grad.pytest_plugin before other plugins"):
        pytest_plugin.pytest_load_initial_conftests(None)
    assert os.environ.get("TF1GRAD_RUN") is None


@pytest.mark.slow
@pytest.mark.period
def test_graphs_of_test_cases_are_the_users(folder):
    folder.write(
        "test_graphs.py",
        """
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
    """,
    )
    process = folder.start(
        "-m", "tf1grad", "run", "-m", "pytest", "-q", "-p", "no:randomly", env={"PYTHONPATH": ROOT}
    )
    output, _ = process.communicate()
    assert "2 passed" in output, output[-3000:]


MOCKS = """
    import sys, unittest
    from unittest import mock
    import tensorflow as tf

    class Mocks(unittest.TestCase):
        def test_context(self):
            before = tf.train.AdamOptimizer
            with mock.patch("tensorflow.train.AdamOptimizer", 3):
                self.assertEqual(tf.train.AdamOptimizer, 3)
            self.assertIs(tf.train.AdamOptimizer, before)

        def test_object(self):
            with mock.patch.object(tf, "zeros", 3), mock.patch.object(tf.Tensor, "eval", lambda tensor: 7):
                self.assertEqual((tf.zeros, tf.constant(1).eval()), (3, 7))
            with tf.Session():
                self.assertEqual((callable(tf.zeros), tf.constant(1).eval()), (True, 1))

        # Before, mock takes an attribute of that name, and tensorflow.python.ops is framework.ops, as in 1.15.
        @unittest.skipIf(sys.version_info < (3, 11), "mock imports modules from Python 3.11 on")
        def test_private_module(self):
            from tensorflow.python.ops import variable_scope
            with mock.patch("tensorflow.python.ops.variable_scope.get_variable") as fake:
                self.assertIs(variable_scope.get_variable, fake)

    unittest.main()
"""
WITH_PYTEST = """
    import tensorflow as tf

    def test_monkeypatch(monkeypatch):
        monkeypatch.setattr("tensorflow.get_variable", 3)
        monkeypatch.setattr("tensorflow.train.AdamOptimizer", 4)
        assert (tf.get_variable, tf.train.AdamOptimizer) == (3, 4)

    def test_both_are_undone():
        assert callable(tf.get_variable) and callable(tf.train.AdamOptimizer)
"""


@pytest.mark.slow
def test_mocks_replace_the_names_of_the_program(folder):
    code, _, errors = run_in_fork([folder.write("test_program.py", MOCKS)], folder.path)
    assert code == 0 and "Ran 3 tests" in errors, errors[-3000:]


@pytest.mark.slow
def test_monkeypatch_of_pytest_replaces_them(folder):
    folder.write("test_program.py", WITH_PYTEST)
    lines = folder.lines(
        "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "test_program.py"
    )
    assert lines[-1].startswith("2 passed")


def test_a_library_that_resolves_a_name_does_so_for_itself(tmp_path):
    """A name that `pkgutil` looks up belongs to the library that asks `pkgutil`."""
    file = tmp_path / "site-packages" / "a_library.py"
    file.parent.mkdir()
    file.write_text("def ask(is_users):\n    return is_users({'__name__': 'pkgutil'})\n")
    library = {"__file__": str(file), "__name__": "a_library"}
    exec(compile(file.read_text(), str(file), "exec"), library)
    assert library["ask"](ownership.is_users_namespace) is False
