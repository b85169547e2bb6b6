"""Tests dimensions that are whole floats, which `n / 2` gives in Python 3; the expected values are TensorFlow 1.15.5's.
"""

import json

import pytest

from script_folder import output_of, run_output

pytestmark = pytest.mark.period

SCRIPT = """
n = 8
rows, image, steps = tf.zeros([2, 6]), tf.zeros([1, 4, 4, 3]), tf.zeros([2, 3, 4])
cells = tf.nn.rnn_cell
print(json.dumps([str(function()) for function in (
    lambda: tf.placeholder(tf.float32, [None, n / 2]).shape,
    lambda: tf.get_variable("variable", [n / 2, 3]).shape,
    lambda: tf.zeros([n / 2, 3]).shape,
    lambda: tf.layers.conv2d(image, n / 2, 3).shape,
    lambda: tf.contrib.slim.conv2d(image, n / 2, 3).shape,
    lambda: tf.nn.dynamic_rnn(cells.BasicLSTMCell(n / 2), steps, dtype=tf.float32, scope="lstm")[0].shape,
    lambda: cells.GRUCell(n / 2).zero_state(4 / 2, tf.float32).shape,
    lambda: tf.keras.layers.Input((n / 2,)).shape,
    lambda: tf.ensure_shape(rows, [2, 12 / 2]).shape,
    lambda: tf.data.Dataset.from_tensor_slices(np.zeros([2, 3])).padded_batch(2, [n / 2]).output_shapes,
    lambda: tf.FIFOQueue(3, tf.float32, shapes=[[n / 2]]).dequeue().shape,
    lambda: tf.TensorShape([4, 2]).is_compatible_with([n / 2, 2]),
    lambda: tf.nn.atrous_conv2d_transpose(image, tf.zeros([3, 3, 5, 3]), [*tf.unstack(tf.shape(image))[:3], 5], 2,
                                          "SAME").shape.ndims,
    lambda: tf.Dimension(4).is_compatible_with(3),
    lambda: [tf.Dimension(np.float32(2)), tf.Dimension("3"), tf.Dimension(4) == 4.0],
)]))
for wrong in (n / 16, tf.float32, -1.0):
    try:
        tf.Dimension(wrong)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
"""


def test_whole_floats_are_dimensions(tmp_path):
    """Tests placeholders, variables, layers, cells, queues and datasets, and three values that 1.15 rejected too."""
    shapes, *errors = output_of(SCRIPT, tmp_path).splitlines()
    assert json.loads(shapes) == [
        "(?, 4)", "(4, 3)", "(4, 3)", "(1, 2, 2, 4)", "(1, 4, 4, 4)", "(2, 3, 4)", "(2, 4)", "(?, 4)", "(2, 6)",
        "(?, 4)", "(4,)", "True", "4", "False", "[Dimension(2), Dimension(3), True]"]
    assert errors == ["ValueError Ambiguous dimension: 0.5", "TypeError Cannot convert <dtype: 'float32'> to Dimension",
                      "ValueError Dimension -1 must be >= 0"]


def test_a_library_gets_the_installed_error(tmp_path):
    """Tests a library of today: in its own graph a float is refused as without the op layer."""
    library = tmp_path / "site-packages" / "halving.py"
    library.parent.mkdir()
    library.write_text("import tensorflow as tf\n\ndef half():\n    with tf.Graph().as_default():\n"
                       "        return tf.TensorShape([3 / 1])\n")
    metadata = library.parent / "halving-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: halving\nVersion: 1.0\nRequires-Python: >=3.10\n")
    (metadata / "RECORD").write_text("halving.py,,\n")
    script = tmp_path / "program.py"
    script.write_text(f"import sys\nsys.path.append({str(library.parent)!r})\nimport tensorflow as tf\nimport halving\n"
                      "try:\n    halving.half()\nexcept TypeError as error:\n    print('__index__' in str(error))\n")
    assert run_output(str(script)) == "True\n"
