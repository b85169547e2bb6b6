"""Tests that nothing of a stranger's model is executed by `tf1grad model`,
and that no file of another is read.

Each model would leave a mark on the disk, or holds the path of a secret. Each row is a way that was
tried.
"""

import base64
import json
import marshal
import os
import pickle
import zipfile

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import saved_model_pb2

import gone_op_cases
from model_builders import checkpoint, frozen_graph, keras_file, node, saved_model
from tf1grad._compat import VERSION
from tf1grad.cli import main
from tf1grad.model import keras_files, keras_loading, permitted_ops
from tf1grad.run.gone_ops import graph_defs

pytestmark = [
    pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15 does not convert"),
    pytest.mark.slow,
]
WRITES = "which may read or write files, or call code outside of the graph."
NOT_RUN = "What was written was neither loaded nor compared with the original, because of its op "
REFUSED = "to load it, TensorFlow would run its op "


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """Yields a path at which nothing may be, and works in an empty folder."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = tmp_path / "mark"
    yield path
    assert not path.exists()


def _try(path, capsys, *options):
    """Returns the exit codes and everything that is said, of `inspect` and of `convert`."""
    codes = (
        main.main(["model", "inspect", str(path)]),
        main.main(["model", "convert", str(path), "out", *options]),
    )
    told = capsys.readouterr()
    return codes, told.out + told.err


# Graphs -------------------------------------------------------------------------------------------


def _written(mark, name="write"):
    return tf.io.write_file(str(mark), "x", name=name)


def _write_before_the_output(x, mark):
    with tf.control_dependencies([_written(mark)]):
        return x * 2


def _write_in_a_branch(x, mark):
    def written():
        with tf.control_dependencies([_written(mark)]):
            return x * 2

    return tf.cond(tf.reduce_sum(x) > -1e9, written, lambda: x)


def _function(graph, name, mark):
    """Adds a function of one number that writes a file to a GraphDef."""
    with tf.Graph().as_default() as body:
        with tf.control_dependencies([_written(mark)]):
            tf.identity(tf.placeholder(tf.float32, name="arg"), name="result")
    function = graph.library.function.add()
    function.signature.name = name
    function.signature.input_arg.add(name="arg", type=1)
    function.signature.output_arg.add(name="out", type=1)
    function.signature.is_stateful = True
    for each in body.as_graph_def().node:
        if each.op != "Placeholder":
            inputs = [
                name if name[0] == "^" or name == "arg" else f"{name}:output:0"
                for name in each.input
            ]
            made = function.node_def.add()
            made.CopyFrom(each)
            made.input[:] = inputs
    function.ret["out"] = "result:output:0"


def _write_in_a_function_with_the_name_of_an_op(graph_def, mark):
    _function(graph_def, "Square", mark)


def _write_in_a_called_function(graph_def, mark):
    _function(graph_def, "harmless", mark)
    (square,) = [each for each in graph_def.node if each.op == "Square"]
    square.op = "StatefulPartitionedCall"
    square.attr.pop("T")
    square.attr["Tin"].list.type.append(1)
    square.attr["Tout"].list.type.append(1)
    square.attr["f"].func.name = "harmless"


def _debug_while_shapes_are_inferred(graph_def, mark):
    """Adds an op that TensorFlow runs while it imports the graph."""
    (shape,) = [each for each in graph_def.node if each.name == "shape"]
    debug = node("debug", "DebugIdentity", "shape", T=tf.int32)
    debug.attr["debug_urls"].list.s.append(f"file://{mark}".encode())
    graph_def.node.add().CopyFrom(debug)
    reshape = node("reshape", "Reshape", "x", "debug", T=tf.float32, Tshape=tf.int32)
    graph_def.node.add().CopyFrom(reshape)
    (square,) = [each for each in graph_def.node if each.op == "Square"]
    square.input[:] = ["reshape"]


def _read_while_shapes_are_inferred(x, mark):
    secret = mark.parent / "secret"
    secret.write_bytes(np.int32([3, 1]).tobytes())
    return tf.reshape(x[0], tf.io.decode_raw(tf.io.read_file(str(secret)), tf.int32))


def _print_to_a_file(x, mark):
    printed = tf.raw_ops.PrintV2(input="x", output_stream=f"file://{mark}", end="\n")
    with tf.control_dependencies([printed]):
        return x * 2


def _call_python(x, mark):
    return tf.py_func(lambda x: x, [x], tf.float32)


def _table(x, initializer):
    table = tf.lookup.StaticHashTable(initializer, -1)
    return tf.cast(table.lookup(tf.as_string(x)), tf.float32)


def _write_when_a_table_is_filled(x, mark):
    with tf.control_dependencies([_written(mark)]):
        keys = tf.constant(["a"]) + ""
    return _table(x, tf.lookup.KeyValueTensorInitializer(keys, tf.constant([1], tf.int64)))


def _words(words, path):
    index = tf.lookup.TextFileIndex
    initializer = tf.lookup.TextFileInitializer(
        path, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    )
    return tf.lookup.StaticHashTable(initializer, -1).lookup(words)


def _words_of_another_file(x, mark):
    """Reads a file that the graph does not declare as one of the model's."""
    secret = mark.parent / "secret"
    secret.write_text("root\n")
    found = tf.cast(_words(tf.as_string(x), str(secret)), tf.float32)
    tf.get_default_graph().clear_collection(tf.GraphKeys.ASSET_FILEPATHS)
    return found


def _words_of_a_sampler(x, mark):
    secret = mark.parent / "secret"
    secret.write_text("1.0\n2.0\n")
    sampled, _, _ = tf.nn.fixed_unigram_candidate_sampler(
        tf.zeros([1, 1], tf.int64), 1, 1, False, 2, vocab_file=str(secret)
    )
    return x + tf.cast(sampled[0], tf.float32)


GRAPHS = [
    (_write_before_the_output, 0, NOT_RUN + "WriteFile ('write')"),
    (_write_in_a_branch, 0, NOT_RUN + "WriteFile ("),
    (_print_to_a_file, 0, NOT_RUN + "PrintV2 ("),
    (_write_when_a_table_is_filled, 0, NOT_RUN + "WriteFile ('write')"),
    (_words_of_another_file, 0, NOT_RUN + "InitializeTableFromTextFileV2 ("),
    (_words_of_a_sampler, 0, NOT_RUN + "FixedUnigramCandidateSampler ("),
    (_read_while_shapes_are_inferred, 1, REFUSED + "ReadFile ("),
    (_call_python, 1, "calls a Python function"),
]


@pytest.mark.parametrize("build, code, told", GRAPHS)
def test_ops_that_read_or_write_are_not_run(tmp_path, capsys, mark, build, code, told):
    path = frozen_graph(tmp_path / "f.pb", lambda x: build(x, mark))
    for options in ((), ("--no-check",), ("--frozen",)):
        codes, said = _try(path, capsys, *options)
        assert codes == (0, code) and told in said and (WRITES in said or build is _call_python)
        if code == 0:
            os.rename("out", f"out{len(os.listdir('.'))}")
    assert not mark.exists()


@pytest.mark.parametrize(
    "change, code, told",
    [
        (_write_in_a_function_with_the_name_of_an_op, 1, "Cannot add function 'Square'"),
        (_write_in_a_called_function, 0, NOT_RUN + "WriteFile ('write')"),
        (_debug_while_shapes_are_inferred, 1, REFUSED + "DebugIdentity ('debug')"),
    ],
)
def test_ops_that_the_graph_hides_are_not_run(tmp_path, capsys, mark, change, code, told):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        tf.constant([3, 1], name="shape")
        tf.identity(tf.square(x), name="y")
    graph_def = graph.as_graph_def()
    change(graph_def, mark)
    (tmp_path / "f.pb").write_bytes(graph_def.SerializeToString())
    codes, said = _try(tmp_path / "f.pb", capsys)
    assert codes == (0, code) and told in said


# Checkpoints and SavedModels ----------------------------------------------------------------------


@pytest.mark.parametrize("place", ["variable", "initializer of a local one"])
def test_what_a_variable_needs_is_not_run(tmp_path, capsys, mark, place):
    def build():
        x = tf.placeholder(tf.float32, [None], name="x")
        w = tf.get_variable("w", initializer=2.0, use_resource=False)
        local = tf.get_variable(
            "l", initializer=1.0, use_resource=False, collections=[tf.GraphKeys.LOCAL_VARIABLES]
        )
        tf.multiply(x, w + local, name="y")

    path = checkpoint(tmp_path / "from", build) + ".meta"
    with open(path, "rb") as file:
        meta = tf.MetaGraphDef.FromString(file.read())
    with tf.Graph().as_default() as graph:
        _written(mark)
    meta.graph_def.node.extend(graph.as_graph_def().node)
    target = "w" if place == "variable" else "l/Assign"
    (found,) = [each for each in meta.graph_def.node if each.name == target]
    found.input.append("^write")
    with open(path, "wb") as file:
        file.write(meta.SerializeToString())
    codes, said = _try(path, capsys)
    assert codes == (0, 1) and REFUSED + "WriteFile ('write')" in said


@pytest.mark.parametrize("options", [(), ("--no-check",)])
@pytest.mark.parametrize(
    "place", ["main op", "signature of the main op", "restore op", "signature"]
)
def test_what_a_saved_model_runs_when_it_is_loaded_is_not_run(
    tmp_path, capsys, mark, place, options
):
    folder = saved_model(tmp_path / "from")
    file = tmp_path / "from" / "saved_model.pb"
    saved = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    (meta,) = saved.meta_graphs
    with tf.Graph().as_default() as graph:
        _written(mark)
        with tf.control_dependencies(["write"]):
            tf.constant(1.0, name="after")
    meta.graph_def.node.extend(graph.as_graph_def().node)
    if place == "main op":
        meta.collection_def["saved_model_main_op"].node_list.value.append("write")
    elif place == "restore op":
        meta.saver_def.restore_op_name = "write"
    elif place == "signature":
        meta.signature_def["serving_default"].outputs["more"].name = "after:0"
    else:
        meta.signature_def["__saved_model_init_op"].outputs["__saved_model_init_op"].name = "write"
    file.write_bytes(saved.SerializeToString())
    codes, said = _try(folder, capsys, *options)
    assert codes == (0, 0) and NOT_RUN + "WriteFile ('write')" in said


def test_an_asset_outside_of_its_folder_is_refused(tmp_path, capsys, mark):
    folder = saved_model(tmp_path / "from")
    file = tmp_path / "from" / "saved_model.pb"
    saved = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    (meta,) = saved.meta_graphs
    asset = meta.asset_file_def.add(filename="../../secret")
    asset.tensor_info.name = "words:0"
    meta.graph_def.node.add().CopyFrom(node("words", "Const", dtype=tf.string))
    file.write_bytes(saved.SerializeToString())
    codes, said = _try(folder, capsys)
    assert codes == (0, 1) and "its asset '../../secret' is not a file of its folder" in said


def test_a_vocabulary_of_a_training_graph_is_copied_and_told(tmp_path, capsys, mark):
    def build():
        (tmp_path / "words.txt").write_text("a\nb\n")
        words = tf.placeholder(tf.string, [None], name="x")
        tf.identity(_words(words, str(tmp_path / "words.txt")), name="y")
        tf.get_variable("w", [1])

    path = checkpoint(tmp_path / "from", build) + ".meta"
    codes, said = _try(path, capsys, "--outputs", "y")
    told = f"Copied into it are the files of its lookup tables: {tmp_path}/words.txt."
    assert codes == (0, 0) and told in said and "Largest difference" in said


# Keras files --------------------------------------------------------------------------------------

DENSE = {"class_name": "Dense", "config": {"name": "d", "batch_input_shape": [2, 4], "units": 3}}
INPUT = {"class_name": "InputLayer", "config": {"name": "x", "batch_input_shape": [2, 4]}}


def _marshalled(mark):
    """Returns a function that leaves the mark, as Keras stores one."""
    function = eval(f"lambda x, *unused: (open({str(mark)!r}, 'w').close(), x)[1]")
    return [base64.b64encode(marshal.dumps(function.__code__)).decode(), None, None]


def _lambda(mark):
    """Returns a Lambda layer as Keras 2.2 to 2.15 and 1.15 write it."""
    function = {"function": _marshalled(mark), "function_type": "lambda", "module": "builtins"}
    shape = {"output_shape": None, "output_shape_type": "raw", "output_shape_module": None}
    config = {"name": "evil", "arguments": {}, **function, **shape}
    return {"class_name": "Lambda", "config": config}


def _changed(layer, **config):
    return {**layer, "config": {**layer["config"], **config}}


def _wrapped(kind, layer, **config):
    return {"class_name": kind, "config": {"name": "w", "layer": layer, **config}}


def _activation(mark):
    """Returns a function as Keras 2.13 and newer store one."""
    config = {"name": "evil", "value": _marshalled(mark)}
    return {"module": None, "class_name": "__lambda__", "config": config}


def _wide_deep(mark):
    """Returns the configuration of a model that has models outside of its list of layers."""
    linear = {"class_name": "LinearModel", "config": {"units": 1}}
    deep = {
        "class_name": "Sequential",
        "config": {"name": "deep", "layers": [DENSE, _lambda(mark)]},
    }
    config = {"linear_model": linear, "dnn_model": deep, "activation": None, "name": "wide"}
    return [DENSE, {"class_name": "WideDeepModel", "config": config}]


def _cell(mark):
    cell = {"class_name": "LSTMCell", "config": {"units": 2, "activation": _activation(mark)}}
    config = {"name": "rnn", "cell": cell, "batch_input_shape": [2, 3, 4]}
    return [{"class_name": "RNN", "config": config}]


def _cells(mark):
    """Returns a wrapper of a cell, whose function Keras stores as it does that of a Lambda."""
    cell = {"class_name": "GRUCell", "config": {"units": 4}}
    function = {"residual_fn": _marshalled(mark), "residual_fn_type": "lambda"}
    config = {"name": "evil", "cell": cell, "residual_fn_module": "builtins", **function}
    wrapper = {"class_name": "ResidualWrapper", "config": config}
    stacked = {"class_name": "StackedRNNCells", "config": {"cells": [cell, wrapper]}}
    shape = {"batch_input_shape": [2, 3, 4]}
    return [{"class_name": "RNN", "config": {"name": "rnn", "cell": stacked, **shape}}]


def _function_of_tensorflow(mark):
    """Returns a functional model that calls a function of TensorFlow by its name,
    with the argument in the file.
    """
    mark.with_name("kept").write_text("kept")
    call = {
        "class_name": "TFOpLambda",
        "name": "call",
        "config": {"name": "call", "function": "io.gfile.copy"},
        "inbound_nodes": [
            ["_CONSTANT_VALUE", -1, str(mark.with_name("kept")), {"dst": str(mark)}],
        ],
    }
    functional = {"layers": [{**INPUT, "name": "x", "inbound_nodes": []}, call], "name": "f"}
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [["x", 0, 0]]}
    return {"class_name": "Functional", "config": {**functional, **ends}}


def _module(mark):
    """Returns a layer of a module that lies in the current folder."""
    with open("evil_module.py", "w") as file:
        file.write(f"open({str(mark)!r}, 'w').close()\nclass Dense: pass\n")
    return {"module": "evil_module", "registered_name": None, **DENSE}


def _op_layer(mark):
    shape = node("debug", "DebugIdentity", "x", T=tf.float32)
    shape.attr["debug_urls"].list.s.append(f"file://{mark}".encode())
    text = shape.SerializeToString().decode("utf-8")
    return {"class_name": "TensorFlowOpLayer", "config": {"name": "debug", "node_def": text}}


CODE = "the function of its Lambda layer 'evil' is a Python function"
KERAS = {
    "in a model": (lambda mark: [DENSE, _lambda(mark)], CODE),
    "in a model in a model": (
        lambda mark: [
            {"class_name": "Sequential", "config": {"name": "m", "layers": [DENSE, _lambda(mark)]}}
        ],
        CODE,
    ),
    "in an old list of layers": (
        lambda mark: [{"class_name": "Sequential", "config": [DENSE, _lambda(mark)]}, DENSE],
        CODE,
    ),
    "in wrappers": (
        lambda mark: [
            _wrapped("TimeDistributed", _wrapped("TimeDistributed", _lambda(mark)))
            for _ in range(1)
        ],
        CODE,
    ),
    "in the backward layer": (
        lambda mark: [
            _wrapped(
                "Bidirectional",
                {"class_name": "LSTM", "config": {"units": 2, "name": "f"}},
                backward_layer=_lambda(mark),
                batch_input_shape=[2, 3, 4],
            )
        ],
        CODE,
    ),
    "outside of the layers": (_wide_deep, CODE),
    "an activation": (lambda mark: [_changed(DENSE, activation=_activation(mark))], CODE),
    "an initializer": (lambda mark: [_changed(DENSE, kernel_initializer=_lambda(mark))], CODE),
    "a cell": (_cell, CODE),
    "wrappers of cells": (_cells, CODE),
    "an argument of a call": (
        lambda mark: {
            "class_name": "Functional",
            "config": {
                "name": "f",
                "layers": [
                    {**INPUT, "name": "x", "inbound_nodes": []},
                    {**DENSE, "name": "d", "inbound_nodes": [[["x", 0, 0, {"a": _lambda(mark)}]]]},
                ],
                "input_layers": [["x", 0, 0]],
                "output_layers": [["d", 0, 0]],
            },
        },
        CODE,
    ),
    "a function of TensorFlow": (_function_of_tensorflow, "names 'TFOpLambda', which is not one"),
    "a module": (lambda mark: [_module(mark)], "names 'Dense', which is not one"),
    "a function of a module": (
        lambda mark: [
            _changed(
                DENSE, activation={"class_name": "function", "config": "system", "module": "os"}
            )
        ],
        "names 'function', which is not one",
    ),
    "another registered name": (
        lambda mark: [{"module": "keras.utils", "registered_name": "func_load", **DENSE}],
        "names 'Dense', which is not one",
    ),
    "an op": (lambda mark: [INPUT, _op_layer(mark)], "names the op DebugIdentity, " + WRITES[:-1]),
    "a file of words": (
        lambda mark: [{"class_name": "StringLookup", "config": {"vocabulary": "/etc/passwd"}}],
        "names the file '/etc/passwd'",
    ),
}


def _keras(path, model):
    """Writes a Keras file of a list of layers, or of the configuration of a model."""
    if isinstance(model, list):
        return keras_file(path, *model)
    keras_file(path, DENSE)
    with pytest.importorskip("h5py").File(str(path), "a") as file:
        file.attrs["model_config"] = json.dumps(model).encode()
    return str(path)


def _needs_keras_2():
    if VERSION >= (2, 16):
        pytest.importorskip("tf_keras", reason="Keras 2 builds the layers")


@pytest.mark.parametrize("case", KERAS)
def test_keras_files_bring_no_code(tmp_path, capsys, mark, case):
    _needs_keras_2()
    build, told = KERAS[case]
    codes, said = _try(_keras(tmp_path / "model.h5", build(mark)), capsys)
    assert codes == (0, 1) and told in said


@pytest.mark.parametrize("case", [case for case in KERAS if KERAS[case][1] == CODE])
def test_keras_makes_no_function_of_code_that_was_not_seen(
    tmp_path, capsys, mark, case, monkeypatch
):
    """Tests the second refusal alone: that of Keras, while it loads."""
    _needs_keras_2()
    monkeypatch.setattr(keras_files, "_functions", lambda config: [])
    monkeypatch.setattr(keras_loading, "_foreign", lambda *unused: [])
    (_, code), said = _try(_keras(tmp_path / "model.h5", KERAS[case][0](mark)), capsys)
    assert code == 1 and "Keras cannot build it" in said


def test_what_keras_files_of_1_15_name_is_known(tmp_path, capsys, mark):
    """Tests layers as 1.15 writes them: old names, wrapped cells, a policy, an op."""
    _needs_keras_2()
    square = node("square", "Square", "x", T=tf.float32).SerializeToString().decode("utf-8")
    initializer = {"class_name": "GlorotUniform", "config": {"seed": None}}
    layers = [
        _changed(
            DENSE,
            kernel_initializer=initializer,
            bias_initializer={"class_name": "Zeros", "config": {}},
        ),
        {"class_name": "BatchNormalizationV1", "config": {"name": "b"}},
        {"class_name": "TensorFlowOpLayer", "config": {"name": "square", "node_def": square}},
        {"class_name": "Dense", "config": {"name": "e", "units": 1, "activation": "relu"}},
    ]
    config = keras_files.model_config(keras_file(tmp_path / "model.h5", *layers))
    assert list(keras_loading._foreign(config, "model.h5")) == []


@pytest.mark.parametrize(
    "kind", ["external data", "a link", "a link at its root", "a virtual dataset"]
)
def test_keras_files_take_no_data_from_other_files(tmp_path, capsys, mark, kind):
    h5py = pytest.importorskip("h5py")
    path, other = keras_file(tmp_path / "model.h5", DENSE), str(tmp_path / "other.h5")
    (tmp_path / "secret").write_bytes(np.arange(12, dtype="f").tobytes())
    with h5py.File(other, "w") as file:
        file["w"] = np.ones(3)
    with h5py.File(path, "a") as file:
        group = file["model_weights"]
        if kind.startswith("a link"):
            (file if "root" in kind else group)["d"] = h5py.ExternalLink(other, "w")
        elif kind == "external data":
            secret = [(str(tmp_path / "secret"), 0, 48)]
            group.create_dataset("d", (4, 3), "f", external=secret)
        else:
            layout = h5py.VirtualLayout((3,), "d")
            layout[:] = h5py.VirtualSource(other, "w", (3,))
            group.create_virtual_dataset("d", layout)
    codes, said = _try(path, capsys)
    assert codes == (1, 1) and "takes data from another file, which is not read" in said


# Other files --------------------------------------------------------------------------------------


class _Evil:
    """Leaves the mark when it is unpickled."""

    def __init__(self, mark):
        self._mark = mark

    def __reduce__(self):
        return open, (self._mark, "w")


def _zip(path, config):
    with zipfile.ZipFile(str(path), "w") as file:
        file.writestr("config.json", json.dumps(config))
        file.writestr("metadata.json", "{}")


@pytest.mark.parametrize("kind", ["pickle", "npy", "npz", "keras", "json"])
def test_files_that_hold_code_are_not_read_as_models(tmp_path, capsys, mark, kind):
    path = tmp_path / f"model.{kind}"
    evil = _Evil(str(mark))
    if kind == "pickle":
        path.write_bytes(pickle.dumps(evil))
    elif kind == "npy":
        np.save(str(path), np.array([evil]), allow_pickle=True)
    elif kind == "npz":
        np.savez(str(path), np.array([evil]))
    else:
        config = {"class_name": "Sequential", "config": {"layers": [DENSE, _lambda(mark)]}}
        _zip(path, config) if kind == "keras" else path.write_text(json.dumps(config))
    codes, said = _try(path, capsys)
    assert codes == (1, 1) and "not a model. Known are a frozen graph (.pb), " in said


# What runs ----------------------------------------------------------------------------------------


def test_ops_that_know_no_file_run():
    """Tests the functions of all gone ops, and that the rule lets nothing run that reads,
    writes or calls out.
    """
    for graph_def, names, *_ in gone_op_cases.recorded().values():
        provided = graph_defs.provide_missing_ops(graph_def)
        if not any(each.op == "OneShotIterator" for each in provided.node):
            assert permitted_ops.first_refused(provided, names) is None
    refused = (
        "WriteFile ReadFile MatchingFiles PyFunc PyFuncStateless EagerPyFunc DebugIdentity DebugNanCount "
        "DebugNumericSummary SaveV2 Save RestoreV2 MergeV2Checkpoints GenerateVocabRemapping LoadAndRemapMatrix "
        "DecodeProtoV2 EncodeProto Abort ImmutableConst RecordInput Skipgram TextLineReader TFRecordReaderV2 "
        "WholeFileReaderV2 TextLineDataset TFRecordDataset FixedLengthRecordDataset SqlDataset LMDBReader "
        "GeneratorDataset WriteSummary CreateSummaryFileWriter WriteGraphSummary RpcClient RpcServer _Send _Recv "
        "RemoteCall DumpTensor XlaCallModule MlirPassthroughOp BatchFunction CacheDataset SnapshotDataset "
        "DatasetToTFRecord DataServiceDataset Copy CopyHost DebugIdentityV2"
    )
    with tf.Graph().as_default():
        for op in refused.split():
            graph_def = tf.GraphDef(node=[tf.NodeDef(name="op", op=op)])
            assert permitted_ops.first_refused(graph_def, ["op"]) is not None, op
