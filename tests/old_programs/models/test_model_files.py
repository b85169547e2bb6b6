"""Tests what `tf1grad model inspect` reads, against the models as they were built; damaged and hostile files too."""

import json
import os
import shutil
import struct

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from model_builders import checkpoint, frozen_graph, graph_of, meta_graph, node, saved_model
from tf1grad._compat import VERSION
from tf1grad.old_programs.cli import main
from tf1grad.old_programs.gone_ops import advice
from tf1grad.old_programs.models import model_files
from tf1grad.old_programs.models.graph_facts import Tensor
from tf1grad.old_programs.models.model_files import ModelError, read


def _inspect(path, *options):
    return main.main(["model", "inspect", str(path), *options])


def test_frozen_graph(tmp_path):
    model = read(frozen_graph(tmp_path / "a name without an ending"))
    assert model.kind == model_files.FROZEN and model.variables == [] and len(model.graphs) == 1
    assert model.graphs[0].inputs == [Tensor("x", "x:0", "float32", [None, 3])]
    assert [tensor.name for tensor in model.graphs[0].outputs] == ["y"]


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


def test_checkpoint_agrees_with_the_reader_of_tensorflow(tmp_path):
    def build():
        for index in range(300):  # more than a block of the table holds
            tf.get_variable(
                f"layer_{index // 7}/kernel_{index}",
                [index % 5 + 1, 2],
                [tf.float32, tf.float64][index % 2],
            )
        tf.get_variable("parts", [9, 4], partitioner=tf.fixed_size_partitioner(3))
        tf.get_variable("step", [], tf.int64)

    prefix = checkpoint(tmp_path, build)
    reader = tf.train.load_checkpoint(prefix)
    expected = {
        name: (reader.get_variable_to_dtype_map()[name].name, shape)
        for name, shape in reader.get_variable_to_shape_map().items()
    }
    assert {
        name: (dtype, shape) for name, dtype, shape in read(prefix).variables
    } == expected and len(expected) == 302


def test_checkpoint_of_version_1(tmp_path):
    def build():
        tf.get_variable("a", [3, 2])
        tf.get_variable("b", [], tf.int64)

    prefix = checkpoint(tmp_path, build, write_version=tf.train.SaverDef.V1)
    assert read(prefix).variables == [("a", "float32", [3, 2]), ("b", "int64", [])]


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


def test_inspect_does_not_import_tensorflow(tmp_path, run_program):
    output = run_program(f"""
        import sys
        from tf1grad.old_programs.cli import main
        print(main.main(["model", "inspect", {saved_model(tmp_path / "saved")!r}]))
        print("tensorflow" in sys.modules, "google.protobuf" in sys.modules)
    """)
    assert output.splitlines()[-2:] == ["0", "False False"]


KERAS_2_2 = {
    "class_name": "Sequential",
    "config": {
        "name": "s",
        "layers": [
            {
                "class_name": "Dense",
                "config": {"name": "dense_1", "batch_input_shape": [None, 4], "dtype": "float32"},
            }
        ],
    },
}


def test_keras_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = str(tmp_path / "model.h5")
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = b"2.2.4"
        file.attrs["model_config"] = json.dumps(KERAS_2_2).encode()
        file.create_dataset("model_weights/dense_1/dense_1/kernel:0", data=np.zeros((4, 3), "f"))
    model = read(path)
    assert model.kind == model_files.KERAS and model.writer == "Keras 2.2.4"
    assert model.graphs[0].inputs == [Tensor("dense_1", "", "float32", [None, 4])]
    assert model.variables == [("dense_1/dense_1/kernel:0", "float32", [4, 3])]
    with h5py.File(str(tmp_path / "other.h5"), "w") as file:
        file["data"] = np.zeros(3)
    with pytest.raises(ModelError, match=r"other\.h5: it is HDF5, but Keras did not write it\."):
        read(str(tmp_path / "other.h5"))


# Hostile files -------------------------------------------------------------------------------------------------------


def _refused(path, capsys, said, code=1):
    assert _inspect(path) == code
    message = capsys.readouterr().err
    assert (
        message.startswith("tf1grad model: ")
        and os.path.basename(str(path)) in message
        and said in message
    )
    assert message.rstrip().endswith(".") and message.count("\n") == 1


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_cut_files(tmp_path, capsys, share):
    for path in (
        frozen_graph(tmp_path / "f.pb"),
        meta_graph(tmp_path) + ".meta",
        str(tmp_path / "model.ckpt.index"),
        os.path.join(saved_model(tmp_path / "saved"), "saved_model.pb"),
    ):
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[: int(len(data) * share)])
        _refused(path, capsys, "Copy or export it again.")


def test_cut_hdf5(tmp_path, capsys):
    h5py = pytest.importorskip("h5py")
    path = str(tmp_path / "model.h5")
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = b"2.2.4"
        file["a"] = np.zeros(1000)
    os.truncate(path, 900)
    _refused(path, capsys, "it is cut off, or damaged")


def test_empty_foreign_and_malformed_files(tmp_path, capsys):
    graph = tf.GraphDef(node=[node("a", "Const")]).SerializeToString()
    wrong_places = (b"\xff\xff\xff\xff\x0f\x05" * 2).ljust(40, b"\0") + struct.pack(
        "<Q", 0xDB4775248B80FB57
    )
    for name, content, said in [
        ("empty.pb", b"", "it is empty"),
        ("a.zip", b"PK\3\4" + b"\0" * 99, "it is a zip archive"),
        ("a.tflite", b"\x1c\0\0\0TFL3", "tf.lite.Interpreter(model_path=...) reads"),
        ("a.json", b'{"class_name": "Model", "config"', "without its weights"),
        ("events.out", b"\x18" + b"\0" * 20 + b"brain.Event:2", "TensorBoard reads it"),
        ("text.pb", b"Hello, world!\n", "not a protocol buffer"),
        ("long attribute.pb", graph + b"\x0a\xff\xff\xff\xff\x07", "it is cut off"),
        ("x.index", b"\0" * 100 + wrong_places, "its table is cut off"),
        ("noise", bytes(range(256)) * 9, "not a model file"),
        ("graph.pbtxt", b'node {\n  name: "a"\n', "not the text form of a graph"),
    ]:
        (tmp_path / name).write_bytes(content)
        _refused(tmp_path / name, capsys, said)
    _refused(tmp_path / "none.pb", capsys, "no such file", code=2)
    (tmp_path / "folder").mkdir()
    _refused(tmp_path / "folder", capsys, "no model is in this folder")
    if hasattr(os, "mkfifo"):
        os.mkfifo(str(tmp_path / "pipe"))
        _refused(tmp_path / "pipe", capsys, "neither a file nor a folder")


def test_swapped_files(tmp_path, capsys):
    prefix = meta_graph(tmp_path)
    shutil.copy(prefix + ".meta", prefix + ".index")
    assert (
        _inspect(prefix) == 1
        and "model.ckpt.index: it is cut off, or not a checkpoint" in capsys.readouterr().err
    )
    shutil.copy(
        frozen_graph(tmp_path / "f.pb"),
        os.path.join(saved_model(tmp_path / "saved"), "saved_model.pb"),
    )
    _refused(tmp_path / "saved", capsys, "Copy or export it again")


def test_missing_parts(tmp_path, capsys):
    os.remove(meta_graph(tmp_path) + ".data-00000-of-00001")
    _refused(
        tmp_path / "model.ckpt",
        capsys,
        "model.ckpt.data-00000-of-00001: it belongs to the checkpoint",
    )
    folder = saved_model(tmp_path / "saved")
    shutil.rmtree(os.path.join(folder, "variables"))
    _refused(folder, capsys, "variables.index is missing")


def test_unreadable_file(tmp_path, capsys):
    path = frozen_graph(tmp_path / "f.pb")
    os.chmod(path, 0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    _refused(path, capsys, "Permission denied. Ask its owner")


@pytest.mark.parametrize(
    "nodes, said",
    [
        ([node("a", "Neg", "b")], "its node 'a' uses 'b', which is missing"),
        ([node("a", "NoOp"), node("a", "NoOp")], "two of its nodes are named 'a'"),
    ],
    ids=["missing node", "repeated node"],
)
def test_graphs_that_make_no_sense(tmp_path, capsys, nodes, said):
    _refused(graph_of(tmp_path / "f.pb", *nodes), capsys, said)


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", "a/../../b"])
def test_assets_outside_the_folder(tmp_path, capsys, name):
    folder = saved_model(tmp_path / "saved", asset=name)
    _refused(folder, capsys, "leads out of the model's folder")


def test_checkpoint_file_that_names_another_folder(tmp_path, capsys):
    meta_graph(tmp_path / "elsewhere")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "checkpoint").write_text(
        'model_checkpoint_path: "../elsewhere/model.ckpt"\n'
    )
    _refused(tmp_path / "here", capsys, "no model is in this folder")


@pytest.mark.skipif(VERSION >= (2,), reason="TensorFlow 2 converts")
def test_tensorflow_1_does_not_convert(tmp_path, capsys):
    path = frozen_graph(tmp_path / "f.pb")
    assert main.main(["model", "convert", path, str(tmp_path / "out")]) == 2
    assert "Use a Python with TensorFlow 2." in capsys.readouterr().err
    assert os.listdir(str(tmp_path)) == ["f.pb"]


def test_ops_of_trees_are_provided_for_code_only():
    described = advice.describe("IsBoostedTreesEnsembleInitialized", [])
    assert "restores its checkpoint" in described.advice and not described.is_provided
