"""Imports `tf.estimator` from the package that has it on every version."""

import importlib
import importlib.util

import pytest

from tf1grad.run.originals import estimator_package

MODULE = "tensorflow_estimator.python.estimator.api._v1.estimator"
is_installed = importlib.util.find_spec(estimator_package.PACKAGE) is not None
needs_package = pytest.mark.skipif(not is_installed, reason="needs tensorflow_estimator")


def module():
    """Returns the module that TensorFlow 1 had as `tf.estimator`,
    or None if the package is not installed.
    """
    estimator_package.prepare()
    return importlib.import_module(MODULE) if is_installed else None
