"""Tests what `model inspect` writes about a model, as text and as JSON."""

import json

import tf1grad
from tf1grad.cli import model_report
from tf1grad.model import model_files
from tf1grad.model.checking import Run
from tf1grad.model.conversion import Outcome
from tf1grad.model.graph_facts import GraphFacts, Signature, Tensor, Variable
from tf1grad.run.gone_ops.advice import MissingOp

X = Tensor("x", "input:0", "float32", [None, 3])
Y = Tensor("y", "y:0", None, None)
W, B = Variable("w", "float32", [3, 2]), Variable("b", "float32", [2])


def _graph(**facts):
    empty = dict.fromkeys(GraphFacts._fields, [])
    return GraphFacts(
        **{**empty, "tensorflow": "1.15.5", "producer": 134, "nodes": 9, "functions": 1, **facts}
    )


def _model(kind, graphs, variables=(), prefix=None, assets=()):
    return model_files.ModelFile(
        "model", kind, [], graphs, list(variables), list(assets), prefix, "TensorFlow 1.15.5"
    )


def test_a_saved_model_as_text():
    signature = Signature("serving_default", "predict", [X], [Y])
    model = _model(
        model_files.SAVED,
        [_graph(tags=["serve"], signatures=[signature])],
        [W, B],
        assets=["words.txt"],
    )
    assert model_report.as_text(model, 1).splitlines() == [
        "model: SavedModel, written by TensorFlow 1.15.5",
        "  graph [serve] with 9 nodes and 1 function",
        "    signature serving_default (predict)",
        "      input  x: float32 [?, 3] (input:0)",
        "      output y: unknown dtype, unknown shape",
        "  TensorFlow 2 loads it as it is: tf.saved_model.load('model')",
        "  asset: words.txt",
        "  2 variables with 8 values",
        "    w: float32 [3, 2]",
        "    and 1 more (--variables lists all)",
    ]
    assert model_report.as_text(model, 2).splitlines()[-2:] == [
        "    w: float32 [3, 2]",
        "    b: float32 [2]",
    ]


def test_a_graph_with_ops_that_are_gone_as_text():
    gone = MissingOp("PyramidHash", "", ["a", "b"], False, "Feed its result.")
    graph = _graph(functions=0, nodes=1, inputs=[X], outputs=[Y], missing=[gone], python=["PyFunc"])
    model = _model(model_files.FROZEN, [graph], prefix="model.ckpt")
    assert model_report.as_text(model, 9).splitlines() == [
        "model: frozen graph, written by TensorFlow 1.15.5",
        "  checkpoint: model.ckpt",
        "  graph with 1 node",
        "    input  x: float32 [?, 3] (input:0)",
        "    output y: unknown dtype, unknown shape",
        "    PyramidHash (2 nodes) is not in TensorFlow 2. Feed its result.",
        "    PyFunc calls a Python function of the program that wrote the file: no file holds it",
    ]
    with_variables = model_report.as_text(model._replace(variables=[W]), 9).splitlines()
    assert with_variables[0].startswith("model: graph with variables")
    layers = _model(model_files.KERAS, [_graph(functions=0)], prefix="not told")
    assert model_report.as_text(layers, 9).splitlines()[1:] == ["  graph with 9 layers"]


def test_a_model_as_json():
    gone = MissingOp("PyramidHash", "", ["a"], False, "Feed its result.")
    graph = _graph(inputs=[X], missing=[gone], variables=[W])
    found = json.loads(model_report.as_json(_model(model_files.META, [graph], [W], "a.ckpt")))
    x = {"name": "x", "tensor": "input:0", "dtype": "float32", "shape": [None, 3]}
    w = {"name": "w", "dtype": "float32", "shape": [3, 2]}
    assert found["graphs"] == [
        {
            "tags": [],
            "producer": 134,
            "nodes": 9,
            "functions": 1,
            "signatures": [],
            "inputs": [x],
            "outputs": [],
            "missing_ops": [
                {
                    "op": "PyramidHash",
                    "origin": "",
                    "nodes": ["a"],
                    "is_provided": False,
                    "advice": "Feed its result.",
                }
            ],
            "python_functions": [],
        }
    ]
    del found["graphs"]
    assert found == {
        "version": tf1grad.__version__,
        "path": "model",
        "kind": model_files.META,
        "written_by": "TensorFlow 1.15.5",
        "checkpoint": "a.ckpt",
        "variables": [w],
        "assets": [],
    }


def test_unknown_sizes_are_question_marks_and_an_unknown_shape_is_told():
    shapes = (None, [], [None, 2])
    assert [model_report.type_text("int32", shape) for shape in shapes] == [
        "int32, unknown shape",
        "int32 []",
        "int32 [?, 2]",
    ]
    assert model_report.type_text(None, [2]) == "unknown dtype [2]"


def test_what_was_converted_as_text():
    signature = Run(["serve", "gpu"], "serving_default", {"x": "input:0"}, {"y": "y:0"})
    outcome = Outcome([signature], {"y": 2.5e-7, "z": 1.5e-6}, ["A note."])
    lines = [
        "Wrote new: a SavedModel.",
        "  signature serving_default [serve, gpu]",
        "    input  x: input:0",
        "    output y: y:0",
        "  A note.",
    ]
    compared = "  Largest difference to the original on random inputs, relative to an output's largest value: "
    text = model_report.outcome_text("new", outcome)
    assert text.splitlines() == [*lines, compared + "1.5e-06"]
    text = model_report.outcome_text("new", outcome._replace(differences=None))
    assert text.splitlines() == [*lines, "  Not compared with the original (--no-check)."]
    frozen = outcome._replace(runs=[signature._replace(signature=None)], differences={}, notes=[])
    assert model_report.outcome_text("new.pb", frozen).splitlines() == [
        "Wrote new.pb: a frozen graph.",
        "    input  input:0",
        "    output y:0",
    ]
