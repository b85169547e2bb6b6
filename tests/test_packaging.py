"""Tests the packaging: requirements that do not touch TensorFlow, and a description with working links."""

import os
import re
import runpy
import sys
import types

import pytest

from paths import ROOT


@pytest.fixture(params=["82.0.1", "68.0.0"])
def metadata(request, monkeypatch):
    """Returns what setup.py gives to a setuptools of a version."""
    given = {}
    fake = types.ModuleType("setuptools")
    fake.__version__, fake.setup = request.param, lambda **words: given.update(words)
    fake.find_packages = lambda **words: []
    monkeypatch.setitem(sys.modules, "setuptools", fake)
    runpy.run_path(os.path.join(ROOT, "setup.py"))
    given["setuptools"] = request.param
    return given


def test_no_extra_asks_for_tensorflow(metadata):
    """tf_keras asks for the full tensorflow, whatever is installed; tensorflow-estimator and tf_slim ask for none."""
    extras = metadata["extras_require"]
    requirements = [
        name for names in [metadata["install_requires"]] + list(extras.values()) for name in names
    ]
    names = {
        re.match(r"[\w-]+", requirement).group().lower().replace("_", "-")
        for requirement in requirements
    }
    assert [name for name in names if name.startswith(("tensorflow", "tf-"))] and "numpy" in names
    assert {name for name in names if name.startswith(("tensorflow", "tf-"))} == {
        "tensorflow-estimator",
        "tf-slim",
    }
    assert {"examples", "test"} <= set(extras)


def test_the_description_has_no_link_that_only_a_checkout_can_follow(metadata):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    links = re.compile(r"\]\(([^)]+)\)")
    assert [target for target in links.findall(readme) if not target.startswith("http")]
    assert [
        target
        for target in links.findall(metadata["long_description"])
        if not target.startswith("http")
    ] == []
    assert (
        "tf1grad" in metadata["long_description"] and "](docs" not in metadata["long_description"]
    )
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", readme):
        assert target.startswith("http") or os.path.exists(os.path.join(ROOT, target)), target


def test_the_licence_is_an_expression_where_setuptools_knows_one(metadata):
    word = "license_expression" if metadata["setuptools"] > "77" else "license"
    assert metadata[word] == "Apache-2.0"
    assert not [
        text for text in metadata["classifiers"] if text.startswith("License")
    ]  # not beside an expression
