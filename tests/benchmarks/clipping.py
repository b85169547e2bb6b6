"""Measures the cost of clipping by the global norm:
ours and TensorFlow's as a multiple of a plain apply, interleaved.

    python tests/benchmarks/clipping.py [--models dense sparse] [--rounds 21]

Gradients lie ready in variables, so that the floor is the apply and nothing else. The threshold is
half the norm, so that every run clips. `error` is the largest difference, relative to the largest
update, of one step from NumPy's in float64. Bars, in CPU time: dense with `ClippingOptimizer` at
most 1.6, and nothing of ours above TensorFlow's own beyond the noise; sparse with duplicate rows
merged at most 2.
"""

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

import tf1grad
from harness import interleave, ratio, table

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

RATE = 0.01


def dense():
    """Returns the gradients of ten million parameters in four matrices, the pairs,
    and the runs in a round.
    """
    draws = [np.random.RandomState(seed).randn(2500, 1000).astype(np.float32) for seed in range(4)]
    return (
        draws,
        [
            (resident(draw), tf.get_variable(f"w{index}", initializer=tf.zeros(draw.shape)))
            for index, draw in enumerate(draws)
        ],
        3,
    )


def sparse(rows, zipf=False):
    """Returns the same of a table of a million rows, of which some are looked up: a third
    repeatedly, or as words.
    """
    random, shape = np.random.RandomState(0), (1000000, 64)
    values = random.randn(rows, shape[1]).astype(np.float32)
    indices = random.zipf(1.3, rows) % shape[0] if zipf else random.randint(0, rows, rows)
    indices = indices.astype(np.int32)
    summed = np.zeros(shape, np.float32)
    np.add.at(summed, indices, values)
    slices = tf.IndexedSlices(resident(values), resident(indices), tf.constant(shape))
    table = tf.get_variable("table", shape, initializer=tf.zeros_initializer())
    return [summed], [(slices, table)], 20 if rows > 10000 else 200


def resident(value):
    """Returns a value that exists before the run: a variable's."""
    return tf.Variable(value, trainable=False).read_value()


def tensorflow_clip(pairs, limit):
    clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], limit)
    return list(zip(clipped, [variable for _, variable in pairs]))


# Functions of the optimizer, the gradients and the limit, which return the train op.
PLAIN = "plain apply"
VARIANTS = {
    PLAIN: lambda optimizer, pairs, limit: optimizer.apply_gradients(pairs),
    "tf.clip_by_global_norm": lambda optimizer, pairs, limit: optimizer.apply_gradients(
        tensorflow_clip(pairs, limit)
    ),
    "tf1grad.clip_by_global_norm": lambda optimizer, pairs, limit: optimizer.apply_gradients(
        tf1grad.clip_by_global_norm(pairs, limit)[0]
    ),
    "ClippingOptimizer": lambda optimizer, pairs, limit: tf1grad.ClippingOptimizer(
        optimizer, limit
    ).apply_gradients(pairs),
    "ClippingOptimizer, skip": lambda optimizer, pairs, limit: tf1grad.ClippingOptimizer(
        optimizer, limit, nonfinite="skip"
    ).apply_gradients(pairs),
}


class Variant:
    """One way to clip and apply, in its own graph and session."""

    def __init__(self, model, build):
        with tf.Graph().as_default() as graph:
            self._gradients, pairs, self._repeats = model()
            norm = np.sqrt(sum(np.sum(np.float64(gradient) ** 2) for gradient in self._gradients))
            self._apply = build(tf.train.GradientDescentOptimizer(RATE), pairs, norm / 2)
            self._variables = [variable for _, variable in pairs]
            self.session = tf.Session(graph=graph)
            self.session.run(tf.global_variables_initializer())
            graph.finalize()

    def error(self):
        """Of one step from zero, which is -RATE times the clipped gradient."""
        self.session.run(self._apply)
        worst = 0
        for variable, gradient in zip(self._variables, self._gradients):
            expected = -RATE / 2 * np.float64(gradient)
            worst = max(
                worst,
                np.max(np.abs(self.session.run(variable) - expected)) / np.max(np.abs(expected)),
            )
        return worst

    def run(self):
        for _ in range(self._repeats):
            self.session.run(self._apply)


MODELS = {
    "dense": dense,
    "sparse 4096": lambda: sparse(4096),
    "sparse 65536": lambda: sparse(65536),
    "sparse 65536 as words": lambda: sparse(65536, zipf=True),
}


def measure(model, rounds):
    """Rows of: variant, CPU ratio, error."""
    variants = {name: Variant(model, build) for name, build in VARIANTS.items()}
    errors = {name: f"{variant.error():.1e}" for name, variant in variants.items()}
    errors[PLAIN] = ""
    measured = interleave({name: variant.run for name, variant in variants.items()}, rounds)
    for variant in variants.values():
        variant.session.close()
    return [
        [name, f"{ratio(times, measured[PLAIN]):.2f}", errors[name]]
        for name, times in measured.items()
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--models", nargs="+", default=["dense", "sparse"])
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    for name, model in MODELS.items():
        if name.split()[0] in arguments.models:
            print(f"\n{name}, TensorFlow {tf.__version__}")
            print(table(["variant", "CPU", "error"], measure(model, arguments.rounds)), flush=True)


if __name__ == "__main__":
    main()
