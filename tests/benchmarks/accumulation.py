"""Measures the cost of accumulation: our forms and the textbook's against gradients alone,
interleaved in one process.

    python tests/benchmarks/accumulation.py [--models tiny dense sparse] [--k 4 16 64] [--rounds 15]

The floor is what no accumulation can avoid: K runs of the gradients with dropped results, and one
apply, through plain `session.run`. Every variant has its own graph and session and starts from the
same weights. In a round each takes ten steps in a row, with warm caches and threads, as in a
training loop. CPU ratios have their quartiles.
"""

import argparse
import os
import statistics

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

import tf1grad
from harness import interleave, ratios, spread, table

tf.logging.set_verbosity(tf.logging.ERROR)  # first: the next line logs a deprecation
tf.disable_v2_behavior()


class Dense:
    """A multilayer perceptron under Adam."""

    def __init__(self, sizes, samples):
        self.sizes, self.samples = sizes, samples

    def optimizer(self):
        return tf.train.AdamOptimizer(1e-3)

    def batches(self, k):
        random = np.random.RandomState(0)
        return [random.randn(self.samples, self.sizes[0]).astype(np.float32) for _ in range(k)]

    def input(self):
        return tf.placeholder(tf.float32, [None, self.sizes[0]])

    def loss(self, x):
        hidden = x
        for layer, (rows, columns) in enumerate(zip(self.sizes, self.sizes[1:])):
            # Drawn when the session starts: as a constant it would be copied with the graph, and
            # measured.
            start = tf.random_normal_initializer(stddev=rows**-0.5)
            weights = tf.get_variable(f"w{layer}", [rows, columns], initializer=start)
            bias = tf.get_variable(f"b{layer}", [columns], initializer=tf.zeros_initializer())
            hidden = tf.tanh(tf.matmul(hidden, weights) + bias)
        return tf.reduce_mean(tf.square(hidden - 1))


class Sparse:
    """An embedding table under plain gradient descent."""

    samples, columns = 1024, 64

    def __init__(self, rows):
        self.rows = rows

    def optimizer(self):
        return tf.train.GradientDescentOptimizer(0.1)

    def batches(self, k):
        random = np.random.RandomState(0)
        return [random.randint(0, self.rows, self.samples).astype(np.int32) for _ in range(k)]

    def input(self):
        return tf.placeholder(tf.int32, [None])

    def loss(self, ids):
        embedding = tf.get_variable(
            "table", [self.rows, self.columns], initializer=tf.ones_initializer()
        )
        return tf.reduce_mean(tf.square(tf.nn.embedding_lookup(embedding, ids)))


MODELS = {
    "tiny": lambda: Dense([64, 100, 32], 8),
    "dense": lambda: Dense([784, 2800, 2800, 10], 64),
    "sparse": lambda: Sparse(1000000),
    "sparse 10k": lambda: Sparse(10000),
}


class Variant:
    """One way to take a step of K micro-batches, in its own graph and session."""

    def __init__(self, build, model, k):
        self.model, self.batches = model, model.batches(k)
        with tf.Graph().as_default() as graph:
            self.x = model.input()
            self.optimizer = model.optimizer()
            self.step = build(self)
            self.session = tf.Session(graph=graph)
            self.session.run(tf.global_variables_initializer())
            graph.finalize()

    def pairs(self):
        return self.optimizer.compute_gradients(self.model.loss(self.x))

    def feeds(self):
        return ({self.x: batch} for batch in self.batches)

    def steps_of(self, accumulate, apply, reset=None):
        """Returns the function that runs `reset` once,
        `accumulate` for each micro-batch, and `apply` once.
        """

        def step():
            if reset is not None:
                self.session.run(reset)
            for feed_dict in self.feeds():
                self.session.run(accumulate, feed_dict)
            if apply is not None:
                self.session.run(apply)

        return step


def floor(variant):
    pairs = variant.pairs()
    # Each op is fetched separately: what only a group waits for is pruned, and the floor would be
    # too low.
    gradients = [getattr(gradient, "values", gradient).op for gradient, _ in pairs]
    apply = variant.optimizer.apply_gradients(
        [(resident(variant, *pair), pair[1]) for pair in pairs]
    )
    return variant.steps_of(gradients, apply)


def resident(variant, gradient, variable):
    if isinstance(gradient, tf.IndexedSlices):
        rows = len(variant.batches) * Sparse.samples
        indices = np.concatenate(variant.batches)
        return tf.IndexedSlices(
            tf.get_variable("values", [rows, Sparse.columns], trainable=False),
            tf.get_variable("indices", initializer=indices, trainable=False),
        )
    return tf.Variable(tf.zeros(variable.shape), trainable=False).read_value()


def textbook(variant):
    pairs = variant.pairs()
    sums = [
        tf.Variable(tf.zeros(variable.shape, variable.dtype.base_dtype), trainable=False)
        for _, variable in pairs
    ]
    reset = tf.group(*[total.assign(tf.zeros_like(total)) for total in sums])
    accumulate = tf.group(
        *[
            total.assign_add(tf.convert_to_tensor(gradient) / len(variant.batches))
            for total, (gradient, _) in zip(sums, pairs)
        ]
    )
    apply = variant.optimizer.apply_gradients(
        [(total, pair[1]) for total, pair in zip(sums, pairs)]
    )
    return variant.steps_of(accumulate, apply, reset)


def explicit_ops(variant):
    accumulator = tf1grad.GradientAccumulator(variant.pairs())
    return variant.steps_of(
        accumulator.accumulate, accumulator.apply(variant.optimizer), accumulator.reset
    )


def prepared_step(variant):
    step = tf1grad.GradientAccumulator(variant.pairs()).step(variant.optimizer)
    return lambda: step(variant.session, variant.feeds())


def wrapped_optimizer(variant):
    optimizer = tf1grad.AccumulatingOptimizer(variant.optimizer, len(variant.batches))
    return variant.steps_of(optimizer.minimize(variant.model.loss(variant.x)), None)


def split(variant):
    _, pairs = tf1grad.split_batch(variant.model.loss, variant.x, variant.model.samples)
    train = variant.optimizer.apply_gradients(pairs)
    feed_dict = {variant.x: np.concatenate(variant.batches)}
    return lambda: variant.session.run(train, feed_dict)


FLOOR, TEXTBOOK = "floor", "textbook"
STEPS = 10  # of a variant in a round
COMPARED = {
    FLOOR: floor,
    TEXTBOOK: textbook,
    "explicit ops": explicit_ops,
    "accumulator.step": prepared_step,
    "AccumulatingOptimizer": wrapped_optimizer,
    "split_batch": split,
}


def compare(model_name, k, rounds):
    """Rows of the table for one model and one K."""
    model = MODELS[model_name]()
    # Minutes a step, known to be slow.
    skipped = TEXTBOOK if model_name == "sparse" and k > 16 else ""
    variants = {
        name: Variant(build, model, k) for name, build in COMPARED.items() if name != skipped
    }
    measured = interleave(
        {
            name: lambda step=variant.step: [step() for _ in range(STEPS)]
            for name, variant in variants.items()
        },
        rounds,
    )
    rows = []
    for name, times in measured.items():
        milliseconds = 1e3 * statistics.median(times.wall) / STEPS
        row = [model_name, str(k), name, f"{milliseconds:.2f}"]
        for other in (FLOOR, TEXTBOOK):
            known = other in measured
            row.append(spread(ratios(times, measured[other])) if known else "")
        rows.append(row)
        variants[name].session.close()
    return rows


HEADER = ["model", "K", "variant", "ms a step", "CPU / floor", "CPU / textbook"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--models", nargs="+", choices=MODELS, default=["tiny", "dense", "sparse 10k", "sparse"]
    )
    parser.add_argument("--k", nargs="+", type=int, default=[4, 16, 64])
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    for model_name in arguments.models:
        for k in arguments.k:
            print(table(HEADER, compare(model_name, k, arguments.rounds)), flush=True)


if __name__ == "__main__":
    main()
