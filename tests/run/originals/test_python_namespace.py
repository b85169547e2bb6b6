"""Tests that user code sees the names of `tensorflow.python` as 1.15.5 had them,
but for a table of reasons.
"""

import json
import os
import re

import pytest

import records
from script_folder import output_of, run_output

pytestmark = pytest.mark.period

KNOWN = {
    r"tensorflow_dot_\w+|\w+_pb2|enum_type_wrapper": "Message classes come from another protobuf.",
    r"_tf_stack|pywrap_tensorflow_internal|imp": "TensorFlow 2 or Python 3.12 dropped the module.",
    r"AbstractVariable(Metaclass)?": "TensorFlow 2 dropped the class.",
    r"[Cc]ompare_?[Aa]nd_?[Bb]itpack\w*|gen_state_ops|RegisterShape|file_io": "The installed modules lack it.",
    r"platform": "1.15 left Python's own module there; programs import modules of the package.",
    r"py_tf|trackable": "The module has another name today.",
}
USE = """
import tensorflow.python.ops.array_ops as of_package
import tensorflow.python.platform.gfile as gfile
import tensorflow.python.layers.base as base
from tensorflow.python import array_ops, framework, layers, math_ops, ops
import tensorflow as tf
assert ops is tf.python.ops and ops.Graph is tf.Graph and ops.get_default_graph is not None
assert of_package.concat is array_ops.concat and gfile.Exists is not None
assert layers.Dense is tf.layers.Dense and issubclass(layers.Dense, base.Layer)
with tf.Session() as session:
    print(session.run(math_ops.reduce_sum(ops.convert_to_tensor([1.0, 2.0]))))
"""


def test_names_are_those_of_1_15():
    before = records.read("python_names")
    now = json.loads(
        run_output(os.path.join(os.path.dirname(records.__file__), "python_names.py")).splitlines()[
            -1
        ]
    )
    assert len(before) > 2200
    other = {name: (before[name], now[name]) for name in before if before[name] != now[name]}
    unknown = {
        name: pair
        for name, pair in other.items()
        if not any(re.fullmatch(pattern, name) for pattern in KNOWN)
    }
    assert unknown == {}


def test_modules_of_that_namespace_and_of_the_packages_that_they_shadow_work(tmp_path):
    assert output_of(USE, tmp_path) == "3.0\n"
