"""Tests the names of tf.contrib and the tutorials that are provided without a download,
against TensorFlow 1.15's.
"""

import copy
import gzip
import importlib
import json
import os
import re
import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.migrate.provided import graph_transforms, hparam, mnist

IS_TF1 = tf.__version__.startswith("1.")
only_in_tf1 = pytest.mark.skipif(not IS_TF1, reason="tf.contrib is only in TensorFlow 1")


START = dict(rate=0.1, steps=10, name="a", on=True, sizes=[1, 2], nothing_yet=None)
# What TensorFlow 1.15.5 gives.
EXPECTED = [
    (lambda h: h.values(), START),
    (
        lambda h: h.parse("rate=0.5,sizes=[4,5],name=b,on=false").values(),
        dict(START, rate=0.5, name="b", on=False, sizes=[4, 5]),
    ),
    (lambda h: h.parse("on=2,steps=3").values(), dict(START, steps=3)),
    (lambda h: h.parse("sizes[1]=7"), ValueError),
    (lambda h: h.parse("steps=1.5"), ValueError),
    (lambda h: h.parse("rate=x"), ValueError),
    (lambda h: h.parse("nothing=1"), ValueError),
    (lambda h: h.parse("rate"), ValueError),
    (lambda h: h.parse("name=[a]"), ValueError),
    (
        lambda h: h.parse_json('{"rate": 2, "name": "c"}').values(),
        dict(START, rate=2.0, name="c"),
    ),
    (lambda h: h.override_from_dict({"sizes": 3}), ValueError),
    (lambda h: h.set_hparam("rate", 3) or h.rate, 3.0),
    (lambda h: h.set_hparam("nothing_yet", "now") or h.nothing_yet, "now"),
    (lambda h: h.set_hparam("other", 3), KeyError),
    (lambda h: h.set_hparam("steps", True), ValueError),
    (lambda h: h.add_hparam("rate", 3), ValueError),
    (lambda h: h.add_hparam("empty", []), ValueError),
    (lambda h: (h.add_hparam("new", "x"), h.new), (None, "x")),
    (lambda h: h.get("steps", 5), 10),
    (lambda h: h.get("other", 5), 5),
    (lambda h: "rate" in h, True),
    (lambda h: str(h), "rate=0.1,steps=10,name=a,on=True,sizes=[1, 2],nothing_yet=None"),
    (lambda h: json.loads(h.to_json(sort_keys=True)), START),
]


def _outcome(call, cls):
    hparams = cls(**copy.deepcopy(START))
    try:
        result = call(hparams)
    except Exception as error:  # noqa: B902 - any exception of the other one is expected
        return type(error)
    return result.values() if isinstance(result, cls) else result


def test_hparams():
    for number, (call, expected) in enumerate(EXPECTED):
        assert (number, _outcome(call, hparam.HParams)) == (number, expected)


@only_in_tf1
def test_hparams_are_those_of_tensorflow_1():
    original = importlib.import_module("tensorflow.contrib.training").HParams
    for number, (call, expected) in enumerate(EXPECTED):
        assert (number, _outcome(call, original)) == (number, expected)


@pytest.fixture
def digits(tmp_path):
    """Writes a small MNIST of made-up images; returns its folder and the images."""
    random = np.random.RandomState(0)
    images = {}
    for name, number in (("train", 50), ("t10k", 20)):
        pixels = random.randint(0, 256, (number, 28, 28)).astype(np.uint8)
        labels = random.randint(0, 10, number).astype(np.uint8)
        images[name] = pixels
        for kind, header, array in (
            ("images-idx3", [2051, number, 28, 28], pixels),
            ("labels-idx1", [2049, number], labels),
        ):
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
        np.testing.assert_allclose(
            epoch[np.lexsort(epoch.T)], expected[np.lexsort(expected.T)], atol=1e-6
        )
    assert not np.array_equal(rows[:40], rows[40:]) and sets.train.epochs_completed == 1
    plain = mnist.read_data_sets(folder, dtype=tf.uint8, reshape=False, validation_size=0).train
    np.testing.assert_array_equal(
        plain.next_batch(3, shuffle=False)[0][..., 0], images["train"][:3]
    )


@only_in_tf1
@pytest.mark.parametrize("seed", [None, 5])
def test_mnist_batches_are_those_of_tensorflow_1(digits, seed):
    batches = []
    for module in (
        mnist,
        importlib.import_module("tensorflow.examples.tutorials.mnist.input_data"),
    ):
        tf.reset_default_graph()
        tf.set_random_seed(3)
        train = module.read_data_sets(digits[0], one_hot=True, validation_size=10, seed=seed).train
        batches.append([train.next_batch(16) for _ in range(6)])
    np.testing.assert_array_equal(
        [images for images, _ in batches[0]], [images for images, _ in batches[1]]
    )
    np.testing.assert_array_equal(
        [labels for _, labels in batches[0]], [labels for _, labels in batches[1]]
    )


def test_mnist_is_downloaded_from_source_url(digits, tmp_path, capsys):
    folder, images = digits
    new = str(tmp_path / "new")
    sets = mnist.read_data_sets(new, validation_size=0, source_url=f"file://{folder}/")
    np.testing.assert_allclose(sets.test.images, images["t10k"].reshape(20, 784) / 255.0, atol=1e-6)
    assert sorted(os.listdir(new)) == sorted(mnist.FILES)
    told = capsys.readouterr().out.splitlines()
    sizes = {name: os.path.getsize(os.path.join(new, name)) for name in mnist.FILES}
    assert set(told) > {f"Successfully downloaded {name} {sizes[name]} bytes." for name in sizes}


def test_what_mnist_cannot_be_is_refused(digits, tmp_path):
    with pytest.raises(ValueError, match="fake_data=True is not provided"):
        mnist.read_data_sets(digits[0], fake_data=True)
    with pytest.raises(ValueError, match="between 0 and 50. Received: 51"):
        mnist.read_data_sets(digits[0], validation_size=51)
    with pytest.raises(TypeError, match="expected uint8 or float32"):
        mnist.read_data_sets(digits[0], dtype=tf.float64, validation_size=0)
    shutil.copy(os.path.join(digits[0], mnist.FILES[1]), os.path.join(digits[0], mnist.FILES[0]))
    with pytest.raises(ValueError, match="reshape"):
        mnist.read_data_sets(digits[0])
    with pytest.raises(ValueError, match="images.shape: .*labels.shape: "):
        mnist.DataSet(np.zeros([3, 2, 2, 1]), np.zeros(2))
    with pytest.raises(OSError, match="train-images-idx3-ubyte.gz.*by hand"):
        mnist.read_data_sets(str(tmp_path / "new"), source_url="file:///no/such/folder/")


def test_graphs_are_transformed():
    """Tests the graph that TensorFlow 1.15.5 returns, and its error, on all versions."""
    with tf.Graph().as_default() as graph:
        scale = tf.constant(1.0, name="b") + tf.constant(2.0, name="c")
        tf.multiply(tf.placeholder(tf.float32, [2], name="a"), scale, name="d")
    given = graph.as_graph_def(), ["a"], ["d"]
    made = graph_transforms.TransformGraph(
        *given, ["fold_constants(ignore_errors=true)", "strip_unused_nodes"]
    )
    # TensorFlow 1.15 counts the constants that a process has folded.
    folded = re.compile(r"__cf__\d+$")
    assert [(folded.sub("__cf__0", node.name), node.op) for node in made.node] == [
        ("d", "Mul"),
        ("add/_0__cf__0", "Const"),
        ("a", "Placeholder"),
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(
            tf.import_graph_def(made, return_elements=["d:0"]), {"import/a:0": [1, 2]}
        )[0].tolist() == [3, 6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Transform 'none' not recognized"):
        graph_transforms.TransformGraph(*given, ["none"])


def test_each_mirror_that_does_not_answer_is_named(tmp_path, monkeypatch):
    def refuse(url, path):
        raise OSError("no answer of " + url)

    monkeypatch.setattr(mnist.urllib.request, "urlretrieve", refuse)
    with pytest.raises(OSError, match="could not be downloaded from") as raised:
        mnist._path("labels.gz", str(tmp_path), None)
    for url in mnist.MIRRORS:
        assert f"{url} (no answer of {url}labels.gz)" in str(raised.value)


def test_a_seed_decides_the_batches(graph):
    images, labels = np.zeros([50, 2, 2, 1], np.uint8), np.arange(50)
    state = np.random.get_state()
    found = []
    for seed in (3, 3, 4):
        made = mnist.DataSet(images, labels, seed=seed)
        found.append(made.next_batch(20)[1].tolist())
    np.random.set_state(state)
    assert found[0] == found[1] != found[2]
