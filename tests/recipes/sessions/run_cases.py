"""Lists runs of every kind, for comparisons with a plain session:
fetches, feeds and mistakes in them.
"""

import collections

import numpy as np
import tensorflow.compat.v1 as tf

Pair = collections.namedtuple("Pair", "first second")


class Program:
    """The same graph and feeds for a plain and a fast session."""

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3], name="x")
        self.n = tf.placeholder(tf.int32, [], name="n")
        self.text = tf.placeholder(tf.string, [None], name="text")
        self.any = tf.placeholder(tf.float64, None, name="any")
        self.sparse = tf.sparse_placeholder(tf.float32, name="sparse")
        self.truth = tf.placeholder(tf.bool, [], name="truth")
        self.w = tf.get_variable("w", initializer=[[1.0], [2.0], [3.0]])
        self.count = tf.get_variable("count", initializer=0)
        self.product = tf.matmul(self.x, self.w, name="product")
        self.total = tf.reduce_sum(self.product, name="total")
        self.up = self.count.assign_add(1)
        self.raised = tf.group(self.w.assign_add(tf.ones([3, 1])), name="raised")
        # A run that fetches both must do this last.
        with tf.control_dependencies([self.product, self.total]):
            self.raised_last = tf.group(self.w.assign_add(tf.ones([3, 1])), name="raised_last")
        self.slices = tf.IndexedSlices(
            tf.gather(self.w, [0, 2]), tf.constant([0, 2]), tf.constant([3, 1])
        )
        self.sparse_twice = tf.SparseTensor(
            *[
                2 * part
                for part in (self.sparse.indices, self.sparse.values, self.sparse.dense_shape)
            ]
        )
        self.constant = tf.constant([1.5, 2.5])
        self.words = tf.constant([b"one", b"two"])
        self.upper = tf.string_join([self.text, self.text])
        self.positive = tf.check_numerics(tf.log(self.any), "not finite", name="positive")
        self.doubled = self.any * 2
        with tf.control_dependencies(
            [tf.debugging.Assert(self.n > 0, ["n is", self.n], name="above_zero")]
        ):
            self.checked = tf.identity(self.n, name="checked")
        self.branch = tf.cond(self.truth, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
        self.queue = tf.FIFOQueue(10, [tf.int32], [[]])
        self.enqueue, self.size = self.queue.enqueue(self.n), self.queue.size()
        self.half = self.product * 0.5
        self.ragged = tf.RaggedTensor.from_row_splits(
            tf.constant([1, 2, 3]), tf.constant([0, 1, 3], tf.int64)
        )
        self.uninitialized = tf.get_variable("uninitialized", [2], collections=["none"])


X = np.arange(6, dtype=np.float32).reshape(2, 3)
SPARSE = tf.SparseTensorValue([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])

# By kind, functions of the program that give the arguments of a run: new objects each time.
FETCHES = {
    "tensor": lambda p: (p.total, {p.x: X}),
    "no feeds": lambda p: (p.constant,),
    "op": lambda p: (p.raised,),
    "list": lambda p: ([p.total, p.product, p.raised_last], {p.x: X}),
    "namedtuple": lambda p: (Pair(p.total, [p.raised_last, p.product]), {p.x: X}),
    "dict": lambda p: ({"loss": p.total, "ops": [p.raised_last, {"again": p.total}]}, {p.x: X}),
    "dict with keys that are no strings": lambda p: (
        {1: p.total, None: p.constant, p.total: p.product},
        {p.x: X},
    ),
    "empty and not": lambda p: ([[], p.constant, {}, ()],),
    "names": lambda p: (["total:0", "raised_last", "product:0"], {"x:0": X}),
    "variable": lambda p: ([p.w, p.count],),
    "reads beside a write": lambda p: (p.up,),
    "sparse": lambda p: (p.sparse_twice, {p.sparse: SPARSE}),
    "ragged": lambda p: (p.ragged,),
    "slices": lambda p: (p.slices,),
    "queue": lambda p: ([p.enqueue], {p.n: 5}),
    "options": lambda p: (p.total, {p.x: X}, tf.RunOptions(timeout_in_ms=60000)),
}
FEEDS = {
    "strings": lambda p: ([p.words, p.upper], {p.text: ["a", b"b", "\u00e9"]}),
    "feed a list": lambda p: (p.total, {p.x: [[1, 2, 3]]}),
    "feed float64": lambda p: (p.total, {p.x: X.astype(np.float64)}),
    "feed a matrix": lambda p: (p.product, {p.x: np.matrix(X)}),
    "feed scalars": lambda p: ([p.checked, p.positive], {p.n: 3, p.any: 2.5}),
    "feed a bool": lambda p: (p.branch, {p.truth: True}),
    "feed an unknown shape": lambda p: (p.doubled, {p.any: [[1.0], [2.0]]}),
    "feed what is fetched": lambda p: ([p.x, p.total], {p.x: X}),
    "feed no placeholder": lambda p: ([p.half, p.total], {p.product: [[8.0]]}),
    "feed a constant": lambda p: (p.constant * 2, {p.constant: [7.0, 9.0]}),
    "feed a tensor twice": lambda p: (p.total, collections.OrderedDict([(p.x, X), ("x:0", X * 2)])),
    "feed what is not needed": lambda p: (p.constant, {p.x: X}),
}
MISTAKES = {
    "wrong shape": lambda p: (p.total, {p.x: X[:, :2]}),
    "wrong type": lambda p: (p.total, {p.x: "text"}),
    "ragged list": lambda p: (p.total, {p.x: [[1.0, 2.0], [3.0]]}),
    "None": lambda p: (p.total, {p.x: None}),
    "a large int": lambda p: (p.checked, {p.n: 2**40}),
    "not fed": lambda p: (p.total,),
    "fetch None": lambda p: (None,),
    "fetch an unknown name": lambda p: ("nothing:0",),
    "fetch another graph's": lambda p: (_elsewhere(),),
    "assertion": lambda p: (p.checked, {p.n: -1}),
    "not finite": lambda p: ([p.total, p.positive], {p.x: X, p.any: -1.0}),
    "uninitialized": lambda p: (p.uninitialized,),
}
KINDS = {"fetches": FETCHES, "feeds": FEEDS, "mistakes": MISTAKES}
CASES = {**FETCHES, **FEEDS, **MISTAKES}


def _elsewhere():
    with tf.Graph().as_default():
        return tf.constant(1.0)
