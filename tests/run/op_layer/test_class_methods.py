"""Tests that 1.15's modules and the installed TensorFlow know each other's methods and names."""

import json
import os

import pytest
import tensorflow.compat.v1 as tf

from paths import PROGRAMS
from script_folder import output_of, run_output

pytestmark = pytest.mark.period

# Reason -> differences, as installed_differences.py prints them.
NECESSARY = {
    "Classes that moved to C++": """
        lost python.util.tf_stack StackTraceFilter reset
        lost python.util.tf_stack StackTraceMapper reset
        lost python.util.tf_stack StackTraceTransform reset""",
    "Strategies: version 1 keeps its methods in `StrategyV1`; values no longer know devices": """
        lost python.distribute.distribute_lib Strategy experimental_make_numpy_dataset
        lost python.distribute.distribute_lib StrategyExtendedV2 non_slot_devices
        lost python.distribute.distribute_lib StrategyExtendedV2 update_non_slot
        lost python.distribute.input_lib DistributedIterator _initializer
        lost python.distribute.values DistributedValues devices
        lost python.distribute.values DistributedValues values""",
    "Callbacks after each op of eager execution, which TensorFlow 2 dropped": """
        lost python.eager.context Context add_post_execution_callback
        lost python.eager.context Context clear_post_execution_callbacks
        lost python.eager.context Context post_execution_callbacks""",
    "Functions of tf.config set and return them": """
        lost python.eager.context Context get_virtual_device_configuration
        lost python.eager.context Context set_virtual_device_configuration""",
    "Used by the installed modules alone, or called with arguments that both take": """
        lost python.eager.context Context add_function
        lost python.framework.ops Graph _next_id
        lost python.ops.critical_section_ops CriticalSection _init_from_proto""",
    "Read where a module corrects it, or a local variable of the same name": """
        missing python.framework.dtypes.scalar
        missing python.framework.tensor_shape.is_fully_defined""",
    "For op libraries written in C++ for TensorFlow 1, and quantized training, whose code is gone": """
        missing python.pywrap_tensorflow.RunCppShapeInference
        missing python.pywrap_tensorflow.do_quantize_training_on_graphdef""",
    "Imported by generated files, which are rewritten": """
        missing python.framework.op_def_library.OpDefLibrary
        missing python.framework.op_def_registry.register_op_list""",
}


@pytest.mark.slow
def test_installed_classes_and_names_differ_only_where_they_must():
    """Tests each class that 1.15's modules get from the installed one or derive from,
    and each name they read.
    """
    classes, names, found = json.loads(
        run_output(os.path.join(PROGRAMS, "installed_differences.py"))
    )
    known = {line.strip() for lines in NECESSARY.values() for line in lines.strip().splitlines()}
    assert classes > 300 and names > 1500
    assert sorted(set(found) - known) == []
    assert sorted(known - set(found)) == []  # a mended difference leaves the table


BACKEND = """
from tensorflow.python.keras import backend

tf.enable_resource_variables()
values = backend.placeholder([1]), backend.placeholder([2, 3], sparse=True), backend.variable(1.0), tf.constant(1)
print(*[backend.is_placeholder(each) for each in values])
"""


def test_variables_have_no_parts(tmp_path):
    """Tests 1.15's `is_placeholder`."""
    assert output_of(BACKEND, tmp_path).split() == ["True", "True", "False", "False"]


def test_tensors_of_graphs_in_a_list_are_objects(tmp_path):
    script = """
x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
print(np.array([x, y]).dtype, np.array([[x], [y]]).shape, np.asarray((x, y))[1] is y)
for convert in (np.array, np.asarray, float):
    try:
        print(convert(x))
    except (NotImplementedError, TypeError) as error:
        print("refused")
print(np.stack([np.zeros(2), np.ones(2)]).shape)
"""
    assert output_of(script, tmp_path).splitlines() == [
        "object (2, 1) True",
        *["refused"] * 3,
        "(2, 2)",
    ]


def test_variables_of_graphs_are_no_numbers(tmp_path):
    script = """
variable = tf.Variable([1.0], use_resource=True)
for convert in (float, int, complex):
    try:
        convert(variable)
    except TypeError as error:
        print(error)
from tensorflow.python.eager import context
with context.eager_mode():
    print(float(tf.Variable(2.0)), int(tf.Variable(3)))
"""
    *refused, numbers = output_of(script, tmp_path).splitlines()
    assert (
        refused
        == [
            "a number is required, not ResourceVariable 'Variable:0' of a graph; session.run returns its value"
        ]
        * 3
    )
    assert numbers == "2.0 3"


def test_installed_classes_have_the_methods_that_they_had(tmp_path):
    """1.15.5 prints the same, but for the last line."""
    script = """
from tensorflow.python.eager import context
from tensorflow.python.training.saving import saveable_object

x = tf.constant([1.0, 2.0])
hook = tf.train.CheckpointSaverHook("folder", save_steps=2)
print(hook._steps_per_run, hook._checkpoint_dir)
print([each.name for each in (2 * x).op._inputs], [each.name for each in x.op._outputs])
graph = tf.get_default_graph()
cache = graph._bcast_grad_args_cache
print(cache, graph._bcast_grad_args_cache is cache, tf.Graph()._bcast_grad_args_cache is cache)
with graph._enable_auto_casting_variables(tf.float16):
    print(graph._auto_cast_variable_read_dtype)
    with graph._enable_auto_casting_variables(None):
        print(graph._auto_cast_variable_read_dtype)
print(graph._auto_cast_variable_read_dtype)
ragged = tf.ragged.constant([[1], [2, 3]])
print(ragged._is_graph_tensor, tf.SparseTensor([[0]], [1.0], [1])._is_graph_tensor)
eager = context.context()
print(eager.summary_writer, eager.summary_step, eager.summary_recording)
eager.summary_step = 3
print(eager.summary_step, tf.compat.v2.summary.experimental.get_step())
eager.summary_step = None
function = tf.function(lambda a: a + 1.0)
made = function._get_concrete_function_internal(tf.TensorSpec([2], tf.float32))
print([each.shape.as_list() for each in made.outputs], saveable_object.SaveableObject.optional_restore)
"""
    assert output_of(script, tmp_path).splitlines() == [
        "1 folder",
        "['mul/x:0', 'Const:0'] ['Const:0']",
        "{} True False",
        "<dtype: 'float16'>",
        "None",
        "None",
        "True True",
        "None None None",
        "3 3",
        "[[2]] False",
    ]


def test_strategies_have_the_methods_that_they_had(tmp_path):
    script = """
strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
print(strategy._in_multi_worker_mode() == tf.distribute.get_strategy()._in_multi_worker_mode())
with strategy.scope():
    v = tf.get_variable("v", initializer=[2.0])
print(v.get("/cpu:0").name, v.get().name)
result = strategy.experimental_run_v2(lambda a, b: a * b + v, (3.0,), {"b": 2.0})
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(result))
"""
    assert output_of(script, tmp_path).splitlines() == ["True", "v:0 v:0", "[8.]"]


def test_slots_find_the_container_of_a_handle(tmp_path):
    script = """
from tensorflow.python.ops import resource_variable_ops

print(type(resource_variable_ops.BaseResourceVariable._distributed_container).__name__)
v = tf.Variable([1.0], use_resource=True)
v.handle._distributed_container = "of the handle"
print(v._distributed_container)
"""
    assert output_of(script, tmp_path).splitlines() == ["_OfHandle", "of the handle"]


def test_an_initial_value_of_a_checkpoint_looks_like_its_tensor():
    from tf1grad.run.op_layer import class_methods

    class Initial(class_methods._InitialValue):
        wrapped_value = tf.constant([[1.0, 2.0]])

    assert Initial().get_shape().as_list() == Initial().shape.as_list() == [1, 2]
    assert Initial().dtype == tf.float32


@pytest.mark.period(on_1_15=True)
@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_takes_its_arguments_by_position(tmp_path, use_resource):
    script = f"""
kept = tf.Variable(1.0, False, ["kept"], use_resource={use_resource})
named = tf.Variable(
    2, True, None, True, None, "named", None, tf.int64, use_resource={use_resource})
print([v.name for v in tf.get_collection("kept")], kept in tf.global_variables())
print(named.name, named.dtype.base_dtype.name, named in tf.trainable_variables())
"""
    assert output_of(script, tmp_path).splitlines() == [
        "['Variable:0'] False",
        "named:0 int64 True",
    ]
