"""Tests that installing the package, with any extra, leaves the TensorFlow that is there."""

import os
import re
import runpy
import sys
import types

from paths import ROOT


def test_no_extra_asks_for_tensorflow(monkeypatch):
    """tf_keras asks for the full tensorflow, whatever is installed; tensorflow-estimator and tf_slim ask for none."""
    metadata = {}
    setuptools = types.ModuleType("setuptools")
    setuptools.__version__ = "82.0.1"
    setuptools.find_packages = lambda **options: []
    setuptools.setup = lambda **options: metadata.update(options)
    monkeypatch.setitem(sys.modules, "setuptools", setuptools)
    runpy.run_path(os.path.join(ROOT, "setup.py"))
    extras = metadata["extras_require"]
    requirements = sum(extras.values(), metadata["install_requires"])
    names = {re.match(r"[\w-]+", requirement).group().lower() for requirement in requirements}
    of_tensorflow = {name for name in names if name.startswith(("tensorflow", "tf"))}
    assert {name.replace("_", "-") for name in of_tensorflow} == {"tensorflow-estimator", "tf-slim"}
    assert "numpy" in names and {"examples", "test"} <= set(extras)
