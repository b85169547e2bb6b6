"""Tests that 1.15's modules and the installed TensorFlow know each other's methods: all classes, and some uses."""

import json
import os

import pytest

from paths import PROGRAMS
from script_folder import output_of, run_output, values_of

pytestmark = pytest.mark.period

# Reason -> differences, as class_differences.py prints them.
NECESSARY = {
    "Classes that only mark others, or that moved to C++": """
        bases python.framework.ops Tensor _TensorLike
        bases python.distribute.values DistributedVariable AbstractVariable
        bases python.eager.context _ContextSwitchStack local
        bases python.eager.context _TensorCaches local
        bases python.framework.indexed_slices IndexedSlices _TensorLike
        bases python.framework.ops _DefaultGraphStack _DefaultStack
        bases python.framework.ops name_scope_v2 name_scope
        bases python.framework.sparse_tensor SparseTensor _TensorLike
        bases python.ops.resource_variable_ops BaseResourceVariable VariableV1
        bases python.ops.variable_scope _VariableScopeStore local
        bases python.training.summary_io SummaryWriter _FileWriter
        bases python.util.lazy_loader LazyLoader ModuleType
        bases python.util.module_wrapper TFModuleWrapper ModuleType
        lost python.util.tf_stack StackTraceFilter reset
        lost python.util.tf_stack StackTraceMapper reset
        lost python.util.tf_stack StackTraceTransform reset""",
    "Strategies: version 1 keeps its methods in `StrategyV1`; values no longer know devices": """
        bases python.distribute.distribute_lib StrategyV1 Strategy
        bases python.distribute.distribute_lib _DefaultDistributionStrategy StrategyV1
        bases python.distribute.parameter_server_strategy ParameterServerStrategy Strategy
        bases python.distribute.values _MirroredSaveable ResourceVariableSaveable
        lost python.distribute.distribute_lib Strategy experimental_make_numpy_dataset
        lost python.distribute.distribute_lib StrategyExtendedV2 non_slot_devices
        lost python.distribute.distribute_lib StrategyExtendedV2 update_non_slot
        lost python.distribute.input_lib DistributedIterator _initializer
        lost python.distribute.values DistributedValues devices
        lost python.distribute.values DistributedValues values""",
    "Used by the installed modules alone, or called with arguments that both take": """
        lost python.eager.context Context add_function
        lost python.framework.ops Graph _next_id
        lost python.ops.critical_section_ops CriticalSection _init_from_proto
        override python.data.experimental.ops.iterator_ops _CustomSaver save
        override python.keras.saving.saved_model.load KerasObjectLoader _recreate_base_user_object
        renamed python.framework.ops Graph _enable_auto_casting_variables
        renamed python.framework.test_util TensorFlowTestCase assertShapeEqual
        renamed python.ops.while_v2 _WhileBodyGradFuncGraph capture
        override python.training.tracking.util _SessionWithFeedDictAdditions run
        renamed python.training.tracking.tracking AutoTrackable _list_functions_for_serialization
        renamed python.training.tracking.tracking CapturableResource _list_functions_for_serialization""",
}


def test_classes_differ_only_where_they_must():
    """Tests every class that 1.15's modules get from the installed TensorFlow, or derive from one of its classes."""
    count, found = json.loads(run_output(os.path.join(PROGRAMS, "class_differences.py")))
    known = {line.strip() for lines in NECESSARY.values() for line in lines.strip().splitlines()}
    assert count > 1000
    assert sorted(set(found) - known) == []
    assert sorted(known - set(found)) == []  # a mended difference leaves the table


# Names that 1.15's modules take from installed modules, that are not there, and the reasons.
MISSING = {
    "Read where a module corrects it, or a local variable of the same name": """
        python.framework.dtypes.scalar
        python.framework.tensor_shape.is_fully_defined""",
    "For op libraries written in C++ for TensorFlow 1, and quantized training, whose code is gone": """
        python.pywrap_tensorflow.RunCppShapeInference
        python.pywrap_tensorflow.do_quantize_training_on_graphdef""",
    "Imported by generated files, which are rewritten": """
        python.framework.op_def_library.OpDefLibrary
        python.framework.op_def_registry.register_op_list""",
}


def test_names_of_installed_modules_exist():
    """Tests every name that 1.15's modules import from installed modules, or read as an attribute of one."""
    count, found = json.loads(run_output(os.path.join(PROGRAMS, "missing_names.py")))
    known = {line.strip() for lines in MISSING.values() for line in lines.strip().splitlines()}
    assert count > 1500
    assert {each.split()[0] for each in found} == known


EAGER = """
tf.enable_eager_execution()
x = np.arange(30, dtype=np.float32).reshape(10, 3) / 30
y = x.sum(1, keepdims=True)
histories = []
for optimizer in (tf.keras.optimizers.SGD(0.01), tf.train.GradientDescentOptimizer(0.01)):
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(4, activation="relu", input_shape=(3,), kernel_initializer="ones"),
        tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(optimizer, "mse", metrics=["mae"])
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(5)
    for fit in (lambda: model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0),
                lambda: model.fit(batches, epochs=1, verbose=0, validation_data=batches)):
        histories.append({name: [float(value) for value in values] for name, values in fit().history.items()})
    histories.append([float(value) for value in [*model.evaluate(x, y, verbose=0), *model.predict(x)[0]]])
print(json.dumps(histories))
"""


def test_keras_trains_eagerly(tmp_path):
    """Tests `fit` with arrays and datasets, and both kinds of optimizers; the values are TensorFlow 1.15.5's."""
    histories = values_of(EAGER, tmp_path)
    for arrays, datasets, evaluated in (histories[:3], histories[3:]):
        assert arrays["loss"] == pytest.approx([21.29366, 3.90574], rel=1e-5)
        assert arrays["mean_absolute_error"] == pytest.approx([4.01473, 1.60743], rel=1e-5)
        assert datasets["loss"] == pytest.approx([1.4194663017988205], rel=1e-5)
        assert datasets["val_mean_absolute_error"] == pytest.approx([0.6578412055969238], rel=1e-5)
        assert evaluated == pytest.approx([0.6532325148582458, 0.6578412055969238, -0.2562634348869324], rel=1e-5)


CHECKPOINTS = """
import os

class Named(tf.train.GradientDescentOptimizer):
    def _lookup_dependency(self, name):  # 1.15's signature, in user code
        return super()._lookup_dependency(name)

def model(optimizer):
    made = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,), kernel_initializer="ones")])
    made.compile(optimizer, "mse")
    return made

folder, found = sys.argv[1], []
for optimizer in (tf.train.AdamOptimizer(0.1), tf.contrib.optimizer_v2.AdamOptimizer(0.1), Named(0.1)):
    network, place = model("sgd"), os.path.join(folder, type(optimizer).__name__)
    step = tf.Variable(0)
    train = optimizer.minimize(tf.reduce_sum(network(tf.ones([1, 3]))), global_step=step,
                               var_list=network.trainable_variables)
    checkpoint = tf.train.Checkpoint(model=network, optimizer=optimizer, step=step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        path = checkpoint.save(os.path.join(place, "saved"), session=session)
        before = session.run([optimizer.variables(), network.trainable_variables, step])
        session.run(tf.global_variables_initializer())
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        after = session.run([optimizer.variables(), network.trainable_variables, step])
    found.append([len(before[0]), str(before) == str(after), sorted(
        name for name, _ in tf.train.list_variables(path) if "optimizer" in name)])
network = model(tf.train.AdamOptimizer())
network.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)
network.save_weights(os.path.join(folder, "weights"))
weights = network.get_weights()
network.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)
network.load_weights(os.path.join(folder, "weights"))
found.append(bool(np.all(network.get_weights()[0] == weights[0])))
print(json.dumps(found))
"""


SLOTS = "model/layer_with_weights-0/%s/.OPTIMIZER_SLOT/optimizer/%s/.ATTRIBUTES/VARIABLE_VALUE"
ADAM = [*(SLOTS % (name, slot) for name in ("bias", "kernel") for slot in "mv"),
        *(f"optimizer/beta{each}_power/.ATTRIBUTES/VARIABLE_VALUE" for each in (1, 2))]


def test_optimizers_are_restored(tmp_path):
    """Tests `tf.train.Checkpoint` and `load_weights`; the names in the checkpoint are TensorFlow 1.15.5's."""
    found = values_of(CHECKPOINTS, tmp_path, str(tmp_path))
    assert found == [[6, True, ADAM], [6, True, ADAM], [0, True, []], True]


DEFERRED = """
tf.enable_eager_execution()
found = []
for make in (tf.train.AdamOptimizer, tf.keras.optimizers.Adam):
    for path in (None, sys.argv[1] + "/saved-1"):
        variable, optimizer = tf.Variable([1.0, 2.0]), make(0.1)
        state = tf.contrib.checkpoint.NumpyState()
        checkpoint = tf.train.Checkpoint(variable=variable, optimizer=optimizer, state=state)
        status = checkpoint.restore(path) if path else None
        for _ in range(1 if path else 2):  # makes the slots, which are restored at that moment
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(variable * variable)
            optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
        if path:
            status.assert_consumed()
        else:
            state.steps = tf.constant([1, 2]).numpy()
            checkpoint.save(sys.argv[1] + "/saved")
    slots = sorted(each.numpy().tolist() for each in optimizer.variables() if each.shape.ndims)
    found.append([variable.numpy().tolist(), slots, state.steps.tolist()])
print(json.dumps(found))
"""


def test_slots_are_restored_when_they_are_made(tmp_path):
    """Tests eager execution, where the value in the checkpoint is the slot's first; the values are 1.15.5's."""
    first, keras = values_of(DEFERRED, tmp_path, str(tmp_path))
    slots = [[0.009791279211640358, 0.04335542023181915], [0.4840826392173767, 1.0260335206985474]]
    for variable, found, steps in (first, keras):
        assert variable == pytest.approx([0.7015873193740845, 1.7006244659423828], rel=1e-5)
        assert [*found[0], *found[1]] == pytest.approx([*slots[0], *slots[1]], rel=1e-5)
        assert steps == [1, 2]


RAGGED = """
with tf.Session() as session:
    tf.get_variable("unused", [])
    session.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(session, sys.argv[1], {"x": tf.placeholder(tf.int32, [])},
                               {"rows": tf.ragged.constant([[1], [2, 3]])})
with tf.Graph().as_default(), tf.Session() as session:
    signatures = tf.saved_model.load(session, ["serve"], sys.argv[1]).signature_def
    info = signatures["serving_default"].outputs["rows"].composite_tensor
    names = [component.name for component in info.components]
    print(json.dumps([info.type_spec.type_spec_class, [value.tolist() for value in session.run(names)]]))
"""


def test_saved_models_have_ragged_outputs(tmp_path):
    """Tests the type in the signature and the values of its components; both are TensorFlow 1.15.5's."""
    assert values_of(RAGGED, tmp_path, str(tmp_path / "model")) == [3, [[1, 2, 3], [0, 1, 3]]]


RAGGED_FUNCTION = """
tf.enable_v2_behavior()
saved, rows = tf.train.Checkpoint(), tf.ragged.constant([[1.0, 2.0], [3.0]])
saved.double = tf.function(lambda x: x * 2.0)
found = [saved.double(rows).to_list()]
for name in ("once", "twice"):
    tf.saved_model.save(saved, sys.argv[1] + name)
    saved = tf.saved_model.load_v2(sys.argv[1] + name)
    found.append(tf.reduce_sum(saved.double(rows), axis=1).numpy().tolist())
print(json.dumps(found))
"""


def test_saved_functions_of_ragged_tensors_are_loaded_and_saved_again(tmp_path):
    assert values_of(RAGGED_FUNCTION, tmp_path, str(tmp_path / "model")) == [[[2, 4], [6]], [6, 6], [6, 6]]


MIXED_PRECISION = """
if sys.argv[1] == "eager":
    tf.enable_eager_execution()
policy = tf.keras.mixed_precision.experimental.Policy("infer_float32_vars")
x = np.arange(12, dtype=np.float16).reshape(4, 3) / 12
found = []
for strategy in (tf.distribute.get_strategy(), tf.distribute.OneDeviceStrategy("/cpu:0")):
    with strategy.scope():
        layer = tf.keras.layers.Dense(2, kernel_initializer="ones", dtype=policy)
        inputs = tf.keras.Input((3,), batch_size=4, dtype=tf.float16)
        model = tf.keras.Model(inputs, tf.keras.layers.Lambda(lambda y: tf.cast(y, tf.float32))(layer(inputs)))
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    model.fit(x, np.ones([4, 2], np.float32), batch_size=4, verbose=0)
    found.append([layer.kernel.dtype.name, *tf.keras.backend.get_value(layer.kernel)[:, 0].tolist()])
print(json.dumps(found))
"""


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_strategies_train_in_mixed_precision(tmp_path, mode):
    """Tests variables that are cast to float16 when read, with and without a strategy; the values are 1.15.5's."""
    for dtype, *weights in values_of(MIXED_PRECISION, tmp_path, mode):
        assert dtype == "float32"
        assert weights == pytest.approx([0.9625, 0.959375, 0.95625], rel=1e-6)


NUMBERS = """
variables = [tf.get_variable(str(each), initializer=2.0, use_resource=each) for each in (True, False)]
for convert in (float, int, complex, "{0:.1f}".format, "%d".__mod__):
    for variable in variables:
        try:
            print(convert(variable))
        except TypeError:
            print("TypeError")
"""


def test_variables_of_graphs_are_not_numbers(tmp_path):
    """Tests conversions of resource and ref variables; the class of the error is TensorFlow 1.15.5's."""
    assert output_of(NUMBERS, tmp_path).split() == ["TypeError"] * 10


BACKEND = """
from tensorflow.python.eager import context
from tensorflow.python.keras import backend

tf.enable_resource_variables()
values = backend.placeholder([1]), backend.placeholder([2, 3], sparse=True), backend.variable(1.0), tf.constant(1)
print(*[backend.is_placeholder(each) for each in values])
cpu, = tf.config.experimental.list_physical_devices("CPU")
kept = context.context()
kept.set_virtual_device_configuration(cpu, [context.VirtualDeviceConfiguration()] * 2)
print(len(kept.get_virtual_device_configuration(cpu)))
"""


def test_variables_have_no_parts_and_contexts_have_virtual_devices(tmp_path):
    """Tests 1.15's `is_placeholder`, and methods of the eager context that have other names now."""
    assert output_of(BACKEND, tmp_path).split() == ["True", "True", "False", "False", "2"]
