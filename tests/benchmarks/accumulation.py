"""Measures the cost of accumulation: our forms and the textbook's against gradients alone, interleaved in one process.

    python tests/benchmarks/accumulation.py [--models tiny dense sparse] [--k 4 16 64] [--rounds 15]

The floor is what no accumulation can avoid: K runs of the gradients with dropped results, and one apply, through
plain `session.run`. Every variant has its own graph and session and starts from the same weights. In a round each takes
as many steps in a row as last some 20 ms, with warm caches and threads, as in a training loop. CPU ratios have their
quartiles. `error` is the largest difference of its weights after one step from one full batch in float64.
"""

import argparse
import os
import statistics

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

import tf1grad
from harness import Measured, interleave, ratio, ratios, spread, table

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

    def loss(self, x, dtype=tf.float32):
        hidden = tf.cast(x, dtype)
        for layer, (rows, columns) in enumerate(zip(self.sizes, self.sizes[1:])):
            # Drawn when the session starts: as a constant it would be copied with the graph, and measured.
            def start(shape=(rows, columns), layer=layer, **_):
                return tf.cast(
                    tf.random_normal(shape, stddev=shape[0] ** -0.5, seed=layer + 1), dtype
                )

            weights = tf.get_variable(f"w{layer}", [rows, columns], dtype, start)
            bias = tf.get_variable(f"b{layer}", [columns], dtype, tf.zeros_initializer())
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

    def loss(self, ids, dtype=tf.float32):
        start = tf.linspace(tf.constant(-1, dtype), 1, self.columns)[tf.newaxis] * tf.ones(
            [self.rows, 1], dtype
        )
        embedding = tf.get_variable("table", initializer=lambda: start)
        return tf.reduce_mean(tf.square(tf.nn.embedding_lookup(embedding, ids)))


MODELS = {
    "tiny": lambda: Dense([64, 100, 32], 8),
    "dense": lambda: Dense([784, 2800, 2800, 10], 64),
    "sparse": lambda: Sparse(1000000),
    "sparse 10k": lambda: Sparse(10000),
}


class Variant:
    """One way to take a step of K micro-batches, in its own graph and session."""

    def __init__(self, build, model, k, dtype=tf.float32):
        self.model, self.batches, self.dtype = model, model.batches(k), dtype
        with tf.Graph().as_default() as graph:
            self.x = model.input()
            self.optimizer = model.optimizer()
            self.step = build(self)
            self.trained = tf.trainable_variables()
            self.session = tf.Session(graph=graph)
            self.session.run(tf.global_variables_initializer())
            graph.finalize()

    def pairs(self):
        return self.optimizer.compute_gradients(self.model.loss(self.x, self.dtype))

    def feeds(self):
        return ({self.x: batch} for batch in self.batches)

    def whole(self):
        return {self.x: np.concatenate(self.batches)}

    def weights(self):
        return self.session.run(self.trained)

    def steps_of(self, accumulate, apply, reset=None):
        """Returns the function that runs `reset` once, `accumulate` for each micro-batch, and `apply` once."""

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
    # Each op is fetched separately: what only a group waits for is pruned, and the floor would be too low.
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
    return lambda: variant.session.run(train, variant.whole())


def full_batch(variant):
    train = variant.optimizer.apply_gradients(variant.pairs())
    return lambda: variant.session.run(train, variant.whole())


FLOOR, TEXTBOOK = "floor", "textbook"
COMPARED = {
    FLOOR: floor,
    TEXTBOOK: textbook,
    "explicit ops": explicit_ops,
    "accumulator.step": prepared_step,
    "AccumulatingOptimizer": wrapped_optimizer,
    "split_batch": split,
}


def errors(model, k, variants):
    """Returns the largest weight difference of each variant from the full batch, after its latest step."""
    reference = Variant(full_batch, model, k, tf.float64)
    reference.step()
    expected = reference.weights()
    reference.session.close()
    return {
        name: max(np.abs(ours - theirs).max() for ours, theirs in zip(variant.weights(), expected))
        for name, variant in variants.items()
        if name != FLOOR
    }


def in_a_round(step, seconds=0.02):
    """Returns the number of calls of `step` that last this long; at least one."""
    times = Measured()
    for _ in range(5):
        times.run(step)
    return max(1, int(seconds / min(times.wall)))


def compare(model_name, k, rounds):
    """Rows of the table for one model and one K."""
    model = MODELS[model_name]()
    # Minutes a step, known to be slow.
    skipped = TEXTBOOK if model_name == "sparse" and k > 16 else ""
    variants = {
        name: Variant(build, model, k) for name, build in COMPARED.items() if name != skipped
    }
    for variant in variants.values():
        variant.step()
    wrong = errors(model, k, variants)
    steps = in_a_round(variants[FLOOR].step)
    measured = interleave(
        {
            name: lambda step=variant.step: [step() for _ in range(steps)]
            for name, variant in variants.items()
        },
        rounds,
    )
    for variant in variants.values():
        variant.session.close()
    least, recipe = measured[FLOOR], measured.get(TEXTBOOK)
    rows = []
    for name, times in measured.items():
        seconds = statistics.median(times.wall) / steps
        rows.append(
            [
                model_name,
                str(k),
                name,
                f"{1e3 * seconds:.2f}",
                f"{ratio(times, least, 'wall'):.2f}",
                spread(ratios(times, least)),
                f"{ratio(times, recipe, 'wall'):.2f}" if recipe else "",
                spread(ratios(times, recipe)) if recipe else "",
                f"{wrong.get(name, np.nan):.0e}",
            ]
        )
    return rows


HEADER = [
    "model",
    "K",
    "variant",
    "ms a step",
    "x floor",
    "x floor, CPU",
    "x textbook",
    "x textbook, CPU",
    "error",
]


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
