"""The guard of gradients survives the export and the import of their graph."""

import contextlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from steps import unchanged
from variable_kinds import BOTH_KINDS

GUARDS = {
    "drop_nonfinite": tf1grad.drop_nonfinite,
    "clip_by_norm": lambda pairs: tf1grad.clip_by_norm(pairs, 1e3, nonfinite="skip"),
    "rewritten": lambda pairs: [
        (tf.identity(tf.convert_to_tensor(gradient)), variable)
        for gradient, variable in tf1grad.drop_nonfinite(pairs)
    ],
    "twice": lambda pairs: tf1grad.drop_nonfinite(tf1grad.drop_nonfinite(pairs)),
}


def build(guard):
    """Builds x * w + a sum of rows of a table, and names the guarded gradients;
    returns those names.
    """
    x = tf.placeholder(tf.float32, [2], name="x")
    w = tf.get_variable("w", initializer=[1.0, 2.0])
    table = tf.get_variable("table", initializer=np.zeros([3, 2], np.float32))
    loss = tf.reduce_sum(w * x) + tf.reduce_sum(tf.gather(table, [0, 0]) * x)

    guarded = guard(list(zip(tf.gradients(loss, [w, table]), [w, table])))
    gradients = tf.nest.flatten([gradient for gradient, _ in guarded], expand_composites=True)
    return [tensor.name for tensor in gradients]


def collected(graph, folder):
    path = str(folder / "model.meta")
    tf.train.export_meta_graph(path, graph=graph)
    return lambda: tf.train.import_meta_graph(path) and ""


def proto(graph, folder):
    meta_graph = tf.train.export_meta_graph(graph=graph)
    return lambda: tf.train.import_meta_graph(meta_graph, import_scope="again") and "again/"


def graph_def(graph, folder):
    exported = graph.as_graph_def()

    def read():
        tf.import_graph_def(exported, name="imported")
        return "imported/"

    return read


def pruned(graph, folder):
    """Takes what the gradients and the initializers need, as TensorFlow's tools do;
    the count is not among it.
    """
    kept = [op.name for op in graph.get_operations() if op.name.split("/")[0] in ("w", "table")]
    kept += [name.rsplit(":", 1)[0] for name in graph.get_collection("guarded_names")]
    exported = tf.graph_util.extract_sub_graph(graph.as_graph_def(), kept)

    def read():
        tf.import_graph_def(exported, name="")
        return ""

    return read


EXPORTS = pytest.mark.parametrize("export", [collected, proto, graph_def, pruned])


@contextlib.contextmanager
def imported(export, guard, folder):
    """Opens a graph that was imported, with pairs of its guarded gradients and new variables."""
    exported = tf.Graph()
    with exported.as_default():
        names = build(guard)
        for name in names:
            tf.add_to_collection("guarded_names", name)
        read = export(exported, folder)
    graph = tf.Graph()
    with graph.as_default():
        prefix = read()
        x = graph.get_tensor_by_name(prefix + "x:0")
        tensors = [graph.get_tensor_by_name(prefix + name) for name in names]
        with tf.variable_scope("new"):
            variables = [
                tf.get_variable("w", initializer=[1.0, 2.0]),
                tf.get_variable("table", initializer=np.zeros([3, 2], np.float32)),
            ]
        sparse = tf.IndexedSlices(*tensors[1:3], [3, 2]) if len(tensors) > 2 else tensors[1]
        yield x, list(zip([tensors[0], sparse], variables)), prefix


def initialize(session, prefix):
    """Runs the initializers; those of variables that are not in a collection are found by name."""
    session.run(tf.global_variables_initializer())
    for name in ("w", "table"):
        session.run(session.graph.get_operation_by_name(f"{prefix}{name}/Assign"))


@BOTH_KINDS
@EXPORTS
@pytest.mark.parametrize("guard", GUARDS.values(), ids=list(GUARDS))
def test_an_accumulator_leaves_dropped_micro_batches_out(guard, export, tmp_path, variable_kind):
    with imported(export, guard, tmp_path) as (x, pairs, prefix):
        accumulator = tf1grad.GradientAccumulator(pairs)
        with tf.Session() as session:
            initialize(session, prefix)
            session.run(accumulator.reset)
            for value in ([1.0, 3.0], [np.nan, 1.0], [2.0, 5.0], [1.0, np.inf]):
                session.run(accumulator.accumulate, {x: value})
            assert session.run([accumulator.count, accumulator.total_weight]) == [4, 2]
            (w, _), (table, _) = accumulator.grads_and_vars
            np.testing.assert_allclose(session.run(w), [1.5, 4.0])
            table = session.run(tf.convert_to_tensor(table))
            np.testing.assert_allclose(table[0], [3.0, 8.0])


@EXPORTS
def test_a_step_is_skipped_and_counted(export, tmp_path):
    with imported(export, tf1grad.drop_nonfinite, tmp_path) as (x, pairs, prefix):
        optimizer = tf1grad.ClippingOptimizer(tf.train.AdamOptimizer(0.1), 1e3)
        train_op = optimizer.apply_gradients(pairs)
        with pytest.raises(ValueError, match=r"the gradient of new/(w|table) is guarded"):
            tf.train.AdamOptimizer(0.1).apply_gradients(pairs)
        with tf.Session() as session:
            initialize(session, prefix)
            session.run(train_op, {x: [1.0, 2.0]})
            with unchanged(session, *tf.global_variables()):
                for _ in range(2):
                    session.run(train_op, {x: [np.nan, 2.0]})
            assert session.run(optimizer.dropped) == 2


def test_a_guard_is_found_in_a_graph_that_has_others(session):
    """The second graph is imported after tf1grad has looked at the first."""
    w = tf.get_variable("own", initializer=[1.0, 2.0])
    fed = tf.placeholder_with_default([1.0, 1.0], [2], name="fed")
    own = tf1grad.drop_nonfinite([(tf.identity(fed), w)])
    plain = tf1grad.GradientAccumulator([(tf.identity(fed), w)])
    exported = tf.Graph()
    with exported.as_default():
        names = build(tf1grad.drop_nonfinite)
    tf.import_graph_def(exported.as_graph_def(), name="other")
    graph = tf.get_default_graph()
    imported_pair = graph.get_tensor_by_name("other/" + names[0]), w
    other = tf1grad.GradientAccumulator([imported_pair])
    both = tf1grad.GradientAccumulator([imported_pair, own[0]])
    assert [one.window.guarded for one in (plain, other, both)] == [False, True, True]
