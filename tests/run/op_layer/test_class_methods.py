"""Tests that 1.15's modules and the installed TensorFlow know each other's methods and names."""

import json
import os

import pytest

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
