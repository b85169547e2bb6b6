"""Provides the fixtures that the tests of several rooms for old programs share."""

import os
import sys

import pytest

import fake_wheels
from script_folder import ScriptFolder
from tf1grad.programs import _systems
from tf1grad.programs.period import parts


@pytest.fixture
def folder(tmp_path):
    """Makes an empty `ScriptFolder`."""
    return ScriptFolder(tmp_path)


@pytest.fixture(scope="module")
def names_of_run(request):
    """Returns the values that the parameter `name` has in those tests of the
    module that this run takes.
    """
    parameters = [
        getattr(getattr(item, "callspec", None), "params", {})
        for item in request.session.items
        if item.module is request.module
    ]
    return {each["name"] for each in parameters if "name" in each}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Returns the folder that the parts of the period layer go to."""
    monkeypatch.setenv("TF1GRAD_PERIOD", str(tmp_path / "data" / "period"))
    monkeypatch.delenv("TF1GRAD_OFFLINE", raising=False)
    return tmp_path / "data" / "period"


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """Writes small wheels, whose checksums the installation expects, and returns their folder."""
    fakes = fake_wheels
    wheels = {**fakes.WHEELS, **fakes.LIBRARIES, **fakes.IPYTHON, **fakes.KERAS, **fakes.UV}
    checksums = fake_wheels.write(tmp_path / "downloads", wheels)
    monkeypatch.setattr(parts, "read_checksums", lambda: checksums)
    return tmp_path / "downloads"


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """pip that knows no index, and only the files of one folder."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "downloads"))


@pytest.fixture
def folders_of_systems(tmp_path, monkeypatch):
    """The environment's folder and the user's, in place of the real ones."""
    monkeypatch.delenv("TF1GRAD_PERIOD", raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(_systems.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    return tmp_path
