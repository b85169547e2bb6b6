"""Programs of before TensorFlow 1.0: today's names, and arguments in today's order."""

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from upgraded_texts import upgraded_text

pytestmark = NEEDS_PYTHON_3_8

START = "import tensorflow as tf\n\n\ndef f():\n    "
TF = "import tensorflow.compat.v1 as tf\n\n\ndef f():\n    "


@pytest.mark.parametrize(
    "old, new",
    [
        ("tf.Session; tf.mul(x, tf.neg(y))", "tf.Session; tf.multiply(x, tf.negative(y))"),
        (
            "tf.concat(1, [tf.pack([a,  b]), c], name='n')",
            "tf.concat([tf.stack([a,  b]), c], 1, name='n')",
        ),
        (
            "tf.concat(concat_dim=0, values=v), tf.Session",
            "tf.concat(values=v, axis=0), tf.Session",
        ),
        ("tf.concat(v, 0), tf.Session", "tf.concat(v, 0), tf.Session"),
        (
            "tf.split(7, 2, 1), tf.concat(7, 1), tf.Session",
            "tf.split(7, 2, 1), tf.concat(7, 1), tf.Session",
        ),
        (
            "tf.Session, tf.split(1, 2, tf.concat(0, [a, b]))",
            "tf.Session, tf.split(tf.concat([a, b], 0), 2, 1)",
        ),
        (
            "tf.Session, tf.concat(1,  # the rows\n   [a, b])",
            "tf.Session, tf.concat([a, b],  # the rows\n   1)",
        ),
        ("tf.scalar_summary('loss', tf.sub(a, b))", "tf.summary.scalar('loss', tf.subtract(a, b))"),
        (
            "tf.ops.reset_default_graph(), tf.array_ops.transpose(x)",
            "tf.reset_default_graph(), tf.transpose(x)",
        ),
        ("tf.contrib.data.Dataset.range(3)", "tf.data.Dataset.range(3)"),
        ("tf.contrib.linalg.LinearOperatorTriL(x)", "tf.linalg.LinearOperatorLowerTriangular(x)"),
        ("tf.image_summary('i', x, max_images=3)", "tf.summary.image('i', x, max_outputs=3)"),
        (
            "tf.train.SummaryWriter(d, s.graph_def); tf.merge_all_summaries()",
            "tf.summary.FileWriter(d, s.graph_def); tf.summary.merge_all()",
        ),
        (
            "tf.nn.softmax_cross_entropy_with_logits(x, y), tf.Session",
            "tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x), tf.Session",
        ),
        ("tf.reverse(x, [1, 0]), tf.Session", "tf.reverse(x, [1, 0]), tf.Session"),
        ("tf.batch_matmul(x, y, adj_y=True)", "tf.matmul(x, y, adjoint_b=True)"),
        ("tf.select(c, a, b)", "tf.where(c, a, b)"),
        ("tf.nn.rnn(cell, x), tf.types.float32", "tf.nn.static_rnn(cell, x), tf.float32"),
        ("map(tf.mul, x)", "map(tf.multiply, x)"),
        (
            "tf.Session, tf.image.resize_images(x, 28,  32, m)",
            "tf.Session, tf.image.resize_images(x, [28, 32],  m)",
        ),
        (
            "tf.Session, tf.image.resize_images(x, [28, 32], m)",
            "tf.Session, tf.image.resize_images(x, [28, 32], m)",
        ),
        (
            "size = 8; tf.Session, tf.image.resize_images(tf.neg(x), size, size)",
            "size = 8; tf.Session, tf.image.resize_images(tf.negative(x), [size, size])",
        ),
        (
            "tf.Session, tf.nn.nce_loss(w, b, embed, train_labels, 64, 50)",
            "tf.Session, tf.nn.nce_loss(w, b, train_labels, embed, 64, 50)",
        ),
        (
            "tf.Session, tf.nn.nce_loss(w, b, labels, embed, 64, 50)",
            "tf.Session, tf.nn.nce_loss(w, b, labels, embed, 64, 50)",
        ),
        (
            "tf.Session, tf.nn.nce_loss(w, b, labels, labels, 64, 50)",
            "tf.Session, tf.nn.nce_loss(w, b, labels, labels, 64, 50)",
        ),
        (
            "tf.Session, tf.nn.weighted_cross_entropy_with_logits(x, labels, 2)",
            "tf.Session, tf.nn.weighted_cross_entropy_with_logits(labels, x, 2)",
        ),
        (
            "tf.Session, tf.nn.ctc_loss(logits, self.targets, n)",
            "tf.Session, tf.nn.ctc_loss(self.targets, logits, n)",
        ),
    ],
)
def test_today(old, new):
    assert upgraded_text(START + old + "\n") == (TF + new + "\n", [])


@pytest.mark.parametrize(
    "old", ["tf.pack(*values)", "map(tf.pack, values)", "tf.pack(values, 1, 'name', 4)"]
)
def test_what_cannot_be_told_is_left(old):
    text, left = upgraded_text(START + old + "\n")
    assert (
        left == ["TFG109"]
        and TF + "# tf1grad: TFG109 tensorflow.pack is a name from before" in text
        and old in text
    )


@pytest.mark.parametrize("old", ["tf.reverse(x, dims=flags)", "tf.reverse(x, [False, True])"])
def test_axes_that_cannot_be_told_are_left(old):
    text, left = upgraded_text(START + "tf.Session, " + old + "\n")
    assert (
        left == ["TFG109"]
        and TF + "# tf1grad: TFG109 The arguments of tensorflow.reverse" in text
        and old in text
    )


def test_what_a_program_asks_for_stays():
    start = (
        "import tensorflow as tf\nx = tf.Session\ntry:\n    image = tf.image_summary\nexcept:\n"
        "    image = tf.summary.image\n"
    )
    text, left = upgraded_text(start)
    assert left == [] and text.endswith(start[start.index("try") :])


def test_modules_that_had_another_name():
    text, left = upgraded_text(
        "import tensorflow as tf\nfrom tensorflow.models.rnn import rnn_cell, seq2seq\n\n\n"
        "def f():\n    return rnn_cell.GRUCell(3), seq2seq.sequence_loss(a)\n"
        "def g():\n    return tf.nn.seq2seq.rnn_decoder\n"
    )
    assert left == [] and "models" not in text and "tf.nn.rnn_cell.GRUCell(3)" in text
    assert text.count("legacy_seq2seq") >= 2
