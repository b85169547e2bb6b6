"""Tests modules, commands and functions of TensorFlow 1.15 that are a program,
or that a program starts.
"""

import os

import pytest

from tf1grad._compat import VERSION
from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import ownership
from tf1grad.run.script import script
from tf1grad.run.view import custom_ops

pytestmark = pytest.mark.period(on_1_15=True)

TRAIN = """
    import subprocess, sys
    import tensorflow as tf

    tf.app.flags.DEFINE_integer("size", 3, "")
    flags = tf.app.flags.FLAGS
    flags.words = [5]
    print(flags._parse_flags(), flags.size, flags.words)
    rows = tf.TensorArray(tf.float32, 2).unpack(tf.constant([1.0, 2.0]))
    weight = tf.get_variable("weight", [], initializer=tf.constant_initializer(5.0))
    output = tf.add(rows.pack(), weight, name="output")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        print(session.run(output))
        tf.train.Saver().save(session, "./model.ckpt")
        tf.train.write_graph(session.graph_def, ".", "graph.pbtxt")
    module = "tensorflow.contrib.learn.python.learn.utils.inspect_checkpoint"
    print(subprocess.check_output([sys.executable, "-m", module, "--file_name", "./model.ckpt"]).decode())
"""
FREEZE = (
    "freeze_graph --input_graph graph.pbtxt --input_checkpoint ./model.ckpt --output_node_names output "
    "--output_graph frozen.pb"
).split()


@pytest.mark.slow
@pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15 has them itself")
def test_modules_and_commands_of_1_15(folder):
    folder.write("train.py", TRAIN)
    lines = folder.lines("train.py", "--size=4", "rest")
    assert lines[:2] == ["['rest'] 4 [5]", "[6. 7.]"] and lines[2] == "weight\t[]"
    code, _, errors = folder.run(*FREEZE)
    assert code == 0 and "frozen.pb" in folder.files(), errors[-3000:]
    module = "tensorflow.contrib.learn.python.learn.utils.inspect_checkpoint"
    assert folder.lines("-m", module, "--file_name", "./model.ckpt") == lines[2:3]


@pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15 says so itself")
def test_a_package_of_1_15_is_no_program():
    """Python says these words of it, on 1.15 as well."""
    told = "'tensorflow.contrib.slim' is a package and cannot be directly executed"
    with pytest.raises(UsageError, match=told):
        script.find_program("tensorflow.contrib.slim", is_module=True).read()


SERVE = """
    import tensorflow as tf
    from tensorflow.lite.python import tflite_convert

    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.Session() as session:
        tf.saved_model.simple_save(session, "saved", {"x": x}, {"y": 2 * x})
"""


@pytest.mark.slow
@pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15 has them itself")
def test_commands_that_tensorflow_2_has_too(folder):
    folder.write("train.py", SERVE)
    folder.lines("train.py")
    signature = "--dir saved --tag_set serve --signature_def serving_default".split()
    run = ["saved_model_cli", "run", *signature, "--input_exprs", "x=np.ones(2)"]
    assert folder.lines(*run)[-1] == "[2. 2.]"  # TensorFlow 2's takes no NumPy here
    assert folder.run("tf_upgrade_v2", "--infile", "train.py", "--outfile", "new.py")[0] == 0
    with open(os.path.join(folder.path, "new.py")) as file:
        assert "tf.compat.v1.placeholder" in file.read()


SOURCE = b'#include "tensorflow/core/framework/op.h"\nREGISTER_OP("Own").Output("y: int32");\n'


@pytest.mark.parametrize(
    "files, error, told",
    [
        (
            {"ops/own.cc": SOURCE},
            "not found",
            ["is not there", "c++ -O2 -w -shared -fPIC ops/own.cc -o own.so $("],
        ),
        ({}, "not found", ["is not there", "are not in the program's tree"]),
        (
            {"own.so": b"libtensorflow_framework.so.1\0"},
            "undefined symbol",
            ["built against TensorFlow 1."],
        ),
        (
            {"own.so": b""},
            "libcudart.so.9.0: cannot open",
            ["It needs libcudart.so.9.0", "cannot load it"],
        ),
    ],
)
def test_a_library_of_custom_ops_is_told_how_to_be_built(folder, monkeypatch, files, error, told):
    for name, content in files.items():
        folder.write(name, content)
    monkeypatch.chdir(folder.path)
    monkeypatch.setattr(ownership, "place_of_user_code", lambda: (f"{folder.path}/train.py", 1))
    advice = custom_ops.advise("own.so", error)
    assert all(each in advice for each in told), advice
