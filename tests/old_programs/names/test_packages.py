"""Tests the commands that install packages beside TensorFlow."""

import pytest

from tf1grad.old_programs.names import provisions
from tf1grad.old_programs.names.packages import excludes_keras_2_3, package_of, read, upper_bound


@pytest.mark.parametrize("name, module, command", [
    ("tf_slim", "tf_slim", "pip install tf_slim"),
    ("tensorflow-estimator", "tensorflow_estimator", "pip install tensorflow-estimator"),
    ("pillow", "PIL", "pip install pillow"),
    ("tf_keras", "tf_keras", "pip install --no-deps tf_keras"),  # its dependencies include the full tensorflow
])
def test_a_package_has_a_module_and_a_command(name, module, command):
    assert package_of(name).module == module
    assert package_of(name).command() == command


def test_the_remedy_of_tf_keras_needs_no_other_package():
    provision = provisions.provision_of("tensorflow.layers.dense")
    assert package_of(provision.requirement).options == ("--no-deps",)


@pytest.mark.parametrize("line, excludes", [
    ("keras==2.2.4", True), ("Keras>=2.1,<2.3", True), ("keras (==2.1.6)", True), ("keras<=2.2.4 ; extra == 'x'", True),
    ("keras>=2.2.4", False), ("keras==2.3.0", False), ("keras<2.4", False), ("keras-applications==1.0.7", False)])
def test_requirements_that_exclude_keras_2_3(line, excludes):
    assert excludes_keras_2_3(read(["numpy<2", line])) is excludes


def test_upper_bounds():
    required = read(["scikit-image (<0.15,>=0.14)", "six>=1", "x ; python_version<'3'"])
    assert [upper_bound(name, required) for name in ("scikit_image", "six", "x", "none")] == ["<0.15", None, None, None]
