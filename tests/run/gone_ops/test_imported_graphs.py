"""Tests that graphs load in plain TensorFlow 2 and, by themselves, after `install`,
with the gradients of 1.15.
"""

import sys
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import saved_model_pb2

import gone_op_cases
from contrib_modules import contrib_module
from tf1grad.programs.process import messages, patches
from tf1grad.run.gone_ops import graph_defs

pytestmark = pytest.mark.skipif(
    tf.__version__.startswith("1."), reason="TensorFlow 1 has the ops itself"
)


@pytest.fixture
def installed():
    """Lets imported graphs get their ops, during the test."""
    before = len(patches.changes())
    graph_defs.install()
    yield
    patches.undo(before)


def _graph(op, dtype=tf.float32):
    """Returns a graph with the placeholders `data` and `warp` and the op `found`."""
    graph_def = tf.GraphDef()
    for name in ("data", "warp"):
        graph_def.node.add(name=name, op="Placeholder").attr["dtype"].type = dtype.as_datatype_enum
    graph_def.node.add(name="found", op=op, input=["data", "warp"]).attr[
        "T"
    ].type = dtype.as_datatype_enum
    graph_def.versions.producer = 134
    return graph_def


def test_imports_provide_ops_and_say_so(installed, capfd, session):
    messages.said.clear()
    for name in ("one", "other"):
        tf.import_graph_def(_graph("Resampler"), name=name)
    pixels = np.arange(12, dtype=np.float32).reshape([1, 3, 4, 1])
    found = session.run("other/found:0", {"other/data:0": pixels, "other/warp:0": [[[1.5, 1.0]]]})
    assert found.tolist() == [[[5.5]]]
    assert capfd.readouterr().err.count("tf1grad: Resampler: TensorFlow 2") == 1


def test_without_install_tensorflow_rejects_the_op(graph):
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'Resampler'"):
        tf.import_graph_def(_graph("Resampler"))


def test_meta_graphs_and_saved_models_provide_ops(installed, tmp_path):
    graph_def, names, values, _ = gone_op_cases.recorded()["samples"]
    meta_graph = tf.MetaGraphDef(graph_def=graph_def)
    meta_graph.meta_info_def.tags.append("serve")
    meta_graph.meta_info_def.stripped_op_list.op.add(name="Resampler")
    saved_model = saved_model_pb2.SavedModel(saved_model_schema_version=1, meta_graphs=[meta_graph])
    (tmp_path / "saved_model.pb").write_bytes(saved_model.SerializeToString())
    for load in (
        lambda _: tf.train.import_meta_graph(meta_graph),
        lambda session: tf.saved_model.loader.load(session, ["serve"], str(tmp_path)),
    ):
        with tf.Graph().as_default(), tf.Session() as session:
            load(session)
            np.testing.assert_allclose(session.run(names[0]), values[0], atol=1e-6)


def test_hub_does_not_look_for_provided_ops(monkeypatch, request):
    asked, hub = [], types.ModuleType("tensorflow_hub.native_module")
    hub.register_ops_if_needed = asked.append
    monkeypatch.setitem(sys.modules, hub.__name__, hub)
    request.getfixturevalue("installed")
    hub.register_ops_if_needed({"MatMul", "Resampler"})
    assert asked == [{"MatMul"}]


@pytest.mark.period
def test_predictors_of_contrib_provide_ops(installed, tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        data, warp, found = tf.import_graph_def(
            _graph("Resampler"), return_elements=["data:0", "warp:0", "found:0"]
        )
        tf.saved_model.simple_save(
            session, str(tmp_path / "saved"), {"data": data, "warp": warp}, {"found": found}
        )
    file = tmp_path / "saved" / "saved_model.pb"
    saved = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    del saved.meta_graphs[0].graph_def.library.function[:]  # as TensorFlow 1.15 writes it
    del saved.meta_graphs[0].graph_def.library.gradient[:]
    file.write_bytes(saved.SerializeToString())
    predict = contrib_module("predictor.predictor_factories").from_saved_model(
        str(tmp_path / "saved")
    )
    pixels = np.arange(12, dtype=np.float32).reshape([1, 3, 4, 1])
    assert predict({"data": pixels, "warp": [[[1.5, 1.0]]]})["found"].tolist() == [[[5.5]]]
    predict.session.close()


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=lambda dtype: dtype.name)
def test_an_imported_op_has_the_gradients_of_1_15(dtype, session):
    recorded, names, values, _ = gone_op_cases.recorded()["samples"]
    first = 0 if dtype == tf.float32 else 3
    output, of_data, of_warp = values[first : first + 3]
    nodes = {node.name: node for node in recorded.node}
    node = nodes[names[first + 1].partition(":")[0]]
    data, warp, weights = (tf.make_ndarray(nodes[name].attr["value"].tensor) for name in node.input)
    fed = tf.import_graph_def(
        graph_defs.provide_missing_ops(_graph("Resampler", dtype)),
        return_elements=["data:0", "warp:0", "found:0"],
    )
    gradients = tf.gradients(fed[2], fed[:2], weights)
    found = session.run([fed[2], *gradients], {fed[0]: data, fed[1]: warp})
    for value, expected in zip(found, (output, of_data, of_warp)):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-5)


def test_graphs_with_one_op_and_several_dtypes_join_in_one_graph(installed, session):
    for dtype in (tf.float16, tf.float32, tf.float64):
        tf.import_graph_def(_graph("Resampler", dtype), name=dtype.name)
        found = session.run(
            dtype.name + "/found:0",
            {dtype.name + "/data:0": np.ones([1, 2, 2, 1]), dtype.name + "/warp:0": [[[0.5, 0.5]]]},
        )
        assert found.dtype == dtype.as_numpy_dtype and found.tolist() == [[[1.0]]]


def test_a_function_of_the_graph_keeps_its_name(session):
    provided = graph_defs.provide_missing_ops(_graph("Resampler"))
    assert graph_defs.provide_missing_ops(provided) is provided


def test_ops_that_nothing_provides_are_named():
    graph_def = _graph("KafkaDataset")
    with pytest.raises(
        graph_defs.OpsGone,
        match=r"KafkaDataset \(node 'found'\): It was an op of tf.contrib.kafka. "
        "Today: read from Kafka with",
    ):
        graph_defs.provide_missing_ops(graph_def)
    with pytest.raises(
        graph_defs.OpsGone,
        match=r"IsBoostedTreesEnsembleInitialized \(node 'found'\): It was an op of TensorFlow "
        "1.15. Today: under `tf1grad run`, the program",
    ):
        graph_defs.provide_missing_ops(_graph("IsBoostedTreesEnsembleInitialized"))
    (missing,) = graph_defs.missing_ops(_graph("MyOwnOp"))
    assert (missing.op, missing.origin, missing.nodes) == ("MyOwnOp", "", ["found"])
    assert "tf.load_op_library" in missing.advice
    assert graph_defs.provide_missing_ops(_graph("MyOwnOp")) == _graph("MyOwnOp")
