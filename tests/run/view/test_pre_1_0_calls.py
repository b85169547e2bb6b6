"""Compares names and orders of arguments from before TensorFlow 1.0,
under `tf1grad run`, with NumPy.
"""

import ast
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.view import pre_1_0_calls

IS_TF1 = VERSION < (2,)

A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
SOFTMAX = np.exp(B) / np.exp(B).sum(1, keepdims=True)
LOG_SOFTMAX = A - np.log(np.exp(A).sum(1, keepdims=True))
# Of class 0, which is drawn: nothing where it is the label, and one of two where it is not.
SAMPLED_LOSS = [0, np.log1p(np.exp((A[0] - A[1]).dot(B[1] - 6) / 6))]
# Expressions of tensors a and b, and what they give.
VALUES = {
    "tf.mul(a, b)": A * B,
    "tf.neg(a)": -A,
    "tf.concat(0, [a, b])": np.concatenate([A, B]),
    "tf.concat([a, b], 1)": np.concatenate([A, B], 1),
    "tf.concat(concat_dim=1, values=[a, b])": np.concatenate([A, B], 1),
    "tf.split(1, 2, a)[1]": A[:, 1:],
    "tf.split(split_dim=0, num_split=2, value=a)[0]": A[:1],
    "tf.pack([a, b])": [A, B],
    "tf.unpack(a, 2, 'name', 1)[0]": A[:, 0],
    "tf.reverse(a, [False, True])": A[:, ::-1],
    "tf.select(a > 2, a, b)": np.where(A > 2, A, B),
    "tf.batch_matmul(a, b, adj_y=True)": A @ B.T,
    "tf.nn.softmax_cross_entropy_with_logits(a, tf.nn.softmax(b))": -(SOFTMAX * LOG_SOFTMAX).sum(1),
    "tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(b), logits=a)": -(
        SOFTMAX * LOG_SOFTMAX
    ).sum(1),
    "tf.nn.sparse_softmax_cross_entropy_with_logits(a, [0, 1])": -LOG_SOFTMAX[[0, 1], [0, 1]],
    "tf.nn.sigmoid_cross_entropy_with_logits(a, b)": np.log(1 + np.exp(-A)) + A * (1 - B),
    "tf.image.per_image_whitening(tf.reshape(a, [2, 2, 1]))": ((A - A.mean()) / A.std())[..., None],
    "tf.nn.rnn(Cell(), [a, b], dtype=tf.float32)[0][1]": A + B,
    "tf.image.resize_images(tf.reshape(a, [2, 2, 1]), 4, 2, 1)": np.repeat(A, 2, axis=0)[..., None],
    "tf.image.resize_images(tf.reshape(a, [2, 2, 1]), [4, 2], 1)": np.repeat(A, 2, axis=0)[
        ..., None
    ],
    "tf.nn.sampled_softmax_loss(a, ZEROS, (b - 6) / 6, COLUMN, 1, 2, sampled_values=SAMPLED)": SAMPLED_LOSS,
    "tf.nn.ctc_loss(tf.stack([a]), LABELS, [1, 1])": -LOG_SOFTMAX[:, 0],
    "tf.nn.ctc_loss(LABELS, tf.stack([a]), [1, 1])": -LOG_SOFTMAX[:, 0],
}
PROGRAM = """
import sys
import numpy as np
import tensorflow as tf

class Cell(tf.nn.rnn_cell.RNNCell):
    state_size = output_size = 2
    def __call__(self, inputs, state, scope=None):
        return inputs + state, inputs + state

a, b = tf.constant([[1., 2.], [3., 4.]]), tf.constant([[5., 6.], [7., 8.]])
COLUMN, ZEROS = tf.constant([[0], [1]]), tf.zeros([2])
LABELS = tf.SparseTensor([[0, 0], [1, 0]], [0, 0], [2, 1])
SAMPLED = tf.constant([0], tf.int64), tf.ones([2, 1]), tf.ones([1])
session = tf.Session()
for line in sys.stdin.read().splitlines():
    print(np.asarray(session.run(eval(line))).tolist())

session.run(tf.initialize_all_variables())
with tf.name_scope("scope"):
    tf.scalar_summary("my loss", tf.reduce_sum(a))
    tf.scalar_summary(["one", "two"], a[0])
    tf.histogram_summary("histogram", a, ["others"])
    tf.image_summary("image", tf.ones([1, 2, 2, 3]), max_images=1)
text = session.run(tf.merge_all_summaries())
tf.train.SummaryWriter("logs", session.graph).add_summary(text, 1)
summary = tf.Summary.FromString(text)
print([value.tag for value in summary.value], [value.simple_value for value in summary.value][:3])
try:
    tf.pack([a], 0, "name", 4)
except TypeError as error:
    print(error)
"""
IMPORTS = """
from tensorflow.models.rnn import rnn_cell, rnn, seq2seq
import tensorflow.models.rnn.rnn_cell as same_cells
from tensorflow.python.ops import rnn as private_rnn, seq2seq as private_seq2seq
from tensorflow.python.ops.rnn import rnn as function
import tensorflow as tf
assert rnn_cell.BasicLSTMCell is same_cells.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell
assert private_rnn.rnn is function and rnn.dynamic_rnn is not None
assert private_seq2seq.sequence_loss is seq2seq.sequence_loss is tf.nn.seq2seq.sequence_loss
assert tf.types.float32 is tf.float32
"""


@pytest.mark.slow
@pytest.mark.each_release
def test_names_and_orders_of_arguments(folder):
    folder.write("train.py", (PROGRAM if IS_TF1 else IMPORTS + PROGRAM))
    code, output, errors = folder.run("train.py", stdin="\n".join(VALUES))
    assert code == 0, errors[-3000:]
    lines = output.splitlines()
    for expression, line in zip(VALUES, lines):
        np.testing.assert_allclose(
            ast.literal_eval(line), VALUES[expression], rtol=1e-5, err_msg=expression
        )
    assert lines[len(VALUES) :] == [
        "['my loss', 'one', 'two', 'image/image'] [10.0, 1.0, 2.0]",
        "tf.pack, as it was before 1.0: expected at most the arguments values, name, axis",
    ]
    said = [line for line in errors.splitlines() if line.startswith("tf1grad: tf.")]
    assert IS_TF1 or any(
        line.startswith("tf1grad: tf.mul (") and line.endswith("replaced by tf.multiply")
        for line in said
    )
    assert sum("tf.concat(concat_dim, values, name)" in line for line in said) == 1


@pytest.fixture
def names(monkeypatch):
    """A module that has the names of before 1.0, made of the installed ones."""

    def value(path):
        parent, _, name = path.rpartition(".")
        return getattr(_compat.resolve(f"tensorflow.compat.v1.{parent}".strip(".")), name)

    monkeypatch.setattr(pre_1_0_calls, "_value", value)
    holder = types.ModuleType("holder")
    holder.neg = "the program's own"
    pre_1_0_calls.complete("", holder)
    return holder


def test_a_module_gets_the_names_that_it_does_not_have(names):
    assert names.mul is tf.multiply and names.neg == "the program's own"
    assert not hasattr(names, "multiply")


def test_kept_names_take_both_orders(names, session):
    a, b = tf.constant(A), tf.constant(B)
    concat, reverse, split = (
        pre_1_0_calls.taking_old_order("", name, getattr(tf, name))
        for name in ("concat", "reverse", "split")
    )
    for found, expected in (
        (concat(0, [a, b]), np.concatenate([A, B])),
        (concat(0, (a, b)), np.concatenate([A, B])),
        (concat([a, b], 1), np.concatenate([A, B], 1)),
        (reverse(a, [False, True]), A[:, ::-1]),
        (reverse(a, [0]), A[::-1]),
        (split(1, 2, a)[1], A[:, 1:]),
        (split(a, 2, 0)[1], A[1:]),
        (names.pack([a, b]), [A, B]),
    ):
        np.testing.assert_array_equal(session.run(found), expected)


def test_old_names_are_those_of_1_15_behind_its_warnings(monkeypatch):
    root = types.ModuleType("tensorflow")
    root._tfmw_wrapped_module = types.SimpleNamespace(multiply="of 1.15")
    monkeypatch.setattr(_compat, "resolve", lambda path: root)
    assert pre_1_0_calls._value("multiply") == "of 1.15" and pre_1_0_calls._value("") is root


def test_methods_get_the_old_names_that_they_do_not_have():
    class TensorArray:
        def stack(self):
            return "stack"

        def unpack(self):
            return "its own"

        unstack = stack

    before = len(patches.changes())
    try:
        assert pre_1_0_calls.taking_old_order("", "TensorArray", TensorArray) is TensorArray
        assert (TensorArray().pack(), TensorArray().unpack()) == ("stack", "its own")
    finally:
        patches.undo(before)
    assert not hasattr(TensorArray, "pack")


MOVED = """
import numpy as np
import tensorflow as tf
from tensorflow.contrib.distributions.python.ops.bernoulli import Bernoulli
from tensorflow.contrib.rnn.core_rnn_cell import BasicLSTMCell as other_cell
from tensorflow.contrib.rnn.python.ops import core_rnn_cell, core_rnn_cell_impl
from tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl import BasicLSTMCell, LSTMStateTuple, RNNCell, _linear
from tensorflow.python.keras._impl.keras.utils import np_utils
from tensorflow.python.ops.rnn_cell import _linear as of_cells
from tensorflow.python.ops.rnn_cell_impl import _linear as of_cells_impl, _Linear
assert _linear is of_cells is of_cells_impl is tf.nn.rnn_cell._linear is core_rnn_cell._linear
assert BasicLSTMCell is other_cell is core_rnn_cell_impl.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell
assert (RNNCell, LSTMStateTuple) == (tf.nn.rnn_cell.RNNCell, tf.nn.rnn_cell.LSTMStateTuple)
assert Bernoulli is tf.distributions.Bernoulli and _Linear is core_rnn_cell._Linear
y = _linear([tf.ones([2, 3]), 2 * tf.ones([2, 1])], 4, True)
kernel, bias = tf.trainable_variables()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    kernel.load(np.arange(16).reshape(4, 4), session)
    bias.load([1, 1, 1, 1], session)
    print(session.run(y)[0].tolist(), np_utils.to_categorical([1], 3).tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(IS_TF1, reason="the modules of TensorFlow 1.15 itself are not extended")
def test_modules_that_moved_have_the_names_that_programs_import(folder):
    folder.write("train.py", MOVED)
    # 1 + the sum of rows 0, 1, 2 and twice row 3 of the kernel
    assert folder.lines("train.py") == ["[37.0, 42.0, 47.0, 52.0] [[0.0, 1.0, 0.0]]"]
