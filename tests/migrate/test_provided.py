"""Tests the names of tf.contrib and the tutorials that are provided without a download, against TensorFlow 1.15's."""

import gzip
import importlib
import os
import re
import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import estimators
from tf1grad.migrate.provided import graph_transforms, mnist

IS_TF1 = tf.__version__.startswith("1.")
only_in_tf1 = pytest.mark.skipif(not IS_TF1, reason="tf.contrib is only in TensorFlow 1")


@pytest.fixture
def digits(tmp_path):
    """Writes a small MNIST of made-up images; returns its folder and the images."""
    random = np.random.RandomState(0)
    images = {}
    for name, number in (("train", 50), ("t10k", 20)):
        pixels = random.randint(0, 256, (number, 28, 28)).astype(np.uint8)
        labels = random.randint(0, 10, number).astype(np.uint8)
        images[name] = pixels
        for kind, header, array in (("images-idx3", [2051, number, 28, 28], pixels),
                                    ("labels-idx1", [2049, number], labels)):
            with gzip.open(str(tmp_path / f"{name}-{kind}-ubyte.gz"), "wb") as file:
                file.write(np.array(header, ">u4").tobytes() + array.tobytes())
    return str(tmp_path), images


def test_mnist_batches_cover_an_epoch_each(digits):
    folder, images = digits
    sets = mnist.read_data_sets(folder, one_hot=True, validation_size=10, seed=1)
    assert [part.num_examples for part in sets] == [40, 10, 20]
    assert sets.train.images.dtype == np.float32 and sets.train.labels.shape == (40, 10)
    expected = images["train"][10:].reshape(40, 784) / 255.0
    batches = [sets.train.next_batch(16) for _ in range(5)]  # two epochs, the third batch in both
    assert [batch.shape for batch, _ in batches] == [(16, 784)] * 5
    rows = np.concatenate([batch for batch, _ in batches])
    for epoch in (rows[:40], rows[40:]):
        np.testing.assert_allclose(epoch[np.lexsort(epoch.T)], expected[np.lexsort(expected.T)], atol=1e-6)
    assert not np.array_equal(rows[:40], rows[40:]) and sets.train.epochs_completed == 1
    plain = mnist.read_data_sets(folder, dtype=tf.uint8, reshape=False, validation_size=0).train
    np.testing.assert_array_equal(plain.next_batch(3, shuffle=False)[0][..., 0], images["train"][:3])


@only_in_tf1
@pytest.mark.parametrize("seed", [None, 5])
def test_mnist_batches_are_those_of_tensorflow_1(digits, seed):
    batches = []
    for module in (mnist, importlib.import_module("tensorflow.examples.tutorials.mnist.input_data")):
        tf.reset_default_graph()
        tf.set_random_seed(3)
        train = module.read_data_sets(digits[0], one_hot=True, validation_size=10, seed=seed).train
        batches.append([train.next_batch(16) for _ in range(6)])
    np.testing.assert_array_equal([images for images, _ in batches[0]], [images for images, _ in batches[1]])
    np.testing.assert_array_equal([labels for _, labels in batches[0]], [labels for _, labels in batches[1]])


def test_mnist_is_downloaded_from_source_url(digits, tmp_path):
    folder, images = digits
    new = str(tmp_path / "new")
    sets = mnist.read_data_sets(new, validation_size=0, source_url=f"file://{folder}/")
    np.testing.assert_allclose(sets.test.images, images["t10k"].reshape(20, 784) / 255.0, atol=1e-6)
    assert sorted(os.listdir(new)) == sorted(name for name in os.listdir(folder) if name.endswith(".gz"))


def test_mnist_without_any_data():
    train = mnist.read_data_sets("nowhere", fake_data=True, one_hot=True).train
    images, labels = train.next_batch(2, fake_data=True)
    assert (images, labels) == ([[1] * 784] * 2, [[1] + [0] * 9] * 2)


@pytest.mark.parametrize("options, error, message", [
    (dict(validation_size=51), ValueError, "between 0 and 50. Received: 51"),
    (dict(dtype=tf.float64, validation_size=0), TypeError, "expected uint8 or float32"),
])
def test_impossible_mnist_options_are_refused(digits, options, error, message):
    with pytest.raises(error, match=message):
        mnist.read_data_sets(digits[0], **options)


def test_wrong_mnist_files_are_refused(digits):
    shutil.copy(os.path.join(digits[0], mnist.FILES[1]), os.path.join(digits[0], mnist.FILES[0]))
    with pytest.raises(ValueError, match="Invalid magic number 2049 in MNIST image file"):
        mnist.read_data_sets(digits[0])
    with pytest.raises(ValueError, match="images.shape: .*labels.shape: "):
        mnist.DataSet(np.zeros([3, 2, 2, 1]), np.zeros(2))


def test_missing_mnist_names_the_remedy(tmp_path):
    with pytest.raises(OSError, match="train-images-idx3-ubyte.gz.*by hand"):
        mnist.read_data_sets(str(tmp_path / "new"), source_url="file:///no/such/folder/")
    assert os.listdir(str(tmp_path / "new")) == []


@estimators.needs_package
def test_heads_average_over_the_batch():
    estimators.module()
    from tf1grad.migrate.provided import estimator as heads
    logits, labels = np.float32([[0.5], [-1], [2]]), np.float32([[1], [0], [4]])
    share = labels / 4
    stirling = np.where(labels > 1, labels * np.log(np.maximum(labels, 1)) - labels
                        + 0.5 * np.log(2 * np.pi * np.maximum(labels, 1)), 0)
    with tf.Graph().as_default(), tf.Session() as session:
        losses = [getattr(heads, name)().create_loss({}, "train", tf.constant(logits),
                                                     tf.constant(given)).training_loss
                  for name, given in (("regression_head", labels), ("poisson_regression_head", labels),
                                      ("logistic_regression_head", share))]
        losses = session.run(losses)
    np.testing.assert_allclose(losses, [np.mean((logits - labels) ** 2),
                                        np.mean(np.exp(logits) - labels * logits + stirling),
                                        np.mean(np.log1p(np.exp(logits)) - share * logits)], rtol=1e-5)


def test_graphs_are_transformed():
    """Tests the graph that TensorFlow 1.15.5 returns, and its error, on all versions."""
    with tf.Graph().as_default() as graph:
        scale = tf.constant(1.0, name="b") + tf.constant(2.0, name="c")
        tf.multiply(tf.placeholder(tf.float32, [2], name="a"), scale, name="d")
    given = graph.as_graph_def(), ["a"], ["d"]
    made = graph_transforms.TransformGraph(*given, ["fold_constants(ignore_errors=true)", "strip_unused_nodes"])
    folded = re.compile(r"__cf__\d+$")  # TensorFlow 1.15 counts the constants that a process has folded
    assert [(folded.sub("__cf__0", node.name), node.op) for node in made.node] == [
        ("d", "Mul"), ("add/_0__cf__0", "Const"), ("a", "Placeholder")]
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.import_graph_def(made, return_elements=["d:0"]), {"import/a:0": [1, 2]})[0].tolist() == [
            3, 6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Transform 'none' not recognized"):
        graph_transforms.TransformGraph(*given, ["none"])
