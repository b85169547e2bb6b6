"""Tests `tf1grad doctor`: its report on an environment,
the line that it prints, and its exit codes.
"""

import json
import os
import shlex
import shutil
import sys
import types

import pytest
import tensorflow.compat.v1 as tf

import fake_wheels
from tf1grad.cli import doctor
from tf1grad.cli.doctor import (
    LIBRARY,
    RUN,
    WITHOUT_TENSORFLOW,
    Imported,
    examine_parts,
    line,
)
from tf1grad.cli.main import main
from tf1grad.programs import _compat, _installers
from tf1grad.programs._errors import UsageError
from tf1grad.programs.period import folder, installation, layer, parts, sources

OPTIONAL = {"scipy", "fissix", "tf_keras", "tensorflow_estimator", "tf_slim", "matplotlib"}


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """Makes an environment with the optional packages that are given."""

    def make(packages):
        monkeypatch.setattr(doctor, "is_installed", packages.__contains__)
        monkeypatch.setenv(folder.VARIABLE, str(tmp_path))
        monkeypatch.setattr(layer, "needed_parts", lambda of_numpy: [])

    return make


@pytest.fixture
def missing(capsys):
    """Returns the optional parts that the command prints as missing, and its last line;
    checks the exit code.
    """

    def run():
        code = main(["doctor"])
        lines = capsys.readouterr().out.splitlines()
        assert tf.__version__ in lines[0]
        found = [
            text.split(None, 1)[1].rpartition(": ")[0]
            for text in lines
            if text.startswith("  optional")
        ]
        assert code == 0
        return found, lines[-1]

    return run


def test_a_full_environment(environment, missing):
    environment(OPTIONAL)
    assert missing()[0] == []


def test_an_empty_environment_on_this_tensorflow(environment, missing):
    environment(set())
    version = _compat.installed_version()
    found, last = missing()
    assert {"ScipyOptimizerInterface", "verify --plot"} < set(found)
    assert ("check, upgrade, run: Python 2 programs" in found) == (version < (2,))
    assert ("upgraded programs with tf.layers, tf.keras or cells" in found) == (version >= (2, 16))
    assert last.split()[:4] == [sys.executable, "-m", "pip", "install"]
    # tf_keras needs another option.
    assert last.count("pip install") == (2 if version >= (2, 16) else 1)


@pytest.mark.parametrize(
    "version, names, lines",
    [
        ("1.15.5", ["scipy", "fissix", "tf_slim", "matplotlib"], []),
        ("2.15.1", ["scipy", "tf_slim", "matplotlib"], []),
        (
            "2.21.0",
            ["scipy", "tensorflow-estimator", "tf_slim", "matplotlib"],
            ["pip install --no-deps 'tf_keras==2.21.*'"],
        ),
    ],
    ids=["1.15.5", "2.15.1", "2.21.0"],
)
def test_the_line_on_each_tensorflow(environment, version, names, lines):
    environment(set())
    states, remedies = examine_parts(Imported(version))
    assert {state.name for state in states if state.works} >= {WITHOUT_TENSORFLOW, LIBRARY, RUN}
    expected = [f"pip install {' '.join(names)}"] + lines
    assert line(remedies) == " && ".join(f"{sys.executable} -m {one}" for one in expected)


@pytest.mark.parametrize("version", ["2.0.4", "2.12.1", "2.14.1"])
@pytest.mark.parametrize("has_layer", [False, True])
def test_run_needs_a_later_tensorflow(environment, monkeypatch, version, has_layer):
    environment(OPTIONAL)
    if not has_layer:
        missing = [parts.TENSORFLOW, parts.LIBRARIES]
        monkeypatch.setattr(doctor.layer, "missing_parts", lambda needed: missing)
        monkeypatch.setattr(doctor.installation, "rehearse", lambda missing: None)
    states, remedies = examine_parts(Imported(version))
    lacking = {state.name: state.remark for state in states if not state.works}
    assert RUN in lacking and remedies == []
    assert (LIBRARY in lacking) == (version == "2.0.4")
    assert lacking[RUN].startswith("TensorFlow 2.15 or newer, or 1.15, is needed, and 2.")
    fetches = ". Beside such a TensorFlow the first run fetches "
    assert (fetches in lacking[RUN]) == (not has_layer)
    (advice,) = [state.advice for state in states if state.advice]
    assert "NEW/bin/pip install tf1grad tensorflow-cpu" in advice


def test_no_tensorflow(environment, monkeypatch):
    environment(OPTIONAL)
    monkeypatch.setattr(_compat, "installed_version", lambda: None)
    states, remedies = examine_parts(
        Imported(None, "ModuleNotFoundError: No module named 'tensorflow'")
    )
    assert [state.name for state in states if state.works] == [
        WITHOUT_TENSORFLOW,
        "check, upgrade, run: Python 2 programs",
    ]
    assert line(remedies).endswith("pip install tensorflow-cpu")


def test_a_tensorflow_that_breaks_on_its_protobuf(environment, monkeypatch):
    environment(OPTIONAL)
    monkeypatch.setattr(_compat, "installed_version", lambda: (1, 15))
    states, remedies = examine_parts(
        Imported(None, "TypeError: Descriptors cannot not be created directly.")
    )
    assert line(remedies).endswith("pip install 'protobuf<3.21'")
    states, remedies = examine_parts(
        Imported(None, "ImportError: libfoo.so: cannot open shared object file")
    )
    assert remedies == [] and "libfoo.so" in states[1].remark


def test_pip_that_is_absent_is_brought_first(environment, monkeypatch):
    environment(OPTIONAL - {"scipy"})
    monkeypatch.setattr(_installers, "lacks_pip", lambda: True)
    monkeypatch.setattr(_installers, "is_made_by_uv", lambda prefix: False)
    _, remedies = examine_parts(Imported("1.15.5"))
    python = f"{shlex.quote(sys.executable)} -m"
    assert line(remedies) == f"{python} ensurepip && {python} pip install scipy"


class FakePip:
    """Stands for pip and its index: copies wheels from a folder, as long as it answers."""

    def __init__(self, wheels):
        self.wheels = wheels
        self.stderr = ""

    def run(self, command, staging):
        if self.stderr and "--no-index" not in command:
            return 1, self.stderr
        for wheel in os.listdir(str(self.wheels)):
            if "==".join(wheel.split("-")[:2]) in command:
                shutil.copy(str(self.wheels / wheel), command[command.index("--dest") + 1])
        return 0, ""


@pytest.fixture
def pip(wheels, place, environment, monkeypatch):
    """An environment without the period layer, in which every optional package is installed."""
    needed_parts = layer.needed_parts
    environment(OPTIONAL)
    monkeypatch.setattr(layer, "needed_parts", needed_parts)
    monkeypatch.setenv(folder.VARIABLE, str(place))
    monkeypatch.setattr(parts, "_NUMPY", {})
    pip = FakePip(wheels)
    monkeypatch.setattr(sources, "_run_pip", pip.run)
    return pip


def nothing(pip, place, monkeypatch):
    """Leaves the environment bare and healthy."""


def damaged(pip, place, monkeypatch):
    installation.install(parts.every_part(), sources.from_index, lambda line: None)
    (place / folder.NAME / "tensorflow_core" / "contrib" / "__init__.py").write_text("other")


def forbidden(pip, place, monkeypatch):
    monkeypatch.setenv(sources.OFFLINE, "1")


def unreachable(pip, place, monkeypatch):
    pip.stderr = (
        "WARNING: Retrying after connection broken by 'NewConnectionError(...)': /simple/astor/\n"
        "ERROR: No matching distribution found for astor==0.8.1"
    )


def without_a_release(pip, place, monkeypatch):
    pip.stderr = "ERROR: No matching distribution found for astor==0.8.1"


def full(pip, place, monkeypatch):
    usage = types.SimpleNamespace(free=10**7)
    monkeypatch.setattr(sources.shutil, "disk_usage", lambda path: usage)


def read_only(pip, place, monkeypatch):
    monkeypatch.setattr(installation, "_is_writable", lambda place: False)


STATES = {
    nothing: "the first run fetches 113 MB into",
    damaged: "__init__.py has 5 bytes instead of",
    forbidden: "would be fetched, but TF1GRAD_OFFLINE is set",
    unreachable: "NewConnectionError",
    without_a_release: "No matching distribution found for astor",
    full: "needs 336 MB for a moment, and 10 MB are free",
    read_only: "no permission to write",
}


@pytest.mark.skipif(tf.__version__.startswith("1."), reason="TensorFlow 1.15 needs no layer")
@pytest.mark.parametrize("state", STATES)
def test_run_works_where_doctor_says_so_and_after_its_advice(
    state, pip, place, wheels, monkeypatch, capsys
):
    state(pip, place, monkeypatch)
    folder.find_damage.cache_clear()
    code = main(["doctor"])
    printed = capsys.readouterr().out
    (said,) = [text for text in printed.splitlines() if RUN in text]
    assert STATES[state] in said
    is_network = state is not without_a_release
    assert not code or ("Without a network" in printed) == is_network or state in (full, read_only)
    if code:
        with pytest.raises(UsageError, match="TF1GRAD_|No matching|NewConnection"):
            layer.fetch(layer.needed_parts(None))
    if "--wheels FOLDER" in printed:
        assert main(["period", "install", "--wheels", str(wheels)]) == 0
    elif code:
        assert "TF1GRAD_PERIOD" in printed.splitlines()[-1]
        return
    layer.fetch(layer.needed_parts(None))
    assert fake_wheels.is_whole(place / folder.NAME)
    capsys.readouterr()
    assert main(["doctor"]) == 0
    assert f"works     {RUN}\n" in capsys.readouterr().out


def test_json_has_what_the_lines_say(environment, capsys):
    environment(OPTIONAL - {"scipy"})
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    parts = {part["name"]: part["state"] for part in report["parts"]}
    assert parts["ScipyOptimizerInterface"] == "optional" and "fails" not in parts.values()
    assert report["remedy"].endswith("pip install scipy") and report["tensorflow"] == tf.__version__


def test_json_takes_no_path(capsys):
    assert main(["doctor", "--json", "."]) == 2
    assert "takes no PATH" in capsys.readouterr().err
