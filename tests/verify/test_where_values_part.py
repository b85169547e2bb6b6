"""Tests where values are said to part: constructed records,
and tensors that are fetched before a step writes.
"""

import numpy as np
import tensorflow.compat.v1 as tf

from tf1grad.programs._samples import sample
from tf1grad.verify.graphs import known_differences
from tf1grad.verify.observed_sessions import SessionRun
from tf1grad.verify.record import Facts, Op, Record
from tf1grad.verify.step_tensors import fetch_step
from tf1grad.verify.where_values_part import where_values_part


def record(first="Op", **values):
    """Returns a record of a chain of ops x -> a -> b -> c with these outputs;
    that of a has the type `first`.
    """
    found = Record(Facts(has_ended=True))
    found.places = [["train.py", 3, "loss = f(x)"]]
    ops = [("Op", "x", []), (first, "a", ["x"]), ("Op", "b", ["a"]), ("Op", "c", ["b"])]
    found.graphs = [[Op(*op, [], {}, [], "", 0) for op in ops]]
    for name, value in values.items():
        found.tensors[name + ":0"] = sample(np.array(value, np.float32))
    return found


def test_the_first_op_whose_inputs_agree():
    this = record(a=[1.0, 2.0], b=[1.0, 2.0], c=[4.0])
    other = record(a=[1.0, 2.0000002], b=[1.0, 2.1], c=[5.0])
    graphs, place = where_values_part(this, other, 7)
    assert graphs == "The graphs are identical."
    assert "step 7 first part at b (Op) (train.py:3: loss = f(x)): difference 4.8e-02" in place
    assert place.endswith("that of its inputs 1.2e-07.")
    other.graphs[0][3].inputs[:] = ["a"]
    assert where_values_part(this, other, 7)[0].startswith("The graphs differ, which may")


def test_the_graphs_are_judged_as_verify_graph_does(monkeypatch):
    this, other, row = record(), record(), known_differences.KnownDifference
    renamed = this.graphs[0][3]._replace(name="d")
    other.graphs[0][3] = renamed
    no_effect = "The graphs differ, but in nothing that can change a number: see verify --graph."
    assert where_values_part(this, other, 7)[0] == no_effect
    monkeypatch.setattr(known_differences, "KNOWN", [row("name", "Op", "", "", "It must stay.")])
    known = "The graphs are identical, except for known differences: 1."
    assert where_values_part(this, other, 7)[0] == known


def test_sums_of_rounding_come_after_other_causes():
    terms = {"x": [1.0, -0.5, -0.5]}
    this = record("Sum", **terms, a=1e-8, b=[3.0], c=[1.0])
    (_, place) = where_values_part(this, record("Sum", **terms, a=2e-8, b=[3.0], c=[2.0]), 1)
    assert "first part at c" in place
    _, place, reason = where_values_part(this, record("Sum", **terms, a=2e-8, b=[3.0], c=[1.0]), 1)
    assert "first part at a" in place
    assert "consists only of rounding: it is 9.4e-09 of its terms" in reason
    assert len(where_values_part(record(**terms, a=1e-8), record(**terms, a=2e-8), 1)) == 2


def test_everything_agrees_or_nothing_is_known():
    this = record(a=[1.0], b=[2.0], c=[2.0])
    assert "what step 2 computes agrees (3 tensors)" in where_values_part(this, this, 2)[1]
    unknown = where_values_part(this, record(), 2)[1]
    assert unknown == "The tensors of step 2 could not be fetched."


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

    def fetch(fed):
        feeds = {"x:0": np.array(fed, np.float32)}
        return fetch_step(SessionRun(session, [after.op], [], feeds, None), path)

    found = fetch([3.0, 1.0])
    assert found["error:0"].values.tolist() == [2.0, -2.0]
    assert found["total:0"].norm == 0.0
    assert found.keys().isdisjoint(["after:0", "x:0", "while/add:0"])
    assert session.run(w).tolist() == [1.0, 3.0], "the step has run"
    session.run(w.initializer, {w.initializer.inputs[1]: [7.0, 7.0]})
    assert fetch([9.0, 9.0]) == found
