"""Tests eager code under `run`: 1.15's eager mode, `tf.contrib.eager`, `tf.function` and AutoGraph."""

import json
import os

import numpy as np
import pytest

import records
from paths import PROGRAMS
from script_folder import run_output, values_of

pytestmark = pytest.mark.period


def flat(value):
    """Yields the numbers and texts in nested lists, with the length of each list."""
    if isinstance(value, list):
        yield len(value)
        for each in value:
            yield from flat(each)
    else:
        yield value


def test_eager_code_has_the_values_of_1_15():
    """Tests every case of eager_code.py against what TensorFlow 1.15.5 prints."""
    recorded = records.read("eager_code")
    found = json.loads(run_output(os.path.join(PROGRAMS, "eager_code.py")))
    assert found.keys() == recorded.keys() and len(found) > 20
    for name, values in recorded.items():
        for value, expected in zip(flat(found[name]), flat(values)):
            if isinstance(expected, float):
                np.testing.assert_allclose(value, expected, rtol=1e-6, err_msg=name)
            else:
                assert value == expected, name


CALLS = """
total = tf.Variable(0.0, use_resource=True)


@tf.function
def add(number):
    total.assign_add(number)


calls = [add(1.0), tf.contrib.eager.defun(add.python_function)(2.0),
         add.get_concrete_function(tf.TensorSpec([]))(tf.constant(4.0)), tf.function(lambda number: None)(1.0)]
found = [call.type for call in calls]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for call in calls:
        session.run(call)
    found.append(float(session.run(total)))
    session.run(calls[:2])
    found.append(float(session.run(total)))
print(json.dumps(found))
"""


def test_sessions_run_calls_of_functions_without_outputs(tmp_path):
    """Tests training steps of graphs in functions that return nothing; the values are TensorFlow 1.15.5's."""
    assert values_of(CALLS, tmp_path) == [
        *["StatefulPartitionedCall"] * 3, "PartitionedCall", 7.0, 10.0]
