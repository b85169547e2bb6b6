"""`run --kernels`: oneDNN's kernels, and Eigen's for the convolution gradients
that oneDNN computes slowly.
"""

import json
import os

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION
from tf1grad.programs import _compat, _systems

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15 does not have oneDNN")

TIES = 12  # the place of the pool's gradient among the values
SCRIPT = """
    import json
    import numpy as np
    import tensorflow as tf

    def convolution(name, image, kernel, padding):
        random = np.random.RandomState(0)
        x = tf.placeholder_with_default(random.normal(size=image).astype(np.float32), [None] + image[1:])
        w = tf.Variable(random.normal(size=kernel).astype(np.float32))
        with tf.name_scope(name):
            y = tf.nn.conv2d(x, w, [1, 1, 1, 1], padding, name="forward")
            image_gradient, filter_gradient = tf.gradients(tf.reduce_sum(y * y), [x, w], name="first")
            second = tf.gradients(tf.reduce_sum(image_gradient * image_gradient), [w], name="second")
        return [y, image_gradient, filter_gradient, second[0]]

    values = convolution("words", [2, 12, 16, 1], [3, 16, 1, 32], "VALID")
    values += convolution("odd", [2, 9, 9, 3], [4, 4, 3, 32], "SAME")
    values += convolution("wide", [2, 9, 9, 16], [3, 3, 16, 16], "SAME")
    voxels = tf.placeholder_with_default(np.random.RandomState(0).randint(0, 2, [2, 6, 6, 6, 16]).astype(np.float32),
                                         [None, 6, 6, 6, 16])
    pool = tf.nn.max_pool3d(voxels, [1, 3, 3, 3, 1], [1, 2, 2, 2, 1], "SAME")
    values += tf.gradients(tf.reduce_sum(pool * tf.random_normal(tf.shape(pool), seed=1)), [voxels])
    with tf.name_scope("transposed"):
        values.append(tf.nn.conv2d_transpose(values[4], tf.ones([5, 5, 1, 32]), [2, 18, 18, 1], [1, 2, 2, 1]))
    small = tf.matmul(tf.random_normal([4, 2, 3], seed=1), tf.random_normal([4, 3, 2], seed=2), name="small")
    values.append(small + 0)
    entries = tf.SparseTensor([[0, 1], [2, 0], [2, 1]], tf.random_normal([3], seed=1), [3, 2])
    product = tf.sparse_tensor_dense_matmul(entries, tf.random_normal([2, 40], seed=2), name="product")
    values.append(product + 0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        ran = tf.RunMetadata()
        numbers = session.run(values, options=tf.RunOptions(output_partition_graphs=True), run_metadata=ran)
        types = {node.name: node.op for graph in ran.partition_graphs for node in graph.node
                 if "Conv2D" in node.op or "MatMul" in node.op}
        print(json.dumps([[number.tolist() for number in numbers], types]))
"""


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """Maps each choice of `--kernels` to what the script prints:
    its values, and the types of the ops that ran.
    """
    from script_folder import ScriptFolder

    folder = ScriptFolder(tmp_path_factory.mktemp("kernels"))
    script, found = folder.write("script.py", SCRIPT), {}
    for choice, environment in (("auto", "1"), ("onednn", "0"), ("eigen", "1")):
        code, output, errors = folder.run(
            "--kernels", choice, script, env={"TF_ENABLE_ONEDNN_OPTS": environment}
        )
        assert code == 0, errors
        values, types = json.loads(output.splitlines()[-1])
        found[choice] = [np.array(value) for value in values], types
    return found


def _without_ties(values):
    return values[:TIES] + values[TIES + 1 :]


def _eigen(types):
    return {
        name
        for name, op_type in types.items()
        if "Conv2D" in op_type and not op_type.startswith("_Mkl")
    }


@pytest.mark.slow
def test_only_slow_gradients_run_on_eigen(ways):
    types = ways["auto"][1]
    assert {name for name in _eigen(types) if "second" not in name} == {
        "words/first/words/forward_grad/Conv2DBackpropInput",
        "odd/first/odd/forward_grad/Conv2DBackpropInput",
        "transposed/conv2d_transpose",
    }
    assert not any("BackpropFilter" in name for name in _eigen(types))


@pytest.mark.slow
def test_all_kernels_are_onednns_or_eigens(ways):
    everything = {name for name, op_type in ways["eigen"][1].items() if "Conv2D" in op_type}
    for choice, expected in (("onednn", set()), ("eigen", everything)):
        assert _eigen(ways[choice][1]) == expected


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["auto", "onednn", "eigen"])
def test_sparse_products_are_computed_in_blocks(ways, choice):
    """The kernel is slow since 2.20. `test_sparse_products.py` tests the blocks."""
    products = [name for name, op_type in ways[choice][1].items() if "SparseTensor" in op_type]
    if VERSION < (2, 20) or choice == "onednn":
        assert products == ["product/SparseTensorDenseMatMul"]
    else:
        assert len(products) == 2 and all(name.startswith("tf1grad_checks/") for name in products)
    assert (ways[choice][0][-1] == ways["eigen"][0][-1]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "choice, expected",
    [("auto", "BatchMatMulV3"), ("onednn", "_MklBatchMatMulV2"), ("eigen", "BatchMatMulV2")],
)
def test_small_products_run_on_eigen(ways, choice, expected):
    """`test_matrix_products.py` tests which ones are small."""
    assert [each for each in ways[choice][1].values() if "BatchMatMul" in each] == [expected]


@pytest.mark.slow
def test_values_are_the_same_on_all_kernels(ways):
    """Second derivatives included: the gradient of an op with another padding
    is that of the op before.

    The pool has several equal maxima, to each of which 1.15 gives the whole gradient; oneDNN gives
    it to the first.
    """
    for choice in ("auto", "onednn"):
        ties = ways[choice][0][TIES], ways["eigen"][0][TIES]
        assert np.allclose(*ties, rtol=1e-5, atol=1e-5) == (choice == "auto")
        pairs = zip(_without_ties(ways[choice][0]), _without_ties(ways["eigen"][0]))
        for number, (value, expected) in enumerate(pairs):
            np.testing.assert_allclose(
                value,
                expected,
                rtol=1e-5,
                atol=1e-5 * np.abs(expected).max(),
                err_msg=f"{choice}, value {number}",
            )


@pytest.mark.parametrize("width, stride", [(1, 2), (2, 3), (3, 1), (3, 2), (4, 1), (9, 1)])
def test_explicit_paddings_are_those_of_the_name(session, width, stride):
    """TensorFlow's own convolution is the measure."""
    from tf1grad.run.view.kernels import Convolution

    random, size = np.random.RandomState(0), 7
    x = random.normal(size=[1, size, size + 1, 2]).astype(np.float32)
    w = random.normal(size=[width, max(width - 1, 1), 2, 3]).astype(np.float32)
    convolution = Convolution(x.shape, w.shape, [stride, stride], tf.float32)
    for padding in ("SAME", "VALID")[: 1 + (width <= size)]:
        explicit = np.reshape(convolution.paddings(padding), [4, 2]).tolist()
        value, expected = session.run(
            [tf.nn.conv2d(x, w, strides=stride, padding=each) for each in (explicit, padding)]
        )
        np.testing.assert_allclose(value, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float16])
@pytest.mark.parametrize(
    "image, kernel, stride, expected",
    [
        ([64, 56, 128, 1], [3, 128, 1, 128], 1, "image"),
        ([16, 28, 28, 3], [5, 5, 3, 64], 1, "image"),
        ([16, 28, 28, 3], [3, 3, 3, 8], 1, ""),
        ([16, 28, 28, 16], [3, 3, 16, 128], 1, ""),
        ([8, 28, 28, 16], [1, 1, 16, 32], 2, "image filter"),
        ([64, 100, 1, 50], [5, 1, 50, 100], 1, "filter"),
        ([2, None, None, None], [None, None, None, None], 1, ""),
    ],
)
def test_gradients_that_onednn_computes_slowly(image, kernel, stride, expected, dtype):
    """The measured cases are those of `tests/benchmarks/kernels.py`;
    in float16 each gradient of filters is slow.
    """
    from tf1grad.run.view.kernels import Convolution

    convolution = Convolution(image, kernel, [stride, stride], dtype)
    found = ["image"] * convolution.image_gradient_is_slow() + [
        "filter"
    ] * convolution.filter_gradient_is_slow()
    assert " ".join(found) == (expected if dtype == tf.float32 else "filter")


def test_only_messages_about_onednn_are_hidden(capfd, monkeypatch):
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "2")
    monkeypatch.delenv("TF_ENABLE_ONEDNN_OPTS", raising=False)
    printed = b"I0000 port.cc:153] oneDNN custom operations are on.\n", b"E0000 another message\n"
    for has_feature, expected in ((True, printed[1:]), (False, printed)):
        monkeypatch.setattr(_systems, "processor_has", lambda feature, answer=has_feature: answer)
        with _compat.onednn_messages_hidden():
            os.write(2, b"".join(printed))
        assert capfd.readouterr().err.encode() == b"".join(expected)
