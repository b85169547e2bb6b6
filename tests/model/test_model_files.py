"""Tests what `tf1grad model inspect` reads,
against the models as they were built; damaged files too.
"""

import importlib.util
import json
import os
import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from google.protobuf import text_format

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
from tf1grad._compat import VERSION
from tf1grad.cli import main, model_report
from tf1grad.model import model_files
from tf1grad.model.graph_facts import Graph, Tensor
from tf1grad.model.model_files import read


def _inspect(path, *options):
    return main.main(["model", "inspect", str(path), *options])


def test_frozen_graph(tmp_path):
    model = read(frozen_graph(tmp_path / "a name without an ending"))
    assert model.kind == model_files.FROZEN and model.variables == [] and len(model.graphs) == 1
    assert model.graphs[0].inputs == [Tensor("x", "x:0", "float32", [None, 3])]
    assert [tensor.name for tensor in model.graphs[0].outputs] == ["y"]


def test_a_graph_as_text_tells_what_its_outputs_are(tmp_path, capsys):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.identity(tf.identity(x), name="same")
        tf.matmul(x, WEIGHTS, name="product")
        tf.nn.top_k(x, 2, name="top")
    path = tmp_path / "graph.pbtxt"
    path.write_text(str(graph.as_graph_def()))
    assert _inspect(path) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in told if "output " in line] == [
        "output same: float32 [?, 3]",
        "output product: float32, unknown shape",
        "output top: float32, unknown shape",
        "output top_1: int32, unknown shape (top:1)",
    ]


def test_a_circle_of_nodes_has_no_shape():
    circle = [node("a", "Identity", "b", T=tf.int32), node("b", "Identity", "a", T=tf.int32)]
    assert Graph(circle)._output("a:0") == Tensor("a", "a:0", "int32", None)
    assert Graph([node("a", "Identity")])._output("a:0") == Tensor("a", "a:0", None, None)


def test_saved_model(tmp_path):
    folder = saved_model(tmp_path / "saved")
    model = read(folder)
    assert model.kind == model_files.SAVED and model.writer == f"TensorFlow {tf.VERSION}"
    assert model.graphs[0].tags == ["serve"]
    (signature,) = model.graphs[0].signatures
    assert signature.name == "serving_default" and signature.method == "tensorflow/serving/predict"
    assert signature.inputs == [Tensor("features", "x:0", "float32", [None, 3])]
    assert signature.outputs == [Tensor("scores", "y:0", "float32", [None, 2])]
    assert [variable[:3] for variable in model.variables] == [("w", "float32", [3, 2])]
    assert read(os.path.join(folder, "saved_model.pb")).kind == model_files.SAVED
    open(os.path.join(folder, "tfhub_module.pb"), "wb").close()
    assert read(folder).kind == model_files.HUB


def test_meta_graph_and_checkpoint(tmp_path):
    prefix = meta_graph(tmp_path)
    model = read(prefix + ".meta")
    assert model.kind == model_files.META and model.prefix == prefix
    assert [tensor.name for tensor in model.graphs[0].inputs] == ["x"]
    assert [tensor.name for tensor in model.graphs[0].outputs] == ["y"]
    for path in (prefix, prefix + ".index", str(tmp_path)):
        found = read(path)
        assert found.kind == model_files.CHECKPOINT and found.variables == model.variables
    for name in (".index", ".data-00000-of-00001"):
        os.remove(prefix + name)
    assert read(prefix + ".meta").prefix is None


@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
def test_variables_of_a_checkpoint(tmp_path, version):
    def build():
        tf.get_variable("parts", [9, 4], partitioner=tf.fixed_size_partitioner(3))
        tf.get_variable("step", [], tf.int64)

    prefix = checkpoint(tmp_path, build, write_version=version)
    assert read(prefix).variables == [("parts", "float32", [9, 4]), ("step", "int64", [])]


def test_a_folder_names_its_latest_checkpoint(tmp_path):
    older, newer = (
        checkpoint(tmp_path, lambda name=name: tf.get_variable(name, [2]), name + ".ckpt")
        for name in ("older", "newer")
    )
    assert read(str(tmp_path)).prefix == newer
    tf.train.update_checkpoint_state(str(tmp_path), older)
    assert read(str(tmp_path)).prefix == older


def test_functions_and_loops(tmp_path):
    def build(x):
        return tf.map_fn(
            lambda row: tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * 2.0), [0, row])[
                1
            ],
            x,
        )

    model = read(frozen_graph(tmp_path / "loops.pb", build))
    assert [tensor.name for tensor in model.graphs[0].outputs] == ["y"]


def test_neither_training_nor_its_loss_is_an_output(tmp_path):
    with tf.Graph().as_default() as graph:
        x, labels = (
            tf.placeholder(tf.float32, [2, 3], name="x"),
            tf.placeholder(tf.int32, [2], name="labels"),
        )
        scores = tf.nn.softmax(tf.matmul(x, tf.get_variable("w", [3, 4])), name="scores")
        cost = tf.reduce_mean(tf.gather(scores, labels, axis=1), name="cost")
        optimizer = tf.train.AdamOptimizer(tf.placeholder(tf.float32, [], name="rate"))
        gradients, variables = zip(*optimizer.compute_gradients(cost))
        optimizer.apply_gradients(zip(tf.clip_by_global_norm(gradients, 1.0)[0], variables))
        tf.summary.scalar("loss", cost)
        tf.debugging.assert_less(tf.reduce_max(x), 1.0)
    (tmp_path / "f.pb").write_bytes(graph.as_graph_def().SerializeToString())
    (facts,) = read(str(tmp_path / "f.pb")).graphs
    assert [tensor.name for tensor in facts.outputs] == ["scores"]


def test_ops_that_are_gone(tmp_path, capsys):
    path = graph_of(
        tmp_path / "old.pb",
        node("a", "Placeholder", dtype=tf.int32),
        node("b", "GatherTree", "a", "a"),
        node("c", "GatherTree", "b"),
        node("d", "KafkaDataset", "a"),
        node("e", "PyFunc", "d"),
    )
    (facts,) = read(path).graphs
    assert [missing[:4] for missing in facts.missing] == [
        ("GatherTree", "tf.contrib.seq2seq", ["b", "c"], True),
        ("KafkaDataset", "tf.contrib.kafka", ["d"], False),
    ]
    assert facts.python == ["e"]
    assert _inspect(path) == 0
    text = capsys.readouterr().out
    assert (
        "GatherTree (2 nodes) is not in TensorFlow 2. tf1grad provides it as a function of the graph, "
        in text
    )
    assert (
        "KafkaDataset (1 node) is not in TensorFlow 2. It was an op of tf.contrib.kafka. Today: read"
        in text
    )


def test_json_has_the_documented_keys(tmp_path, capsys):
    assert _inspect(saved_model(tmp_path / "saved"), "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report) == [
        "version",
        "path",
        "kind",
        "written_by",
        "checkpoint",
        "graphs",
        "variables",
        "assets",
    ]
    assert list(report["graphs"][0]) == [
        "tags",
        "producer",
        "nodes",
        "functions",
        "signatures",
        "inputs",
        "outputs",
        "missing_ops",
        "python_functions",
    ]
    assert report["graphs"][0]["signatures"][0]["inputs"] == [
        {"name": "features", "tensor": "x:0", "dtype": "float32", "shape": [None, 3]}
    ]
    assert report["variables"] == [{"name": "w", "dtype": "float32", "shape": [3, 2]}]


def test_text_shortens_the_list_of_variables(tmp_path, capsys):
    prefix = checkpoint(
        tmp_path, lambda: [tf.get_variable(f"v{index:02d}", [2]) for index in range(25)]
    )
    assert _inspect(prefix) == 0
    text = capsys.readouterr().out
    assert (
        "25 variables with 50 values" in text
        and "v19" in text
        and "v20" not in text
        and "and 5 more" in text
    )
    assert _inspect(prefix, "--variables") == 0 and "v24: float32 [2]" in capsys.readouterr().out


def _keras(path):
    dense = {"name": "dense_1", "batch_input_shape": [None, 4], "dtype": "float32"}
    return keras_file(path, {"class_name": "Dense", "config": dense})


def test_keras_hdf5(tmp_path, capsys):
    model = read(_keras(tmp_path / "model.h5"))
    assert model.kind == model_files.KERAS and model.writer == "Keras 2.2.4"
    assert model.graphs[0].inputs == [Tensor("dense_1", "", "float32", [None, 4])]
    assert model.variables == [("dense_1/dense_1/kernel:0", "float32", [4, 3])]
    with pytest.importorskip("h5py").File(str(tmp_path / "other.h5"), "w") as file:
        file["data"] = np.zeros(3)
    _refused(tmp_path / "other.h5", capsys, "it is HDF5, but Keras did not write it.")


# Files that cannot be read ------------------------------------------------------------------------


def _refused(path, capsys, said, code=1):
    assert _inspect(path) == code
    message = capsys.readouterr().err
    assert message.startswith("tf1grad model: ") and str(path) in message and said in message
    assert message.rstrip().endswith(".") and message.count("\n") == 1


def test_cut_files(tmp_path, capsys):
    prefix, saved = meta_graph(tmp_path), saved_model(tmp_path / "saved")
    paths = [frozen_graph(tmp_path / "f.pb"), prefix + ".meta", saved + "/saved_model.pb"]
    if importlib.util.find_spec("h5py"):
        paths.append(_keras(tmp_path / "model.h5"))
    for path in paths:
        os.truncate(path, os.path.getsize(path) // 2)
        _refused(path, capsys, "it is cut off, or ")
    _refused(saved, capsys, "it is cut off, or ")
    shutil.copy(paths[0], prefix + ".index")
    _refused(prefix, capsys, "the checkpoint cannot be read: ")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Hello, world!\n",
        bytes(range(256)) * 9,
        tf.GraphDef(node=[node("a", "Const")]).SerializeToString() + b"\x0a\xff\xff\xff\x07",
        b'node {\n  name: "a"\n',
    ],
    ids=["empty", "words", "noise", "a wrong length", "a text that is cut off"],
)
def test_files_that_hold_no_model(tmp_path, capsys, content):
    (tmp_path / "model").write_bytes(content)
    _refused(tmp_path / "model", capsys, "not a model. Known are a frozen graph (.pb), ")


def test_one_file_of_a_checkpoint_is_not_the_model(tmp_path, capsys):
    prefix = meta_graph(tmp_path / "trained")
    _refused(f"{prefix}.data-00000-of-00001", capsys, f"Name its prefix: {prefix}.")
    state = tmp_path / "trained" / "checkpoint"
    state.write_text(f'model_checkpoint_path: "{prefix}"\n')
    _refused(
        state, capsys, f"it only names checkpoints. Name its folder, {tmp_path / 'trained'}, or"
    )


def test_missing_files(tmp_path, capsys):
    _refused(tmp_path / "none.pb", capsys, "no such file", code=2)
    prefix, folder = meta_graph(tmp_path / "trained"), saved_model(tmp_path / "saved")
    os.remove(prefix + ".data-00000-of-00001")
    _refused(prefix, capsys, "its files .data-* are missing")
    shutil.rmtree(os.path.join(folder, "variables"))
    _refused(folder, capsys, "variables.index is missing")
    (tmp_path / "here").mkdir()
    elsewhere = 'model_checkpoint_path: "../trained/model.ckpt"\n'
    (tmp_path / "here" / "checkpoint").write_text(elsewhere)
    _refused(tmp_path / "here", capsys, "no model is in this folder")


def test_unreadable_file(tmp_path, capsys):
    path = frozen_graph(tmp_path / "f.pb")
    os.chmod(path, 0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    _refused(path, capsys, "Permission denied")


def test_a_node_that_is_missing(tmp_path, capsys):
    path = graph_of(tmp_path / "f.pb", node("a", "Neg", "b"))
    _refused(path, capsys, "its node 'a' uses 'b', which is missing")


@pytest.mark.skipif(VERSION >= (2,), reason="TensorFlow 2 converts")
def test_tensorflow_1_does_not_convert(tmp_path, capsys):
    path = frozen_graph(tmp_path / "f.pb")
    assert main.main(["model", "convert", path, str(tmp_path / "out")]) == 2
    assert "Use a Python with TensorFlow 2." in capsys.readouterr().err
    assert os.listdir(str(tmp_path)) == ["f.pb"]


def _files_of_each_kind(folder):
    """Returns the file that is damaged, and the path of its model, for each kind of model."""

    def build():
        w = tf.get_variable("w", [3, 2])
        tf.train.AdamOptimizer().minimize(tf.reduce_sum(w))
        dataset = tf.data.Dataset.range(3).map(lambda value: value + 1)
        tf.data.make_one_shot_iterator(dataset).get_next()

    prefix, saved = checkpoint(folder / "2", build), saved_model(folder / "saved")
    old = checkpoint(folder / "1", build, write_version=tf.train.SaverDef.V1)
    found = {
        "meta": (prefix + ".meta", prefix + ".meta"),
        "index": (prefix + ".index", prefix),
        "version 1": (old, old),
        "state": (os.path.join(str(folder / "2"), "checkpoint"), str(folder / "2")),
        "saved model": (os.path.join(saved, "saved_model.pb"), saved),
    }
    frozen = frozen_graph(folder / "frozen.pb")
    found["frozen"] = frozen, frozen
    text = folder / "text.pbtxt"
    graph_def = tf.GraphDef.FromString((folder / "frozen.pb").read_bytes())
    text.write_text(text_format.MessageToString(graph_def))
    found["text"] = str(text), str(text)
    if VERSION >= (2,) and importlib.util.find_spec("h5py"):  # the HDF5 of 2019 crashes itself
        keras = _keras(folder / "model.h5")
        found["keras"] = keras, keras
    return found


@pytest.mark.slow
def test_single_wrong_bits_and_cut_files_are_told(tmp_path):
    """Damages each kind of file 60 times: it is read, or refused in a sentence with its name."""
    random, told = np.random.RandomState(0), {}
    for kind, (file, path) in _files_of_each_kind(tmp_path).items():
        with open(file, "rb") as opened:
            whole = opened.read()
        for trial in range(60):
            data = bytearray(whole)
            if trial % 5 == 4:
                data = data[: random.randint(len(data))]
            else:
                place = random.randint(len(data))
                data[place] ^= 1 << random.randint(8)
            with open(file, "wb") as opened:
                opened.write(data)
            try:
                model = read(path)
                model_report.as_text(model, 20), model_report.as_json(model)
            except model_files.ModelError as error:
                told.setdefault(kind, []).append(str(error))
                assert str(error).endswith(".") and str(tmp_path) in str(error)
    assert len(told) >= 7  # each kind was refused, apart from what a flipped letter of a name is


@pytest.mark.parametrize(
    "data", [b'model_checkpoint_path: "\xe8"\n', b'all_model_checkpoint_paths: "a"\n']
)
def test_a_damaged_checkpoint_state_is_told(tmp_path, capsys, data):
    meta_graph(tmp_path / "from")
    (tmp_path / "from" / "checkpoint").write_bytes(data)
    _refused(tmp_path / "from", capsys, "it is damaged (")


def _several():
    x = tf.placeholder(tf.float32, [4, 6], name="x")
    tf.nn.top_k(x, 2, name="top")
    tf.reduce_sum(tf.nn.top_k(x, 3, name="used").values, name="sum")  # its indices are left
    tf.unique(tf.reshape(x, [-1]), name="unique")
    tf.unstack(x, num=4, name="rows")
    tf.split(x, 3, axis=1, name="parts")
    scale = tf.ones([6])
    images = tf.reshape(x, [1, 2, 2, 6])
    tf.nn.fused_batch_norm(images, scale, scale, name="normal")


def test_each_output_of_an_op_is_one_of_the_model(tmp_path):
    with tf.Graph().as_default() as graph:
        _several()
    path = tmp_path / "several.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    found = {each.tensor for each in read(str(path)).graphs[0].outputs}
    expected = {"top:0", "top:1", "sum:0", "unique:0", "unique:1", "normal:0"}
    expected |= {f"rows:{index}" for index in range(4)} | {f"parts:{i}" for i in range(3)}
    assert {name for name in found if not name.startswith("normal/")} == expected


def test_a_model_of_tensorflow_lite_is_told(tmp_path, capsys):
    path = tmp_path / "model.tflite"
    path.write_bytes(b"\x1c\0\0\0TFL3" + bytes(64))
    assert _inspect(path) == 1
    assert "it is a TensorFlow Lite model" in capsys.readouterr().err


def test_inspect_names_the_op_of_another_library(tmp_path, capsys):
    path = graph_of(
        tmp_path / "f.pb", node("x", "Placeholder", dtype=tf.int32), node("y", "ZeroOut", "x")
    )
    assert _inspect(path) == 0
    assert "ZeroOut (1 node) is not in TensorFlow" in capsys.readouterr().out
