"""Tests `tf1grad doctor PATH`: the packages that a program needs, and the line that installs the missing ones."""

import pytest

from tf1grad.old_programs.cli import program_needs
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


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes a program from {file: text}, in an environment with the packages that are given as {module: version}."""
    def make(texts, installed=()):
        versions = dict(installed)
        monkeypatch.setattr(program_needs, "is_installed", versions.__contains__)
        monkeypatch.setattr(program_needs, "installed_version",
                            lambda name: {"numpy": "2.4.6", "tensorflow-cpu": "2.21.0"}.get(name, versions.get(name)))
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return str(tmp_path)
    return make


def _names(path):
    return [need.name for need in program_needs.needs_of(path)]


def test_imports_become_names_of_the_index(program):
    path = program({"train.py": PROGRAM, "helper.py": "import yaml", "local_package/inner.py": "import PIL.Image"})
    assert _names(path) == ["dm-sonnet", "opencv-python", "pillow", "pyyaml", "scikit-learn"]
    assert [need.place for need in program_needs.needs_of(path)][0] == "train.py, line 7"
    assert _names(path + "/helper.py") == ["pyyaml"]


def test_requirements_of_every_form(program):
    path = program({
        "requirements.txt": "# text\nKeras==2.2.4\ntensorflow-gpu==1.12.0\nscipy>=1.0,<1.2  # old\n-r other.txt\n"
                            "six; python_version < '3'\ngit+https://host/x.git\nnumpy==1.16\n",
        "setup.py": "from setuptools import setup\nREQUIRED = ['tqdm']\nsetup(name='x', install_requires=REQUIRED + "
                    "['gym[atari]==0.10', 'tensorflow>=1.4'])\n",
        "environment.yml": "name: x\nchannels:\n  - defaults\ndependencies:\n  - python=3.6\n  - h5py=2.8.0=py36\n"
                           "  - pip:\n    - joblib==0.13\n"})
    needs = {need.name: need.pin for need in program_needs.needs_of(path)}
    assert needs == {"Keras": "==2.2.4", "scipy": ">=1.0,<1.2", "six": "", "tqdm": "", "gym": "==0.10",
                     "h5py": "==2.8.0", "joblib": "==0.13", "setuptools": ""} or "setuptools" not in needs
    assert "tensorflow" not in needs and "numpy" not in needs


def test_requirements_that_python_or_another_package_has_today(program):
    path = program({"requirements.txt": "enum34==1.1.6\nfutures==3.2.0\nfuncsigs\nbackports.weakref==1.0.post1\n"
                                        "sklearn==0.0\nscikit-learn==0.19\nPIL\ncv2\nmatplotlib\n",
                    "train.py": "import mpl_toolkits.mplot3d, skopt\n"})
    assert _names(path) == ["matplotlib", "opencv-python", "pillow", "scikit-learn", "scikit-optimize"]


def test_compiled_packages_are_listed_and_left_out_of_the_line(program, capsys):
    path = program({"train.py": "import dlib, scipy"})
    assert [remedy.arguments[0] for remedy in program_needs.remedies(program_needs.needs_of(path))] == ["scipy"]
    assert main(["doctor", path]) == 1
    assert "missing  dlib (train.py, line 1; it is compiled on installation, so the line leaves it out)" in (
        capsys.readouterr().out)
    assert main(["doctor", program({"train.py": "import dlib"})]) == 1
    assert "Nothing is missing." not in capsys.readouterr().out


def test_packages_whose_module_has_another_name_are_there(program):
    path = program({"requirements.txt": "absl-py==0.2.2\nWerkzeug==0.14\nbleach\n"},
                   {"absl-py": "2.3", "Werkzeug": "3"})
    assert _there(path) == [True, False, True]


def test_the_line_drops_old_pins_and_keeps_tensorflow_and_numpy(program):
    path = program({"requirements.txt": "Keras==2.2.4\nscipy==1.0\ntrfl\ngym==0.10\n"})
    plain, old = program_needs.remedies(program_needs.needs_of(path))
    assert plain.arguments == [
        "cloudpickle", "decorator", "h5py", "keras-applications", "keras-preprocessing", "pyglet<2", "pyyaml", "scipy",
        "numpy==2.4.6", "tensorflow-cpu==2.21.0"]
    assert old.arguments == ["--no-deps", "gym==0.17.3", "keras==2.2.4", "tensorflow-probability==0.8.0", "trfl==1.2.0"]


def test_a_release_for_tensorflow_2_of_an_old_library_does_not_count(program):
    texts = {"train.py": "import keras, scipy"}
    assert _there(program(texts, {"keras": "3.15.1", "scipy": "1.17"})) == [False, True]
    assert _there(program(texts, {"keras": "2.2.4", "scipy": "1.17"})) == [True, True]


def _there(path):
    return [need.is_there() for need in program_needs.needs_of(path)]


def test_the_command(program, capsys):
    path = program({"train.py": "import tensorflow, tensorboard, scipy, keras\n"}, {"scipy": "1.17"})
    assert main(["doctor", path]) == 1
    output = capsys.readouterr().out
    assert "  there    scipy (train.py, line 1)" in output
    assert "  missing  tensorboard (train.py, line 1; TensorFlow 1.15 brought it)" in output
    assert "  missing  keras (train.py, line 1; for TensorFlow 1: keras==2.3.1)" in output
    assert output.rstrip().endswith("install --no-deps keras==2.3.1")
    program({}, {"scipy": "1", "tensorboard": "2", "keras": "2.3.1"})
    assert main(["doctor", path]) == 0 and capsys.readouterr().out.rstrip().endswith("Nothing is missing.")
    assert main(["doctor", path + "/none"]) == 2 and "does not exist" in capsys.readouterr().err


def test_the_table_of_libraries():
    names = [library.name.lower() for library in library_releases.LIBRARIES]
    assert names == sorted(set(names))
    for library in library_releases.LIBRARIES:
        assert packages.is_for_version_1(library.name, library.version) in (True, None)
        assert library is library_releases.library_of(library.name)
        assert library is library_releases.library_of_module(library.module)
