"""Compares external optimizers with SciPy on the same functions in NumPy, on both kinds of
variables and both forms.
"""

import gc

import numpy as np
import pytest
import scipy
import scipy.optimize
import tensorflow.compat.v1 as tf

import waiting
from tf1grad.recipes.external.interface import ExternalOptimizerInterface
from tf1grad.recipes.external.progress import print_progress
from tf1grad.recipes.external.scipy_interface import ScipyOptimizerInterface

TARGET = np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]])
SCALE = np.array([[1.0, 4.0], [2.0, 0.5], [3.0, 1.0]])


def numpy_loss(vector):
    """Returns a coupled quadratic of a [3, 2] matrix and a scalar,
    as one vector, and its gradient.
    """
    matrix, scalar = vector[:6].reshape(3, 2), vector[6]
    residual = matrix - TARGET * scalar
    loss = np.sum(SCALE * residual**2) + 3 * (scalar - 2) ** 2 + (scalar - 2) ** 4
    slope = 2 * SCALE * residual
    return loss, np.append(
        slope, -np.sum(slope * TARGET) + 6 * (scalar - 2) + 4 * (scalar - 2) ** 3
    )


def tf_loss(matrix, scalar):
    dtype = matrix.dtype.base_dtype
    scale, target, away = tf.constant(SCALE, dtype), tf.constant(TARGET, dtype), scalar - 2
    return (
        tf.reduce_sum(scale * tf.square(matrix - target * scalar))
        + 3 * tf.square(away)
        + tf.pow(away, 4)
    )


def build(dtype=np.float64):
    matrix = tf.get_variable("matrix", initializer=np.full([3, 2], 0.5, dtype))
    scalar = tf.get_variable("scalar", initializer=dtype(1.0))
    return [matrix, scalar]


START = np.append(np.full(6, 0.5), 1.0)


@pytest.fixture(params=["tensor", pytest.param("function", marks=pytest.mark.slow)])
def form(request):
    """Returns the loss as a tensor built on the variables, or as a function of their values."""
    if request.param == "tensor":
        return lambda function, variables: function(*variables)
    return lambda function, variables: function


@pytest.fixture
def made(session, form):
    """Returns a function that builds the variables and an optimizer of `tf_loss`,
    and initializes them.
    """

    def make(dtype=np.float64, cls=ScipyOptimizerInterface, loss=tf_loss, **options):
        variables = build(dtype)
        optimizer = cls(form(loss, variables), variables, **options)
        session.run(tf.global_variables_initializer())
        return variables, optimizer

    return make


def current(session, variables):
    return np.concatenate([np.ravel(value) for value in session.run(variables)])


@pytest.mark.parametrize("method", ["L-BFGS-B", "CG", "BFGS", "TNC", "SLSQP", "trust-constr"])
def test_float64_equals_scipy_on_numpy(session, made, method):
    variables, optimizer = made(method=method)
    result = optimizer.minimize(session)
    expected = scipy.optimize.minimize(numpy_loss, START, jac=True, method=method)
    assert result.nfev == expected.nfev and result.nit == expected.nit
    np.testing.assert_allclose(result.x, expected.x, atol=1e-7)
    np.testing.assert_array_equal(current(session, variables), result.x)


@pytest.mark.parametrize(
    "method, options", [("SLSQP", {}), ("newton-cg", {"options": {"maxiter": 200}})]
)
def test_float32_finds_the_minimum(session, made, method, options):
    variables, optimizer = made(np.float32, method=method, **options)
    result = optimizer.minimize(session)
    assert result.x.dtype == np.float64
    np.testing.assert_allclose(result.x, np.append(2 * TARGET, 2.0), atol=0.05)
    np.testing.assert_array_equal(current(session, variables), result.x.astype(np.float32))


def test_mixed_dtypes_keep_the_wider(session, form):
    wide = tf.get_variable("wide", initializer=np.float64(0.0))
    narrow = tf.get_variable("narrow", initializer=np.zeros(2, np.float32))

    def loss(wide, narrow):
        return tf.square(wide - 1 / 3.0) + tf.cast(tf.reduce_sum(tf.square(narrow - 1)), tf.float64)

    optimizer = ScipyOptimizerInterface(form(loss, [wide, narrow]), [wide, narrow], tol=1e-15)
    session.run(tf.global_variables_initializer())
    optimizer.minimize(session)
    assert abs(session.run(wide) - 1 / 3.0) < 1e-12
    np.testing.assert_allclose(session.run(narrow), [1, 1], rtol=1e-6)


LOWS = {
    "array": np.array([[-1.0], [0.0], [-np.inf]]),
    "None in a list": [[-1], [0], [None]],
    "None in an array": np.array([[-1.0] * 2, [0.0] * 2, [None] * 2]),
}


@pytest.mark.parametrize(
    "method, low",
    [(method, "array") for method in ("L-BFGS-B", "SLSQP", "TNC", "trust-constr")]
    + [("L-BFGS-B", "None in a list"), ("L-BFGS-B", "None in an array")],
)
def test_bounds_equal_scipy_on_numpy(session, form, method, low):
    variables, low = build(), LOWS[low]
    optimizer = ScipyOptimizerInterface(
        form(tf_loss, variables),
        var_to_bounds={variables[0]: (low, 2.0), variables[1]: (None, 1.5)},
        method=method,
    )
    session.run(tf.global_variables_initializer())
    result = optimizer.minimize(session)
    bounds = [(-1, 2), (-1, 2), (0, 2), (0, 2), (None, 2), (None, 2), (None, 1.5)]
    expected = scipy.optimize.minimize(numpy_loss, START, jac=True, method=method, bounds=bounds)
    np.testing.assert_allclose(result.x, expected.x, atol=1e-6)
    assert result.nfev == expected.nfev


# SciPy says that COBYLA needs no gradient, and that a linear function could have a simpler Hessian.
@pytest.mark.filterwarnings(
    "ignore:Method COBYLA:RuntimeWarning", "ignore:delta_grad == 0.0:UserWarning"
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "method, atol", [("SLSQP", 1e-3), ("COBYLA", 1e-2), ("trust-constr", 1e-2)]
)
def test_constraints(session, form, method, atol, dtype):
    """min x^2 + 2 y^2 subject to x + y = 3 (COBYLA of old SciPy:
    x + y >= 3) and x <= 1.5: at (1.5, 1.5).
    """
    v = tf.get_variable("v", initializer=np.array([0.0, 0.0], dtype))

    def total(v):
        return tf.reduce_sum(v) - 3

    constraints = {"inequalities" if method == "COBYLA" else "equalities": [form(total, [v])]}
    constraints.setdefault("inequalities", []).append(form(lambda v: 1.5 - v[0], [v]))
    optimizer = ScipyOptimizerInterface(
        form(lambda v: v[0] ** 2 + 2 * v[1] ** 2, [v]), method=method, **constraints
    )
    session.run(tf.global_variables_initializer())
    optimizer.minimize(session)
    np.testing.assert_allclose(session.run(v), [1.5, 1.5], atol=atol)


def test_feed_dict_reaches_loss_and_constraints(session, form):
    v = tf.get_variable("v", initializer=0.0)
    x = tf.placeholder(tf.float32, [None])
    least = tf.placeholder(tf.float32, [])
    optimizer = ScipyOptimizerInterface(
        form(lambda v: tf.reduce_mean(tf.square(v - x)), [v]),
        method="SLSQP",
        inequalities=[form(lambda v: v - least, [v])],
    )
    session.run(tf.global_variables_initializer())
    for low, expected in ((0.0, 2.0), (5.0, 5.0)):
        optimizer.minimize(session, feed_dict={x: [1, 2, 3], least: low})
        assert abs(session.run(v) - expected) < 1e-4


def test_sparse_gradients_and_unreached_variables(session):
    table = tf.get_variable("table", initializer=np.zeros([5, 2]))
    alone = tf.get_variable("alone", initializer=np.float64(7.0))
    loss = tf.reduce_sum(tf.square(tf.gather(table, [1, 3, 1]) - [[1.0, 2], [3, 4], [5, 6]]))
    optimizer = ScipyOptimizerInterface(loss)
    session.run(tf.global_variables_initializer())
    value, gradient = optimizer.loss_and_gradient(session)(optimizer.vector(session))
    expected = np.zeros([5, 2])
    expected[1], expected[3] = [-12, -16], [-6, -8]
    np.testing.assert_array_equal(gradient, np.append(expected, 0))
    assert value == 91
    optimizer.minimize(session)
    np.testing.assert_allclose(session.run(table)[[0, 1, 3]], [[0, 0], [3, 4], [3, 4]], atol=1e-5)
    assert session.run(alone) == 7.0


def test_a_session_by_default_and_a_monitored_one(graph):
    optimizer = ScipyOptimizerInterface(tf_loss(*build()))
    with tf.Session().as_default() as session:
        session.run(tf.global_variables_initializer())
        expected = optimizer.minimize()
    tf.train.get_or_create_global_step()
    with tf.train.MonitoredSession() as session:
        result = optimizer.minimize(session)
    np.testing.assert_array_equal(result.x, expected.x)


def test_callbacks(session):
    variables = build()
    loss = tf_loss(*variables)
    optimizer = ScipyOptimizerInterface(loss, options={"maxiter": 5})
    session.run(tf.global_variables_initializer())
    losses, steps = [], []
    result = optimizer.minimize(
        session,
        fetches=[loss, {"matrix": variables[0]}],
        step_callback=steps.append,
        loss_callback=lambda value, rest: losses.append((value, rest["matrix"])),
    )
    assert len(losses) == result.nfev and len(steps) == result.nit
    reference = scipy.optimize.minimize(
        numpy_loss, START, jac=True, method="L-BFGS-B", options={"maxiter": 5}
    )
    np.testing.assert_allclose(steps[-1], reference.x, rtol=1e-8)
    for value, matrix in losses[1:3]:  # what was fetched stays what it was
        assert value != losses[0][0] and not np.array_equal(matrix, losses[0][1])


OLD_SCIPY = tuple(int(part) for part in scipy.__version__.split(".")[:2]) < (1, 11)


@pytest.mark.parametrize(
    "method",
    [
        "L-BFGS-B",
        "CG",
        "SLSQP",
        "trust-constr",
        pytest.param(
            "TNC",
            marks=pytest.mark.skipif(
                OLD_SCIPY, reason="an exception cannot leave old SciPy's C code"
            ),
        ),
    ],
)
def test_stop_iteration_ends_the_search_at_that_point(session, made, method):
    variables, optimizer = made(method=method)
    points = []
    result = optimizer.minimize(
        session, step_callback=lambda x, *_: stop_after(3, points, np.array(x), StopIteration)
    )
    assert len(points) == 3 and result.status in (3, 99)  # 3 is trust-constr's own
    np.testing.assert_array_equal(result.x, points[-1])
    np.testing.assert_array_equal(current(session, variables), points[-1])


def stop_after(count, seen, value, error):
    """Adds the value to `seen`, and raises the error when there are `count`."""
    seen.append(value)
    if len(seen) == count:
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("method", ["L-BFGS-B", "CG", "BFGS"])
def test_an_exception_leaves_the_best_point(session, made, method, error):
    variables, optimizer = made(method=method)
    seen = []
    with pytest.raises(error):
        optimizer.minimize(session, progress=lambda now: stop_after(9, seen, now.loss, error))
    loss, _ = numpy_loss(current(session, variables))
    assert loss == pytest.approx(min(seen), rel=1e-12) and loss < seen[0]


def test_an_exception_under_constraints_leaves_the_last_iterate(session, form):
    variables = build()
    optimizer = ScipyOptimizerInterface(
        form(tf_loss, variables),
        method="SLSQP",
        equalities=[form(lambda matrix, scalar: matrix[0, 0] + scalar - 1, variables)],
    )
    session.run(tf.global_variables_initializer())
    points = []
    with pytest.raises(ZeroDivisionError):
        optimizer.minimize(
            session, step_callback=lambda x: stop_after(2, points, np.array(x), ZeroDivisionError)
        )
    np.testing.assert_array_equal(current(session, variables), points[-1])


def test_losses_that_are_nan_are_never_best(session, form):
    v = tf.get_variable("v", initializer=np.float64(1.0))

    class Prober(ExternalOptimizerInterface):
        def _minimize(self, initial_val, loss_grad_func, **_):
            losses = [loss_grad_func(np.array([point]))[0] for point in (2.0, -1.0, 3.0)]
            assert np.isnan(losses[1])
            raise ZeroDivisionError

    optimizer = Prober(form(lambda v: -tf.log(v) + v, [v]))
    session.run(tf.global_variables_initializer())
    with pytest.raises(ZeroDivisionError):
        optimizer.minimize(session)
    assert session.run(v) == 2.0


def test_run_kwargs_reach_every_run(session, made):
    _, optimizer = made()
    runs = []

    class Counting:
        graph = session.graph

        def run(self, *args, **kwargs):
            runs.append(kwargs)
            return session.run(*args, **kwargs)

    options = tf.RunOptions(timeout_in_ms=int(1000 * waiting.SECONDS))
    result = optimizer.minimize(Counting(), options=options)
    assert len(runs) >= result.nfev and all(run == {"options": options} for run in runs)
    np.testing.assert_allclose(result.x, np.append(2 * TARGET, 2.0), atol=0.1)


@pytest.mark.slow
@pytest.mark.each_release
def test_minimize_adds_nothing_to_a_finalized_graph_and_keeps_its_cost(session, made):
    x = tf.placeholder(tf.float64, [None])
    _, optimizer = made(
        loss=lambda *values: tf_loss(*values) + tf.reduce_sum(x), options={"maxiter": 1}
    )
    tf.get_default_graph().finalize()
    optimizer.minimize(session, {x: [1.0]})
    runs = optimizer._prepared.cache_info().currsize
    gc.collect()
    objects = len(gc.get_objects())
    for size in range(300):
        optimizer.minimize(session, {x: np.ones(size)})
    gc.collect()
    assert optimizer._prepared.cache_info().currsize == runs
    assert len(gc.get_objects()) - objects < 300


def data(rows=24):
    random = np.random.RandomState(1)
    return random.randn(rows, 3), random.randn(rows)


@pytest.mark.parametrize("given", ["list", "function"])
def test_micro_batches_equal_the_full_batch(session, form, given):
    features, labels = data()
    w = tf.get_variable("w", initializer=np.zeros(3))
    x, y = tf.placeholder(tf.float64, [None, 3]), tf.placeholder(tf.float64, [None])
    scale = tf.placeholder(tf.float64, [])
    optimizer = ScipyOptimizerInterface(
        form(lambda w: scale * tf.reduce_sum(tf.log(tf.cosh(tf.linalg.matvec(x, w) - y))), [w])
    )
    session.run(tf.global_variables_initializer())
    whole = optimizer.minimize(session, {x: features, y: labels, scale: 0.5})
    session.run(w.initializer)
    parts = [
        {x: features[begin : begin + 7], y: labels[begin : begin + 7]} for begin in range(0, 24, 7)
    ]
    result = optimizer.minimize(
        session, {scale: 0.5}, feed_dicts=parts if given == "list" else lambda: iter(parts)
    )
    np.testing.assert_allclose(result.x, whole.x, rtol=1e-6)
    residual = features.dot(result.x) - labels
    np.testing.assert_allclose(features.T.dot(np.tanh(residual)), np.zeros(3), atol=1e-3)


def test_feeds_of_every_kind_that_may_change_during_the_search(session, form):
    v = tf.get_variable("v", initializer=0.0)
    sparse, text = tf.sparse_placeholder(tf.float32, [4]), tf.placeholder(tf.string, [None])
    handle, array = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    optimizer = ScipyOptimizerInterface(
        form(
            lambda v: tf.square(
                v
                - sum(
                    map(tf.reduce_sum, (sparse.values, tf.strings.to_number(text), handle, array))
                )
            ),
            [v],
        )
    )
    session.run(tf.global_variables_initializer())
    stored, fed = (
        session.run(tf.get_session_handle(tf.constant([100.0, 200.0]))),
        np.full(5, 800, np.float32),
    )
    result = optimizer.minimize(
        session,
        {
            sparse: tf.SparseTensorValue([[1], [2]], [1.0, 2.0], [4]),
            text: ["10", "20"],
            handle: stored,
            array: fed,
        },
        loss_callback=lambda: fed.fill(-9),
    )
    np.testing.assert_allclose(result.x, [4333.0], rtol=1e-5)


def test_the_variables_own_their_memory_at_the_end(graph):
    v = tf.get_variable("v", initializer=np.zeros(1000))
    optimizer = ScipyOptimizerInterface(tf.reduce_sum(tf.square(v - 1)))
    with tf.Session() as first, tf.Session() as second:
        for session in (first, second):
            session.run(tf.global_variables_initializer())
        result = optimizer.minimize(first)
        result.x[:] = 5
        function = optimizer.loss_and_gradient(second)
        for value in (7.0, 8.0, 9.0):
            function(np.full(1000, value))
        np.testing.assert_allclose(first.run(v), np.ones(1000), atol=1e-6)


def test_flat_access(session, made):
    variables, optimizer = made()
    np.testing.assert_array_equal(optimizer.vector(session), START)
    function = optimizer.loss_and_gradient(session)
    for point in np.random.randn(3, 7):
        loss, gradient = function(point)
        expected_loss, expected_gradient = numpy_loss(point)
        assert isinstance(loss, float) and gradient.dtype == np.float64
        np.testing.assert_allclose(loss, expected_loss, rtol=1e-12)
        np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-12)
    result = scipy.optimize.basinhopping(
        function, START, niter=2, minimizer_kwargs={"jac": True}, seed=0
    )
    optimizer.assign(result.x, session)
    np.testing.assert_array_equal(current(session, variables), result.x)


def test_least_squares_on_residuals(session):
    features, labels = data()
    w = tf.get_variable("w", initializer=np.zeros(3))
    x = tf.placeholder(tf.float64, [None, 3])
    residuals = tf.linalg.matvec(x, w) - labels
    optimizer = ScipyOptimizerInterface(tf.reduce_sum(tf.square(residuals)))
    session.run(tf.global_variables_initializer())
    function = optimizer.tensor_function(residuals, session, {x: features})
    result = scipy.optimize.least_squares(function, optimizer.vector(session))
    optimizer.assign(result.x, session)
    np.testing.assert_allclose(
        session.run(w), np.linalg.lstsq(features, labels, rcond=None)[0], atol=1e-6
    )


def test_progress(session, made):
    _, optimizer = made()
    seen, lines = [], []
    write = print_progress(every=2, write=lines.append)
    result = optimizer.minimize(session, progress=lambda now: [seen.append(now), write(now)])
    assert [now.evaluations for now in seen] == list(range(1, result.nfev + 1))
    loss, gradient = numpy_loss(START)
    assert seen[0].loss == pytest.approx(loss) and seen[0].gradient_norm == pytest.approx(
        np.linalg.norm(gradient)
    )
    assert all(now.evaluations_per_second > 0 for now in seen)
    assert len(lines) == (result.nfev + 1) // 2
    assert lines[0].startswith(f"evaluation      1  loss {loss:.6e}")


class GradientDescent(ExternalOptimizerInterface):
    """A subclass as it was written for tf.contrib.opt."""

    def _minimize(
        self,
        initial_val,
        loss_grad_func,
        equality_funcs,
        equality_grad_funcs,
        inequality_funcs,
        inequality_grad_funcs,
        packed_bounds,
        step_callback,
        optimizer_kwargs,
    ):
        x = initial_val
        for _ in range(optimizer_kwargs["steps"]):
            loss, gradient = loss_grad_func(x)
            x = x - optimizer_kwargs["rate"] * gradient
            step_callback(x)
        assert equality_funcs[0](x)[0].shape == () and equality_grad_funcs[0](x)[0].shape == x.shape
        assert packed_bounds is None and inequality_funcs == inequality_grad_funcs == []
        return x


def test_a_subclass_with_its_own_minimize(session, form):
    variables = build()
    optimizer = GradientDescent(
        form(tf_loss, variables),
        steps=5,
        rate=0.01,
        equalities=[form(lambda matrix, scalar: scalar - 1, variables)],
    )
    session.run(tf.global_variables_initializer())
    end = optimizer.minimize(session)
    expected = START
    for _ in range(5):
        expected = expected - 0.01 * numpy_loss(expected)[1]
    np.testing.assert_allclose(end, expected, rtol=1e-12)
    np.testing.assert_array_equal(current(session, variables), end)


def test_log_lines(session, made, log):
    _, optimizer = made()
    result = optimizer.minimize(session)
    assert log[-1:] == [
        f"Optimization terminated with:\n  Message: {result.message}\n  Objective function value: "
        f"{result.fun:f}\n"
        f"  Number of iterations: {result.nit}\n  Number of functions evaluations: {result.nfev}"
    ]


def test_xla_equals_the_plain_graph(session):
    variables = build()
    session.run(tf.global_variables_initializer())
    optimizer = ScipyOptimizerInterface(tf_loss, variables, xla=True)
    for point in np.random.randn(3, 7):
        loss, gradient = optimizer.loss_and_gradient(session)(point)
        np.testing.assert_allclose(loss, numpy_loss(point)[0], rtol=1e-10)
        np.testing.assert_allclose(gradient, numpy_loss(point)[1], rtol=1e-9, atol=1e-9)
