"""Tests how SavedModels get the children, functions and texts of objects of 1.15."""

import pytest
import tensorflow.compat.v1 as tf

from script_folder import output_of
from tf1grad._compat import VERSION

of_tensorflow_2 = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 asks with its methods")


class Owner:
    """An object with the methods of 1.15."""

    def __init__(self, more, functions):
        self._more, self._functions, self.was_initialized = more, functions, 0

    def _maybe_initialize_trackable(self):
        self.was_initialized += 1

    @property
    def _checkpoint_dependencies(self):
        return [("weights", 1), ("signatures", 2)]

    def _list_extra_dependencies_for_serialization(self, cache):
        return {**self._more, "cache": cache}

    def _list_functions_for_serialization(self, cache):
        return self._functions


class Traced:
    """A function that notes whether it is traced."""

    is_traced = False

    def _list_all_concrete_functions_for_serialization(self):
        self.is_traced = True


@of_tensorflow_2
def test_a_checkpoint_has_the_dependencies_and_a_saved_model_all_children():
    from tf1grad.run.op_layer.installed import saved_models

    call, owner = Traced(), None
    owner = Owner({"signatures": 3, "more": 4}, {"call": call, "concrete": 5, "none": None})
    assert saved_models.children(owner) == {"weights": 1, "signatures": 2}
    assert not call.is_traced
    assert saved_models.children(owner, "savedmodel", cache="a cache") == {
        "weights": 1,
        "signatures": 3,
        "more": 4,
        "cache": "a cache",
        "call": call,
        "concrete": 5,
    }
    assert call.is_traced and owner.was_initialized == 2


@of_tensorflow_2
def test_a_name_that_saved_models_reserve_is_refused():
    from tf1grad.run.op_layer.installed import saved_models

    with pytest.raises(ValueError, match="Owner cannot be saved: its attribute 'weights' has"):
        saved_models.children(Owner({"weights": 3}, {}), "savedmodel")


@of_tensorflow_2
def test_a_class_defines_its_children_with_methods_of_1_15_alone():
    from tf1grad.run.op_layer.installed import saved_models

    both = type("Both", (Owner,), {"_trackable_children": None, **vars(Owner)})
    both._trackable_children = None
    assert saved_models.defines_children(Owner)
    assert not saved_models.defines_children(type("Derived", (Owner,), {}))
    assert not saved_models.defines_children(both)


@of_tensorflow_2
def test_the_functions_of_an_object_are_among_its_children():
    from tensorflow.python.trackable import autotrackable

    from tf1grad.run.op_layer.installed import saved_models

    class Module(autotrackable.AutoTrackable):
        pass

    module = Module()
    module.call, module.child = tf.function(lambda x: x), Module()
    assert saved_models.AutoTrackable._list_functions_for_serialization(module, {}) == {
        "call": module.call
    }


@pytest.mark.period(on_1_15=True)
def test_a_keras_model_is_saved_and_loaded(tmp_path):
    """1.15.5 prints the same."""
    script = """
    from tensorflow.python.keras.saving.saved_model import load

    tf.enable_eager_execution()
    inputs = tf.keras.Input([3])
    outputs = tf.keras.layers.Dense(2, kernel_initializer="ones", name="last")(inputs)
    model = tf.keras.Model(inputs, outputs)
    model.compile("sgd", "mse")
    model.save(sys.argv[0] + ".model", save_format="tf")
    for loaded in (tf.keras.models.load_model(sys.argv[0] + ".model"),
                   load.load(sys.argv[0] + ".model")):
        print(type(loaded).__name__, type(loaded.get_layer("last")).__name__)
        print(loaded.predict(np.ones([1, 3], np.float32)).tolist())

    module = tf.Module()
    module.v = tf.Variable(2.0)
    signature = [tf.TensorSpec([], tf.float32)]
    module.scaled = tf.function(lambda x: x * module.v, input_signature=signature)
    tf.saved_model.save(module, sys.argv[0] + ".module")
    loaded = tf.compat.v2.saved_model.load(sys.argv[0] + ".module")
    print(float(loaded.scaled(tf.constant(3.0))))
    """
    assert output_of(script, tmp_path).splitlines() == ["Model Dense", "[[3.0, 3.0]]"] * 2 + ["6.0"]
