"""Names of tf.contrib and of the examples that no kept library has: they do what TensorFlow 1.15's do."""

import gzip
import importlib
import json
import os

import numpy as np
import pytest

from conftest import tf
from tf1grad.migrate.provided import data, hparam, layers, learn, legacy_seq2seq, mnist, rnn, seq2seq

IS_TF1 = tf.__version__.startswith("1.")
only_in_tf1 = pytest.mark.skipif(not IS_TF1, reason="tf.contrib is only in TensorFlow 1")


def _contrib(name):
    return importlib.import_module("tensorflow.contrib." + name)


CALLS = [
    lambda h: h.values(), lambda h: h.parse("rate=0.5,sizes=[4,5],name=b,on=false").values(),
    lambda h: h.parse("sizes[1]=7"), lambda h: h.parse("rate=1,rate=2"), lambda h: h.parse("rate=x"),
    lambda h: h.parse("nothing=1"), lambda h: h.parse("rate"), lambda h: h.parse("steps=1.5"),
    lambda h: h.parse("on=2,steps=3").values(), lambda h: h.parse_json('{"rate": 2, "name": "c"}').values(),
    lambda h: h.override_from_dict({"rate": "x"}), lambda h: h.override_from_dict({"sizes": 3}),
    lambda h: h.override_from_dict({"rate": [1.0]}), lambda h: h.set_hparam("steps", 2.0),
    lambda h: h.set_hparam("steps", True), lambda h: h.set_hparam("rate", 3) or h.rate,
    lambda h: h.set_hparam("other", 3), lambda h: h.add_hparam("rate", 3), lambda h: h.add_hparam("parse", 3),
    lambda h: h.add_hparam("empty", []), lambda h: (h.add_hparam("new", "x"), h.new), lambda h: h.get("rate"),
    lambda h: h.get("other", 5), lambda h: h.get("rate", "x"), lambda h: h.get("sizes", [1]), lambda h: "rate" in h,
    lambda h: (h.del_hparam("rate"), "rate" in h), lambda h: str(h), lambda h: repr(h),
    lambda h: json.loads(h.to_json(sort_keys=True)), lambda h: h.set_model_structure("m") or h.get_model_structure(),
    lambda h: h.parse("name=[a]"), lambda h: h.set_hparam("nothing_yet", "now") or h.nothing_yet,
]
EXPECTED = {0: dict(rate=0.1, steps=10, name="a", on=True, sizes=[1, 2], nothing_yet=None),
            1: dict(rate=0.5, steps=10, name="b", on=False, sizes=[4, 5], nothing_yet=None),
            2: ValueError, 3: ValueError, 7: ValueError, 15: 3.0, 16: KeyError, 17: ValueError, 21: 0.1, 25: True}


def _outcome(call, cls):
    hparams = cls(rate=0.1, steps=10, name="a", on=True, sizes=[1, 2], nothing_yet=None)
    try:
        result = call(hparams)
    except Exception as error:  # noqa: B902 - whatever the other raises is what is wanted
        return type(error)
    return result.values() if isinstance(result, cls) else result


@pytest.mark.parametrize("number", sorted(EXPECTED))
def test_hparams(number):
    assert _outcome(CALLS[number], hparam.HParams) == EXPECTED[number]


@only_in_tf1
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_hparams_are_those_of_tensorflow_1(number):
    assert _outcome(CALLS[number], hparam.HParams) == _outcome(CALLS[number], _contrib("training").HParams)


@pytest.fixture
def digits(tmp_path):
    """A folder with a small MNIST of made-up images, and the images."""
    random = np.random.RandomState(0)
    images = {}
    for name, number in (("train", 50), ("t10k", 20)):
        pixels = random.randint(0, 256, (number, 28, 28)).astype(np.uint8)
        labels = random.randint(0, 10, number).astype(np.uint8)
        images[name] = pixels
        for kind, header, array in (("images-idx3", [2051, number, 28, 28], pixels),
                                    ("labels-idx1", [2049, number], labels)):
            with gzip.open(str(tmp_path / ("%s-%s-ubyte.gz" % (name, kind))), "wb") as file:
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


def test_mnist_that_is_nowhere_says_what_to_do(tmp_path):
    with pytest.raises(OSError, match="train-images-idx3-ubyte.gz.*by hand"):
        mnist.read_data_sets(str(tmp_path / "new"), source_url="file:///no/such/folder/")
    assert os.listdir(str(tmp_path / "new")) == []


TEXTS = ["The cat's mat", "TFCode is the code-base of a cat", "", "a cat a cat a mat"]


def _numbers(module, path):
    """What a processor and its vocabulary make of `TEXTS`, also after `save` and `restore`."""
    results = []
    for frequency, length in ((0, 3), (1, 6)):
        processor = module.VocabularyProcessor(length, frequency)
        results.append(np.array(list(processor.fit_transform(TEXTS))).tolist())
        processor.save(path)
        restored = module.VocabularyProcessor.restore(path)
        rows = list(restored.transform(["a mat of cats", "cat"]))
        results += [rows[0].dtype, rows[0].tolist(), list(restored.reverse(rows)), len(restored.vocabulary_)]
    vocabulary = module.CategoricalVocabulary("?")
    for word, count in (("b", 2), ("a", 2), ("c", 9), ("d", 1)):
        vocabulary.add(word, count)
    vocabulary.trim(1, 9)
    results += [[vocabulary.reverse(number) for number in range(len(vocabulary))], vocabulary.get("new")]
    vocabulary.freeze()
    return results + [vocabulary.get("newer"), list(module.tokenizer(TEXTS))]


def test_words_become_numbers(tmp_path):
    results = _numbers(learn, str(tmp_path / "vocabulary"))
    assert results[0] == [[1, 2, 3], [4, 5, 6], [0, 0, 0], [10, 11, 10]]  # TF Code is the code-base of a cat
    assert results[1:5] == [np.int64, [10, 3, 9], ["a mat of", "cat <UNK> <UNK>"], 12]
    assert results[5][3] == [1, 2, 1, 2, 1, 3] and results[9] == 4  # "a" four times, "cat" three, "mat" twice
    assert results[10:13] == [["?", "a", "b"], 3, 0]
    with pytest.raises(ValueError, match="support_reverse"):
        learn.CategoricalVocabulary(support_reverse=False).reverse(0)


@only_in_tf1
def test_words_become_the_numbers_of_tensorflow_1(tmp_path):
    path = str(tmp_path / "vocabulary")
    assert _numbers(learn, path) == _numbers(_contrib("learn").preprocessing, path)
    for name in ("TRAIN", "EVAL", "INFER"):
        assert getattr(learn.ModeKeys, name) == getattr(_contrib("learn").ModeKeys, name)


class Cell:
    """A recurrent cell: `state, state = tanh(input @ a + state @ b)`, twice the same."""

    state_size = output_size = 3

    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or "cell"):
            both = tf.concat([inputs, state], 1)
            kernel = tf.get_variable("kernel", [int(both.shape[1]), 3])
            state = tf.tanh(tf.matmul(both, kernel))
        return state, state

    def zero_state(self, batch_size, dtype):
        return tf.zeros(tf.stack([batch_size, 3]), dtype)


MODELS = {
    "basic_rnn_seq2seq": lambda module, x, ids: module.basic_rnn_seq2seq(x, x, Cell()),
    "tied_rnn_seq2seq": lambda module, x, ids: module.tied_rnn_seq2seq(x, x, Cell()),
    "embedding_rnn_seq2seq": lambda module, x, ids: module.embedding_rnn_seq2seq(ids, ids, Cell(), 5, 6, 4),
    "fed back": lambda module, x, ids: module.embedding_rnn_seq2seq(ids, ids, Cell(), 5, 5, 4, feed_previous=True),
    "fed back at will": lambda module, x, ids: module.embedding_rnn_seq2seq(
        ids, ids, Cell(), 5, 5, 4, feed_previous=tf.constant(True)),
    "embedding_tied_rnn_seq2seq": lambda module, x, ids: module.embedding_tied_rnn_seq2seq(
        ids, ids, Cell(), 5, 4, feed_previous=tf.constant(False)),
    "embedding_attention_seq2seq": lambda module, x, ids: module.embedding_attention_seq2seq(
        ids, ids, Cell(), 5, 6, 4, num_heads=2, initial_state_attention=True),
    "attention, fed back": lambda module, x, ids: module.embedding_attention_seq2seq(
        ids, ids, Cell(), 5, 5, 4, feed_previous=True),
}


def _model(module, name):
    """Outputs and states of a model with made-up weights, and the names of its variables."""
    random = np.random.RandomState(1)
    with tf.Graph().as_default(), tf.Session() as session:
        x = [tf.constant(random.randn(2, 3).astype(np.float32)) for _ in range(4)]
        ids = [tf.constant(random.randint(0, 5, 2)) for _ in range(4)]
        fetches = MODELS[name](module, x, ids)
        variables = sorted(tf.global_variables(), key=lambda variable: variable.name)
        for variable in variables:
            session.run(tf.assign(variable, random.randn(*variable.shape.as_list()).astype(np.float32)))
        return session.run(tf.nest.flatten(fetches)), [variable.name for variable in variables]


@pytest.mark.parametrize("name", sorted(MODELS))
def test_sequence_models(name):
    values, names = _model(legacy_seq2seq, name)
    assert len(values) == 5 and all(np.isfinite(value).all() for value in values)
    assert any(name.endswith("cell/kernel:0") for name in names)
    if IS_TF1:
        expected, expected_names = _model(_contrib("legacy_seq2seq"), name)
        assert names == expected_names
        for value, other in zip(values, expected):
            np.testing.assert_allclose(value, other, rtol=1e-6, atol=1e-6)


def _cross_entropy(logits, targets):
    shifted = np.exp(logits - logits.max(-1, keepdims=True))
    probabilities = shifted / shifted.sum(-1, keepdims=True)
    return -np.log(np.take_along_axis(probabilities, targets[..., None], -1))[..., 0]


def test_sequence_losses():
    random = np.random.RandomState(0)
    logits, targets = random.randn(2, 4, 5).astype(np.float32), random.randint(0, 5, (2, 4))
    weights = np.array([[1, 1, 0, 0], [1, 1, 1, 0.5]], np.float32)
    each = _cross_entropy(logits, targets) * weights
    steps = [[tf.constant(array[:, step]) for step in range(4)] for array in (logits, targets, weights)]
    with tf.Session() as session:
        by_example, total, batch, counted = session.run([
            legacy_seq2seq.sequence_loss_by_example(*steps), legacy_seq2seq.sequence_loss(*steps),
            seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights)),
            seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights), False, False, True,
                                  True)])
    np.testing.assert_allclose(by_example, each.sum(1) / weights.sum(1), rtol=1e-5)
    np.testing.assert_allclose(total, (each.sum(1) / weights.sum(1)).mean(), rtol=1e-5)
    np.testing.assert_allclose(batch, each.sum() / weights.sum(), rtol=1e-5)
    np.testing.assert_allclose(counted, each.sum() / 6, rtol=1e-5)


def test_embedded_sequences_look_up_rows():
    ids = np.array([[0, 3, 3], [2, 0, 1]])
    with tf.Graph().as_default(), tf.Session() as session:
        plain = layers.embed_sequence(tf.constant(ids), 4, 2, scope="e")
        unique = layers.embed_sequence(tf.constant(ids), unique=True, scope="e", reuse=True, vocab_size=4, embed_dim=2)
        session.run(tf.global_variables_initializer())
        table, first, second = session.run([tf.global_variables()[0], plain, unique])
    np.testing.assert_array_equal(first, table[ids])
    np.testing.assert_array_equal(second, table[ids])


def test_stacked_directions_and_batches():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.random.RandomState(0).randn(2, 4, 3).astype(np.float32))
        outputs, forward, backward = rnn.stack_bidirectional_dynamic_rnn(
            [Cell(), Cell()], [Cell(), Cell()], x, dtype=tf.float32)
        swapped = rnn.transpose_batch_time(x)
        batches = tf.data.make_one_shot_iterator(
            tf.data.Dataset.range(10).apply(data.batch_and_drop_remainder(4))).get_next()
        session.run(tf.global_variables_initializer())
        values, last, first, turned, straight = session.run([outputs, forward[-1], backward[-1], swapped, x])
        assert [session.run(batches).tolist() for _ in range(2)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(batches)
    np.testing.assert_array_equal(values[:, -1, :3], last)
    np.testing.assert_array_equal(values[:, 0, 3:], first)
    np.testing.assert_array_equal(turned, straight.swapaxes(0, 1))
    with pytest.raises(ValueError, match="cells_bw"):
        rnn.stack_bidirectional_dynamic_rnn([Cell()], [], x)
