"""Tests the public names of 1.15's op layer, by the files that list them."""

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period


@pytest.fixture
def public_names():
    from tf1grad.run.op_layer import public_names

    return public_names


def test_each_public_module_of_1_15_is_known(public_names):
    found = public_names.modules()
    assert {
        *("app", "nn", "nn.rnn_cell", "keras", "keras.layers", "keras.applications.vgg16"),
        *("estimator", "estimator.export", "compat.v2", "compat.v2.nn", "compat.v2.keras.layers"),
        *("compat.v2.estimator", "compat.v2.estimator.export", "losses", "python_io"),
    } <= found
    assert not {"", "compat.v1", "compat.v2.app", "contrib", "keras.api", "raw"} & found
    assert "compat.v2.python_io" not in found and len(found) > 150


def test_names_are_those_that_the_files_list(public_names):
    assert {"flags", "run"} == set(public_names.names_in("app"))
    assert "flags" not in public_names.names_in("logging")
    losses = public_names.names_in("losses")
    assert {"Reduction", "huber_loss", "mean_squared_error"} <= set(losses)
    assert {"Dense", "LSTM", "CuDNNGRU"} <= set(public_names.names_in("keras.layers"))
    assert "CuDNNGRU" not in public_names.names_in("compat.v2.keras.layers")
    assert {"relu", "conv_transpose"} <= set(public_names.names_in("compat.v2.nn"))
    assert {"Estimator", "LinearRegressor"} <= set(public_names.names_in("estimator"))
    assert {"placeholder", "Session", "add_n"} <= set(public_names.names_in(""))
    assert public_names.names_in("no_module") == []
    assert not [name for name in public_names.names_in("") if name.startswith("_")]


def test_a_name_is_looked_up_where_1_15_defined_it(public_names):
    table = public_names._table
    assert table("losses")["huber_loss"] == ("python.ops.losses.losses_impl", "huber_loss")
    assert table("keras.layers")["Dense"] == ("python.keras.layers.core", "Dense")
    assert table("")["Session"] == ("python.client.session", "Session")
    assert table("estimator")["Estimator"][0].startswith("tensorflow_estimator.python.estimator.")
    assert "layers" not in table("keras")  # a submodule


def test_a_name_that_the_op_layer_lacks_is_none_or_an_error(public_names):
    assert public_names.op_layer_value("losses", "no_such_loss") is None
    assert public_names.op_layer_value("keras", "_private") is None
    assert public_names.op_layer_value("keras", "layers") is None
    with pytest.raises(AttributeError, match="'tensorflow.keras.layers' has no attribute 'No'"):
        public_names.op_layer_value("keras.layers", "No")
    assert public_names.op_layer_value("", "add_n") is None  # the installed one, without the layer
    assert not public_names._is_dropped("", "Session")
    assert public_names._is_dropped("", "no_such_name")


def test_the_users_names_are_those_of_1_15(tmp_path):
    script = """
    from tf1grad.run.op_layer import public_names

    value = public_names.op_layer_value
    for name in ("nn.relu", "keras.layers.Dense", "train.AdamOptimizer", "train.batch", "math.add"):
        print(value(*name.rpartition(".")[::2]).__module__.partition(".python.")[2])
    print(value("keras.layers", "Dense") is tf.keras.layers.Dense)
    print(value("", "Tensor") is tf.Tensor, value("compat.v2", "Tensor") is tf.Tensor)
    installed = [("train", "Saver"), ("logging", "info"), ("", "Session"), ("nn", "no_such_name")]
    print([value(*each) for each in installed])
    """
    assert output_of(script, tmp_path).splitlines() == [
        *("ops.gen_nn_ops", "keras.layers.core", "training.adam", "training.input"),
        *("ops.gen_math_ops", "True", "True True", "[None, None, None, None]"),
    ]
