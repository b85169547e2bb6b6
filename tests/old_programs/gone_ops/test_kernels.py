"""Tests that the ops without kernels give what the kernels of TensorFlow 1.15.5 gave, with the same errors."""

import importlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.old_programs import originals

IS_TF1 = tf.__version__.startswith("1.")


@pytest.mark.period(on_1_15=True)
def test_elements_are_taken_in_turn(session):
    obtain_next = originals.contrib_module(
        "input_pipeline.python.ops.input_pipeline_ops"
    ).obtain_next
    counter = tf.get_variable("counter", initializer=tf.constant(-1, tf.int64), use_resource=False)
    element = obtain_next(["a", "b", "c"], counter)
    session.run(counter.initializer)
    assert [session.run(element) for _ in range(5)] == [b"a", b"b", b"c", b"a", b"b"]
    assert session.run(counter) == 1


@pytest.mark.period(on_1_15=True)
def test_images_that_are_none_are_errors_as_on_1_15(session):
    adjust = originals.contrib_module("image.python.ops.distort_image_ops").adjust_hsv_in_yiq
    with pytest.raises(ValueError, match="Shape must be at least rank 3 but is rank 2"):
        adjust(np.zeros([2, 3], np.float32), 0.7, 1.0, 1.0)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="input must have 3 channels but instead has 4 channels",
    ):
        session.run(adjust(np.zeros([4, 2, 4], np.float32), 0.7, 1.0, 1.0))


@pytest.mark.period(on_1_15=True)
def test_gather_tree_is_one_op_of_the_graph(graph):
    fed = [tf.placeholder(tf.int32, shape) for shape in ([None, None, 3], [7, None, None])]
    gather_tree = originals.contrib_module("seq2seq.python.ops.beam_search_ops").gather_tree
    trees = [gather_tree(*fed, max_sequence_lengths=[4, 3], end_token=end) for end in (9, 8)]
    assert [(op.type, op.name) for op in graph.get_operations()][2:] == [
        ("Const", "GatherTree/max_sequence_lengths"),
        ("Const", "GatherTree/end_token"),
        ("GatherTree", "GatherTree"),
        ("Const", "GatherTree_1/max_sequence_lengths"),
        ("Const", "GatherTree_1/end_token"),
        ("GatherTree", "GatherTree_1"),
    ]
    assert [tree.shape.as_list() for tree in trees] == [[7, 2, 3]] * 2
    with pytest.raises(ValueError, match="rank"):
        gather_tree(fed[0], fed[1][0], [4, 3], 9)


def _kernel(name):
    if IS_TF1:
        pytest.skip("TensorFlow 1 has the kernel itself")
    return importlib.import_module("tf1grad.old_programs.gone_ops.of_tensorflow." + name)


def test_a_parent_that_is_no_beam_is_an_error_of_the_run(session):
    tree = _kernel("sequences").gather_tree(
        *map(tf.constant, ([[[1, 2]], [[3, 4]]], [[[0, 0]], [[0, -1]]], [2], 9))
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="= -1 is not in"):
        session.run(tree)


def test_a_parent_that_no_beam_is_followed_to_may_be_anything(session):
    tree = _kernel("sequences").gather_tree(
        *map(tf.constant, ([[[1, 2]], [[3, 4]]], [[[-5, 7]], [[1, 0]]], [2], 9))
    )
    assert session.run(tree).tolist() == [[[2, 1]], [[3, 4]]]


def test_samples_have_the_gradients_of_finite_differences(session):
    random = np.random.RandomState(0)
    pixels, places = random.normal(size=[1, 3, 4, 2]), random.uniform(-0.9, 3.9, size=[1, 5, 2])
    assert (
        np.abs(places - places.round()) > 2e-3
    ).all()  # where the derivative jumps, a difference is none
    data, warp = tf.constant(pixels), tf.constant(places)
    output = _kernel("resampler").build(data, warp)
    for given, value in ((data, pixels), (warp, places)):
        error = tf.test.compute_gradient_error(
            given, value.shape, output, [1, 5, 2], x_init_value=value
        )
        assert error < 1e-6


def test_samples_of_what_is_not_there_are_zero(session):
    places = tf.constant([[[-1.0, 0.0], [0.0, 5.0], [np.nan, 0.0], [np.inf, 1.0]]])
    data = tf.fill([1, 2, 2, 1], np.inf)
    assert session.run(_kernel("resampler").build(data, places)).tolist() == [
        [[0.0], [0.0], [0.0], [0.0]]
    ]


def test_samples_in_half_precision_have_gradients_too(session):
    random = np.random.RandomState(0)
    data, warp = random.normal(size=[2, 3, 4, 5]), random.randint(-5, 20, size=[2, 6, 2]) / 4.0
    gradients = []
    for dtype in (tf.float16, tf.float32):
        given = [tf.constant(data.astype(np.float16), dtype), tf.constant(warp, dtype)]
        output = _kernel("resampler").build(*given)
        gradients.append(session.run(tf.gradients(output, given)))
    for half, single in zip(*gradients):
        assert half.dtype == np.float16
        np.testing.assert_allclose(half, single, rtol=2e-3, atol=1e-2)


def _convolved(image, kernel, bias, side, strides):
    """Convolves without padding, with weights 0.5 and 2, and sets negative values to zero."""
    high, wide = kernel.shape[:2]
    output = 2 * side + bias
    for row, column in np.ndindex(output.shape[1:3]):
        part = image[
            :,
            row * strides[0] : row * strides[0] + high,
            column * strides[1] : column * strides[1] + wide,
        ]
        output[:, row, column] += 0.5 * np.tensordot(part, kernel, 3)
    return np.maximum(output, 0)


@pytest.mark.parametrize("data_format, filter_format", [("NHWC", "HWIO"), ("NCHW", "OIHW")])
def test_fused_convolutions(session, data_format, filter_format):
    _kernel("images")
    from tf1grad.old_programs.gone_ops import raw_ops

    random = np.random.RandomState(0)
    image, kernel, bias, side = (
        random.normal(size=shape).astype(np.float32)
        for shape in ((2, 7, 6, 3), (3, 2, 3, 4), 4, (2, 3, 3, 4))
    )
    first = data_format == "NCHW"
    given = dict(
        conv_input=image.transpose(0, 3, 1, 2) if first else image,
        filter=kernel.transpose(3, 2, 0, 1) if first else kernel,
        bias=bias,
        conv_input_scale=0.5,
        side_input_scale=2.0,
        strides=[1, 1, 2, 2] if first else [1, 2, 2, 1],
        padding="VALID",
        data_format=data_format,
        filter_format=filter_format,
    )
    for each in (side, np.zeros(0, np.float32)):
        expected = _convolved(image, kernel, bias, each if each.size else 0 * side, (2, 2))
        output = raw_ops.call(
            "FusedConv2DBiasActivation",
            dict(given, side_input=each.transpose(0, 3, 1, 2) if first and each.size else each),
        )
        assert (
            tuple(output.shape.as_list())
            == (expected.transpose(0, 3, 1, 2) if first else expected).shape
        )
        found = session.run(output)
        np.testing.assert_allclose(
            found.transpose(0, 2, 3, 1) if first else found, expected, atol=1e-5
        )
    with pytest.raises(ValueError, match="convolves 8-bit integers"):
        raw_ops.call(
            "FusedConv2DBiasActivation", dict(given, side_input=side, data_format="NCHW_VECT_C")
        )


def _matched(distances, valid, most):
    """Pairs rows and columns in the order of their distances."""
    of_rows, of_columns = (np.full(size, -1) for size in distances.shape)
    for place in np.argsort(distances[:valid].ravel()):
        row, column = divmod(place, distances.shape[1])
        if of_rows[row] < 0 and of_columns[column] < 0 and np.sum(of_rows >= 0) < most:
            of_rows[row], of_columns[column] = column, row
    return [of_rows.tolist(), of_columns.tolist()]


def test_pairs_of_different_distances_one_of_which_is_infinite(session):
    fed, valid = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [])
    pairs = {most: _kernel("images").bipartite_match(fed, valid, most) for most in (3, 99)}
    random = np.random.RandomState(0)
    for shape, rows in (((5, 9), 5), ((9, 5), 4), ((0, 4), 0), ((4, 0), 4), ((12, 12), 12)):
        distances = random.permutation(np.append(np.arange(1, np.prod(shape)), np.inf))[
            : np.prod(shape)
        ]
        distances = distances.astype(np.float32).reshape(shape)
        for most, built in pairs.items():
            found = session.run(built, {fed: distances, valid: rows})
            assert [each.tolist() for each in found] == _matched(distances, rows, most), (
                shape,
                most,
            )


@pytest.mark.parametrize("rank", [3, 1200])  # the second one needs several products
@pytest.mark.parametrize("is_sorted", [True, False])
def test_normal_equations_of_rows_with_many_entries(session, is_sorted, rank):
    random = np.random.RandomState(0)
    rows, columns = np.repeat([0, 2, 3], [40, 16, 1]), random.randint(0, 7, 57)
    rows = rows if is_sorted else random.permutation(rows)
    factors, values, weights = (
        random.normal(size=shape).astype(np.float32) for shape in ((7, rank), 57, 57)
    )
    none = np.zeros(0, np.float32)
    found = session.run(
        _kernel("matrices").wals_normal_equations(
            tf.constant(factors),
            none,
            tf.constant(0.5),
            none,
            tf.constant(np.stack([rows, columns], axis=1)),
            values,
            tf.constant(weights),
            tf.constant(4, tf.int64),
            tf.constant(False),
        )
    )
    left, right = np.zeros([4, rank, rank]), np.zeros([4, rank])
    for row, column, value, weight in zip(rows, columns, values, weights):
        left[row] += weight * np.outer(factors[column], factors[column])
        right[row] += (0.5 + weight) * value * factors[column]
    np.testing.assert_allclose(found[0], left, atol=1e-5)
    np.testing.assert_allclose(found[1], right, atol=1e-5)


def test_normal_equations_without_entries_and_of_columns_that_do_not_exist(session):
    none, factors = np.zeros(0, np.float32), tf.constant([[float("nan")], [2.0]])
    indices, values = tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32, [None])
    found = _kernel("matrices").wals_normal_equations(
        factors,
        none,
        tf.constant(0.5),
        none,
        indices,
        values,
        values,
        tf.constant(3, tf.int64),
        tf.constant(False),
    )
    assert [
        part.tolist() for part in session.run(found, {indices: np.zeros([0, 2]), values: none})
    ] == [[[[0]]] * 3, [[0]] * 3]
    assert [part.tolist() for part in session.run(found, {indices: [[1, 1]], values: [3]})] == [
        [[[0]], [[12]], [[0]]],
        [[0], [21], [0]],
    ]
    for column in (-1, 2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
            session.run(found, {indices: [[1, column]], values: [3]})


def test_more_probes_than_buckets_are_an_error_of_the_run(session):
    probes = _kernel("matrices").hyperplane_lsh_probes(
        tf.constant(np.random.RandomState(0).normal(size=[3, 4])),
        tf.constant(2),
        tf.constant(2),
        tf.placeholder_with_default(9, []),
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="num_probes is larger than the number of buckets"
    ):
        session.run(probes)


def test_a_variable_starts_at_zero_once(variable_kind):
    kernel = _kernel("variables")
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.get_variable("x", [2, 3])
        zero = (
            kernel.zero_var_initializer(variable.handle, tf.float32, [2, 3])
            if variable_kind == "resource"
            else kernel.zero_initializer(variable._ref())
        )
        session.run(zero.op)
        assert session.run(variable).tolist() == [[0.0] * 3] * 2
        with pytest.raises(tf.errors.InvalidArgumentError, match="input is already initialized"):
            session.run(zero.op)
