"""Provides an index of small packages, and programs that declare some of them."""

import os
import sys

import pytest

import package_index
from tf1grad._compat import VERSION
from tf1grad.programs.period import folder as period_folder, layer as period_layer
from tf1grad.run.packages import fetching

OLD = "import tensorflow as tf\nhidden = tf.placeholder\nversion = '{}'\n"
PLAIN = "version = '{}'\n"


@pytest.fixture
def layer(tmp_path_factory):
    """Returns the folder to which packages go."""
    return tmp_path_factory.mktemp("layer")


@pytest.fixture
def index(monkeypatch, layer):
    """Serves an index, which uv takes, with releases of 2018 to today;
    the layer has a new folder in front.
    """
    found = package_index.Index()
    for version, day in (("1.0", "2018-05-01"), ("1.1", "2019-05-01"), ("2.0", "2025-05-01")):
        found.add_wheel(
            "old-layers", version, day, {"old_layers.py": OLD.format(version)}, ["plain"]
        )
        found.add_wheel("plain", version, day, {"plain/__init__.py": PLAIN.format(version)})
    found.add_wheel("pinned", "0.5", "2019-06-20", {"pinned.py": PLAIN.format("0.5")})
    found.add_wheel("pinned", "0.9", "2024-06-20", {"pinned.py": PLAIN.format("0.9")})
    monkeypatch.setenv(
        period_folder.VARIABLE, os.pathsep.join([str(layer), *period_folder.places()])
    )
    monkeypatch.delenv("TF1GRAD_OFFLINE", raising=False)
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with package_index.served(found):
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"{found.url}/simple")
        yield found


@pytest.fixture
def program(folder):
    """Writes a program from {file: text}, and returns its folder."""

    def write(texts):
        for name, text in texts.items():
            folder.write(name, text)
        return folder.path

    return write


@pytest.fixture
def bring(program, monkeypatch):
    """Returns a function that puts what requirements declare on the path, as a run does,
    and returns the modules.
    """
    monkeypatch.setenv("UV_HTTP_TIMEOUT", "2")
    period_folder.find_damage.cache_clear()
    monkeypatch.setattr(sys, "path", list(sys.path))

    def put(lines):
        program({"requirements.txt": lines})
        wanted = fetching.find_wanted(program({}), period_layer.numpy_version("layer"))
        return fetching.put_on_path(wanted, 0), fetching.lock_of(wanted)

    return put


collect_ignore_glob = ["test_*.py"] if VERSION < (2,) else []
