"""Tests the commands that install packages beside TensorFlow."""

import pytest

from tf1grad.old_programs.names import provisions
from tf1grad.old_programs.names.packages import package_of


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
