"""Tests that mocks and lookups by name reach the user's TensorFlow, as in 1.15, where a test runner makes them."""

import sys

import pytest

import fork_server
from tf1grad.old_programs.process import ownership

MOCKS = """
    import pkgutil, pydoc, sys, unittest
    from unittest import mock
    import tensorflow as tf

    class Mocks(unittest.TestCase):
        @mock.patch("tensorflow.get_variable")
        def test_decorator(self, fake):
            self.assertIs(tf.get_variable, fake)

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

        @unittest.skipIf(sys.version_info < (3, 8), "in TensorFlow 1.15, tensorflow.python.ops is another module")
        def test_private_module(self):
            from tensorflow.python.ops import variable_scope
            with mock.patch("tensorflow.python.ops.variable_scope.get_variable") as fake:
                self.assertIs(variable_scope.get_variable, fake)

        def test_name(self):
            self.assertIs(pydoc.locate("tensorflow.train.AdamOptimizer"), tf.train.AdamOptimizer)
            if hasattr(pkgutil, "resolve_name"):
                self.assertIs(pkgutil.resolve_name("tensorflow.train:AdamOptimizer"), tf.train.AdamOptimizer)

        def test_replaced_module(self):
            with mock.patch.dict(sys.modules, {"tensorflow": "fake"}):
                import tensorflow
                self.assertEqual(tensorflow, "fake")
            self.assertIs(__import__("tensorflow"), tf)

    unittest.main()
"""
WITH_PYTEST = """
    from unittest import mock
    import tensorflow as tf

    def test_monkeypatch(monkeypatch):
        monkeypatch.setattr("tensorflow.get_variable", 3)
        monkeypatch.setattr("tensorflow.train.AdamOptimizer", 4)
        assert (tf.get_variable, tf.train.AdamOptimizer) == (3, 4)

    @mock.patch("tensorflow.get_variable", 5)
    def test_decorator():
        assert tf.get_variable == 5

    def test_both_are_undone():
        assert callable(tf.get_variable) and callable(tf.train.AdamOptimizer)
"""


def test_mocks_replace_the_names_of_the_program(folder):
    code, _, errors = fork_server.run_forked([folder.write("test_program.py", MOCKS)], folder.path)
    assert code == 0 and "Ran 6 tests" in errors, errors[-3000:]


def test_monkeypatch_of_pytest_replaces_them(folder):
    folder.write("test_program.py", WITH_PYTEST)
    lines = folder.lines("-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "test_program.py")
    assert lines[-1].startswith("3 passed")


def test_a_library_that_resolves_a_name_does_so_for_itself(tmp_path):
    """A name that `pkgutil` looks up belongs to the library that asks `pkgutil`."""
    file = tmp_path / "site-packages" / "a_library.py"
    file.parent.mkdir()
    file.write_text("def ask(is_users):\n    return is_users({'__name__': 'pkgutil'})\n")
    library = {"__file__": str(file), "__name__": "a_library"}
    exec(compile(file.read_text(), str(file), "exec"), library)
    assert library["ask"](ownership.is_users_namespace) is False


@pytest.mark.parametrize("module", ["unittest.mock", "_pytest.monkeypatch", "pkgutil", "pydoc"])
def test_a_test_runner_resolves_names_for_the_user(module, monkeypatch):
    monkeypatch.setattr(ownership, "_outwards", lambda frame: iter(()))
    assert ownership.is_users_namespace({"__name__": module, "__file__": sys.modules["os"].__file__}) is True
