"""Tests that public functions have the signatures of TensorFlow 1.15.5, which libraries compare, but for a table."""

import json
import re

import pytest

import public_signatures
from script_folder import output_of, run_output

pytestmark = pytest.mark.period

# The differences: a pattern of names, and the reason.
KNOWN = {
    r"lite\.experimental\..*|train\.experimental\.(en|dis)able_mixed_precision.*":
        "TensorFlow 2 dropped it.",
    r"config\.experimental_list_devices": "It has an annotation.",
    r"tpu\..*|config\.experimental_connect_to_cluster|vectorized_map|custom_gradient|function|test\.compute_gradient":
        "The installed function has more arguments, or defaults, at the end.",
    r"saved_model\..*|train\.MonitoredTrainingSession": "The installed function has more arguments at the end.",
    r"(numpy|py)_function": "The installed function is also a decorator, so all its arguments have defaults.",
    r"autograph\.experimental\.set_loop_options|random\.experimental\.create_rng_state"
    r"|config\.experimental\.set_virtual_device_configuration": "The installed function renamed an argument.",
}


@pytest.fixture(scope="module")
def differences(tmp_path_factory):
    """Returns {name: (1.15.5's signature, the signature under `run`)} for all that differ."""
    answers = str(tmp_path_factory.mktemp("public_signatures") / "signatures.json")
    run_output(public_signatures.__file__, answers)
    with open(answers, encoding="utf-8") as file:
        found = public_signatures.by_name(json.load(file))
    before = public_signatures.recorded()
    assert len(before) > 2500
    return {name: (before[name], found.get(name)) for name in before if before[name] != found.get(name)}


def test_what_differs_from_1_15_is_in_the_table(differences):
    unknown = {name: pair for name, pair in differences.items()
               if not any(re.fullmatch(r"tf\.(compat\.v2\.)?(" + pattern + ")", name) for pattern in KNOWN)}
    assert unknown == {}


def test_names_of_ops_are_passed_by_position(tmp_path):
    assert output_of("""
        from tensorflow.python.ops import gen_array_ops

        indices, values = tf.constant([[0]]), tf.constant([1.0])
        print(tf.scatter_nd(indices, values, [2], "mine").op.name)
        print(tf.tensor_scatter_update(tf.zeros([2]), indices, values, "yours").op.name)
        print(gen_array_ops.gather_nd(values, indices, "theirs").op.name)
        image, kernel = tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1])
        print(tf.nn.depthwise_conv2d_native(image, kernel, [1] * 4, "SAME", "NHWC", [1] * 4, "conv").op.name)
        print(tf.numpy_function(lambda x: x, [values], tf.float32, "numpy").op.name)
        try:
            tf.scatter_nd(indices, values, [2], "mine", 5)
        except TypeError as error:
            print("TypeError")
    """, tmp_path).splitlines() == ["mine", "yours", "theirs", "conv", "numpy", "TypeError"]


def test_names_that_tensorflow_2_dropped(tmp_path):
    assert output_of("""
        embedding = tf.tpu.experimental.AdamParameters(0.1, epsilon=0.5)
        print(embedding.learning_rate, embedding.beta1, embedding.epsilon, embedding.lazy_adam)
        print(tf.tpu.experimental.AdagradParameters(0.1).initial_accumulator)
        print(tf.tpu.experimental.StochasticGradientDescentParameters(0.2).learning_rate)
        print(tf.contrib.distribute.initialize_tpu_system is tf.tpu.experimental.initialize_tpu_system)
        print(tf.config.experimental_list_devices() == tf.contrib.eager.list_devices())
    """, tmp_path).splitlines() == ["0.1 0.9 0.5 True", "0.1", "0.2", "True", "True"]
