"""Tests where values are said to part: constructed records, and tensors that are fetched before a step writes."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.old_programs._samples import sample
from tf1grad.old_programs.verify.first_values import first_values
from tf1grad.old_programs.verify.graphs.graph_record import Graph, GraphRecord, Op, StepTensor
from tf1grad.old_programs.verify.step_tensors import fetch_step


def record(**values):
    """Returns a record of a chain of ops a -> b -> c with these outputs; those named `remainder_x` are of sums."""
    found = GraphRecord({"tensorflow": "1.15.5", "ended": "recorder"})
    found.places = [["train.py", 3, "loss = f(x)"]]
    found.graphs = [
        Graph(
            1,
            [
                Op("Op", name, list(inputs), [], {}, [], "", 0)
                for name, inputs in (("a", []), ("b", ["a"]), ("c", ["b"]))
            ],
            {},
        )
    ]
    for name in "abc":
        kept = sample(np.array(values[name], np.float32))
        found.tensors[name + ":0"] = StepTensor(kept, values.get("remainder_" + name))
    return found


def test_the_first_op_whose_inputs_agree():
    this, other = (
        record(a=[1.0, 2.0], b=[1.0, 2.0], c=[4.0]),
        record(a=[1.0, 2.0000002], b=[1.0, 2.1], c=[5.0]),
    )
    found = first_values(this, other, other, 7)
    assert found.op.name == "b" and found.difference == pytest.approx(0.1 / 2.1, rel=1e-3)
    assert (
        found.inputs == pytest.approx(1e-7, rel=0.5)
        and found.repeated == 0.0
        and found.identical_graphs
    )
    assert found.sentences()[0] == "The graphs are identical."
    assert (
        "values of step 7 first part at b (Op) (train.py:3: loss = f(x)): difference 4.8e-02"
        in found.sentences()[1]
    )
    assert found.sentences()[2] == "Two runs under TensorFlow 1.15.5 are equal there."
    assert found.as_dict()["op"] == {
        "name": "b",
        "type": "Op",
        "line": ["train.py", 3, "loss = f(x)"],
    }


def test_the_reference_differs_from_itself():
    this, other = record(a=[1.0], b=[2.0], c=[2.0]), record(a=[1.0], b=[3.0], c=[2.0])
    found = first_values(this, other, record(a=[1.0], b=[4.0], c=[2.0]), 1)
    assert found.repeated == 0.25 and "differ there by 2.5e-01" in found.sentences()[2]


def test_graphs_that_differ_by_the_order_of_a_set():
    this, other, again = [record(a=[1.0], b=[2.0], c=[2.0]) for _ in range(3)]
    other.graphs[0].ops[2].inputs[:] = ["a"]
    told = first_values(this, other, again, 1).sentences()[0]
    assert (
        told
        == "The graphs differ only where the program also differs from itself, by the order of Python's sets."
    )
    again.graphs[0].ops[2].inputs[:] = ["a"]
    for repeated in (again, None):
        assert (
            first_values(this, other, repeated, 1)
            .sentences()[0]
            .startswith("The graphs differ, which may")
        )


def test_sums_of_rounding_come_after_other_causes():
    rounding = {"remainder_a": 1e-7}
    this, other = (
        record(a=[1e-8], b=[3.0], c=[1.0], **rounding),
        record(a=[2e-8], b=[3.0], c=[2.0], **rounding),
    )
    assert first_values(this, other, None, 1).op.name == "c"
    other = record(a=[2e-8], b=[3.0], c=[1.0], **rounding)
    found = first_values(this, other, None, 1)
    assert (
        found.op.name == "a"
        and found.is_rounding
        and "consists only of rounding" in found.sentences()[-1]
    )


def test_everything_agrees_or_nothing_is_known():
    this = record(a=[1.0], b=[2.0], c=[2.0])
    assert (
        "the 3 tensors that step 2 computes agree"
        in first_values(this, this, this, 2).sentences()[1]
    )
    empty = record(a=[1.0], b=[2.0], c=[2.0])
    empty.tensors = {}
    assert (
        first_values(this, empty, None, 2).sentences()[1]
        == "The tensors of step 2 could not be fetched."
    )


def test_tensors_of_a_step_before_it_writes(session, tmp_path):
    w = tf.get_variable("w", initializer=[1.0, 3.0])
    x = tf.placeholder(tf.float32, [2], name="x")
    error = tf.subtract(x, w, name="error")
    total = tf.reduce_sum(error, name="total")
    loop = tf.while_loop(lambda i: i < 3.0, lambda i: i + tf.square(total) + 1.0, [1.0])
    step = w.assign(error + loop)
    after = tf.identity(step, name="after")
    session.run(tf.global_variables_initializer())
    path = str(tmp_path / "state")
    found = fetch_step(session, [after.op], [], {"x:0": np.array([3.0, 1.0], np.float32)}, path)
    assert (
        found["error:0"].sample.values.tolist() == [2.0, -2.0] and found["total:0"].remainder == 0.0
    )
    assert "after:0" not in found and "x:0" not in found and "while/add:0" not in found
    assert session.run(w).tolist() == [1.0, 3.0], "the step has run"
    session.run(w.initializer, {w.initializer.inputs[1]: [7.0, 7.0]})
    again = fetch_step(session, [after.op], [], {"x:0": np.array([9.0, 9.0], np.float32)}, path)
    assert again == found
