"""Tests `tf1grad model convert`: plain TensorFlow gives the original's values,
and failures leave nothing behind.
"""

import contextlib
import os
import pathlib
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.ops import lookup_ops

from model_builders import (
    WEIGHTS,
    checkpoint,
    frozen_graph,
    graph_of,
    keras_file,
    meta_graph,
    node,
    saved_model,
)
from plain_tensorflow import PlainTensorFlow
from tf1grad._compat import VERSION
from tf1grad.cli import main
from tf1grad.model import (
    checking,
    conversion,
    deprecated_ops,
    example_values,
    keras_loading,
    model_files,
)

pytestmark = pytest.mark.skipif(
    VERSION < (2,), reason="TensorFlow 1.15 neither writes nor loads these models"
)
X = np.random.RandomState(1).rand(4, 3).astype("f")


def _convert(path, out, *options):
    return main.main(["model", "convert", str(path), str(out), *options])


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    server = PlainTensorFlow(tmp_path_factory.mktemp("plain"))
    yield server
    server.close()


@pytest.fixture
def converted(tmp_path, plain):
    """Converts a model, and returns what plain TensorFlow computes with the result."""

    def values(path, inputs, *options, out="out", outputs=None):
        assert _convert(path, tmp_path / out, "--no-check", *options) == 0
        return plain.values(tmp_path / out, inputs, outputs)

    return values


REQUIRE_LOADING = checking.require_loading


@pytest.fixture(autouse=True)
def _unloaded(monkeypatch):
    """Saves the process that loads what --no-check wrote: these tests load it themselves."""
    monkeypatch.setattr(checking, "require_loading", lambda *unused: None)


def _write(path, graph, **options):
    path.write_bytes(graph.as_graph_def(**options).SerializeToString())
    return str(path)


def _close(found, expected, rtol=1e-6):
    np.testing.assert_allclose(found, expected, rtol=rtol)


def _only(folder, *names):
    assert sorted(os.listdir(str(folder))) == sorted(names)


@pytest.fixture
def fails(tmp_path, capsys):
    """Converts a model, which is an error that leaves nothing behind."""

    def check(path, said, *options, code=1):
        before = os.listdir(str(tmp_path))
        assert _convert(path, tmp_path / "out", *options) == code
        message = capsys.readouterr().err
        assert message.startswith("tf1grad model: ") and said in message
        _only(tmp_path, *before)

    return check


@pytest.mark.slow
@pytest.mark.each_release
def test_frozen_graph_becomes_a_saved_model(tmp_path, plain, capsys):
    path = frozen_graph(tmp_path / "f.pb")
    assert _convert(path, tmp_path / "out") == 0
    text = capsys.readouterr().out
    assert "input  x: x:0" in text and "output y: y:0" in text and "Largest difference" in text
    _close(plain.values(tmp_path / "out", {"x": X})["y"], X @ WEIGHTS)
    _only(tmp_path, "f.pb", "out")


@pytest.mark.slow
@pytest.mark.parametrize("use_resource", [False, True])
def test_meta_graph_becomes_a_saved_model_or_a_frozen_graph(tmp_path, converted, use_resource):
    """Tests variables that no collection holds, too."""
    path = meta_graph(tmp_path / "from", use_resource) + ".meta"
    found = converted(path, {"x:0": X}, out="out.pb", outputs={"y": "y:0"})
    _close(found["y"], X @ WEIGHTS)
    for name in ("whole", "without_collections"):
        _close(converted(path, {"x": X}, out=name)["y"], X @ WEIGHTS)
        meta = tf.MetaGraphDef.FromString(pathlib.Path(path).read_bytes())
        meta.collection_def.clear()
        pathlib.Path(path).write_bytes(meta.SerializeToString())


@pytest.mark.slow
def test_the_only_checkpoint_of_the_folder_is_taken(tmp_path, converted, capsys):
    prefix = meta_graph(tmp_path / "from")
    meta = tf.MetaGraphDef.FromString(pathlib.Path(prefix + ".meta").read_bytes())
    path = tmp_path / "from" / "graph.pb"
    path.write_bytes(meta.graph_def.SerializeToString())
    assert main.main(["model", "inspect", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[1] == f"  checkpoint: {prefix}" and "frozen" not in text
    _close(converted(path, {"x": X})["y"], X @ WEIGHTS)


@pytest.mark.slow
def test_frozen_updates_of_variables(tmp_path, converted):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x, is_training = (
            tf.placeholder(tf.float32, [None, 3], name="x"),
            tf.placeholder(tf.bool, [], name="training"),
        )
        mean = tf.get_variable("mean", initializer=np.float32([1, 2, 3]), use_resource=False)
        tf.subtract(
            x,
            tf.cond(is_training, lambda: tf.assign_sub(mean, [0.5, 0, 0]), lambda: mean + 0),
            name="y",
        )
        session.run(tf.global_variables_initializer())
        frozen = tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
    (tmp_path / "f.pb").write_bytes(frozen.SerializeToString())
    for training, expected in ((False, [1, 2, 3]), (True, [0.5, 2, 3])):
        found = converted(
            tmp_path / "f.pb", {"x": X, "training": np.bool_(training)}, out=str(training)
        )
        np.testing.assert_allclose(found["y"], X - np.float32(expected))


@pytest.mark.slow
def test_saved_model_keeps_its_signature(tmp_path, plain, converted):
    folder = saved_model(tmp_path / "from")
    assert _convert(folder, tmp_path / "out") == 0
    _close(plain.values(tmp_path / "out", {"features": X})["scores"], X @ WEIGHTS)
    found = converted(folder, {"x:0": X}, "--frozen", out="frozen", outputs={"y": "y:0"})
    _close(found["y"], X @ WEIGHTS)


@pytest.mark.slow
def test_train_ops_are_left_out(tmp_path, capsys):
    folder = saved_model(tmp_path / "from")
    saved = saved_model_pb2.SavedModel.FromString(
        (tmp_path / "from" / "saved_model.pb").read_bytes()
    )
    train = saved.meta_graphs.add()
    train.CopyFrom(saved.meta_graphs[0])
    train.meta_info_def.tags[:] = ["train"]
    # It needs x, which it does not name.
    train.signature_def["__saved_model_train_op"].outputs["op"].name = "y:0"
    (tmp_path / "from" / "saved_model.pb").write_bytes(saved.SerializeToString())
    assert main.main(["model", "inspect", folder]) == 0
    assert f"as it is: tf.saved_model.load({folder!r}, tags=['serve'])" in capsys.readouterr().out
    assert _convert(folder, tmp_path / "out") == 0
    assert "Left out is the train op of [train]." in capsys.readouterr().out


@pytest.mark.slow
def test_given_inputs_and_outputs(tmp_path, converted, capsys):
    def build(x):
        hidden = tf.nn.relu(x, name="scope/hidden")
        return hidden * tf.placeholder_with_default(3.0, [], name="factor")

    path = frozen_graph(tmp_path / "f.pb", build)
    assert _convert(path, tmp_path / "a", "--no-check") == 0
    assert "These keep their default values: factor." in capsys.readouterr().out
    found = converted(
        path,
        {"data": X - 0.5, "factor": np.float32(2)},
        "--inputs",
        "data=scope/hidden,factor",
        "--outputs",
        "scores=y",
        out="b",
    )
    _close(found["scores"], (X - 0.5) * 2)
    assert _convert(path, tmp_path / "c", "--outputs", "none:0") == 1
    assert "--outputs names 'none:0', and its graph lacks that node" in capsys.readouterr().err
    assert _convert(path, tmp_path / "c", "--inputs", "a=x,a=factor") == 1
    assert "--inputs gives one name to several tensors: a, a." in capsys.readouterr().err
    assert _convert(path, tmp_path / "c", "--inputs", "factor") == 1
    assert "--inputs leaves out x:0, which the outputs " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        _convert(path, tmp_path / "c", "--inputs", "=x")
    assert "expected TENSOR or NAME=TENSOR" in capsys.readouterr().err


@pytest.mark.slow
def test_an_iterator_gives_way_to_inputs(tmp_path, converted):
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.from_tensor_slices((X, X[:, 0])).map(
            lambda *row: tf.py_func(lambda *values: values, row, [tf.float32, tf.float32])
        )
        features, labels = tf.data.make_one_shot_iterator(dataset).get_next()
        features.set_shape([3]), labels.set_shape([])
        with tf.colocate_with(features):
            tf.add(features, labels, name="y")
    found = converted(
        _write(tmp_path / "f.pb", graph, add_shapes=True),
        {"features": X[0], "labels": np.float32(2)},
        "--inputs",
        f"features={features.name},labels={labels.name}",
        "--outputs",
        "y",
    )
    np.testing.assert_array_equal(found["y"], X[0] + 2)


@pytest.mark.slow
def test_gone_ops_become_functions(tmp_path, converted):
    path = graph_of(
        tmp_path / "f.pb",
        *[node(name, "Placeholder", dtype=tf.int32) for name in "spme"],
        node("tree", "GatherTree", *"spme", T=tf.int32),
    )
    steps = np.int32([[[1, 2]], [[3, 4]], [[5, 6]]])
    parents = np.int32([[[0, 0]], [[0, 1]], [[1, 0]]])
    found = converted(path, {"s": steps, "p": parents, "m": np.int32([3]), "e": np.int32(9)})
    np.testing.assert_array_equal(found["tree"], [[[2, 1]], [[4, 3]], [[5, 6]]])


def _outputs(path, graph_def):
    path.write_bytes(graph_def.SerializeToString())
    return [tensor.name for tensor in model_files.read(str(path)).graphs[0].outputs]


def test_a_beam_search_has_its_sequences_and_scores_as_outputs(tmp_path):
    with tf.Graph().as_default() as graph:
        found = [
            tf.placeholder(dtype, [5, 2, 3], name=name)
            for name, dtype in (("s", tf.int32), ("p", tf.int32), ("scores", tf.float32))
        ]
        for each in found:
            tf.transpose(each, name="of_" + each.op.name)
    graph_def = graph.as_graph_def()
    tree = graph_def.node.add(name="tree", op="GatherTree", input=["s", "p", "of_scores", "s"])
    tree.attr["T"].type = tf.int32.as_datatype_enum
    tree.input[2:] = ["s/lengths", "s/end"]
    for name in tree.input[2:]:
        graph_def.node.add(name=name, op="Const")
    graph_def.node.add(name="sequences", op="Transpose", input=["tree", "of_s/perm"])
    assert _outputs(tmp_path / "f.pb", graph_def) == ["of_scores", "sequences"]


def test_outputs_depend_on_values(tmp_path):
    """Zeros of a batch's size, constants under a condition and counts of
    metrics are not outputs.
    """
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        count = tf.shape(x)[0]
        tf.zeros([count, 2], name="start")
        with tf.control_dependencies([x]):
            tf.constant(True, name="done")
        noise = tf.random_normal([count, 2], name="noise")
        tf.tanh(noise, name="drawn")
        tf.metrics.mean(tf.square(x, name="squares"))
        tf.square(x, name="y")
    assert _outputs(tmp_path / "f.pb", graph.as_graph_def()) == ["drawn", "y"]


@pytest.mark.slow
def test_a_checkpoint_named_by_its_folder(tmp_path, converted):
    prefix = meta_graph(tmp_path / "from")
    folder = tmp_path / "named"
    folder.mkdir()
    for ending in (".meta", ".index", ".data-00000-of-00001"):
        os.rename(prefix + ending, str(folder / ending))
    values = converted(folder / ".meta", {"x": X})
    _close(values["y"], X @ WEIGHTS)


@pytest.mark.slow
@pytest.mark.each_release
@pytest.mark.parametrize("has_variables", [True, False], ids=["variables", "table alone"])
def test_tables_of_a_checkpoint_are_filled(tmp_path, converted, has_variables):
    path = str(tmp_path / "model.ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        keys = tf.placeholder(tf.string, [None], name="keys")
        table = lookup_ops.MutableHashTable(tf.string, tf.float32, -1.0, checkpoint=True)
        scale = tf.get_variable("scale", initializer=2.0) if has_variables else 2.0
        tf.multiply(table.lookup(keys), scale, name="y")
        session.run(tf.global_variables_initializer())
        session.run(table.insert(["a", "b"], [5.0, 6.0]))
        tf.train.Saver().save(session, path)
    values = converted(path + ".meta", {"keys": np.array([b"a", b"c", b"b"])})
    assert values["y"].tolist() == [10.0, -2.0, 12.0]


@pytest.mark.slow
def test_an_output_may_be_a_sparse_tensor(tmp_path, capsys):
    folder = str(tmp_path / "sparse")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        inputs, outputs = (
            {name: tf.saved_model.build_tensor_info(each)}
            for name, each in (("x", x), ("y", tf.sparse.from_dense(x)))
        )
        signature = tf.saved_model.build_signature_def(inputs, outputs, "predict")
        builder = tf.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    assert _convert(folder, tmp_path / "out") == 0
    assert "Largest difference" in capsys.readouterr().out


@pytest.mark.slow
def test_lookup_tables_are_filled(tmp_path, plain, capsys):
    def build(x):
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(
                tf.constant([0, 1, 2], tf.int64), tf.constant([5.0, 6.0, 7.0])
            ),
            -1.0,
        )
        return table.lookup(tf.cast(x * 3, tf.int64))

    path = frozen_graph(tmp_path / "f.pb", build)
    expected = np.where(X * 3 < 1, 5.0, np.where(X * 3 < 2, 6.0, 7.0))
    assert _convert(path, tmp_path / "out") == 0
    assert "Largest difference" in capsys.readouterr().out
    np.testing.assert_array_equal(plain.values(tmp_path / "out", {"x": X})["y"], expected)
    assert _convert(path, tmp_path / "out.pb") == 0
    assert "Run these ops once after loading it: " in capsys.readouterr().out
    graph_def = tf.GraphDef.FromString((tmp_path / "f.pb").read_bytes())
    for table in [each for each in graph_def.node if each.op == "HashTableV2"]:
        table.attr["shared_name"].s = b""  # as the feature columns of TensorFlow 1.13 made them
    (tmp_path / "f.pb").write_bytes(graph_def.SerializeToString())
    assert _convert(path, tmp_path / "unnamed.pb") == 0


@pytest.mark.slow
def test_assets_go_along(tmp_path, plain):
    (tmp_path / "words.txt").write_text("a\nb\nc\n")
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.placeholder(tf.string, [None], name="words")
        file = tf.constant(str(tmp_path / "words.txt"))
        table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                file,
                tf.string,
                tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            -1,
        )
        ids = table.lookup(words)
        session.run(tf.tables_initializer())
        builder = tf.saved_model.Builder(str(tmp_path / "from"))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": tf.saved_model.predict_signature_def({"w": words}, {"ids": ids})},
            main_op=tf.tables_initializer(),
            assets_collection=[file],
        )
        builder.save()
    os.remove(str(tmp_path / "words.txt"))
    assert _convert(tmp_path / "from", tmp_path / "whole") == 0
    assert (
        _convert(tmp_path / "from", tmp_path / "part", "--no-check", "--outputs", "ids=" + ids.name)
        == 0
    )
    for out, name in (("whole", "w"), ("part", "words")):
        found = plain.values(tmp_path / out, {name: np.array([b"c", b"a", b"x"], object)})["ids"]
        np.testing.assert_array_equal(found, [2, 0, -1])


@pytest.mark.slow
def test_random_outputs_that_agree_by_chance_are_not_compared(tmp_path, capsys):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        noise = tf.random.uniform([])
        tf.add(x, noise, name="y")
        tf.greater(x + noise, -1.0, name="rounded")
        tf.square(x, name="certain")
    assert _convert(_write(tmp_path / "f.pb", graph), tmp_path / "out") == 0
    told = capsys.readouterr().out
    assert "draws random numbers for them: rounded, y." in told and "Largest difference" in told


def test_a_difference_is_an_error(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        checking, "_plain_values", lambda *unused: [{"y": np.float32([[0.0, 1.0]] * 2)}]
    )
    assert _convert(frozen_graph(tmp_path / "f.pb"), tmp_path / "out") == 1
    assert (
        "f.pb: converted, its output y differs from the original's by " in capsys.readouterr().err
    )
    _only(tmp_path, "f.pb")


def test_largest_difference():
    def difference(first, second):
        return example_values.largest_difference({"y": first}, {"y": second})["y"]

    assert difference([1.0, np.nan, np.inf], [1.0, np.nan, np.inf]) == 0
    assert difference([1.0, 4.0], [1.0, 3.0]) == 0.25
    assert (
        difference([1.0], [np.nan])
        == difference([1, 2], [1, 3])
        == difference([1.0], [1.0, 1.0])
        == np.inf
    )


# Values that the ops behind an input accept -------------------------------------------------------


def _colour(contents=None):
    contents = tf.placeholder(tf.string) if contents is None else contents
    image = tf.image.decode_jpeg(contents, channels=3)
    return tf.reduce_mean(tf.cast(image, tf.float32), [0, 1])


def _colours():
    return tf.map_fn(_colour, tf.placeholder(tf.string, [None]), tf.float32)


def _one_at_a_time():
    return tf.reshape(tf.placeholder(tf.float32, [None, 4]), [1, 4])


def _unknown_ranks():
    kept = tf.nn.conv2d(tf.placeholder(tf.float32), np.ones([1, 1, 3, 2], "f"), 1, "SAME")
    return tf.nn.dropout(kept, keep_prob=tf.placeholder(tf.float32))


def _sparse_labels_and_lengths():
    scores, lengths = tf.placeholder(tf.float32, [None, None, 4]), tf.placeholder(tf.int32, [None])
    return tf.nn.ctc_loss(
        tf.sparse_placeholder(tf.int32, name="labels"), scores, lengths, time_major=False
    )


def _parsed_examples():
    parsed = tf.io.parse_example(
        tf.placeholder(tf.string, [None]),
        {"a": tf.FixedLenFeature([2], tf.float32), "b": tf.FixedLenFeature([], tf.int64)},
    )
    return parsed["a"] + tf.cast(parsed["b"], tf.float32)[:, None]


@pytest.mark.slow
@pytest.mark.parametrize(
    "build",
    [
        _colour,
        _colours,
        _one_at_a_time,
        _unknown_ranks,
        _sparse_labels_and_lengths,
        _parsed_examples,
    ],
)
def test_inputs_are_what_their_ops_accept(tmp_path, capsys, build):
    with tf.Graph().as_default() as graph:
        tf.identity(build(), name="y")
    assert _convert(_write(tmp_path / "f.pb", graph), tmp_path / "out") == 0
    assert "Largest difference" in capsys.readouterr().out


def _batches_of_a_queue():
    queue = tf.FIFOQueue(10, [tf.float32, tf.int32], [[3], []], name="examples")
    queue.enqueue_many([tf.cast(tf.constant(X, tf.float64), tf.float32), tf.range(4)])
    return queue.dequeue_many(2, name="batch")


def _batches_of_an_iterator():
    dataset = tf.data.Dataset.from_tensor_slices((X, np.int32([0, 1, 0, 1]))).batch(
        2, drop_remainder=True
    )
    return tf.data.make_initializable_iterator(dataset).get_next(name="batch")


@pytest.mark.slow
@pytest.mark.parametrize("batches", [_batches_of_a_queue, _batches_of_an_iterator])
def test_batches_are_inputs(tmp_path, converted, batches):
    def build():
        features, labels = batches()
        scores = tf.matmul(features, tf.get_variable("w", initializer=WEIGHTS, use_resource=False))
        tf.nn.softmax(scores, name="scores")
        tf.train.AdamOptimizer().minimize(
            tf.losses.sparse_softmax_cross_entropy(labels, scores, scope="loss")
        )

    path = checkpoint(tmp_path, build) + ".meta"
    (facts,) = model_files.read(path).graphs
    assert facts.inputs == [("batch", "batch:0", "float32", [2, 3])]
    assert [tensor.name for tensor in facts.outputs] == ["scores", "MatMul"]
    exponents = np.exp(X[:2] @ WEIGHTS)
    expected = exponents / exponents.sum(1, keepdims=True)
    _close(converted(path, {"batch": X[:2]})["scores"], expected, rtol=1e-5)


@pytest.mark.slow
def test_sparse_batches_are_inputs(tmp_path, capsys):
    def build():
        dataset = tf.data.Dataset.from_tensors(tf.sparse.from_dense(X)).repeat()
        batch = tf.data.make_initializable_iterator(dataset).get_next(name="batch")
        weights = tf.get_variable("w", initializer=WEIGHTS, use_resource=False)
        tf.sparse.sparse_dense_matmul(batch, weights, name="y")

    path = checkpoint(tmp_path, build) + ".meta"
    assert _convert(path, tmp_path / "out") == 0
    told = capsys.readouterr().out
    for part in ("indices", "values"):
        assert f": inputs/DeserializeSparse/{part}:0" in told
    assert "Largest difference" in told


def test_names_of_inputs_and_outputs_are_unique():
    tensors = ["a/b:1", "a_b_1:0", "a/b:0"]
    assert list(conversion._names(tensors)) == ["a_b_1", "a_b_1_", "a_b"]


def _softmax(labels, scores):
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=scores)


def _sparse(labels, scores):
    labels = tf.argmax(labels, 1)[None]
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores[None])


def _sigmoid(labels, scores):
    return tf.losses.sigmoid_cross_entropy(labels, scores)


def _conditional_squares(labels, scores):
    shape = tf.shape(scores)  # tells the labels' places, but is no prediction
    return tf.cond(
        tf.equal(shape[0], 1),
        lambda: tf.abs(scores - labels),
        lambda: tf.reshape(scores[:, :2] - labels, shape) ** 2,
    )


@pytest.mark.slow
@pytest.mark.parametrize("loss", [_softmax, _sparse, _sigmoid, _conditional_squares])
def test_what_a_loss_compares_with_labels_is_the_output(tmp_path, converted, capsys, loss):
    def build():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        labels = tf.placeholder(tf.float32, [None, 2], name="labels")
        weights = tf.get_variable("w", initializer=WEIGHTS)
        weights.assign(tf.placeholder(tf.float32, [3, 2]), name="set_weights")
        scores = tf.matmul(x, weights, name="scores")
        classes = tf.argmax(scores, 1, name="classes")
        tf.reduce_mean(
            tf.cast(tf.equal(classes, tf.argmax(labels, 1)), tf.float32), name="accuracy"
        )
        tf.train.AdamOptimizer().minimize(tf.reduce_mean(loss(labels, scores)))

    found = converted(checkpoint(tmp_path, build) + ".meta", {"x": X})
    assert "The outputs need no labels. --outputs" in capsys.readouterr().out
    np.testing.assert_array_equal(found.pop("classes"), np.argmax(X @ WEIGHTS, 1))
    (name,) = found
    # There the program itself gave them another shape.
    assert (name == "scores") == (loss is not _sparse)
    _close(found[name].reshape(4, 2), X @ WEIGHTS)


def test_labels_of_validation_are_no_inputs(tmp_path):
    def build():
        scores = []
        with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
            for name in ("train", "valid"):
                x = tf.placeholder(tf.float32, [None, 3], name=name)
                w = tf.get_variable("w", initializer=WEIGHTS, use_resource=False)
                scores.append(tf.matmul(x, w, name=name + "_scores"))
        labels, valid = (tf.placeholder(tf.int64, [None], name=name) for name in ("y", "valid_y"))
        loss = tf.losses.sparse_softmax_cross_entropy(labels, scores[0])
        tf.cast(tf.equal(tf.argmax(scores[1], 1, name="classes"), valid), tf.float32, name="right")
        tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    (facts,) = model_files.read(checkpoint(tmp_path, build) + ".meta").graphs
    assert {tensor.name for tensor in facts.outputs} == {"net/train_scores", "classes"}


@pytest.mark.slow
def test_what_needs_a_python_function_is_left_out(tmp_path, converted, capsys):
    path = frozen_graph(
        tmp_path / "f.pb",
        lambda x: tf.py_func(
            np.argmax, [tf.matmul(x, WEIGHTS, name="scores")], tf.int64, name="best"
        ),
    )
    found = converted(path, {"x": X})
    assert (
        "Left out is what needs 'best', which calls a Python function." in capsys.readouterr().out
    )
    assert list(found) == ["scores"]
    _close(found["scores"], X @ WEIGHTS)


# Files of the first releases, and of tf.keras -----------------------------------------------------


IMAGES = np.random.RandomState(0).rand(2, 4, 4, 3).astype("f")
NORMALIZATION = {
    "mean": [0.1, 0.2, 0.3],
    "variance": [1.0, 2.0, 3.0],
    "offset": [0.5, 0.6, 0.7],
    "scale": [2.0, 3.0, 4.0],
}


@pytest.fixture(params=[True, False])
def normalization(request):
    """Returns a graph of 2015 with batch normalization, with its scale or without,
    and what it makes of `IMAGES`.
    """
    old = node("y", "BatchNormWithGlobalNormalization", "x", *NORMALIZATION, T=tf.float32)
    old.attr["variance_epsilon"].f, old.attr["scale_after_normalization"].b = 0.001, request.param
    x = node("x", "Placeholder", dtype=tf.float32)
    x.attr["shape"].shape.SetInParent()  # so an unknown shape was written
    graph_def = tf.GraphDef(node=[x, *[_constant(*each) for each in NORMALIZATION.items()], old])
    graph_def.versions.producer = 8
    mean, variance, offset, scale = (np.float32(each) for each in NORMALIZATION.values())
    factor = scale if request.param else 1
    return graph_def, (IMAGES - mean) / np.sqrt(variance + 0.001) * factor + offset


def test_batch_normalization_of_2015_has_an_op_of_today(session, normalization):
    graph_def, expected = normalization
    changed = deprecated_ops.modernize(tf.MetaGraphDef(graph_def=graph_def)).graph_def
    x, y = tf.import_graph_def(changed, return_elements=["x:0", "y:0"])
    _close(session.run(y, {x: IMAGES}), expected, rtol=1e-5)


@pytest.mark.slow
def test_batch_normalization_of_2015_is_converted(tmp_path, plain, capsys, normalization):
    graph_def, expected = normalization
    (tmp_path / "f.pb").write_bytes(graph_def.SerializeToString())
    assert main.main(["model", "inspect", str(tmp_path / "f.pb")]) == 0
    text = capsys.readouterr().out
    assert "BatchNormWithGlobalNormalization (1 node) is not in TensorFlow 2" in text
    assert "input  x: float32, unknown shape\n" in text
    assert _convert(tmp_path / "f.pb", tmp_path / "out") == 0
    _close(plain.values(tmp_path / "out", {"x": IMAGES})["y"], expected, rtol=1e-5)


def _constant(name, value):
    made = node(name, "Const", dtype=tf.float32)
    made.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(np.float32(value)))
    return made


def test_what_does_not_load_is_not_written(tmp_path, monkeypatch, fails):
    monkeypatch.setattr(checking, "require_loading", REQUIRE_LOADING)
    # Removed in version 14.
    graph_def = tf.GraphDef(
        node=[
            node("x", "Placeholder", dtype=tf.float32),
            node("y", "BatchMatrixDiag", "x", T=tf.float32),
        ]
    )
    graph_def.versions.producer = 8
    (tmp_path / "f.pb").write_bytes(graph_def.SerializeToString())
    fails(tmp_path / "f.pb", "TensorFlow cannot load", "--no-check")


def test_a_saved_model_of_objects_is_not_converted(tmp_path, fails, capsys):
    folder = saved_model(tmp_path / "from")
    path = tmp_path / "from" / "saved_model.pb"
    saved = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    saved.meta_graphs[0].object_graph_def.nodes.add()
    path.write_bytes(saved.SerializeToString())
    assert main.main(["model", "inspect", folder]) == 0
    call = f"tf.saved_model.load({folder!r})"
    assert f"TensorFlow 2 loads it as it is: {call}" in capsys.readouterr().out
    fails(folder, f"TensorFlow 2 loads them: {call}")


DENSE = {"class_name": "Dense", "config": {"name": "d", "batch_input_shape": [2, 4], "units": 3}}


def test_functions_of_keras_layers_are_refused(tmp_path, fails):
    inner = {"class_name": "Lambda", "config": {"name": "double", "function_type": "lambda"}}
    wrapped = {"class_name": "TimeDistributed", "config": {"name": "t", "layer": inner}}
    path = keras_file(tmp_path / "model.h5", DENSE, wrapped)
    fails(path, "the function of its Lambda layer 'double' is a Python function")


@pytest.fixture
def keras(monkeypatch):
    """Puts modules in the place of those of Keras, with two layers; returns them."""

    def load_model(path, compile):
        raise ValueError(modules.error)

    modules = types.SimpleNamespace(load_model=load_model, error="")
    for name in ("Dense", "Lambda", "Sequential"):
        setattr(modules, name, type(name, (), {"__module__": "keras"}))
    functions = {
        "backend.set_session": id,
        "backend.set_learning_phase": id,
        "layers.Lambda": modules.Lambda,
    }
    monkeypatch.setattr(
        keras_loading, "_resolve", lambda name, path, keras=None: functions.get(name, modules)
    )
    monkeypatch.setattr(keras_loading, "_code_refused", lambda layer: contextlib.ExitStack())
    return modules


def test_the_layer_that_keras_does_not_know_is_named(tmp_path, fails, keras):
    path = keras_file(tmp_path / "model.h5", DENSE)
    for error, told in (
        (
            "Unknown layer: 'Scale'. Please ensure\nthat",
            "build it: Unknown layer: 'Scale'. Code of",
        ),
        ("Unknown layer: Scale.", "build it: Unknown layer: Scale. Code of"),
        ("wrong shapes\nin d", "Keras cannot build it: wrong shapes"),
    ):
        keras.error = error
        fails(path, told)


def test_classes_that_keras_does_not_have_are_refused(tmp_path, fails, keras):
    for layer, what in (
        ({"class_name": "Scale", "config": {}}, "names 'Scale', which is not one of the classes"),
        ({"class_name": "Dense", "config": {"vocabulary": "/etc/x"}}, "names the file '/etc/x'"),
        ({"class_name": "Dense", "config": {}, "module": "os"}, "names 'Dense', which is not"),
    ):
        fails(keras_file(tmp_path / "model.h5", DENSE, layer), what)


@pytest.mark.slow
def test_keras_layers_of_the_program_are_refused(tmp_path, fails):
    if VERSION >= (2, 16):
        pytest.importorskip("tf_keras", reason="Keras 2 builds the layers")
    scale = {"class_name": "Scale", "config": {"name": "scale_1"}}
    fails(keras_file(tmp_path / "model.h5", DENSE, scale), "names 'Scale', which")


def test_keras_without_keras_2(tmp_path, monkeypatch, fails):
    monkeypatch.setattr(keras_loading, "KERAS", "tensorflow.compat.v1.keras_3.")
    path = keras_file(tmp_path / "model.h5", DENSE)
    fails(path, "it needs Keras 2, which this TensorFlow lacks")


@pytest.mark.slow
def test_keras_layers_that_keep_their_state(tmp_path, plain, capsys):
    """The states are variables, but no weights of the model."""
    keras = pytest.importorskip("tf_keras", reason="Keras 2 writes the model")
    path = str(tmp_path / "model.h5")
    with tf.Graph().as_default():
        layer = keras.layers.LSTM(4, stateful=True, batch_input_shape=(2, 5, 3))
        keras.Sequential([layer]).save(path)
    assert _convert(path, tmp_path / "out", "--no-check") == 0
    x = np.ones([2, 5, 3], "f")
    (found,) = plain.values(tmp_path / "out", {"lstm_input": x}).values()
    assert found.shape == (2, 4)


# Failures leave nothing behind --------------------------------------------------------------------


def test_nothing_is_overwritten(tmp_path, fails, capsys):
    path = frozen_graph(tmp_path / "f.pb")
    for out in (path, tmp_path):
        assert _convert(path, out) == 2
        assert "exists, and nothing is overwritten" in capsys.readouterr().err
    assert _convert(path, tmp_path / "none" / "out") == 2
    assert "is not a folder that can be written" in capsys.readouterr().err
    fails(tmp_path / "none.pb", "no such file", code=2)


def test_models_that_cannot_be_converted(tmp_path, fails):
    graph = [node("a", "Placeholder", dtype=tf.int32)]
    fails(
        graph_of(tmp_path / "k.pb", *graph, node("b", "KafkaDataset", "a", "a", "a", "a", "a")),
        "tf.contrib.kafka",
    )
    fails(
        graph_of(tmp_path / "p.pb", *graph, node("b", "PyFunc", "a")),
        "its node 'b' calls a Python function",
    )
    fails(
        graph_of(tmp_path / "w.pb", *graph, node("b", "MatMul", "a", "a")),
        "TensorFlow cannot load it",
    )
    cycle = [node(name, "Add", other, "a", T=tf.int32) for name, other in ("bc", "cb", "dc")]
    fails(graph_of(tmp_path / "c.pb", *graph, *cycle), "nodes in a cycle")
    fails(graph_of(tmp_path / "n.pb", node("b", "NoOp")), "Name one: --outputs")
    variable = node("v", "VariableV2", dtype=tf.int32)
    variable.attr["shape"].shape.unknown_rank = False
    fails(
        graph_of(tmp_path / "v.pb", *graph, variable, node("b", "Add", "a", "v", T=tf.int32)),
        "it has variables (1) and no checkpoint",
    )
    prefix = meta_graph(tmp_path / "from")
    fails(prefix, "a checkpoint holds variables, but no graph")
    os.truncate(prefix + ".data-00000-of-00001", 0)
    fails(prefix + ".meta", "model.ckpt.meta: ")
    os.remove(prefix + ".index")
    fails(prefix + ".meta", "Put the checkpoint's files")


@pytest.mark.parametrize(
    "build, said",
    [
        (
            lambda x: tf.strings.to_number(tf.placeholder(tf.string, [])) + x[0, 0],
            "the original fails on random inputs",
        ),
        (
            lambda x: tf.placeholder(tf.float32, [2**20, 2**20])[0] + x[0, 0],
            "too large for a check.",
        ),
    ],
    ids=["random inputs", "too large inputs"],
)
def test_models_that_accept_no_random_inputs_are_written_unchecked(tmp_path, capsys, build, said):
    assert _convert(frozen_graph(tmp_path / "f.pb", build), tmp_path / "out") == 0
    told = capsys.readouterr().out
    assert "Not checked is the signature serving_default: " in told and said in told
    assert "Largest difference" not in told
    assert (tmp_path / "out" / "saved_model.pb").exists()


def test_an_op_of_no_tensorflow_is_named(tmp_path, fails):
    path = graph_of(
        tmp_path / "f.pb", node("x", "Placeholder", dtype=tf.int32), node("y", "ZeroOut", "x")
    )
    fails(path, "no TensorFlow has its op 'ZeroOut': a library")


@pytest.mark.slow
def test_graphs_in_text_form(tmp_path, converted, capsys):
    graph_def = tf.GraphDef.FromString(pathlib.Path(frozen_graph(tmp_path / "f.pb")).read_bytes())
    (tmp_path / "f.pbtxt").write_text(str(graph_def))
    folder = pathlib.Path(saved_model(tmp_path / "saved"))
    message = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    (folder / "saved_model.pbtxt").write_text(str(message))
    (folder / "saved_model.pb").unlink()
    for path, name in ((tmp_path / "f.pbtxt", "x"), (folder, "features")):
        assert main.main(["model", "inspect", str(path)]) == 0
        values = converted(path, {name: X}, out=name + ".out")
        _close(list(values.values())[0], X @ WEIGHTS)


def test_interrupted(tmp_path, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    path = frozen_graph(tmp_path / "f.pb")
    monkeypatch.setattr(os, "rename", interrupt)  # the last step
    assert _convert(path, tmp_path / "out", "--no-check") == 130
    assert capsys.readouterr().err == "tf1grad model: interrupted\n"
    _only(tmp_path, "f.pb")


def test_each_dtype_gets_random_values_of_its_own(graph):
    shape = [5, 8]
    inputs = [tf.placeholder(dtype, shape) for dtype in (tf.bool, tf.int32, tf.float32, tf.string)]
    made = example_values.draw_values(inputs, 3, {}, 0, 2)
    for tensor in inputs:
        value = made[tensor.name]
        assert value.shape == (5, 8) and value.dtype == tensor.dtype.as_numpy_dtype
    truths, numbers, shares, _ = (made[tensor.name] for tensor in inputs)
    assert 0 < truths.sum() < 40 and set(numbers.flat) == {0, 1}
    assert shares.min() >= 0 and shares.max() < 1 and len(set(shares.flat)) > 20
    flag = tf.placeholder(tf.bool, [])
    assert not example_values.draw_values([flag], 3, {}, 0, 2)[flag.name]


def test_unknown_dimensions_are_the_batch_and_then_a_size(graph):
    inputs = [tf.placeholder(tf.float32, shape) for shape in ([None, 7, None], None)]
    made = example_values.draw_values(inputs, 3, {inputs[1].name: 4}, 0, 2)
    assert [made[each.name].shape for each in inputs] == [(2, 7, 3), (2, 3, 3, 3)]


def test_a_placeholder_without_a_shape_gets_the_lowest_rank_that_its_ops_accept(graph):
    image, scalar = tf.placeholder(tf.float32, name="image"), tf.placeholder(tf.float32, name="s")
    tf.nn.max_pool(image, 2, 2, "VALID")
    tf.identity(scalar)
    found = example_values.unknown_ranks(graph.as_graph_def(), [image, scalar])
    assert found == {image.name: 4, scalar.name: 0}
