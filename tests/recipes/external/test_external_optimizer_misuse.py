"""Tests misuse of the external optimizers:
each is refused by name, when the graph is built if possible.
"""

import sys

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.recipes.external.interface import ExternalOptimizerInterface
from tf1grad.recipes.external.progress import print_progress
from tf1grad.recipes.external.scipy_interface import ScipyOptimizerInterface
from variable_kinds import BOTH_KINDS

INTERFACE = ScipyOptimizerInterface


class Model:
    def __init__(self):
        self.v = tf.get_variable("v", initializer=[1.0, 2.0])
        self.w = tf.get_variable("w", initializer=3.0)
        self.count = tf.get_variable("count", initializer=4, trainable=False)
        self.x = tf.placeholder(tf.float32, [2], name="x")
        self.open = tf.Variable(
            tf.placeholder(tf.float32), trainable=False, validate_shape=False, name="open"
        )
        self.initializer = tf.variables_initializer([self.v, self.w])
        self.loss = tf.reduce_sum(tf.square(self.v)) + self.w**2 + 0 * tf.reduce_sum(self.x)

    @staticmethod
    def function(v, w):
        return tf.reduce_sum(tf.square(v)) + w**2


AT_BUILD = [
    (lambda m: INTERFACE(3.0), TypeError, "the loss must be a tensor; got float"),
    (lambda m: INTERFACE(m.v * 2), ValueError, r"the loss.*shape \(2,\).*tf.reduce_sum"),
    (lambda m: INTERFACE(tf.cast(m.loss, tf.int32)), TypeError, "the loss.*int32"),
    (
        lambda m: INTERFACE(m.loss, equalities=m.w),
        TypeError,
        r"equalities must be a list.*w:0.*equalities=\[\.\.\.\]",
    ),
    (
        lambda m: INTERFACE(tf.reduce_sum(m.x)),
        ValueError,
        "the loss reaches none of the variables.*v:0.*w:0",
    ),
    (
        lambda m: INTERFACE(tf.placeholder(tf.float32, [None]) * m.w),
        ValueError,
        r"the loss.*it must be a scalar.*tf.reduce_sum",
    ),
    (lambda m: INTERFACE(m.loss, []), ValueError, "no variable to optimize"),
    (
        lambda m: INTERFACE(m.loss, [m.v, m.x]),
        TypeError,
        "var_list must hold variables; got .*Tensor x:0",
    ),
    (lambda m: INTERFACE(m.loss, [m.v, m.w, m.v]), ValueError, "v:0 is in var_list more than once"),
    (lambda m: INTERFACE(m.loss, [m.v, m.count]), TypeError, "count:0 is int32"),
    (lambda m: INTERFACE(m.loss, [m.v, m.open]), ValueError, "open:0 has the shape <unknown>"),
    (
        lambda m: INTERFACE(m.loss, equalities=[m.function]),
        TypeError,
        r"the loss is a tensor, so equalities\[0\]",
    ),
    (
        lambda m: INTERFACE(m.function, equalities=[m.w]),
        TypeError,
        r"the loss is a function, so equalities\[0\]",
    ),
    (lambda m: INTERFACE(lambda v, w: tf.reduce_sum(m.x)), ValueError, "the loss reaches none"),
    (lambda m: INTERFACE(m.loss, xla=True), ValueError, "xla=True.*as a function"),
    (
        lambda m: INTERFACE(m.loss, var_to_bounds=[(0, 1)]),
        TypeError,
        "var_to_bounds must be a dict",
    ),
    (
        lambda m: INTERFACE(m.loss, var_to_bounds={m.count: (0, 1)}),
        ValueError,
        "count:0, which is none of.*v:0",
    ),
    (
        lambda m: INTERFACE(m.loss, var_to_bounds={m.v: 1}),
        ValueError,
        r"v:0 must be a pair \(low, high\).*got 1",
    ),
    (
        lambda m: INTERFACE(m.loss, var_to_bounds={m.v: (0, [1, 2, 3])}),
        ValueError,
        r"v:0 must.*broadcast to its shape \[2\]; got",
    ),
    (
        lambda m: INTERFACE(m.loss, var_to_bounds={m.v: (2, [3, 1])}),
        ValueError,
        "v:0 must be low <= high",
    ),
    (
        lambda m: INTERFACE(m.loss, var_to_bounds={m.w: (float("nan"), 1)}),
        ValueError,
        "w:0 must be low <= high",
    ),
    (
        lambda m: INTERFACE(m.loss, var_to_bounds={m.v: ([None, "1"], "a")}),
        ValueError,
        r"v:0 must be a pair",
    ),
    (
        lambda m: INTERFACE(m.loss, bounds=[(0, 1)]),
        ValueError,
        "Bounds must be set using the var_to_bounds argument",
    ),
    (
        lambda m: INTERFACE(m.loss, maxiter=20),
        TypeError,
        r"minimize has no argument maxiter. .*options=\{'maxiter': 20\}",
    ),
    (lambda m: INTERFACE(m.loss, callback=print), ValueError, "step_callback argument of minimize"),
    (lambda m: print_progress(every=0), ValueError, "at least 1"),
]


@pytest.mark.parametrize(
    "misuse, error, message", AT_BUILD, ids=[message for _, _, message in AT_BUILD]
)
def test_misuse_is_refused_when_the_graph_is_built(graph, misuse, error, message):
    model = Model()
    with pytest.raises(error, match=message):
        misuse(model)


IN_A_SEARCH = [
    (lambda o, s, m: o.minimize(tf.Session(graph=tf.Graph())), ValueError, "another graph"),
    (lambda o, s, m: o.minimize(s, [m.x]), TypeError, "feed_dict must be a dict"),
    (
        lambda o, s, m: INTERFACE(m.loss, method="LBFGS").minimize(s, {m.x: [0, 0]}),
        ValueError,
        "method must be one of scipy.optimize.minimize, such as 'L-BFGS-B'.*; got 'LBFGS'",
    ),
    (
        lambda o, s, m: o.minimize(s, {m.x: [0, 0]}, progress=print_progress),
        TypeError,
        r"call it.*progress=print_progress\(\)",
    ),
    (
        lambda o, s, m: o.minimize(s, {m.x: [0, 0]}, fetches=m.loss),
        TypeError,
        r"fetches must be a list.*fetches=\[",
    ),
    (
        lambda o, s, m: o.minimize(s, {m.x: [0, 0]}, step_callback=1),
        TypeError,
        "a callback must be a function; got int 1",
    ),
    (
        lambda o, s, m: o.tensor_function("loss", s),
        TypeError,
        "tensor must be a tf.Tensor; got str 'loss'",
    ),
    (
        lambda o, s, m: o.minimize(s, {m.v: [0, 0]}),
        ValueError,
        "feed_dict feeds v:0, which is being optimized",
    ),
    (lambda o, s, m: o.minimize(s, {m.x: [0, 0, 0]}), ValueError, r"\(3,\) for x:0"),
    (
        lambda o, s, m: o.minimize(s, feed_dicts=iter([{m.x: [0, 0]}])),
        TypeError,
        "returns a new iterator",
    ),
    (lambda o, s, m: o.minimize(s, feed_dicts=lambda: iter([])), ValueError, "no micro-batch"),
    (
        lambda o, s, m: o.minimize(s, feed_dicts=[m.x]),
        TypeError,
        "an element of feed_dicts must be a dict",
    ),
    (
        lambda o, s, m: o.minimize(s, feed_dicts=[{m.x: [0, 0]}], fetches=[m.loss]),
        ValueError,
        "cannot be summed",
    ),
    (
        lambda o, s, m: o.assign(np.zeros(4), s),
        ValueError,
        r"assign: vector must be a vector of the shape \(3,\); got the shape \(4,\)",
    ),
    (lambda o, s, m: o.minimize(s), tf.errors.InvalidArgumentError, "x"),
]


@pytest.mark.parametrize(
    "misuse, error, message", IN_A_SEARCH, ids=[message for _, _, message in IN_A_SEARCH]
)
def test_misuse_in_a_search_is_refused_and_changes_nothing(session, misuse, error, message):
    model = Model()
    optimizer = INTERFACE(model.loss)
    session.run(model.initializer)
    with pytest.raises(error, match=message):
        misuse(optimizer, session, model)
    np.testing.assert_array_equal(optimizer.vector(session), [1, 2, 3])


@pytest.mark.parametrize(
    "misuse",
    [lambda o, s, m: o.minimize(s, fetches=[m.v]), lambda o, s, m: o.tensor_function(m.loss, s)],
    ids=["fetches", "tensor_function"],
)
def test_a_loss_given_as_a_function_reads_no_variables(session, misuse):
    model = Model()
    optimizer = INTERFACE(model.function)
    session.run(model.initializer)
    with pytest.raises(ValueError, match="loss given as a function"):
        misuse(optimizer, session, model)


def test_variables_that_were_not_initialised(session):
    model = Model()
    with pytest.raises((tf.errors.FailedPreconditionError, tf.errors.NotFoundError), match="v|w"):
        INTERFACE(model.loss).minimize(session, {model.x: [0, 0]})
    assert session.run(tf.report_uninitialized_variables([model.v, model.w])).tolist() == [
        b"v",
        b"w",
    ]


@BOTH_KINDS
@pytest.mark.parametrize("others", [[], ["sums"]])
def test_a_loss_through_a_write_names_the_op_that_has_no_gradient(graph, others):
    sums, v = tf.get_variable("sums", initializer=[0.0, 0.0]), Model().v
    loss = tf.reduce_sum(tf.square(tf.scatter_add(sums, [0, 1], v, name="add")))
    with pytest.raises(
        ValueError, match=r"the loss depends on v:0 only through \S*(add|Add).*ScatterAdd has no"
    ):
        INTERFACE(loss, [v] + [sums] * len(others))


@BOTH_KINDS
def test_writes_that_the_loss_does_not_read_are_no_fault(session):
    model = Model()
    mean = tf.get_variable("mean", initializer=0.0, trainable=False)
    with tf.control_dependencies([mean.assign(model.w)]):
        loss = tf.reduce_sum(tf.square(model.v)) + 0
    session.run([model.initializer, mean.initializer])
    optimizer = INTERFACE(loss, [model.v, model.w])
    assert optimizer.loss_and_gradient(session)([1, 2, 3])[1].tolist() == [2, 4, 0]


@BOTH_KINDS
def test_one_variable_need_not_be_in_a_list(session):
    model = Model()
    session.run(model.initializer)
    optimizer = INTERFACE(model.loss, model.v)
    optimizer.minimize(session, {model.x: [0, 0]})
    np.testing.assert_allclose(session.run(model.v), [0, 0], atol=1e-5)
    assert session.run(model.w) == 3


def test_without_a_session(graph):
    with pytest.raises(ValueError, match="no session.*as_default"):
        INTERFACE(Model().loss).minimize()


class ReturnsNoVector(ExternalOptimizerInterface):
    def _minimize(self, **kwargs):
        return np.zeros(2)


class AsksElsewhere(ExternalOptimizerInterface):
    def _minimize(self, initial_val, loss_grad_func, **kwargs):
        loss_grad_func(np.zeros([3, 1]))


@pytest.mark.parametrize(
    "subclass, error, message",
    [
        (
            ReturnsNoVector,
            ValueError,
            r"_minimize must return a vector of the shape \(3,\); got the shape \(2,\)",
        ),
        (AsksElsewhere, ValueError, r"a vector of shape \(3,\); got the shape \(3, 1\)"),
        (ExternalOptimizerInterface, NotImplementedError, "must define _minimize"),
    ],
)
def test_a_subclass_that_does_not_search(subclass, error, message, session):
    model = Model()
    session.run(model.initializer)
    optimizer = subclass(model.loss)
    with pytest.raises(error, match=message):
        optimizer.minimize(session, {model.x: [0, 0]})
    np.testing.assert_array_equal(optimizer.vector(session), [1, 2, 3])


def test_without_scipy(graph, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match="needs SciPy: pip install scipy"):
        INTERFACE(Model().loss)
