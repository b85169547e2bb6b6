"""Tests what metadata of packages, names of Keras and dotted names tell."""

import pytest

from tf1grad.programs.names import keras_names, known_modules, packages, version_names
from tf1grad.programs.names.dotted_names import join, prefixes


def _metadata(*lines):
    return "".join(line + "\n" for line in ("Metadata-Version: 2.1", "Name: some", *lines))


# Lines of metadata, and whether they show that a package is for TensorFlow 2; None where they do
# not say.
METADATA = {
    "nothing": ([], None),
    "an old Python": (["Requires-Python: >=3.6"], None),
    "Python 3.8": (["Requires-Python: >=3.8"], True),
    "Python 3.8, later on": (["Requires-Python: !=3.0, ~=3.9"], True),
    "a classifier": (["Classifier: Programming Language :: Python :: 3.10"], True),
    "an old classifier": (["Classifier: Programming Language :: Python :: 3.9"], None),
    "TensorFlow below 2": (["Requires-Dist: tensorflow<2"], False),
    "TensorFlow up to 1.15": (["Requires-Dist: tensorflow-gpu (<=1.15,>=1.14)"], False),
    "TensorFlow below 2.0": (["Requires-Dist: tensorflow>=1.14,<2.0"], False),
    "one TensorFlow 1": (["Requires-Dist: tensorflow==1.13.1"], False),
    "TensorFlow from 1": (["Requires-Dist: tensorflow>=1.14"], None),
    "TensorFlow from 2": (["Requires-Dist: tensorflow-cpu (>=2.0)"], True),
    "TensorFlow below 2.2": (["Requires-Dist: tensorflow<2.2"], None),
    "TensorFlow below 2.4": (["Requires-Dist: tensorflow<2.4"], None),
    "TensorFlow below 2.12": (["Requires-Dist: tensorflow<2.12"], True),
    "TensorFlow up to 3": (["Requires-Dist: tensorflow<=3"], True),
    "not one TensorFlow 2": (["Requires-Dist: tensorflow!=2.6.0"], None),
    "an extra": (['Requires-Dist: tensorflow >=2.1 ; extra == "tf"'], True),
    "tf-keras": (["Requires-Dist: tf_keras"], True),
    "Keras 3": (["Requires-Dist: keras>=3.0"], True),
    "below Keras 3": (["Requires-Dist: keras<3"], None),
    "another package": (["Requires-Dist: numpy>=2"], None),
}


@pytest.mark.parametrize("lines, expected", list(METADATA.values()), ids=list(METADATA))
def test_metadata_show_the_version_of_tensorflow(lines, expected):
    assert packages.shows_version_2("some", "1.0", _metadata(*lines)) is expected


def test_a_release_is_known_to_be_the_first_for_version_2():
    for name, version, expected in (
        ("foolbox", "3.0.0", True),
        ("Foolbox", "2.4.0", None),
        ("keras_rl2", "1.0.4", True),  # as pip compares names
        ("keras-rl", "0.4.2", None),
    ):
        assert packages.shows_version_2(name, version, _metadata()) is expected


def test_requirements_are_read_as_pip_writes_them():
    lines = [
        "numpy",
        "scipy>=1.0,<2  # why",
        "tensorflow-gpu[cuda] (==1.15) ; python_version < '3.8'",
        "-r others.txt",
        "# nothing",
        "some @ https://example.org/some.whl",
    ]
    assert packages.read(lines) == [
        ("numpy", "", ""),
        ("scipy", ">=1.0,<2", ""),
        ("tensorflow-gpu", "==1.15", " python_version < '3.8'"),
        ("some", "", ""),
    ]
    assert packages.normalized("Some_Package..name") == "some-package-name"
    assert packages.numbers("1.15.5rc1") == [1, 15, 5] and packages.numbers("1.2.3.4") == [1, 2, 3]
    assert (
        packages.newest_python(_metadata("Classifier: Programming Language :: Python :: 3.7")) == 7
    )
    assert packages.newest_python(_metadata()) == 0


KERAS = {
    "layers.core.Dense": "layers.Dense",
    "layers.Dense": "layers.Dense",
    "layers.core": "layers",
    "engine.training.Model": "models.Model",
    "engine.topology.Layer": "layers.Layer",
    "engine.Model": "models.Model",
    "utils.np_utils.to_categorical": "utils.to_categorical",
    "optimizers.adam": "optimizers.Adam",
    "optimizers.sgd": "optimizers.SGD",
    "objectives.mse": "losses.mse",
    "unknown.name": "unknown.name",
}


@pytest.mark.parametrize("inner, public", list(KERAS.items()))
def test_an_inner_name_of_keras_has_a_public_one(inner, public):
    assert keras_names.public_name(inner) == public
    is_inner = inner != public
    assert keras_names.is_version_2(f"keras.{inner}") is is_inner
    assert keras_names.is_version_2(f"other.{inner}") is False


def test_names_tell_the_version_of_keras():
    for name, only_in_1, in_2 in (
        ("keras.layers.Merge", False, False),
        ("keras.layers.core.Merge", True, True),
        ("keras.models.Merge.x", True, True),
        ("keras.backend.tf", False, True),
        ("keras.backend.get_session.x", False, True),
        ("keras.backend.epsilon", False, False),
        ("keras.backend", False, False),
        ("tensorflow.models.Merge", False, False),
    ):
        assert (keras_names.is_only_in_version_1(name), keras_names.is_version_2(name)) == (
            only_in_1,
            in_2,
        ), name


def test_names_tell_the_version_of_tensorflow():
    for name, old, new in (
        ("tensorflow.placeholder", True, False),
        ("tensorflow.placeholder.x", True, False),
        ("tensorflow.contrib.slim.conv2d", True, False),
        ("tensorflow.GradientTape", False, True),
        ("tensorflow.random.set_seed", False, True),
        ("tensorflow.constant", False, False),
        ("tensorflow", False, False),
        ("numpy.placeholder", False, False),
    ):
        assert (version_names.is_old(name), version_names.is_new(name)) == (old, new), name
    assert version_names.is_old_keyword("tensorflow.reduce_sum", "keep_dims")
    assert not version_names.is_old_keyword("tensorflow.reduce_sum", "keepdims")
    assert not version_names.is_old_keyword("unknown", "keep_dims")


def test_dotted_names_are_taken_apart_and_joined():
    assert [start for start, _ in prefixes("a.b.c")] == ["a.b.c", "a.b", "a"]
    assert all(join(start, *rest) == "a.b.c" for start, rest in prefixes("a.b.c"))


def test_a_well_known_module_has_its_package():
    for module, package in (
        ("cv2", "opencv-python"),
        ("gym", "gym"),
        ("mesh_tensorflow", "mesh-tensorflow"),
    ):
        assert known_modules.package_of_module(module) == package


def test_what_python_and_tensorflow_have_is_never_brought():
    for name in ("tensorflow-gpu", "enum34", "Backports.Weakref"):
        assert packages.is_left_out(name) is True
    assert packages.is_left_out("gym") is False


def test_a_module_that_is_not_brought_has_a_package_that_is_often_meant():
    for module, package in (
        ("rl", "keras-rl"),
        ("tcn", "keras-tcn"),
        ("some_module", "some-module"),
    ):
        assert known_modules.package_of_module(module) is None
        assert known_modules.package_often_meant(module) == package


def test_keras_2_is_that_of_the_tensorflow_beside_it():
    for name, version, requirement in (
        ("tf_keras", (2, 16), "tf_keras==2.16.*"),
        ("tf_keras", (2, 15), "tf_keras"),
        ("tf_keras", None, "tf_keras"),
        ("tensorflow_probability", (2, 16), "tensorflow_probability"),
    ):
        assert packages.pinned(name, version) == requirement
