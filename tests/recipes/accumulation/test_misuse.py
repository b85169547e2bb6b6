"""Tests that misuse raises an error, and that the message names the argument or variable,
the value and the remedy.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad


class Made:
    """A small graph with one of everything that can be misused."""

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3], name="x")
        self.w = tf.get_variable("w", initializer=tf.zeros([3]))
        self.v = tf.get_variable("v", initializer=tf.zeros([2, 2]))
        table = tf.get_variable("table", initializer=tf.zeros([5, 2]))
        self.gradient = tf.gradients(tf.reduce_sum(self.w * self.x), self.w)[0]
        rows = tf.gradients(tf.reduce_sum(tf.gather(table, [1, 1])), table)[0]
        self.pairs = [(self.gradient, self.w), (None, self.v)]
        self.optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.accumulator = tf1grad.GradientAccumulator(self.pairs)
        self.step = self.accumulator.step(self.optimizer)
        self.fed, self.sparse_fed = (
            tf1grad.feed_gradients(self.pairs),
            tf1grad.feed_gradients([(rows, table)]),
        )

    def zip_that_was_read(self):
        pairs = zip(*zip(*self.pairs))
        list(pairs)
        return pairs


class Keras:
    """Has the attributes of a Keras optimizer."""

    def apply_gradients(self, grads_and_vars, name=None):
        raise AssertionError("it was called")

    def get_config(self):
        return {}


SGD = tf.train.GradientDescentOptimizer


def accumulate(pairs, **options):
    return tf1grad.GradientAccumulator(pairs, **options)


def whole_numbers():
    return [(tf.constant([3, 4]), tf.get_variable("whole", initializer=[1, 2], trainable=False))]


def wrap(optimizer, batches_per_step=2, **options):
    return tf1grad.AccumulatingOptimizer(optimizer, batches_per_step, **options)


def split(loss_fn, batch, size=2):
    return tf1grad.split_batch(loss_fn, batch, size)


def mean_of(m):
    return lambda x: tf.reduce_mean(x * m.w)


MISUSES = {
    # grads_and_vars, wherever it is taken
    "swapped pair": (
        lambda m: accumulate([(m.w, m.gradient)]),
        TypeError,
        r"GradientAccumulator: the pair \(w:0, .*\) is swapped: write \(gradient, variable\)",
    ),
    "swapped pair with None": (
        lambda m: accumulate([(m.w, None)]),
        TypeError,
        r"w:0, .*None.* is swapped: write",
    ),
    "variable as its own gradient": (
        lambda m: accumulate([(m.w, m.w)]),
        TypeError,
        r"w:0 is paired with itself.*the gradients come first",
    ),
    "no list": (
        lambda m: accumulate(m.gradient),
        TypeError,
        r"grads_and_vars must be a list of \(gradient, variable\) pairs, as .*compute_gradients.*got .*Tensor",
    ),
    "triple": (
        lambda m: accumulate([(m.gradient, m.w, 1)]),
        TypeError,
        r"pairs; got an element of 3: .*w",
    ),
    "no variable": (
        lambda m: accumulate([(m.gradient, "w")]),
        TypeError,
        r"second member of each pair must be a variable; got str 'w'",
    ),
    "empty list": (
        lambda m: accumulate([]),
        ValueError,
        r"grads_and_vars is empty.*check that the model has trainable variables",
    ),
    "only None": (
        lambda m: accumulate([(None, m.w), (None, m.v)]),
        ValueError,
        r"every gradient is None.*\['w:0', 'v:0'\].*pass the var_list",
    ),
    "gradient of another variable": (
        lambda m: accumulate([(m.gradient, m.v)]),
        ValueError,
        r"the gradient of v:0 has shape \(3,\), the variable has \(2, 2\).*another",
    ),
    "mean of whole numbers": (
        lambda m: accumulate(whole_numbers()),
        TypeError,
        "GradientAccumulator: whole:0 and its gradient are int32.*Make the variable float",
    ),
    "gradient of another dtype": (
        lambda m: accumulate([(tf.cast(m.gradient, tf.float64), m.w)]),
        TypeError,
        r"the gradient of w:0 is float64, the variable is float32. Cast it",
    ),
    "array as gradient": (
        lambda m: accumulate([(np.zeros(3, np.float32), m.w)]),
        TypeError,
        r"the gradient of w:0 must be a tensor.*got ndarray.*feed_gradients",
    ),
    "used-up zip": (
        lambda m: accumulate(m.zip_that_was_read()),
        ValueError,
        r"a zip that was read before: write list\(zip\(",
    ),
    "gradients alone": (
        lambda m: tf1grad.clip_by_global_norm([m.gradient], 5.0),
        TypeError,
        r"tf.clip_by_global_norm takes them, become pairs by list\(zip\(gradients, variables\)\)",
    ),
    # GradientAccumulator
    "unknown reduction": (
        lambda m: accumulate(m.pairs, reduction="average"),
        ValueError,
        r"reduction must be one of \('mean', 'sum'\); got 'average'",
    ),
    "loss of each sample": (
        lambda m: accumulate(m.pairs, loss=tf.zeros([4], name="losses")),
        ValueError,
        r"loss must be a scalar; got losses:0 of shape \(4,\).*tf.reduce_mean",
    ),
    "weight of each sample": (
        lambda m: accumulate(m.pairs, weight=tf.ones([4], name="weights")),
        ValueError,
        r"weight must be a scalar; got weights:0 of shape \(4,\).*tf.reduce_sum",
    ),
    "negative weight": (
        lambda m: accumulate(m.pairs, weight=-2.0),
        ValueError,
        r"weight must be finite and not negative, as a number of samples is; got -2",
    ),
    "weight that is no number": (
        lambda m: accumulate(m.pairs, weight=tf.constant("32", name="size")),
        TypeError,
        r"weight must be a number or a scalar tensor; got \w*Tensor size",
    ),
    "average loss without a loss": (
        lambda m: m.accumulator.average_loss,
        ValueError,
        r"average_loss.*needs a loss: build it with GradientAccumulator\(.*loss=loss\)",
    ),
    "after something else": (
        lambda m: m.accumulator.after(m.w),
        TypeError,
        r"GradientAccumulator.after takes ops and tensors; got .*w:0",
    ),
    "apply without optimizer": (
        lambda m: m.accumulator.apply("adam"),
        TypeError,
        r"optimizer must have apply_gradients.*got str 'adam'.*use tf.train's",
    ),
    "class": (
        lambda m: m.accumulator.apply(SGD),
        TypeError,
        "the class GradientDescentOptimizer. Write",
    ),
    "class, factory": (
        lambda m: tf1grad.gate_variables(m.pairs[:1], {"w": True}, lambda: SGD),
        TypeError,
        "must be an instance; got the class Gradient",
    ),
    "Keras": (
        lambda m: m.accumulator.apply(Keras()),
        TypeError,
        "Keras optimizers have another interface",
    ),
    # AccumulatedStep
    "step without micro-batches": (
        lambda m: m.step(tf.Session(), []),
        ValueError,
        r"feed_dicts is empty; a step needs at least one",
    ),
    "step of one dict": (
        lambda m: m.step(tf.Session(), {m.x: [1.0]}),
        TypeError,
        r"each element of feed_dicts.*\[feed_dict\]",
    ),
    "step of a number": (
        lambda m: m.step(tf.Session(), 5),
        TypeError,
        r"feed_dicts must be an iterable of feed_dicts.*got int 5",
    ),
    "step of an array": (
        lambda m: m.step(tf.Session(), np.ones([3, 2])),
        TypeError,
        "each element of feed_dicts.*ndarray",
    ),
    "step, swapped": (
        lambda m: m.step([{m.x: [1.0]}], tf.Session()),
        TypeError,
        "session must be a tf.Session.*first; got list",
    ),
    "step of another graph": (
        lambda m: m.step(tf.Session(graph=tf.Graph()), [{}]),
        ValueError,
        "AccumulatedStep: the session is of another graph",
    ),
    # AccumulatingOptimizer
    "no batches per step": (
        lambda m: wrap(m.optimizer, 0),
        ValueError,
        r"batches_per_step must be at least 1 .1 is an update on every run.; got 0",
    ),
    "half a batch": (
        lambda m: wrap(m.optimizer, 2.5),
        TypeError,
        r"batches_per_step must be an integer.*got 2.5",
    ),
    "schedule that gives no integer": (
        lambda m: wrap(m.optimizer, lambda _: 1.5).apply_gradients(m.pairs),
        TypeError,
        r"batches_per_step must be an integer.*got 1.5",
    ),
    "flush before minimize": (
        lambda m: wrap(m.optimizer).flush(),
        ValueError,
        r"AccumulatingOptimizer.flush: call minimize or apply_gradients first",
    ),
    # split_batch
    "split nothing": (
        lambda m: split(mean_of(m), []),
        ValueError,
        r"batch is empty; give the tensors",
    ),
    "split a scalar": (
        lambda m: split(mean_of(m), tf.constant(1.0, name="one")),
        ValueError,
        r"one.* in batch is a scalar; every tensor needs a first dimension",
    ),
    "split unequal tensors": (
        lambda m: split(mean_of(m), [tf.zeros([4, 3], name="a"), tf.zeros([5], name="b")]),
        ValueError,
        r"b:0 has shape|a:0 has shape \(4, 3\).*first dimensions.*must be equal",
    ),
    "split into nothing": (
        lambda m: split(mean_of(m), m.x, 0),
        ValueError,
        r"micro_batch_size must be at least 1 .*; got 0",
    ),
    "split loss of each sample": (
        lambda m: split(lambda x: x * m.w, m.x),
        ValueError,
        r"result of loss_fn must be a scalar; got .* of shape \(\?, 3\)|\(None, 3\).*mean",
    ),
    # feed_gradients
    "feed nothing": (
        lambda m: m.fed.feed_dict([]),
        ValueError,
        r"nothing to average or sum: fetched is empty",
    ),
    "feed another reduction": (
        lambda m: tf1grad.feed_gradients(m.pairs, reduction="average"),
        ValueError,
        r"feed_gradients: reduction must be one of \('mean', 'sum'\); got 'average'",
    ),
    "feed with no weight": (
        lambda m: m.fed.feed_dict([[np.zeros(3, "f")]], [0]),
        ValueError,
        r"all weights are 0",
    ),
    "feed too many gradients": (
        lambda m: m.fed.feed_dict([[np.zeros(3, "f"), None]]),
        ValueError,
        r"fetched must hold 1 gradients, one for each of fetches; got 2. .*feed_dict\(\[gradients\]\)",
    ),
    "feed another shape": (
        lambda m: m.fed.feed_dict([[np.zeros(4, "f")]]),
        ValueError,
        r"the gradient of w:0 must have shape \(3,\); got \(4,\).*order of fetches",
    ),
    "feed a tensor": (
        lambda m: m.fed.feed_dict([[m.gradient]]),
        TypeError,
        r"the gradient of w:0 must be an array that session.run fetched; got \w*Tensor gradients",
    ),
    "split a dict": (
        lambda m: split(mean_of(m), {"x": m.x}),
        TypeError,
        r"batch must be a tensor, or a list of tensors.*got dict",
    ),
    "split a sparse tensor": (
        lambda m: split(mean_of(m), tf.sparse.from_dense(m.x)),
        TypeError,
        r"batch must be a tensor, or a list of tensors.*got SparseTensor",
    ),
    "split a loss": (
        lambda m: tf1grad.split_batch(tf.reduce_sum(m.x), m.x, 2),
        TypeError,
        r"loss_fn must be a function from slices to a loss; got \w*Tensor Sum.*split_batch\(lambda x",
    ),
    "split with the loss of the whole batch": (
        lambda m: tf1grad.split_batch(lambda x: tf.reduce_sum(m.x) * m.w[0], m.x, 2),
        ValueError,
        "the loss does not depend on the slices that loss_fn is given.*Build the model in loss_fn",
    ),
    "minimize by a name": (
        lambda m: wrap(m.optimizer).minimize(tf.reduce_sum(m.w), var_list="head"),
        TypeError,
        r"AccumulatingOptimizer.minimize: var_list must hold variables; got str 'head'.*trainable_in\('head'\)",
    ),
    "split in the order of other functions": (
        lambda m: tf1grad.split_batch(m.x, mean_of(m), 2),
        TypeError,
        "loss_fn must be a function",
    ),
    "feed another dtype": (
        lambda m: m.fed.feed_dict([[np.zeros(3)]]),
        TypeError,
        r"the gradient of w:0 must be float32.*got float64. Cast it with astype",
    ),
    "feed more weights": (
        lambda m: m.fed.feed_dict([[np.zeros(3, "f")]], [1, 1]),
        ValueError,
        r"as many weights as micro-batches are in fetched; got more weights than micro-batches",
    ),
    "feed a negative weight": (
        lambda m: m.fed.feed_dict([[np.zeros(3, "f")]], [-1]),
        ValueError,
        r"weights must be finite and not negative; got -1",
    ),
    "feed dense for sparse": (
        lambda m: m.sparse_fed.feed_dict([[np.zeros([5, 2], "f")]]),
        TypeError,
        r"the gradient of table:0 is sparse: give .* \(values, indices\); got ndarray",
    ),
    "feed rows without indices": (
        lambda m: m.sparse_fed.feed_dict([[(np.zeros([2, 2], "f"), [1])]]),
        ValueError,
        r"table:0 has values of shape \(2, 2\) but indices of shape \(1,\): one index a row",
    ),
    "feed rows that are not there": (
        lambda m: m.sparse_fed.feed_dict([[(np.zeros([2, 2], "f"), [1, 5])]]),
        ValueError,
        r"table:0 has indices from 1 to 5; the variable has rows 0 to 4",
    ),
}


@pytest.mark.parametrize("misuse", sorted(MISUSES))
def test_message_says_what_is_wrong(misuse, graph):
    made = Made()
    call, error, message = MISUSES[misuse]
    with pytest.raises(error, match=message):
        call(made)


LATE = {
    "GradientAccumulator": lambda m: accumulate(m.pairs),
    "GradientAccumulator.after": lambda m: m.accumulator.after(m.accumulator.accumulate),
    "GradientAccumulator.step": lambda m: m.accumulator.step(m.optimizer),
    "apply_gradients": lambda m: m.accumulator.apply(m.optimizer),
    "AccumulatingOptimizer.reset": lambda m: m.wrapped.reset(),
    "AccumulatingOptimizer.flush": lambda m: m.wrapped.flush(),
    "feed_gradients": lambda m: tf1grad.feed_gradients(m.pairs),
    "split_batch": lambda m: split(mean_of(m), m.x),
    "clip_by_norm": lambda m: tf1grad.clip_by_norm(m.pairs, 1.0),
}


@pytest.mark.parametrize("caller", sorted(LATE))
def test_ops_are_built_before_the_graph_is_finalized(caller, graph):
    made = Made()
    made.wrapped = wrap(made.optimizer)
    made.wrapped.apply_gradients(made.pairs)
    graph.finalize()
    with pytest.raises(RuntimeError, match=f"^{caller} adds ops to the graph, which is finalized"):
        LATE[caller](made)


@pytest.mark.parametrize("opened", [tf.Session, tf.train.MonitoredSession])
@pytest.mark.parametrize("used", [False, True])
def test_a_step_in_a_closed_session(opened, used, graph):
    made = Made()
    initializer = tf.global_variables_initializer()
    with opened() as session:
        if used:
            session.run(initializer)
            made.step(session, [{made.x: np.ones([1, 3])}])
    with pytest.raises(
        RuntimeError, match="AccumulatedStep: the session is closed. Open a new one"
    ):
        made.step(session, [{made.x: np.ones([1, 3])}])
