"""Tests the text of an op's error against the form that TensorFlow 1.15 gives it."""

import os

import pytest

from tf1grad._compat import VERSION

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="this is TensorFlow 1, whose errors are its own")

SCRIPT = """
import tensorflow as tf

def build():
    x = tf.placeholder(tf.float32, [None], name="x")
    return x, tf.check_numerics(x, "not finite", name="checked") * 2

x, y = build()
with tf.Session() as session:
    try:
        session.run(y, {x: [float("nan")]})
    except tf.errors.InvalidArgumentError as error:
        print(error)
"""


def test_error_of_an_op_has_the_reason_first_and_its_stack_once(folder):
    folder.write("train.py", SCRIPT)
    script = os.path.join(folder.path, "train.py")
    output, _ = folder.start("-m", "tf1grad", "run", "train.py").communicate()
    lines = output.splitlines()
    assert lines[:2] == ["not finite : Tensor had NaN values", f"\t [[node checked (defined at {script}:6) ]]"]
    assert lines[3] == "Original stack trace for 'checked':"
    frames = [line for line in lines[4:] if line.startswith("  File ")]
    assert frames[:2] == [f'  File "{script}", line 8, in <module>', f'  File "{script}", line 6, in build']
    assert sum("in build" in line for line in lines) == 1
