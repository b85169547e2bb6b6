"""Tests that `run` composes ops as TensorFlow 1.15 did: recorded graphs have 1.15.5's op seeds and initial values."""

import hashlib
import json
import os

import pytest

import library_and_user_graphs
import records
import seed_cases
from paths import PROGRAMS
from script_folder import output_of, printed, run_output, values_of

RECORDED = seed_cases.CASES

pytestmark = pytest.mark.period


@pytest.fixture(scope="module")
def derived(names_of_run):
    """Returns the seeds and values of the cases."""
    return json.loads(run_output(seed_cases.__file__, "tf1", *sorted(names_of_run & set(RECORDED))))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", sorted(RECORDED))
def test_seeds_are_those_of_1_15(name, derived):
    assert derived[name] == RECORDED[name]["tf1"]


COUNTING = """
import os, runpy, sys
from tf1grad.old_programs.emulation import startup
sys.path.insert(0, os.path.dirname(sys.argv[1]))
startup.prepare(dict(startup.OPTIONS, seeds="count", script_folder=sys.path[0]))
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_dropouts_by_the_count_rule_are_those_of_1_15():
    """Tests the rule that `upgrade --by-running` sets."""
    names = sorted(name for name in RECORDED if "drop" in name)
    output = printed("-c", COUNTING, seed_cases.__file__, "count", *names)
    assert len(names) > 3 and json.loads(output) == {name: RECORDED[name]["count"] for name in names}


def test_a_library_keeps_the_installed_tensorflow():
    """Compares the graphs of a library with those of the same code in a user's file, which are TensorFlow 1.15.5's."""
    before, users, after = json.loads(run_output(library_and_user_graphs.__file__))
    assert before == after == library_and_user_graphs.ops(__file__)  # what the TensorFlow of this process makes
    assert len(users) == 94 and hashlib.sha1(" ".join(users).encode()).hexdigest()[:12] == "94717bfa4856"


def test_the_constant_shape_of_a_sparse_placeholder_is_fed_with_it(tmp_path):
    """Tests it also for another sparse tensor made of it; its shape is an identity of that constant."""
    assert output_of("""
x = tf.sparse_placeholder(tf.float32, shape=tf.constant([2, 3], dtype=tf.int64))
first = tf.sparse_tensor_to_dense(tf.sparse_retain(x, x.values > 1.0))
with tf.Session() as session:
    print(session.run(first, {x: ([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])}).tolist())
""", tmp_path) == "[[0.0, 0.0], [2.0, 0.0]]\n"


def test_a_transposed_convolution_has_the_batch_size_of_its_output_shape(tmp_path):
    """Tests static shapes that TensorFlow 1.15.5 printed."""
    assert output_of("""
x = tf.placeholder(tf.float32, [None, 2, 2, 8])
w = tf.get_variable("w", [5, 5, 6, 8])
for batch in 4, tf.shape(x)[0]:
    print(tf.nn.conv2d_transpose(x, w, output_shape=[batch, 4, 4, 6], strides=[1, 2, 2, 1]).shape)
y = tf.placeholder(tf.float32, [3, 4, 4, 6])
print(tf.gradients(tf.nn.conv2d(y, w, [1, 2, 2, 1], "SAME"), y)[0].shape)
""", tmp_path) == "(4, 4, 4, 6)\n(?, 4, 4, 6)\n(3, 4, 4, 6)\n"


def test_rarely_used_features_work():
    """Tests spectra, frames, ragged and sparse tensors, linear operators, static values and a TensorFlow 1 module."""
    assert json.loads(run_output(os.path.join(PROGRAMS, "rare_features.py"))) == {
        "stft": True, "irfft": True, "frame": True, "tridiagonal": True,
        "taken over": [[[2.0, 4.0], [], [6.0]], [[1.0, 1.0], [], [1.0]], [[True, False], [], [False]],
                       [[2.0, 2.0], [], [3.0]]], "ragged": [[[1.0, 2.0], [], [3.0]], True],
        "operators": [[[2.0, 0.0], [1.0, 2.0]], [[0.3125, -0.125], [-0.125, 0.25]], [[4.0, 2.0], [2.0, 5.0]],
                      [[20.0, 18.0], [18.0, 29.0]], [[1.0, 0.0], [0.0, 1.0]]],
        "pad": [None, 5], "sparse": [[-1.0], [4.0]], "static": [True, True, False]}


def test_a_loop_draws_in_the_order_of_its_iterations(tmp_path):
    """Compares with TensorFlow 1.15.5 and `parallel_iterations=1`; without it, its own numbers vary."""
    chain, draws = values_of("""
def step(i, x, chain):
    x = 0.5 * x + tf.random_normal([], seed=3)
    return i + 1, x, chain.write(i, x)

tf.set_random_seed(1)
chain = tf.while_loop(lambda i, *_: i < 5, step, [0, 1.0, tf.TensorArray(tf.float32, 5)])[2].stack()
draws = tf.map_fn(lambda i: tf.random_uniform([], seed=4), tf.range(5.0))
with tf.Session() as session:
    print(json.dumps([values.tolist() for values in session.run([chain, draws])]))
""", tmp_path)
    assert chain == pytest.approx([-0.17086124, 0.8404817, -1.1210569, -2.007517, -0.62501645], rel=1e-6)
    assert draws == pytest.approx([0.38538742, 0.7942407, 0.01394641, 0.42971778, 0.6598362], rel=1e-6)


def test_applications_of_keras(tmp_path):
    """Tests a head on a body of `tf.keras.applications`; the weights are those that TensorFlow 1.15.5 draws."""
    assert output_of("""
from tensorflow.keras.applications.mobilenet import MobileNet
from tensorflow.python.keras.preprocessing.sequence import pad_sequences

tf.set_random_seed(1)
body = MobileNet(input_shape=(32, 32, 3), alpha=0.25, include_top=False, weights=None)
head = tf.keras.layers.Dense(2, activation="softmax")(tf.keras.layers.Flatten()(body.output))
model = tf.keras.models.Model(body.input, head)
model.compile("sgd", "categorical_crossentropy")
print(model.layers[2].name, model.count_params(), pad_sequences([[1], [2, 3]]).tolist())
print("%.6f" % sum(float(np.abs(weights).sum()) for weights in model.get_weights()))
print(np.isfinite(model.train_on_batch(np.ones([4, 32, 32, 3]), np.eye(2)[[0, 1, 1, 0]])))
""", tmp_path).splitlines() == ["conv1 219058 [[0, 1], [2, 3]]", "19569.361927", "True"]


WHOLE_GRAPHS = records.read("whole_graphs")


@pytest.fixture(scope="module")
def built(names_of_run):
    """Returns the digests of whole programs' graphs."""
    names = sorted(names_of_run & set(WHOLE_GRAPHS))
    return json.loads(run_output(os.path.join(PROGRAMS, "whole_graphs.py"), *names))


@pytest.mark.parametrize("name", sorted(WHOLE_GRAPHS))
def test_whole_program_has_the_graph_of_1_15(name, built):
    """Compares each op's type, name, attributes, inputs, control inputs and static shapes, and datasets' functions.

    A block that differs has `whole_graphs.BLOCK` ops: print `whole_graphs.rows` on both to see them.
    """
    assert built[name] == WHOLE_GRAPHS[name]


def test_modules_that_tf_keras_does_not_have_cannot_be_imported(tmp_path):
    """Programs look for their functions in `tensorflow.keras.<name>` before they look elsewhere."""
    assert output_of("""
import importlib, pydoc

for name in ("tensorflow.keras.absent", "tensorflow.keras.layers.absent", "tensorflow.keras.absent.absent"):
    assert pydoc.locate(name) is None
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(error)
print(pydoc.locate("tensorflow.keras.layers.Dense").__name__)
""", tmp_path).splitlines() == [
        "No module named 'tensorflow.keras.absent'", "No module named 'tensorflow.keras.layers.absent'",
        "No module named 'tensorflow.keras.absent'", "Dense"]
