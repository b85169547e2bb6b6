"""Tests how far static shapes are known: 1.15.5 prints the same."""

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)


def test_a_dimension_of_a_shape_in_part_known_is_unknown(tmp_path):
    script = """
    x = tf.placeholder(tf.float32, [None, 3])
    shape = tf.shape(x)
    cast, known = tf.cast(shape, tf.int64), tf.shape(tf.zeros([2, 3]))
    rows, columns = tf.unstack(shape)
    sizes = [
        [shape[1]], [rows, columns], [shape[-1]],
        shape, shape[:1], shape[1:], shape[-1:],
        cast[1:], cast[:2], [cast[1]], tf.unstack(cast),
        known[1:], [known[1]], tf.unstack(known),
    ]
    print(*[tf.zeros(size).shape.as_list() for size in sizes])
    with tf.Session() as session:
        numbers = [shape[1], rows, columns, shape[-1], tf.cast(cast[1:][0], tf.int32)]
        print(session.run(tf.stack(numbers), {x: np.zeros([2, 3])}))
        print(session.run([tf.zeros([2, 3])[1:, ::2], tf.unstack([4, 5])[1]]))
    """
    assert output_of(script, tmp_path).splitlines() == [
        "[None] [None, None] [None]"
        " [None, 3] [None] [3] [3]"
        " [None] [None, None] [None] [None, None]"
        " [3] [3] [2, 3]",
        "[3 2 3 3 3]",
        "[array([[0., 0.]], dtype=float32), 5]",
    ]


def test_transposed_convolutions_have_the_batch_size_that_is_given(tmp_path):
    script = """
    images = tf.placeholder(tf.float32, [None, 4, 4, 2])
    batch, unknown = tf.shape(images)[0], tf.placeholder(tf.int32, [1])
    fixed = tf.constant([5, 4, 4, 2])
    for sizes in (
        fixed, [batch, 4, 4, 2], tf.concat([[5], [4, 4, 2]], 0), tf.concat([[batch], [4, 4, 2]], 0),
        tf.concat([unknown, [4, 4, 2]], 0), tf.placeholder(tf.int32, [4]), [-1, 4, 4, 2],
    ):
        result = tf.nn.conv2d_transpose(images, tf.zeros([3, 3, 2, 2]), sizes, [1, 1, 1, 1])
        print(result.shape)
    result = tf.nn.conv2d_transpose(images, tf.zeros([3, 3, 2, 2]), fixed, [1, 1, 1, 1])
    with tf.Session() as session:
        print(session.run(tf.shape(result), {images: np.zeros([2, 4, 4, 2]), fixed: [2, 4, 4, 2]}))
    """
    assert output_of(script, tmp_path).splitlines() == [
        "(5, 4, 4, 2)",
        "(?, 4, 4, 2)",
        "(5, 4, 4, 2)",
        "(?, 4, 4, 2)",
        "(?, 4, 4, 2)",
        "(?, ?, ?, ?)",
        "(?, 4, 4, 2)",
        "[5 4 4 2]",
    ]


def test_eager_tensors_have_no_op_that_decides(tmp_path):
    script = """
    tf.enable_eager_execution()
    shape = tf.shape(tf.ones([2, 3]))
    print(int(shape[1]), [int(each) for each in tf.unstack(shape)])
    image, filters = tf.ones([1, 2, 2, 1]), tf.fill([1, 1, 1, 1], 3.0)
    print(tf.nn.conv2d_transpose(image, filters, [1, 2, 2, 1], [1, 1, 1, 1]).numpy().ravel())
    """
    assert output_of(script, tmp_path).splitlines() == ["3 [2, 3]", "[3. 3. 3. 3.]"]
