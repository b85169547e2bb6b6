"""Tests `tf1grad doctor`: its report on an environment, the line that it prints, and its exit codes."""

import importlib.util
import sys

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.old_programs import _compat
from tf1grad.old_programs.cli import doctor
from tf1grad.old_programs.cli.doctor import (
    LIBRARY,
    RUN,
    WITHOUT_TENSORFLOW,
    Imported,
    examined,
    line,
)
from tf1grad.old_programs.cli.main import main
from tf1grad.old_programs.period import folder, manifest

OPTIONAL = {"scipy", "fissix", "tf_keras", "tensorflow_estimator", "tf_slim", "matplotlib"}


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """Makes an environment with the optional packages that are given, and with the originals or without."""

    def make(packages, originals=False):
        monkeypatch.setattr(doctor, "is_installed", packages.__contains__)
        monkeypatch.setenv(folder.VARIABLE, str(tmp_path))
        if originals:
            (tmp_path / folder.NAME / folder.ROOT).mkdir(parents=True)
            manifest.write(str(tmp_path / folder.NAME))

    return make


@pytest.fixture
def missing(capsys):
    """Returns the missing parts that the command prints, and its last line; checks the exit code."""

    def run():
        code = main(["doctor"])
        lines = capsys.readouterr().out.splitlines()
        assert tf.__version__ in lines[0]
        found = [
            text.split(None, 1)[1].rpartition(": ")[0]
            for text in lines
            if text.startswith("  missing")
        ]
        assert code == bool(found)
        return found, lines[-1]

    return run


def test_a_full_environment(environment, missing):
    environment(OPTIONAL, originals=True)
    assert missing()[0] == []


def test_an_empty_environment_on_this_tensorflow(environment, missing):
    environment(set())
    version = _compat.installed_version()
    found, last = missing()
    assert {"ScipyOptimizerInterface", "verify --plot"} < set(found)
    assert ("check, upgrade, run: Python 2 programs" in found) == (version < (2,))
    assert ("upgraded programs with tf.layers, tf.keras or cells" in found) == (version >= (2, 16))
    assert ("upgraded programs with other names of tf.contrib" in found) == (version >= (2,))
    assert last.split()[:4] == [sys.executable, "-m", "pip", "install"]
    # tf_keras needs another option.
    assert last.count("pip install") == (2 if version >= (2, 16) else 1)


@pytest.mark.parametrize(
    "version, names, lines",
    [
        ("1.15.5", ["scipy", "fissix", "tf_slim", "matplotlib"], []),
        ("2.15.1", ["scipy", "tf_slim", "matplotlib"], ["tf1grad period install"]),
        (
            "2.21.0",
            ["scipy", "tensorflow-estimator", "tf_slim", "matplotlib"],
            ["pip install --no-deps 'tf_keras==2.21.*'", "tf1grad period install"],
        ),
    ],
    ids=["1.15.5", "2.15.1", "2.21.0"],
)
def test_the_line_on_each_tensorflow(environment, version, names, lines):
    environment(set())
    states, remedies = examined(Imported(version))
    assert {name for name, lacks in states if not lacks} >= {WITHOUT_TENSORFLOW, LIBRARY, RUN}
    expected = [f"pip install {' '.join(names)}"] + lines
    assert line(remedies) == " && ".join(f"{sys.executable} -m {one}" for one in expected)


@pytest.mark.parametrize("version", ["2.0.4", "2.12.1", "2.14.1"])
def test_run_needs_a_later_tensorflow(environment, version):
    environment(OPTIONAL, originals=True)
    states, remedies = examined(Imported(version))
    lacking = {name: lacks for name, lacks in states if lacks}
    assert RUN in lacking and LIBRARY not in lacking and remedies == []
    assert lacking[RUN].startswith("TensorFlow 2.15 or newer, or 1.15, is needed, and 2.")


def test_no_tensorflow(environment, monkeypatch):
    environment(OPTIONAL, originals=True)
    monkeypatch.setattr(_compat, "installed_version", lambda: None)
    states, remedies = examined(Imported(None, "ModuleNotFoundError: No module named 'tensorflow'"))
    assert [name for name, lacks in states if not lacks] == [
        WITHOUT_TENSORFLOW,
        "check, upgrade, run: Python 2 programs",
    ]
    assert line(remedies).endswith("pip install tensorflow-cpu")


def test_a_tensorflow_that_breaks_on_its_protobuf(environment, monkeypatch):
    environment(OPTIONAL, originals=True)
    monkeypatch.setattr(_compat, "installed_version", lambda: (1, 15))
    states, remedies = examined(
        Imported(None, "TypeError: Descriptors cannot not be created directly.")
    )
    assert line(remedies).endswith("pip install 'protobuf<3.21'")
    states, remedies = examined(
        Imported(None, "ImportError: libfoo.so: cannot open shared object file")
    )
    assert remedies == [] and "libfoo.so" in dict(states)[LIBRARY]


def test_doctor_does_not_import_what_it_finds(monkeypatch, tmp_path):
    (tmp_path / "some_package.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    assert doctor.is_installed("some_package") and not doctor.is_installed("no_such_package")
