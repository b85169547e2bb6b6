"""Tests `tf1grad doctor PATH`: the packages that a program needs, and the line that installs the missing ones."""

import sys

import pytest

from tf1grad.old_programs import _compat
from tf1grad.old_programs.cli import index_releases, program_needs
from tf1grad.old_programs.cli.main import main
from tf1grad.old_programs.names import library_releases, packages

PROGRAM = """
import os, sys, collections
import numpy as np
import tensorflow as tf
import cv2, helper
from sklearn import svm
from sonnet.python import modules
from . import sibling
import local_package.inner
import cPickle
try:
    import optional_thing
except ImportError:
    pass
"""
ON_INDEX = {
    ("of-1", version): library_releases.Library("of-1", "of_1", "0.3", ("scipy", "inner==0.2"))
    for version in ("0.3", "")
}
ON_INDEX["inner", "0.2"] = library_releases.Library("inner", "inner", "0.2", ("tqdm==3.0",))


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes a program from {file: text}, in an environment with the packages that are given as {module: version}."""

    def make(texts, installed=()):
        versions = dict(installed)
        monkeypatch.setattr(_compat, "installed_version", lambda: (2, 21))
        monkeypatch.setattr(
            index_releases, "library_of", lambda name, version: ON_INDEX.get((name, version))
        )
        monkeypatch.setattr(program_needs, "is_installed", versions.__contains__)
        monkeypatch.setattr(
            program_needs,
            "installed_version",
            lambda name: {"numpy": "2.4.6", "tensorflow-cpu": "2.21.0"}.get(
                name, versions.get(name)
            ),
        )
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return str(tmp_path)

    return make


def _names(path):
    return [need.name for need in program_needs.needs_of(path)]


def test_imports_become_names_of_the_index(program):
    path = program(
        {
            "train.py": PROGRAM,
            "helper.py": "import yaml",
            "local_package/inner.py": "import PIL.Image",
        }
    )
    assert _names(path) == ["dm-sonnet", "opencv-python", "pillow", "pyyaml", "scikit-learn"]
    assert [need.place for need in program_needs.needs_of(path)][0] == "train.py, line 7"
    assert _names(path + "/helper.py") == ["pyyaml"]


@pytest.mark.parametrize(
    "installed, asked", [("7.4.4", []), ("9.0", ["pytest<8"]), (None, ["pytest<8"])]
)
def test_suites_need_a_pytest_of_their_time(program, installed, asked):
    path = program({"test_model.py": "import pytest"}, {"pytest": installed} if installed else {})
    (need,) = program_needs.needs_of(path)
    assert ([] if need.is_there else [need.requirement]) == asked


def test_requirements_of_every_form(program):
    path = program(
        {
            "requirements.txt": "# text\nKeras==2.2.4\ntensorflow-gpu==1.12.0\nscipy>=1.0,<1.2  # old\n-r other.txt\n"
            "six; python_version < '3'\ngit+https://host/x.git\nnumpy==1.16\n",
            "setup.py": "from setuptools import setup\nREQUIRED = ['tqdm']\nsetup(name='x', install_requires=REQUIRED + "
            "['gym[atari]==0.10', 'tensorflow>=1.4'])\n",
            "environment.yml": "name: x\nchannels:\n  - defaults\ndependencies:\n  - python=3.6\n  - h5py=2.8.0=py36\n"
            "  - pip:\n    - joblib==0.13\n",
        }
    )
    needs = {need.name: need.pin for need in program_needs.needs_of(path)}
    assert (
        needs
        == {
            "Keras": "==2.2.4",
            "scipy": ">=1.0,<1.2",
            "six": "",
            "tqdm": "",
            "gym": "==0.10",
            "h5py": "==2.8.0",
            "joblib": "==0.13",
            "setuptools": "",
        }
        or "setuptools" not in needs
    )
    assert "tensorflow" not in needs and "numpy" not in needs


def test_requirements_that_python_or_another_package_has_today(program):
    path = program(
        {
            "requirements.txt": "enum34==1.1.6\nfutures==3.2.0\nfuncsigs\nbackports.weakref==1.0.post1\n"
            "sklearn==0.0\nscikit-learn==0.19\nPIL\ncv2\nmatplotlib\n",
            "train.py": "import mpl_toolkits.mplot3d, skopt\n",
        }
    )
    assert _names(path) == [
        "matplotlib",
        "opencv-python",
        "pillow",
        "scikit-learn",
        "scikit-optimize",
    ]


def test_compiled_packages_are_listed_and_left_out_of_the_line(program, capsys):
    path = program({"train.py": "import dlib, scipy"})
    assert [
        remedy.arguments[0] for remedy in program_needs.remedies(program_needs.needs_of(path))
    ] == ["scipy"]
    assert main(["doctor", path]) == 1
    assert (
        "missing  dlib (train.py, line 1; it is compiled on installation, so the line leaves it out)"
        in (capsys.readouterr().out)
    )
    assert main(["doctor", program({"train.py": "import dlib"})]) == 1
    assert "Nothing is missing." not in capsys.readouterr().out


def test_packages_whose_module_has_another_name_are_there(program):
    path = program(
        {"requirements.txt": "absl-py==0.2.2\nWerkzeug==0.14\nbleach\n"},
        {"absl-py": "2.3", "Werkzeug": "3"},
    )
    assert _there(path) == [True, False, True]


# Of a program: its files, what is installed as it is, and what without its dependencies.
REMEDIES = {
    "old pins": (
        {"requirements.txt": "Keras==2.2.4\nscipy==1.0\ntrfl\ngym==0.10\n"},
        "cloudpickle decorator dm-tree h5py pyglet<2 pyyaml scipy",
        "gym==0.10 tensorflow-probability==0.8.0 trfl==1.2.0",
    ),
    "pins that work": (
        {
            "requirements.txt": "deepctr==0.7.4\nfoolbox==3.3.4\nkeras-vis\nkeract==2.9.5\n",
            "train.py": "import deepmatch, vis",
        },
        "gitpython h5py matplotlib pyyaml requests scikit-image scipy six",
        "deepctr==0.7.4 deepmatch==0.1.3 foolbox==2.3.0 keract==2.9.5 keras-vis==0.4.1",
    ),
    "pinned, of the index": (
        {"requirements.txt": "of_1==0.3"},
        "scipy tqdm",
        "inner==0.2 of-1==0.3",
    ),
    "imported, of the index": ({"train.py": "import of_1"}, "scipy tqdm", "inner==0.2 of-1==0.3"),
}


@pytest.mark.parametrize("name", REMEDIES)
def test_the_line_keeps_tensorflow_and_numpy(program, name):
    texts, plain, old = REMEDIES[name]
    assert [
        remedy.arguments
        for remedy in program_needs.remedies(program_needs.needs_of(program(texts)))
    ] == [
        [*plain.split(), "numpy==2.4.6", "tensorflow-cpu==2.21.0"],
        ["--no-deps", "--ignore-requires-python", *old.split()],
    ]


def test_what_a_library_needs_has_the_release_that_it_needs(program):
    path = program({"train.py": "import deepctr, deepmatch, graph_nets, networkx"})
    plain, old = program_needs.remedies(program_needs.needs_of(path))
    assert "networkx<3" in plain.arguments
    assert old.arguments[2:5] == ["deepctr==0.7.5", "deepmatch==0.1.3", "dm-sonnet==1.36"]


def test_a_setup_that_needs_an_old_setuptools_gets_it(program):
    installed = dict.fromkeys(["opencv-python", "h5py", "pyyaml", "scipy"], "1")
    path = program({"requirements.txt": "mtcnn==0.0.9\n"}, installed)
    assert [
        remedy.arguments for remedy in program_needs.remedies(program_needs.needs_of(path))
    ] == [
        ["setuptools<70", "wheel"],
        ["--no-deps", "--ignore-requires-python", "--no-build-isolation", "mtcnn==0.0.9"],
    ]


def test_what_would_damage_the_environment_is_left_out_and_named(program, capsys):
    path = program(
        {"requirements.txt": "enum34==1.1.6\ngast==0.2.2\ntensorflow<2\nscipy==1.0\n"},
        {"scipy": "1.17"},
    )
    assert _names(path) == ["scipy"]
    assert main(["doctor", path]) == 0
    assert (
        capsys.readouterr().out.splitlines()[1].endswith("enum34==1.1.6, gast==0.2.2, tensorflow<2")
    )


def test_a_release_for_tensorflow_2_of_an_old_library_does_not_count(program, monkeypatch):
    texts = {"train.py": "import foolbox, scipy"}
    monkeypatch.setattr(program_needs, "is_for_version_2", {"foolbox"}.__contains__)
    assert _there(program(texts, {"foolbox": "3.3.4", "scipy": "1.17"})) == [False, True]
    monkeypatch.setattr(program_needs, "is_for_version_2", set().__contains__)
    assert _there(program(texts, {"foolbox": "2.3.0", "scipy": "1.17"})) == [True, True]


@pytest.mark.skipif(sys.version_info < (3, 8), reason="Python has no importlib.metadata")
def test_installed_releases_for_tensorflow_2(tmp_path, monkeypatch):
    for name, text in (("first", "Requires-Python: >=3.9"), ("second", "Requires-Dist: numpy")):
        (tmp_path / f"{name}-1.0.dist-info").mkdir()
        (tmp_path / f"{name}-1.0.dist-info" / "METADATA").write_text(
            f"Name: {name}\nVersion: 1.0\n{text}\n\ntext"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [program_needs.is_for_version_2(name) for name in ("first", "second", "third")] == [
        True,
        False,
        False,
    ]


def test_keras_is_brought_by_run(program, capsys):
    path = program({"train.py": "import keras"}, {"h5py": "3", "pyyaml": "6"})
    assert program_needs.remedies(program_needs.needs_of(path))[0].arguments[0] == "scipy"
    assert main(["doctor", path]) == 1
    assert (
        "  there    keras (train.py, line 1; `tf1grad run` brings Keras 2.3.1 or 2.2.4)"
        in capsys.readouterr().out
    )
    assert main(["doctor", program({}, {"h5py": "3", "pyyaml": "6", "scipy": "1"})]) == 0


def _there(path):
    return [need.is_there for need in program_needs.needs_of(path)]


def test_the_command(program, capsys):
    path = program({"train.py": "import tensorflow, tensorboard, scipy, trfl\n"}, {"scipy": "1.17"})
    assert main(["doctor", path]) == 1
    output = capsys.readouterr().out
    assert "  there    scipy (train.py, line 1)" in output
    assert "  missing  tensorboard (train.py, line 1; TensorFlow 1.15 brought it)" in output
    assert "  missing  trfl (train.py, line 1; for TensorFlow 1: trfl==1.2.0)" in output
    assert output.rstrip().endswith(
        "--no-deps --ignore-requires-python tensorflow-probability==0.8.0 trfl==1.2.0"
    )
    there = {"scipy": "1", "tensorboard": "2", "trfl": "1.2.0", "tensorflow_probability": "0.8.0"}
    program({}, there)
    assert (
        main(["doctor", path]) == 1
        and "pip install cloudpickle decorator dm-tree" in capsys.readouterr().out
    )
    program({}, dict(there, cloudpickle="3", decorator="5", **{"dm-tree": "0.1"}))
    assert main(["doctor", path]) == 0 and capsys.readouterr().out.rstrip().endswith(
        "Nothing is missing."
    )
    assert main(["doctor", path + "/none"]) == 2 and "does not exist" in capsys.readouterr().err


def test_the_table_of_libraries():
    names = [library.name.lower() for library in library_releases.LIBRARIES]
    assert names == sorted(set(names))
    for library in library_releases.LIBRARIES:
        assert packages.shows_version_2(library.name, library.version, "") is None
        assert library is library_releases.library_of(library.name)
        assert library.module == library_releases.library_of_module(library.module).module
