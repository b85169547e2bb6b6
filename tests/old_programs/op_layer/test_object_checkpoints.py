"""Tests that checkpoints of objects are TensorFlow 1.15's under `run`, and that SavedModels still hold such objects."""

import json
import os

import pytest

from paths import PROGRAMS
from script_folder import output_of, run_output

pytestmark = pytest.mark.period
# What checkpointed_objects.py prints on TensorFlow 1.15.5.
RECORDED = {"deleted": "ValueError",
             "kept": [False, True],
             "keys": ["model/listed/0/bias/.ATTRIBUTES/VARIABLE_VALUE",
                      "model/listed/0/kernel/.ATTRIBUTES/VARIABLE_VALUE",
                      "ref/.ATTRIBUTES/VARIABLE_VALUE"],
             "ops": "cd29a5fed4a6cd52f4d55dac9e350678",
             "refused": "NotImplementedError",
             "sorted": "ValueError",
             "trained": [[3, 2], [2]]}


def test_checkpoints_are_those_of_1_15(tmp_path):
    """Tests lists, tuples, the state of NumPy, `CheckpointManager`, errors, and the graph, op for op."""
    found = json.loads(run_output(os.path.join(PROGRAMS, "checkpointed_objects.py"), str(tmp_path)))
    assert found == RECORDED


SAVED_MODEL = """
tf.enable_eager_execution()


class Module(tf.Module):
    def __init__(self):
        super().__init__()
        self.rows, self.table = [tf.Variable(2.0)], {"factor": tf.Variable(3.0)}

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def call(self, x):
        return x * self.rows[0] * self.table["factor"]


tf.compat.v2.saved_model.save(Module(), sys.argv[1])
loaded = tf.compat.v2.saved_model.load(sys.argv[1])
print(float(loaded.call(tf.constant(5.0))), float(loaded.rows[0]), float(loaded.table["factor"]))
"""


def test_saved_models_hold_lists_and_dicts(tmp_path):
    assert output_of(SAVED_MODEL, tmp_path, str(tmp_path / "model")).split() == ["30.0", "2.0", "3.0"]


OPERATION = """
definition = tf.NodeDef(name="copy", op="Identity")
definition.attr["T"].type = 1
x = tf.constant([1.0, 2.0])
copy = tf.Operation(definition, tf.get_default_graph(), inputs=[x], output_types=[tf.float32])
with tf.Session() as session:
    print(copy.name, type(copy.outputs[0]) is tf.Tensor, session.run(copy.outputs[0]).tolist())
"""


def test_operations_are_made_from_definitions(tmp_path):
    assert output_of(OPERATION, tmp_path).strip() == "copy True [1.0, 2.0]"


IN_FUNCTION = """
tf.enable_eager_execution()
checkpoint = tf.train.Checkpoint(value=tf.Variable(2.0))

@tf.function
def write():
    return tf.compat.v2.train.Checkpoint(value=checkpoint.value).write(sys.argv[1] + "/written")

write()
checkpoint.value.assign(3.0)
checkpoint.restore(sys.argv[1] + "/written")
print(checkpoint.value.numpy())
"""


def test_autograph_leaves_the_modules_of_1_15(tmp_path):
    """Tests a `tf.function` that writes a checkpoint: the file of 1.15's module needs the loader's corrections."""
    assert output_of(IN_FUNCTION, tmp_path, str(tmp_path)).strip() == "2.0"


CYCLES = """
tf.enable_v2_behavior()
kinds = []
for number in range(2):  # loading the first model imports the installed Keras
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    model.compile(tf.keras.optimizers.Adam(), "mse")
    model.fit(np.ones([2, 1]), np.ones([2, 1]), verbose=0)
    tf.saved_model.save(model, sys.argv[1] + str(number))
    optimizer = tf.saved_model.load_v2(sys.argv[1] + str(number)).optimizer
    kinds.append(type(optimizer).__module__ + "." + type(optimizer).__name__)
print(*kinds)
"""


def test_optimizers_are_loaded_as_those_of_1_15(tmp_path):
    """Tests models that are saved before and after one is loaded; the class is TensorFlow 1.15.5's."""
    expected = "tensorflow.python.keras.optimizer_v2.optimizer_v2.RestoredOptimizer"
    assert output_of(CYCLES, tmp_path, str(tmp_path / "model")).split() == [expected, expected]
